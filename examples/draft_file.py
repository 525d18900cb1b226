"""Read what another program wrote (hOCR, ALTO, PP-StructureV3's JSON or Markdown) as blocks, and write Markdown.

python examples/draft_file.py page.hocr
"""

import sys
from pathlib import Path

from galley.drafters.files import read_draft

document = read_draft(Path(sys.argv[1]))
for page in document.pages:
    for block in page.blocks:
        print(f"<!-- {block.label.value} -->")
        print(block.content, end="\n\n")
