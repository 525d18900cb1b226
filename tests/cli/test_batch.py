"""Folders of documents: places of outputs, resuming, workers, interrupting."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path, PurePath

import pytest
from running import Run, command, numbered

from galley.cli.inputs import find_inputs
from galley.runtime import cores


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def places(*paths: Path) -> list[str]:
    inputs, errors = find_inputs([str(path) for path in paths])
    assert not errors
    return [str(given.place) for given in inputs]


def touch(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x")
    return path


def test_outputs_never_collide(tmp_path: Path) -> None:
    a = touch(tmp_path / "x/a.pdf")
    b = touch(tmp_path / "x/a.png")
    c = touch(tmp_path / "y/a.pdf")
    assert places(a) == ["a"]
    assert places(a, b) == ["a.pdf", "a.png"]
    assert places(a, c) == ["a.pdf", "a.pdf-2"]
    assert places(tmp_path) == ["x/a.pdf", "x/a.png", "y/a"]
    assert places(a, a, tmp_path / "x/../x/a.pdf") == ["a"]
    assert places(touch(tmp_path / "minutes.2024"), touch(tmp_path / "v1.2.pdf")) == ["minutes.2024", "v1.2"]
    assert places(touch(tmp_path / "z/B.pdf"), touch(tmp_path / "z/b.tif")) == ["B.pdf", "b.tif"]


def test_folders_give_documents_only(scans: Path) -> None:
    inputs, errors = find_inputs([str(scans)])
    assert [given.place for given in inputs] == [
        PurePath(name) for name in ("cut", "empty", "report", "2024/letter – ünï", "2024/report")
    ]
    assert errors == []


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_folder(run: Run, scans: Path, tmp_path: Path, jobs: str) -> None:
    done = run("parse", "scans", "-o", "out", "-f", "md,json", "-j", jobs)
    assert done.returncode == 3 and len(done.stderr.splitlines()) == 2
    assert "scans/empty.png is empty" in done.stderr and "scans/cut.pdf is a damaged" in done.stderr
    made = [name for name in files(tmp_path / "out") if name.endswith(".md")]
    assert made == ["2024/letter – ünï.md", "2024/report.md", "report.md"]
    assert (tmp_path / "out/2024/report.md").read_text() == "Old 1\n\nOld 2\n"
    assert not list((tmp_path / "out").glob(".galley-[!d]*"))


def test_workers_give_what_one_process_gives(run: Run, tmp_path: Path) -> None:
    (tmp_path / "big.pdf").write_bytes(numbered(60))
    (tmp_path / "small.pdf").write_bytes(numbered(2, "Small"))
    for jobs in ("1", "2", "5"):
        formats = ("-f", "md,json,html,text", "--images")
        done = run("parse", "big.pdf", "small.pdf", "-o", f"out{jobs}", *formats, "-j", jobs)
        assert (done.returncode, done.stderr) == (0, "")
    names = files(tmp_path / "out1")
    assert names == files(tmp_path / "out2") == files(tmp_path / "out5")
    for name in set(names) - {".galley-done.jsonl"}:
        first = (tmp_path / "out1" / name).read_bytes()
        assert first == (tmp_path / "out2" / name).read_bytes() == (tmp_path / "out5" / name).read_bytes(), (
            name
        )
    assert (tmp_path / "out2/big.txt").read_text().split("\n\n")[:2] == ["Page 1", "Page 2"]


@pytest.mark.skipif(cores() == 1, reason="one core: there is nothing to share out")
@pytest.mark.parametrize(
    ("pages", "words", "where"),
    [
        (2, [], "parent all"),
        (60 * cores(), [], "worker one"),
        (60 * cores(), ["--model", "x"], "parent all"),
        (60, ["-j", "1"], "parent one"),
        (60, ["-j", "2"], "worker one"),
        (60, ["-j", "0"], "worker one"),
    ],
)
def test_cores_are_shared_out_by_the_work(
    run: Run, tmp_path: Path, pages: int, words: list[str], where: str
) -> None:
    (tmp_path / "a.pdf").write_bytes(numbered(pages))
    done = run("parse", "a.pdf", "-o", "out", "-f", "json", *words, parser="Where")
    assert done.returncode == 0, done.stderr
    read = json.loads((tmp_path / "out/a.json").read_text())["pages"]
    assert {tuple(page["warnings"]) for page in read} == {(where,)}
    assert len(read) == pages


def test_a_worker_that_dies_fails_its_page_only(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(numbered(12))
    (tmp_path / "b.pdf").write_bytes(numbered(1))
    done = run("parse", "a.pdf", "b.pdf", "-o", "out", "-f", "json", "-j", "2", parser="DiesOnTwo")
    assert done.returncode == 1
    message = "page 2: the process that read it died (signal 9, perhaps for want of memory)"
    assert done.stderr == f"galley: a.pdf: {message}\n"
    data = json.loads((tmp_path / "out/a.json").read_text())
    assert [page["number"] for page in data["pages"]] == [1, *range(3, 13)]
    assert data["failures"] == [{"message": message, "page": 2}]
    assert (tmp_path / "out/b.json").is_file()


def test_workers_that_all_die_end_the_run(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(numbered(12))
    done = run("parse", "a.pdf", "-o", "out", "-j", "2", parser="AlwaysDies")
    assert done.returncode == 1 and "3 worker processes in a row died (exit code 7)" in done.stderr


def test_resume(run: Run, tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.pdf").write_bytes(numbered(3, name))
    arguments = ("parse", "a.pdf", "b.pdf", "c.pdf", "-o", "out", "-f", "md,json")
    assert run(*arguments, parser="FailsOnTwo").returncode == 1
    assert run(*arguments).returncode == 0

    def changed(*more: str) -> set[str]:
        for path in (tmp_path / "out").glob("*.md"):
            path.write_text("old")
        assert run(*arguments, "--resume", *more).returncode == 0
        return {path.stem for path in (tmp_path / "out").glob("*.md") if path.read_text() != "old"}

    assert changed() == set()
    (tmp_path / "out/b.json").unlink()
    assert changed() == {"b"}
    (tmp_path / "c.pdf").write_bytes(numbered(4, "c"))
    assert changed() == {"c"}
    assert changed("--dpi", "100") == {"a", "b", "c"}
    assert changed("--dpi", "100") == set()
    assert changed("-f", "text") == {"a", "b", "c"}


def test_resume_takes_up_what_failed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(numbered(3))
    assert run("parse", "a.pdf", "-o", "out", parser="FailsOnTwo").returncode == 1
    assert run("parse", "a.pdf", "-o", "out", "--resume").returncode == 0
    assert (tmp_path / "out/a.md").read_text() == "Page 1\n\nPage 2\n\nPage 3\n"


def test_resume_takes_up_what_failed_after_it_had_been_finished(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(numbered(3))
    assert run("parse", "a.pdf", "-o", "out").returncode == 0
    assert run("parse", "a.pdf", "-o", "out", parser="FailsOnTwo").returncode == 1
    assert run("parse", "a.pdf", "-o", "out", "--resume").returncode == 0
    assert (tmp_path / "out/a.md").read_text() == "Page 1\n\nPage 2\n\nPage 3\n"


def test_a_later_run_does_not_write_over_what_is_of_another_document(run: Run, tmp_path: Path) -> None:
    def text(*names: str) -> list[str]:
        return [(tmp_path / "out" / name).read_text() for name in names]

    for folder in ("x", "y", "z", "new"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.pdf").write_bytes(numbered(1, folder))
    for _ in range(2):  # a document's own output is written over
        for folder in ("x", "y", "z"):
            assert run("parse", f"{folder}/a.pdf", "-o", "out").returncode == 0
        assert files(tmp_path / "out") == [".galley-done.jsonl", "a.md", "a.pdf-2.md", "a.pdf.md"]
        assert text("a.md", "a.pdf.md", "a.pdf-2.md") == ["x 1\n", "y 1\n", "z 1\n"]
    (tmp_path / "out/a.pdf.md").write_text("old")
    assert run("parse", "y/a.pdf", "-o", "out", "--resume").returncode == 0
    assert text("a.md", "a.pdf.md") == ["x 1\n", "old"]
    (tmp_path / "x/a.pdf").rename(tmp_path / "moved.pdf")
    assert run("parse", "new/a.pdf", "-o", "out").returncode == 0  # the document of a.md is gone
    assert text("a.md", "a.pdf-2.md") == ["new 1\n", "z 1\n"]


def test_nor_over_what_could_be_read_in_part_or_not_at_all(run: Run, tmp_path: Path) -> None:
    for folder, content in (("x", numbered(3, "x")), ("y", numbered(3)[:150]), ("z", numbered(1, "z"))):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.pdf").write_bytes(content)
    assert run("parse", "x/a.pdf", "-o", "out", "-f", "json", parser="FailsOnTwo").returncode == 1
    assert run("parse", "y/a.pdf", "-o", "out", "-f", "json").returncode == 3
    assert run("parse", "z/a.pdf", "-o", "out", "-f", "json").returncode == 0
    sources = [
        json.loads((tmp_path / "out" / f"{name}.json").read_text())["source"]
        for name in ("a", "a.pdf", "a.pdf-2")
    ]
    assert sources == ["x/a.pdf", "y/a.pdf", "z/a.pdf"]


def test_figures_of_an_earlier_run_are_no_documents(run: Run, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.pdf").write_bytes(numbered(1))
    for _ in range(2):
        assert run("parse", "in", "-o", "in", "--images").returncode == 0
    assert files(tmp_path / "in") == [".galley-done.jsonl", "a.md", "a.pdf", "a_images/page-1-figure-1.jpg"]


def processes_below(pid: int) -> set[int]:
    """Children of a process and theirs, from /proc."""
    found: set[int] = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            child = int(stat.parent.name)
            found |= {child} | processes_below(child)
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks processes up in /proc")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_interrupting_leaves_nothing_half_done(tmp_path: Path, jobs: str, number: int, code: int) -> None:
    (tmp_path / "a.pdf").write_bytes(numbered(2))
    (tmp_path / "b.pdf").write_bytes(numbered(400))
    words = ["parse", "a.pdf", "b.pdf", "-o", "out", "-f", "md,json", "--images", "-j", jobs]
    # A session of its own, so that the signal reaches the whole group, as from a terminal.
    process = subprocess.Popen(
        command(words, "Slow"),
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # a test run in the background of a shell hands its children an ignored SIGINT
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    deadline = time.monotonic() + 120
    while not (tmp_path / "out/.galley-done.jsonl").exists():
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    children = processes_below(process.pid)
    os.killpg(process.pid, number) if number == signal.SIGINT else process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == code
    assert errors == ("galley: interrupted\n" if number == signal.SIGINT else "")
    left = files(tmp_path / "out")
    assert left == [
        ".galley-done.jsonl",
        "a.json",
        "a.md",
        "a_images/page-1-figure-1.jpg",
        "a_images/page-2-figure-1.jpg",
    ]
    deadline = time.monotonic() + 30
    while any(Path(f"/proc/{child}").exists() for child in children):
        assert time.monotonic() < deadline, "workers outlive their parent"
        time.sleep(0.1)


def test_a_link_to_itself_and_a_cut_file_do_not_stop_the_rest(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "loop.pdf").symlink_to("loop.pdf")
    (folder / "cut.jpg").write_bytes(b"\xff\xd8\xff")
    (folder / "good.pdf").write_bytes(numbered(1))
    done = run("parse", folder, "-o", tmp_path / "out")
    assert done.returncode == 3
    assert (tmp_path / "out" / "good.md").is_file()
    assert "loop.pdf" in done.stderr
    assert "cut.jpg" in done.stderr


def test_a_document_that_fails_later_leaves_nothing_of_earlier_runs(run: Run, tmp_path: Path) -> None:
    document, own = tmp_path / "q.pdf", tmp_path / "out/q.txt"
    document.write_bytes(numbered(1))
    assert run("parse", "q.pdf", "-o", "out", "-f", "md,html", "--images").returncode == 0
    own.write_text("not made by galley")
    document.write_bytes(numbered(1)[:150])
    assert run("parse", "q.pdf", "-o", "out", "-f", "json").returncode == 3
    assert files(tmp_path / "out") == [".galley-done.jsonl", "q.json", "q.txt"]
