"""Read a long document page by page: one page in memory at a time, and a list of what could not be read.

python examples/long_document.py samples/report.pdf
"""

import sys

import galley

failures: list[galley.Failure] = []
words = 0
for page in galley.iter_pages(sys.argv[1], on_failure=failures.append):
    words += sum(len(block.content.split()) for block in page.blocks)
    print(f"page {page.number}: {len(page.blocks)} blocks")

print(f"{words} words, {len(failures)} failures")
