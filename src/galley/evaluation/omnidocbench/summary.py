"""From scored pages to OmniDocBench's figures: overall, per element, per page attribute."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from galley.evaluation.omnidocbench.page_scores import PageScores, Sample, mean_edit, mean_metric

Attributes = dict[str, dict[str, Any]]
"""Page attributes by image name."""

PageValue = Callable[[PageScores], "float | None"]


@dataclass(frozen=True)
class Measure:
    """A figure with one value per page: ``element`` and ``metric`` as the official files name them."""

    element: str
    metric: str
    of: PageValue


MEASURES = (
    Measure("text_block", "Edit_dist", lambda page: mean_edit(page.text)),
    Measure("display_formula", "Edit_dist", lambda page: mean_edit(page.formulas)),
    Measure("display_formula", "CDM", lambda page: mean_metric(page.formulas, "CDM")),
    Measure("table", "TEDS", lambda page: mean_metric(page.tables, "TEDS")),
    Measure("table", "TEDS_structure_only", lambda page: mean_metric(page.tables, "TEDS_structure_only")),
    Measure("table", "Edit_dist", lambda page: mean_edit(page.tables)),
    Measure("reading_order", "Edit_dist", lambda page: page.order_edit),
)


@dataclass(frozen=True)
class Summary:
    """Means over pages.

    Edit distances are 0 to 1 (lower is better), TEDS and CDM 0 to 1; None where there is nothing to score.

    Attributes:
        by_attribute: ``attribute → {(element, metric): mean}``; the attribute ``ALL`` is every page.
    """

    pages: int
    by_attribute: dict[str, dict[tuple[str, str], float]]
    page_counts: dict[str, int]

    def value(self, element: str, metric: str, attribute: str = "ALL") -> float | None:
        """The mean of one metric for one kind of element, None where there is none."""
        return self.by_attribute.get(attribute, {}).get((element, metric))

    def overall(self, attribute: str = "ALL") -> float | None:
        """((1 − text edit)·100 + TEDS·100 + CDM·100) / 3; ``None`` while one of the three is missing."""
        text = self.value("text_block", "Edit_dist", attribute)
        teds = self.value("table", "TEDS", attribute)
        cdm = self.value("display_formula", "CDM", attribute)
        return None if text is None or teds is None or cdm is None else 100 * ((1 - text) + teds + cdm) / 3


def summarise(pages: list[PageScores], attributes: Attributes) -> Summary:
    """Means over all pages and over the pages of each attribute value."""
    values: dict[str, dict[tuple[str, str], list[float]]] = defaultdict(lambda: defaultdict(list))
    counts: dict[str, int] = defaultdict(int)
    for page in pages:
        labels = ["ALL", *attribute_labels(attributes.get(page.image, {}))]
        for label in labels:
            counts[label] += 1
        for measure in MEASURES:
            value = measure.of(page)
            for label in labels if value is not None else ():
                values[label][measure.element, measure.metric].append(value)  # type: ignore[arg-type]
    means = {label: {key: fmean(of) for key, of in keys.items()} for label, keys in values.items()}
    return Summary(len(pages), {label: means[label] for label in sorted(means)}, dict(counts))


def attribute_labels(attributes: dict[str, Any]) -> list[str]:
    """The ``key: value`` labels of a page.

    Special issues stand by themselves. Those of tables belong to the tables.
    """
    labels = []
    for key, value in attributes.items():
        if isinstance(value, list):
            labels += [str(issue) for issue in value if "table" not in str(issue)]
        else:
            labels.append(f"{key}: {value}")
    return labels


def by_block_attribute(samples: Iterable[Sample]) -> dict[str, dict[str, float]]:
    """``metric → {attribute: mean over samples}`` and ``sample_count``, by attributes of the true blocks."""
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for sample in samples:
        labels = {f"{key}: {value}" for item in sample.match.attributes for key, value in item.items()}
        for metric, score in sample.metric.items():
            for label in labels:
                values[metric][label].append(score)
    result: dict[str, dict[str, float]] = {
        metric: {label: fmean(scores) for label, scores in sorted(labelled.items())}
        for metric, labelled in sorted(values.items())
    }
    result["sample_count"] = {
        label: len(of) for labelled in values.values() for label, of in labelled.items()
    }
    return result
