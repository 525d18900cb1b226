"""``galley parse`` as users run it: output, messages, exit codes."""

from __future__ import annotations

import io
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image
from running import Run, command, numbered

SAMPLES = Path(__file__).parents[2] / "samples"
HELP_OPTIONS = (
    "--output --format --pages --dpi --ocr --keep --images --merge-tables --password --jobs --resume --quiet"
)


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_version_and_help(run: Run) -> None:
    assert run("--version", parser=None).stdout.startswith("galley 0.")
    shown = run("parse", "--help", parser=None)
    assert shown.returncode == 0 and "galley parse report.pdf prints Markdown" in " ".join(
        shown.stdout.split()
    )
    assert all(option in shown.stdout for option in HELP_OPTIONS.split())


def test_starting_up_loads_no_models() -> None:
    heavy = "{'numpy', 'onnxruntime', 'scipy', 'PIL'}"
    code = f"import sys, galley, galley.cli.app; print({heavy} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


def test_one_document_goes_to_standard_output(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(numbered(2))
    done = run("parse", "a.pdf")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "Page 1\n\nPage 2\n"
    data = json.loads(run("parse", "a.pdf", "-f", "json", "--pages", "2").stdout)
    assert data["page_count"] == 2 and [page["number"] for page in data["pages"]] == [2]
    assert data["source"] == "a.pdf"


def test_standard_input(run: Run) -> None:
    done = subprocess.run(command(["parse", "-"]), input=numbered(1), capture_output=True)
    assert (done.returncode, done.stdout) == (0, b"Page 1\n")


def test_odd_names(run: Run, tmp_path: Path) -> None:
    for name in ("-x.pdf", "two words.pdf", "naïve – 文.pdf", "no suffix"):
        (tmp_path / name).write_bytes(numbered(1))
        done = run("parse", "--", name)
        assert (done.returncode, done.stdout) == (0, "Page 1\n"), name


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_name_that_is_no_text(tmp_path: Path) -> None:
    name = b"caf\xe9.pdf"
    Path(str(tmp_path), "x").with_name(name.decode("utf-8", "surrogateescape")).write_bytes(numbered(1))
    base = [word.encode() for word in command(["parse", "-f", "json"])]
    done = subprocess.run([*base, name], cwd=tmp_path, capture_output=True)
    assert done.returncode == 0 and json.loads(done.stdout)["source"] == "caf\ufffd.pdf"


def bad_files(folder: Path) -> dict[str, tuple[int, str]]:
    """Bad files in ``folder``: exit code and message of each."""
    (folder / "empty.pdf").write_bytes(b"")
    (folder / "cut.pdf").write_bytes(numbered(2)[:120])
    (folder / "text.pdf").write_text("hello")
    (folder / "page.html").write_text("<html>")
    (folder / "word.docx").write_bytes(b"PK\x03\x04....")
    (folder / "link.pdf").symlink_to(folder / "gone")
    (folder / "folder.pdf").mkdir()
    file = io.BytesIO()
    Image.effect_noise((200, 200), 50).save(file, "PNG")
    (folder / "cut.png").write_bytes(file.getvalue()[:9000])
    head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (100_000).to_bytes(4, "big") * 2 + b"\x08\0\0\0\0"
    (folder / "bomb.png").write_bytes(head + b"\0\0\0\0\0\0\0\0IDAT\0\0\0\0")
    (folder / "good.pdf").write_bytes(numbered(1))
    return {
        "empty.pdf": (3, "is empty (0 bytes)"),
        "cut.pdf": (3, "damaged or cut off PDF"),
        "text.pdf": (3, "looks like plain text"),
        "page.html": (3, "looks like HTML"),
        "word.docx": (3, "looks like a ZIP or Office file"),
        "link.pdf": (3, "is a broken link"),
        "folder.pdf": (3, "holds no documents"),
        "gone.pdf": (3, "does not exist"),
        "cut.png": (3, "damaged or cut off"),
        "bomb.png": (3, ""),
    }


def test_bad_files_give_one_line_and_their_exit_code(run: Run, tmp_path: Path) -> None:
    bad = bad_files(tmp_path)
    for name, (code, message) in bad.items():
        done = run("parse", name)
        assert done.returncode == code, (name, done.stderr)
        assert done.stdout == "" or name == "cut.png"
        assert (
            done.stderr.count("\n") == 1 and done.stderr.startswith("galley: ") and message in done.stderr
        ), name
    done = run("parse", *bad, "good.pdf", "-o", "out", "-f", "md,json")
    assert done.returncode == 3 and len(done.stderr.splitlines()) == len(bad)
    assert (tmp_path / "out/good.md").read_text() == "Page 1\n"
    failures = json.loads((tmp_path / "out/empty.json").read_text())["failures"]
    assert failures == [{"message": "empty.pdf is empty (0 bytes)"}]


def test_usage_errors(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(numbered(1))
    (tmp_path / "b.pdf").write_bytes(numbered(1))
    (tmp_path / "bad.toml").write_text("[parse]\ndpii = 100\n")
    for words, message in (
        (("a.pdf", "b.pdf"), "2 documents do not fit on standard output; name a folder: -o DIR"),
        (("a.pdf", "-f", "md,json"), "2 formats do not fit on standard output"),
        (("a.pdf", "-f", "docx"), "there is no format 'docx'"),
        (("a.pdf", "--images"), "--images needs a folder"),
        (("a.pdf", "--resume"), "--resume needs the folder"),
        (("a.pdf", "-o", "out.md"), "-o takes a folder"),
        (("a.pdf", "--pages", "3-1"), "--pages: the pages '3-1' make no sense"),
        (("a.pdf", "--pages", "x"), "--pages: cannot read the pages 'x'; write them like 1-3,7,12-"),
        (
            (
                "a.pdf",
                "--pages=-1",
            ),
            "--pages: cannot read the pages '-1'; write them like 1-3,7,12-",
        ),
        (("a.pdf", "--dpi", "0"), "--dpi: a number of at least 36 and at most 1200, not 0\n"),
        (("a.pdf", "--tau", "2"), "--tau: a number of more than 0 and at most 1, not 2\n"),
        (("a.pdf", "--block-size", "0"), "--block-size: a number of at least 1 and"),
        (("a.pdf", "--ocr", "maybe"), "--ocr: input should be 'auto', 'always' or 'never', not 'maybe'"),
        (("a.pdf", "--keep", "all"), "--keep: input should be 'headers', 'footers'"),
        (("a.pdf", "--config", "none.toml"), "the configuration file none.toml does not exist"),
        (("a.pdf", "--config", "bad.toml"), "there is no option 'dpii' in bad.toml"),
    ):
        done = run("parse", *words)
        assert (done.returncode, done.stdout) == (2, ""), words
        assert message in done.stderr and done.stderr.count("\n") == 1, words
    assert run("parse").returncode == 2
    assert run("parse", "a.pdf", "--nonsense").returncode == 2


def test_pages_that_do_not_exist(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(numbered(2))
    done = run("parse", "a.pdf", "--pages", "2-4")
    assert (done.returncode, done.stdout) == (3, "Page 2\n")
    assert done.stderr == "galley: pages 3-4 do not exist; a.pdf has 2 pages\n"


def test_configuration_overlays_the_defaults(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(numbered(3))
    (tmp_path / "galley.toml").write_text('[parse]\npages = "2-"\ndpi = 72\n')
    page = json.loads(run("parse", "a.pdf", "-f", "json").stdout)["pages"][0]
    assert (page["number"], page["dpi"], page["width"]) == (2, 72, 300)
    page = json.loads(run("parse", "a.pdf", "-f", "json", "--pages", "1").stdout)["pages"][0]
    assert (page["number"], page["dpi"]) == (1, 72)


def test_unexpected_errors_are_one_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(numbered(3))
    done = run("parse", "a.pdf", parser="FailsOnTwo")
    assert (done.returncode, done.stdout) == (1, "Page 1\n\nPage 3\n")
    line = "galley: a.pdf: page 2: unexpected ZeroDivisionError: two is one too many; please report it\n"
    assert done.stderr == line
    assert "Traceback" in run("parse", "a.pdf", "--debug", parser="FailsOnTwo").stderr
    for jobs in ("1", "2"):
        done = run("parse", "a.pdf", "-j", jobs, parser="Broken")
        assert done.returncode == 1
        assert done.stderr == "galley: unexpected RuntimeError: cannot even start; please report it\n"


def test_missing_model_ends_the_run(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(numbered(3))
    for jobs in ("1", "2"):
        done = run("parse", "a.pdf", "-j", jobs, parser="NoModel")
        assert (done.returncode, done.stderr) == (5, "galley: the model is missing; install it\n")


def test_output_that_cannot_be_written(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(numbered(1))
    (tmp_path / "file").write_text("in the way")
    done = run("parse", "a.pdf", "-o", "file")
    assert (done.returncode, done.stderr) == (4, "galley: file is a file; -o takes a folder\n")
    done = run("parse", "a.pdf", "-o", "/proc/galley")
    assert done.returncode == 4 and done.stderr.startswith("galley: cannot write /proc/galley: ")


@pytest.mark.skipif(sys.platform != "linux", reason="limits the size of files as Linux does")
def test_full_disk(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(numbered(200))
    line = "ulimit -f 1; exec " + " ".join(command(["parse", "a.pdf", "-o", "out", "-f", "json"]))
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (4, "galley: cannot write out/a.json: File too large\n")
    assert files(tmp_path / "out") == []


def test_closed_pipe_is_quiet(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(numbered(300, "Word " * 60))
    line = " ".join(command(["parse", "a.pdf"])) + " | head -n 1"
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Word Word")


def test_encrypted_document(run: Run, tmp_path: Path) -> None:
    canvas_module = pytest.importorskip("reportlab.pdfgen.canvas")
    canvas = canvas_module.Canvas(str(tmp_path / "a.pdf"), encrypt="sesame")
    canvas.drawString(72, 700, "Private")
    canvas.save()
    done = run("parse", "a.pdf")
    assert done.returncode == 3 and "is encrypted; give its password with --password" in done.stderr
    done = run("parse", "a.pdf", "--password", "no")
    assert (
        done.returncode == 3 and "the password does not open a.pdf" in done.stderr and "--" not in done.stderr
    )
    assert run("parse", "a.pdf", "--password", "sesame").stdout == "Private\n"


def test_all_formats_and_images(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(numbered(2))
    done = run("parse", "a.pdf", "-o", "out", "-f", "md,html,text", "-f", "json", "--images")
    assert (done.returncode, done.stderr) == (0, "")
    assert files(tmp_path / "out") == [
        ".galley-done.jsonl",
        "a.html",
        "a.json",
        "a.md",
        "a.txt",
        "a_images/page-1-figure-1.jpg",
        "a_images/page-2-figure-1.jpg",
    ]
    assert "a_images/page-2-figure-1.jpg" in (tmp_path / "out/a.md").read_text()
    assert Image.open(tmp_path / "out/a_images/page-1-figure-1.jpg").size == (30, 20)


def test_glm_ocr_layout(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(numbered(1))
    run("parse", "a.pdf", "-o", "out", "-f", "glmocr", "--images")
    assert files(tmp_path / "out")[1:] == ["a/a.json", "a/a.md", "a/imgs/page-1-figure-1.jpg"]
    assert "imgs/page-1-figure-1.jpg" in (tmp_path / "out/a/a.md").read_text()
    assert "a/imgs" not in (tmp_path / "out/a/a.md").read_text()
    pages = json.loads((tmp_path / "out/a/a.json").read_text())
    assert len(pages) == 1 and pages[0][0]["content"] == "Page 1"


def test_notes(run: Run, tmp_path: Path) -> None:
    Image.new("L", (400, 300), 255).save(tmp_path / "a.png")
    (tmp_path / "galley.toml").write_text("[parse]\nmax_pixels = 10000\n")
    done = run("parse", "a.png")
    assert done.returncode == 0
    assert (
        done.stderr
        == "galley: note: a.png, page 1: 400 × 300 pixels are more than 10000; scaled to 115 × 86\n"
    )
    assert run("parse", "a.png", "--quiet").stderr == ""


def test_the_samples_end_to_end(run: Run) -> None:
    report = run("parse", str(SAMPLES / "report.pdf"), parser=None)
    assert (report.returncode, report.stderr) == (0, "")
    assert (
        "# Twenty-Eight Years of Mornings" in report.stdout
        and "| 2012–2018 | 1.3 | 194 | 13 |" in report.stdout
    )
    letter = run("parse", str(SAMPLES / "letter.jpg"), parser=None)
    assert letter.returncode == 0
    [summary] = letter.stderr.splitlines()
    assert re.fullmatch(
        r"galley: galley-nano: \d+ tokens in \d+ forwards, [\d.]+ tokens per forward, \d+ tokens/s, "
        r"about [\d.]+ × plain decoding",
        summary,
    )
    assert "Dear Ms Penn" in letter.stdout and "Brass hook" in letter.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full and a POSIX shell")
@pytest.mark.parametrize(
    ("words", "redirected", "code", "message"),
    [
        (("a.pdf",), ">/dev/full", 4, "cannot write standard output: No space left"),
        (("a.pdf",), ">&-", 4, "standard output is closed"),
        (("-",), "<&-", 3, "standard input is closed"),
        (("a.pdf", "-f", ""), "", 2, "--format names no format"),
        (("a.pdf", "-f", ","), "", 2, "--format names no format"),
    ],
)
def test_streams_and_formats(
    tmp_path: Path, words: tuple[str, ...], redirected: str, code: int, message: str
) -> None:
    (tmp_path / "a.pdf").write_bytes(numbered(1))
    line = f"{shlex.join(command(['parse', *words]))} {redirected}"
    done = subprocess.run(["sh", "-c", line], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == code and message in done.stderr and done.stderr.count("\n") == 1, done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="other systems have no such names")
def test_names_with_control_characters_stay_on_one_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a\n\x1b[31m.pdf").write_bytes(b"")
    assert run("parse", "a\n\x1b[31m.pdf").stderr == "galley: a\\n\\x1b[31m.pdf is empty (0 bytes)\n"
