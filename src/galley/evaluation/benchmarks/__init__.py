"""The benchmarks of ``galley eval``: one file each, listed in ``BENCHMARKS``."""

from __future__ import annotations

BENCHMARKS = {
    "omnidocbench": "galley.evaluation.benchmarks.omnidocbench",
    "olmocr-bench": "galley.evaluation.benchmarks.olmocr_bench",
    "opendataloader-bench": "galley.evaluation.benchmarks.opendataloader_bench",
    "icdar13": "galley.evaluation.benchmarks.icdar13",
    "pubtabnet": "galley.evaluation.benchmarks.pubtabnet",
    "unimer-test": "galley.evaluation.benchmarks.unimer_test",
    "ocean-ocr-bench": "galley.evaluation.benchmarks.ocean_ocr_bench",
    "folder": "galley.evaluation.benchmarks.folder",
}
"""Name on the command line → the module whose ``benchmark(settings)`` predicts, scores and reports."""
