"""Use what another OCR program has written (hOCR, ALTO, PP-StructureV3's JSON or Markdown) as a draft.

    python examples/draft_file.py samples/letter.jpg old.hocr

The model verifies the draft together with Galley's own reading of the page.
"""

import sys

import galley

document = galley.parse(sys.argv[1], draft_from=sys.argv[2])
print(document.to_markdown())
