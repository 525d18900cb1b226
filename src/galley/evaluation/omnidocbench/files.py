"""Result files with the names and the layout of the official scorer's."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean
from typing import Any

from galley.evaluation.omnidocbench.page_scores import PageScores, Sample, mean_edit
from galley.evaluation.omnidocbench.summary import MEASURES, Summary, by_block_attribute


def write_results(out: Path, name: str, pages: list[PageScores], summary: Summary) -> None:
    """Writes ``{name}_quick_match_*.json`` into ``out``: per sample, per page, and ``metric_result``."""
    prefix = f"{name}_quick_match"
    elements = {
        "text_block": {page.image: page.text for page in pages},
        "display_formula": {page.image: page.formulas for page in pages},
        "table": {page.image: page.tables for page in pages},
    }
    result: dict[str, Any] = {}
    for element, by_page in elements.items():
        samples = [sample for of_page in by_page.values() for sample in of_page]
        _dump(
            out / f"{prefix}_{element}_result.json", [_record(i, s) for i, of in by_page.items() for s in of]
        )
        edits = {image: mean_edit(of_page) for image, of_page in by_page.items() if of_page}
        _dump(out / f"{prefix}_{element}_per_page_edit.json", edits)
        everything = {"Edit_dist": _edit_means(samples, edits), **_sample_means(samples)}
        result[element] = {
            "all": everything,
            "group": by_block_attribute(samples),
            "page": _by_page(summary, element),
        }
    _write_per_sample(out, prefix, elements)
    result["reading_order"] = _reading_order(out, prefix, pages, summary)
    _dump(out / f"{prefix}_metric_result.json", result)


def _record(image: str, sample: Sample) -> dict[str, Any]:
    match = sample.match
    return {
        "gt_idx": match.true_indices,
        "gt": match.true,
        "norm_gt": match.norm_true,
        "gt_category_type": match.true_category,
        "gt_position": [position or "" for position in match.positions],
        "gt_attribute": match.attributes,
        "pred_idx": match.predicted_indices or [""],
        "pred": match.predicted,
        "norm_pred": match.norm_predicted,
        "pred_category_type": match.predicted_category,
        "pred_position": "" if match.start is None else match.start,
        "img_id": image,
        "upper_len": sample.size,
        "metric": sample.metric,
    }


def _edit_means(samples: list[Sample], edits: dict[str, float | None]) -> dict[str, float | None]:
    ratios = [sample.metric["Edit_dist"] for sample in samples if "Edit_dist" in sample.metric]
    per_page = [edit for edit in edits.values() if edit is not None]
    return {
        "ALL_page_avg": fmean(per_page) if per_page else None,
        "edit_whole": mean_edit(samples),
        "edit_sample_avg": fmean(ratios) if ratios else None,
    }


def _sample_means(samples: list[Sample]) -> dict[str, dict[str, float]]:
    metrics = ("TEDS", "TEDS_structure_only", "CDM")
    values = {metric: [s.metric[metric] for s in samples if metric in s.metric] for metric in metrics}
    return {metric: {"all": fmean(scores)} for metric, scores in values.items() if scores}


def _by_page(summary: Summary, element: str) -> dict[str, dict[str, float]]:
    metrics = [measure.metric for measure in MEASURES if measure.element == element]
    return {
        metric: {
            label: means[element, metric]
            for label, means in summary.by_attribute.items()
            if (element, metric) in means
        }
        for metric in metrics
    }


def _write_per_sample(out: Path, prefix: str, elements: dict[str, dict[str, list[Sample]]]) -> None:
    tables = {
        f"{image}_{sample.match.true_indices}": {k: sample.metric[k] for k in ("TEDS", "TEDS_structure_only")}
        for image, samples in elements["table"].items()
        for sample in samples
    }
    _dump(out / f"{prefix}_table_per_table_TEDS.json", tables)
    cdm = {
        f"{image}_{sample.match.true_indices}": sample.metric["CDM"]
        for image, samples in elements["display_formula"].items()
        for sample in samples
        if "CDM" in sample.metric
    }
    if cdm:
        _dump(out / f"{prefix}_display_formula_per_sample_CDM.json", cdm)


def _reading_order(out: Path, prefix: str, pages: list[PageScores], summary: Summary) -> dict[str, Any]:
    ordered = [page for page in pages if page.order]
    records = [
        {"gt": p.order[0], "pred": p.order[1], "img_id": p.image, "edit": p.order_edit}
        for p in ordered
        if p.order
    ]
    _dump(out / f"{prefix}_reading_order_result.json", records)
    edits = {page.image: page.order_edit for page in ordered}
    _dump(out / f"{prefix}_reading_order_per_page_edit.json", edits)
    mean = fmean(edit for edit in edits.values() if edit is not None) if edits else None
    return {
        "all": {"Edit_dist": {"ALL_page_avg": mean}},
        "group": {},
        "page": _by_page(summary, "reading_order"),
    }


def _dump(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=4), encoding="utf-8")
