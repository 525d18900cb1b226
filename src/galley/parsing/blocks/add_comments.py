"""Pass: notes and other comments on the page, as blocks apart from its text."""

from __future__ import annotations

from galley.document import BBox, Block, Label
from galley.ingest.page import Comment
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools


def add_comments(page: PageState, tools: PageTools) -> None:
    """Add what somebody wrote on the page after the block it stands at.

    The blocks have the label ``aside``; ``extra`` names the kind of annotation and who wrote it.

    Reads: text_layer, blocks.
    Changes: blocks.
    """
    comments = page.text_layer.comments
    if not comments:
        return
    after: dict[int, list[Block]] = {}
    for comment in comments:
        distances = [_distance(comment.bbox, block.bbox) for block in page.blocks]
        at = distances.index(min(distances)) if distances else -1
        after.setdefault(at, []).append(_block(comment))
    blocks = list(after.get(-1, ()))
    for n, block in enumerate(page.blocks):
        blocks += [block, *after.get(n, ())]
    page.blocks = blocks


def _block(comment: Comment) -> Block:
    by = f" ({comment.author})" if comment.author else ""
    extra = {"annotation": comment.kind, **({"author": comment.author} if comment.author else {})}
    content = f"Note{by}: {comment.text}"
    return Block(label=Label.ASIDE, bbox=comment.bbox, content=content, source="pdf-text", extra=extra)


def _distance(a: BBox, b: BBox) -> float:
    """Square of the pixels between two boxes, 0 where they meet."""
    across = max(0.0, a.x0 - b.x1, b.x0 - a.x1)
    down = max(0.0, a.y0 - b.y1, b.y0 - a.y1)
    return across * across + down * down
