"""Pass: what the layout detector sees."""

from __future__ import annotations

from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools


def detect_regions(page: PageState, tools: PageTools) -> None:
    """Find tables, figures, headings and the like by their looks.

    Reads: image.
    Changes: regions.
    """
    page.regions = tools.detector.detect(page.image)
