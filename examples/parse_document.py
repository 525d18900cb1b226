"""Read a document once and write it as Markdown and as JSON.

python examples/parse_document.py samples/report.pdf out/
"""

import sys
from pathlib import Path

import galley

source, out = Path(sys.argv[1]), Path(sys.argv[2])
document = galley.parse(source)

out.mkdir(parents=True, exist_ok=True)
(out / f"{source.stem}.md").write_text(document.to_markdown(), encoding="utf-8")
(out / f"{source.stem}.json").write_text(document.to_json(), encoding="utf-8")

print(f"{len(document.pages)} of {document.page_count} pages read")
for failure in document.failures:
    print(f"not read: {failure.message}")
