"""Write every table of a document as a CSV file.

    python examples/tables_to_csv.py samples/report.pdf out/

``table.to_dataframe()`` gives the same table as a pandas ``DataFrame``, where pandas is installed.
"""

import sys
from pathlib import Path

import galley

source, out = Path(sys.argv[1]), Path(sys.argv[2])
out.mkdir(parents=True, exist_ok=True)

for number, table in enumerate(galley.parse(source).tables, start=1):
    path = out / f"{source.stem}-table{number}.csv"
    path.write_text(table.to_csv(), encoding="utf-8", newline="")
    print(f"{path}: {table.rows} rows, {table.cols} columns")
