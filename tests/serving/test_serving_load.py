"""Many clients beside hostile ones that are killed: nothing accepted is lost, nothing stays behind."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="needs the serve extra")
pytest.importorskip("psutil", reason="needs psutil")

from serving_fakes import Served, pdf

from galley.serving.settings import MEGABYTE, Limits

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

from load_hostile import Crowd, Target, attack, strange
from load_serve import account, metrics, pace


def test_every_accepted_document_is_answered_or_cancelled(
    serve: Callable[..., Served], tmp_path: Path
) -> None:
    limits = Limits(max_bytes=MEGABYTE, queue=12, upload_seconds=5.0, wait_seconds=600.0)
    server = serve(workers=2, limits=limits)
    target = Target(server.url, 1, pdf("sleep 0.02", "two"))
    over, crowd = threading.Event(), Crowd()
    attacking = threading.Thread(target=attack, args=(target, 3, over, crowd))
    attacking.start()
    _, tally = pace(server.url, target.sample, 16, 8.0)
    while crowd.killed < 3:  # on a busy machine it takes a while until they are there
        _, more = pace(server.url, target.sample, 16, 2.0)
        tally.add(more)
    over.set()
    attacking.join()
    assert account(server.url, tally) + strange(crowd) == []
    assert set(tally.answers) <= {"200", "429"}
    assert tally.answers["200"] == len(tally.seconds) > 0
    assert tally.answers["429"] > 0  # sixteen clients want twelve places
    figures = metrics(server.url)
    assert figures['galley_jobs_total{state="done"}'] >= len(tally.seconds)
    kept = set(server.app.state.scheduler.jobs)
    assert {path.name for path in (tmp_path / "state" / "galley-jobs").iterdir()} == kept
