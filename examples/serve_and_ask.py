"""Start a server, send it a document over HTTP, print the Markdown it answers with, and stop the server.

    python examples/serve_and_ask.py samples/letter.jpg

Needs the packages ``galley-ocr[serve]`` and ``httpx``.
"""

import re
import subprocess
import sys
from pathlib import Path

import httpx

source = Path(sys.argv[1])
command = [sys.executable, "-m", "galley", "serve", "--port", "0", "--jobs", "1", "--grace", "0"]
server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
try:
    for line in server.stderr or ():
        if address := re.search(r"http://[\d.:]+", line):  # port 0 is any free one; the server says which
            break
    else:
        raise SystemExit("the server did not start")
    answer = httpx.post(
        f"{address.group()}/v1/parse",
        files={"file": (source.name, source.read_bytes())},
        data={"format": "markdown"},
        timeout=120,
    )
    answer.raise_for_status()
    print(answer.text)
finally:
    server.terminate()
    server.wait()
