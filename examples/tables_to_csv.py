"""Write every table of a document as a CSV file.

python examples/tables_to_csv.py samples/report.pdf out/
"""

import csv
import sys
from pathlib import Path

import galley
from galley.document import Table


def rows(table: Table) -> list[list[str]]:
    """The table's texts, row by row; a cell over several places has its text in the first of them."""
    grid = [[""] * table.cols for _ in range(table.rows)]
    for cell in table.cells:
        grid[cell.row][cell.col] = cell.text
    return grid


source, out = Path(sys.argv[1]), Path(sys.argv[2])
out.mkdir(parents=True, exist_ok=True)

for page in galley.iter_pages(source):
    tables = [block.table for block in page.blocks if block.table is not None]
    for number, table in enumerate(tables, start=1):
        path = out / f"{source.stem}-page{page.number}-table{number}.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows(table))
        print(f"{path}: {table.rows} rows, {table.cols} columns")
