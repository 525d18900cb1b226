"""One page of OmniDocBench: its prediction matched with its truth, and every pair scored."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from bs4 import BeautifulSoup
from rapidfuzz.distance import Levenshtein
from scipy.optimize import linear_sum_assignment

from galley.evaluation.omnidocbench import normalise
from galley.evaluation.omnidocbench.fuzzy import cost_matrix
from galley.evaluation.omnidocbench.prediction import Element, Kind, elements
from galley.evaluation.omnidocbench.quick_match import Match, quick_match
from galley.evaluation.omnidocbench.truth import FORMULA, TABLE, PageTruth, Truth
from galley.evaluation.teds import teds

_FORMULA_CATEGORIES = ("equation_inline", "equation_isolated", "")


@dataclass
class Sample:
    """A matched pair and its metrics (``Edit_dist``, ``TEDS``, ``TEDS_structure_only``, ``CDM``), each 0 to 1."""

    match: Match
    metric: dict[str, float] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Length of the longer side, the weight of an edit distance."""
        return max(len(self.match.norm_true), len(self.match.norm_predicted))


@dataclass
class PageScores:
    """The samples of a page by kind of element.

    Attributes:
        order: Block numbers in the true and in the predicted order; None on a page without text.
    """

    image: str
    text: list[Sample] = field(default_factory=list)
    formulas: list[Sample] = field(default_factory=list)
    tables: list[Sample] = field(default_factory=list)
    order: tuple[list[float], list[float]] | None = None

    @property
    def order_edit(self) -> float | None:
        """Edit distance of the reading orders, 0 to 1."""
        return None if self.order is None else Levenshtein.normalized_distance(*self.order)


def score_page(page: PageTruth, markdown: str, *, simple: bool = False) -> PageScores:
    """Compute every score of a page that needs no renderer.

    Args:
        page: The annotated page.
        markdown: The prediction.
        simple: Match whole blocks only, for pages too large for more.
    """
    predicted = elements(markdown)
    tables, leftover = _match_tables(page.tables, predicted)
    blocks = [element for element in predicted if element.kind in (Kind.TEXT, Kind.FORMULA)]
    matches = quick_match(page.blocks, _by_kind(blocks) + leftover, simple=simple)
    text = [match for match in matches if match.true_category != FORMULA]
    order = _orders(text)
    formulas = [match for match in matches if match.true_category == FORMULA]
    text += [_as_text(match) for match in formulas if match.predicted_category not in _FORMULA_CATEGORIES]
    return PageScores(
        page.image,
        text=[_with_edit(Sample(match)) for match in text],
        formulas=[_with_edit(Sample(m)) for m in formulas if m.predicted_category in _FORMULA_CATEGORIES],
        tables=[_with_teds(_with_edit(Sample(match))) for match in tables],
        order=order,
    )


def _by_kind(blocks: list[Element]) -> list[Element]:
    """Grouped by kind, the kind met first in front: the reference's order between elements at one place."""
    kinds = list(dict.fromkeys(element.kind for element in blocks))
    return sorted(blocks, key=lambda element: kinds.index(element.kind))


def _match_tables(truths: list[Truth], predicted: list[Element]) -> tuple[list[Match], list[Element]]:
    """Assign tables so that the total edit distance of their HTML is least.

    As in the reference, LaTeX tables count as unreadable where they outnumber HTML ones.

    Returns:
        The matches, and the cells of predicted tables left over.
    """
    if not truths:
        return [], []
    html = [element for element in predicted if element.kind == Kind.HTML_TABLE]
    latex = [element for element in predicted if element.kind == Kind.LATEX_TABLE]
    candidates = latex if len(latex) > len(html) else html
    key = [truth.attribute.get("latex", truth.content) for truth in truths]
    costs = cost_matrix(key, [element.content for element in candidates])
    assigned = {int(row): int(column) for row, column in zip(*linear_sum_assignment(costs), strict=True)}
    matches = [
        _table_match(i, truth, candidates[assigned[i]] if i in assigned else None, assigned.get(i))
        for i, truth in enumerate(truths)
    ]
    unused = [element for index, element in enumerate(candidates) if index not in assigned.values()]
    return matches, [cell for element in unused for cell in _cells(element)]


def _table_match(index: int, truth: Truth, element: Element | None, column: int | None) -> Match:
    readable = element is not None and element.kind == Kind.HTML_TABLE
    predicted = element.content if element is not None and readable else ""
    return Match(
        true_indices=[index],
        predicted_indices=[] if column is None else [column],
        true=truth.content,
        predicted=predicted,
        norm_true=normalise.table(truth.content),
        norm_predicted=normalise.table(predicted),
        true_category=TABLE,
        predicted_category=element.category if element else "",
        positions=[truth.order],
        start=element.start if element else None,
        attributes=[truth.attribute],
    )


def _cells(element: Element) -> list[Element]:
    """The plain cells of a table, as text: what was meant as text may have been laid out as a table."""
    texts = (cell.string for cell in BeautifulSoup(element.content, "html.parser").find_all("td"))
    return [
        Element(Kind.TEXT, element.start, text.replace("$\\cdot$", "").strip(), element.detail)
        for text in texts
        if text
    ]


def _orders(matches: list[Match]) -> tuple[list[float], list[float]] | None:
    """Block numbers of the truth in its own order and in the prediction's."""
    placed = [match for match in matches if match.positions != [None]]
    read = sorted((m for m in placed if m.start is not None), key=lambda match: match.start or 0)
    true = sorted(place for match in placed for place in match.positions if place)
    predicted = [place for match in read for place in match.positions if place]
    return (true, predicted) if true or predicted else None


def _as_text(match: Match) -> Match:
    """A formula that was read as text is scored as text."""
    match.true = normalise.latex_to_unicode(match.true)
    match.norm_true = normalise.clean(match.true)
    return match


def _with_edit(sample: Sample) -> Sample:
    if sample.size:
        match = sample.match
        sample.metric["Edit_dist"] = Levenshtein.normalized_distance(match.norm_predicted, match.norm_true)
    return sample


def _with_teds(sample: Sample) -> Sample:
    predicted, true = sample.match.norm_predicted, sample.match.norm_true
    sample.metric["TEDS"] = teds(predicted, true)
    sample.metric["TEDS_structure_only"] = teds(predicted, true, structure_only=True)
    return sample


def mean_edit(samples: list[Sample]) -> float | None:
    """Edits over length of all samples; ``None`` without any text."""
    weight = sum(sample.size for sample in samples)
    return sum(s.metric.get("Edit_dist", 0.0) * s.size for s in samples) / weight if weight else None


def mean_metric(samples: list[Sample], name: str) -> float | None:
    """Mean of one metric over the samples that have it, None where none has."""
    values: list[Any] = [sample.metric[name] for sample in samples if name in sample.metric]
    return float(np.mean(values)) if values else None
