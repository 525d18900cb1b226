"""Jobs: progress, pages as they come, fairness, cancelling, limits in time, expiry, restarts."""

from __future__ import annotations

import errno
import io
import json
import shutil
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from PIL import Image

pytest.importorskip("fastapi", reason="needs the serve extra")

import httpx
from serving_fakes import Served, events, pdf, serving

from galley.serving.settings import Limits


def test_events_tell_everything_from_the_start(served: Served) -> None:
    id_ = served.submit(pdf("one", "fail", "three"))
    served.until(id_, "done")
    with served.client.stream("GET", f"/v1/jobs/{id_}/events") as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        told = list(events(response.iter_lines()))
    assert [event["event"] for event in told] == ["page", "page", "progress", "end"]
    assert [event["id"] for event in told] == ["1", "2", "2", "3"]
    page = json.loads(told[0]["data"])
    assert page["number"] == 1
    assert page["page"]["blocks"][0]["content"] == "one"
    assert (page["width"], page["height"]) == (page["page"]["width"], page["page"]["height"])
    end = json.loads(told[-1]["data"])
    assert end == served.job(id_)
    assert (end["pages_done"], end["pages_total"]) == (3, 3)
    assert end["failures"] == [
        {"page": 2, "message": "page 2: unexpected ZeroDivisionError: as it was told; please report it"}
    ]
    assert set(end["stats"]) == {"pages_per_second", "tokens", "forwards", "tpf", "speedup"}


def test_events_go_on_after_the_last_one_seen(served: Served) -> None:
    id_ = served.submit(pdf("one", "two", "three"))
    served.until(id_, "done")
    headers = {"Last-Event-ID": "2"}
    with served.client.stream("GET", f"/v1/jobs/{id_}/events", headers=headers) as response:
        told = list(events(response.iter_lines()))
    assert [event["event"] for event in told] == ["page", "progress", "end"]
    assert json.loads(told[0]["data"])["number"] == 3


def test_events_come_while_pages_are_read(serve: Callable[..., Served]) -> None:
    server = serve()
    id_ = server.submit(pdf("one", "wait", "three"))
    with server.client.stream("GET", f"/v1/jobs/{id_}/events") as response:
        stream = events(response.iter_lines())
        first = next(event for event in stream if event["event"] == "page")
        assert json.loads(first["data"])["number"] == 1
        assert server.job(id_)["state"] == "running"
        server.open()
        assert [event["event"] for event in stream][-1] == "end"


def test_what_there_is_of_a_page(served: Served) -> None:
    id_ = served.submit(pdf("one", "fail"))
    served.until(id_, "done")
    base = f"/v1/jobs/{id_}/pages/1"
    image = Image.open(io.BytesIO(served.client.get(f"{base}/image").content))
    assert image.size == (278, 550)
    assert served.client.get(f"{base}/markdown").text == "one\n"
    assert served.client.get(f"{base}/proof").json() == {
        "stats": {"tokens": 0, "forwards": 0, "tpf": 0.0, "aal": 0.0, "speedup": None},
        "blocks": [{"block": 0, "tokens": [{"text": "one", "how": "free"}], "low_confidence": False}],
    }
    large = served.submit(pdf("one"), dpi="200")
    served.until(large, "done")
    image = Image.open(io.BytesIO(served.client.get(f"/v1/jobs/{large}/pages/1/image").content))
    assert max(image.size) == 1600
    for number in (0, 2, 3):
        assert served.client.get(f"/v1/jobs/{id_}/pages/{number}/image").status_code == 404


def test_long_documents_are_answered_with_a_job(serve: Callable[..., Served]) -> None:
    server = serve(limits=Limits(wait_pages=2, wait_seconds=0.3))
    response = server.post(pdf("one", "two", "three"))
    assert response.status_code == 202
    id_ = response.json()["id"]
    assert response.json()["links"]["events"] == f"/v1/jobs/{id_}/events"
    assert response.headers["location"] == f"/v1/jobs/{id_}"
    slow = server.post(pdf("wait"))
    assert slow.status_code == 202
    assert server.client.get(f"/v1/jobs/{slow.json()['id']}/result").status_code == 409
    server.open()
    server.until(slow.json()["id"], "done")
    assert (
        server.client.get(f"/v1/jobs/{slow.json()['id']}/result", params={"format": "text"}).text == "wait\n"
    )


def test_a_large_document_does_not_keep_a_small_one_waiting(serve: Callable[..., Served]) -> None:
    server = serve()
    large = server.submit(pdf("wait", *["sleep 0.05"] * 12))
    small = server.submit(pdf("one", "two"))
    server.open()
    server.until(small, "done")
    assert server.job(large)["pages_done"] < 8
    assert server.until(large, "done")["pages_done"] == 13


def test_a_full_queue_refuses_and_says_when(serve: Callable[..., Served]) -> None:
    server = serve(limits=Limits(queue=3))
    jobs = [server.submit(pdf("wait")) for _ in range(3)]
    refused = server.post(pdf("one"))
    assert (refused.status_code, refused.json()["error"]["code"]) == (429, "queue-full")
    assert int(refused.headers["retry-after"]) >= 1
    assert server.client.post("/glmocr/parse", json={"images": ["x"]}).status_code == 429
    server.open()
    for id_ in jobs:
        server.until(id_, "done")
    assert server.post(pdf("one")).status_code == 200


def test_a_job_can_be_cancelled(serve: Callable[..., Served]) -> None:
    server = serve()
    id_ = server.submit(pdf("one", "wait", *["sleep 0.2"] * 30))
    while server.job(id_)["pages_done"] < 1:
        time.sleep(0.01)
    assert server.client.delete(f"/v1/jobs/{id_}").json()["state"] == "cancelled"
    assert server.client.get(f"/v1/jobs/{id_}/result").status_code == 410
    server.open()
    assert server.post(pdf("next")).status_code == 200  # at once, not after 30 pages
    assert server.job(id_)["pages_done"] == 1
    assert server.client.delete(f"/v1/jobs/{id_}").json()["state"] == "cancelled"


def test_work_for_a_client_that_is_gone_is_given_up(serve: Callable[..., Served]) -> None:
    server = serve()
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(f"{server.url}/v1/parse", files={"file": pdf("wait", "two")}, timeout=1.0)
    [job] = server.app.state.scheduler.jobs.values()
    assert server.until(job.id, "cancelled")["pages_done"] == 0
    assert server.app.state.scheduler.load == 0


def test_a_page_that_kills_its_process_fails_alone(serve: Callable[..., Served]) -> None:
    server = serve()
    id_ = server.submit(pdf("one", "die", "three"))
    job = server.until(id_, "done")
    assert [failure["page"] for failure in job["failures"]] == [2]
    assert (
        "the process that read it died (signal 9, perhaps for want of memory)"
        in job["failures"][0]["message"]
    )
    assert server.client.get(f"/v1/jobs/{id_}/result", params={"format": "text"}).text == "one\n\nthree\n"


def test_a_page_has_so_much_time(serve: Callable[..., Served]) -> None:
    server = serve(limits=Limits(page_seconds=5.0))
    job = server.until(server.submit(pdf("one", "wait")), "done")
    assert job["failures"] == [{"page": 2, "message": "page 2: it took longer than 5 seconds"}]


def test_a_job_has_so_much_time_and_keeps_what_was_read(serve: Callable[..., Served]) -> None:
    server = serve(limits=Limits(job_seconds=5.0), workers=2)
    id_ = server.submit(pdf("one", "wait", "wait", "four"))
    first = server.until(id_, "running")
    while first["pages_done"] < 1:
        first = server.job(id_)
    job = server.until(id_, "running", "done")
    while job["pages_done"] < 4:
        job = server.job(id_)
    assert {failure["page"] for failure in job["failures"]} >= {2, 3}
    assert "the job took longer than 5 seconds" in job["failures"][0]["message"]
    server.open()
    server.until(id_, "done")
    assert server.client.get(f"/v1/jobs/{id_}/result", params={"format": "text"}).text.startswith("one\n")


def test_a_document_without_a_readable_page_fails(served: Served) -> None:
    response = served.post(pdf("fail", "fail"))
    assert response.status_code == 422
    assert "page 1: unexpected ZeroDivisionError" in response.json()["error"]["message"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_said_and_keeps_nobody_waiting(serve: Callable[..., Served], tmp_path: Path) -> None:
    server = serve()
    id_ = server.submit(pdf("wait", "two"))
    folder = tmp_path / "state" / "galley-jobs" / id_
    for draft in (".job.json", ".page-1.json"):
        folder.joinpath(draft).symlink_to("/dev/full")
    server.open()
    job = server.until(id_, "done")
    assert job["failures"] == [{"page": 1, "message": "page 1: the server's disk is full; try again later"}]
    assert server.app.state.scheduler.load == 0


def test_an_upload_to_a_full_disk_is_refused(
    served: Served, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    before = len(served.app.state.scheduler.jobs)
    monkeypatch.setattr(shutil, "copyfileobj", full)
    refused = served.post(pdf("one"))
    assert (refused.status_code, refused.json()["error"]["code"]) == (507, "disk-full")
    assert len(served.app.state.scheduler.jobs) == before


def test_finished_jobs_expire(serve: Callable[..., Served], tmp_path: Path) -> None:
    server = serve(limits=Limits(keep_seconds=0.4))
    id_ = server.submit(pdf("one"))
    folder = tmp_path / "state" / "galley-jobs" / id_
    assert folder.is_dir()
    while server.client.get(f"/v1/jobs/{id_}").status_code != 404:
        time.sleep(0.05)
    assert not folder.exists()


def test_no_more_finished_jobs_are_kept_than_allowed(serve: Callable[..., Served]) -> None:
    server = serve(limits=Limits(kept=2, keep_seconds=8))
    ids = [server.submit(pdf("one")) for _ in range(5)]
    server.until(ids[-1], "done")
    while len(server.app.state.scheduler.jobs) > 2:
        time.sleep(0.05)
    assert server.client.get(f"/v1/jobs/{ids[0]}").status_code == 404
    assert server.job(ids[-1])["state"] == "done"


def test_what_is_no_job_is_not_found(served: Served) -> None:
    for id_ in ("nobody", "..%2F..%2Fetc", "%2e%2e"):
        assert served.client.get(f"/v1/jobs/{id_}").status_code == 404


def test_a_restart_goes_on_where_it_was(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        done = server.submit(pdf("finished"))
        server.until(done, "done")
        id_ = server.submit(pdf("one", "wait", "three"), keep="headers", dpi="100")
        while server.job(id_)["pages_done"] < 1:
            time.sleep(0.01)
        thread = threading.Thread(target=_listen, args=(server, id_, seen := []))
        thread.start()
        while not seen:
            time.sleep(0.01)
        locked = server.submit(pdf("wait"), password="secret")
    thread.join()  # the end of the server ends the stream
    assert seen[-1] != "end"
    state = (tmp_path / "state" / "galley-jobs" / locked / "job.json").read_text()
    assert "secret" not in state.replace('"secret"', "")
    (tmp_path / "state" / "galley-jobs" / "cut-off-upload").mkdir()
    with serving(tmp_path) as server:
        assert server.job(done)["state"] == "done"
        assert server.job(id_)["pages_done"] == 1
        assert "send the document again" in server.job(locked)["failures"][0]["message"]
        server.open()
        server.until(id_, "done")
        with server.client.stream("GET", f"/v1/jobs/{id_}/events") as response:
            told = [
                json.loads(e["data"])["number"] for e in events(response.iter_lines()) if e["event"] == "page"
            ]
        assert told == [1, 2, 3]
        pages = server.client.get(f"/v1/jobs/{id_}/result").json()["pages"]
        assert {page["dpi"] for page in pages} == {100.0}
        assert not (tmp_path / "state" / "galley-jobs" / "cut-off-upload").exists()


def _listen(server: Served, id_: str, seen: list[str]) -> None:
    with (
        suppress(httpx.RemoteProtocolError),  # cut off in the middle
        httpx.stream("GET", f"{server.url}/v1/jobs/{id_}/events", timeout=120) as response,
    ):
        for event in events(response.iter_lines()):
            seen.append(event["event"])
