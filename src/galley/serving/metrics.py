"""Figures for Prometheus."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from galley.serving.tasks import Counts, PageRead

_SECONDS = (0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128)
_LENGTHS = (0, 1, 2, 4, 8, 16, 32, 64, 128)


class Metrics:
    """The figures of one server."""

    def __init__(self) -> None:
        own = self._registry = CollectorRegistry()
        self.pages = Counter("galley_pages", "Pages read", registry=own)
        self.failed = Counter("galley_pages_failed", "Pages that could not be read", registry=own)
        self.page_seconds = Histogram(
            "galley_page_seconds", "Seconds to read a page", registry=own, buckets=_SECONDS
        )
        self.accepted_jobs = Counter("galley_documents_accepted", "Documents accepted", registry=own)
        self.jobs = Counter("galley_jobs", "Documents that ended, by how", ["state"], registry=own)
        self.job_seconds = Histogram(
            "galley_job_seconds",
            "Seconds from a document's upload to its end",
            registry=own,
            buckets=_SECONDS,
        )
        self.refused = Counter("galley_refused", "Requests refused because the queue was full", registry=own)
        self.queue = Gauge("galley_queue", "Documents and regions waiting or under way", registry=own)
        self.tasks = Gauge("galley_tasks_waiting", "Pages and regions that no worker has begun", registry=own)
        self.tokens = Counter("galley_tokens", "Tokens committed by the model", registry=own)
        self.forwards = Counter("galley_forwards", "Forwards of the model, prefills left out", registry=own)
        self.tpf = Gauge("galley_tokens_per_forward", "Tokens per forward since the start", registry=own)
        self.accepted = Histogram(
            "galley_accepted_length",
            "Drafted tokens accepted per verification",
            registry=own,
            buckets=_LENGTHS,
        )
        self._total = Counts()

    def page(self, read: PageRead) -> None:
        """Count a page."""
        self.pages.inc()
        self.page_seconds.observe(read.seconds)
        self.count(read.counts)

    def count(self, counts: Counts) -> None:
        """Count what decoding took."""
        self._total.add(counts)
        self.tokens.inc(counts.tokens)
        self.forwards.inc(counts.forwards)
        self.tpf.set(self._total.tpf)
        for length in counts.accepted:
            self.accepted.observe(length)

    def text(self) -> bytes:
        """All figures in Prometheus' text format."""
        return generate_latest(self._registry)
