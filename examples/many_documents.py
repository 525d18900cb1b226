"""Read many documents with models that are loaded once.

python examples/many_documents.py samples/letter.jpg samples/report.pdf
"""

import sys

import galley

parser = galley.Parser(strategy="draft")
for path in sys.argv[1:]:
    document = parser.parse(path)
    print(
        f"{path}: {len(document.pages)} pages, {len(document.blocks)} blocks, {len(document.tables)} tables"
    )
