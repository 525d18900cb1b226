"""How each token of a page came about, as the web page shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from galley.decoding import Committed
from galley.document import Block, Page
from galley.document.markdown import block_markdown
from galley.document.select import Shown
from galley.serving.tasks import Counts

Decode = Callable[[list[int]], str]

_HOW = {"match": "free", "prompt-lookup": "free", "self-spec": "own", "mtp": "own"}
_CUT = "\ufffd"


def proof_json(
    page: Page, traces: Mapping[int, Sequence[Committed]], counts: Counts, decode: Decode
) -> dict[str, Any]:
    """``{stats, blocks: [{block, tokens: [{text, how, round}], low_confidence}]}``.

    In it ``how`` is ``free`` (a free draft), ``own`` (the model's own draft) or ``single`` (one at a time). A block
    that no model read is one free run without a round. Rounds count from the page's first.

    Args:
        page: The page as it was read.
        traces: Committed tokens by block.
        counts: What decoding took.
        decode: Token ids to text.
    """
    first = min((trace[0].round for trace in traces.values() if trace), default=0)
    return {
        "stats": {
            "tokens": counts.tokens,
            "forwards": counts.forwards,
            "tpf": round(counts.tpf, 3),
            "aal": round(counts.aal, 3),
            "speedup": counts.speedup and round(counts.speedup, 3),
        },
        "blocks": [
            {
                "block": index,
                "tokens": _tokens(block, page.number, traces.get(index), decode, first),
                "low_confidence": "low-confidence" in block.flags,
            }
            for index, block in enumerate(page.blocks)
        ],
    }


def _tokens(
    block: Block, page: int, trace: Sequence[Committed] | None, decode: Decode, first: int
) -> list[dict[str, Any]]:
    if trace is None:
        text = block_markdown(Shown(block, page, block.content))
        return [{"text": text, "how": "free"}] if text else []
    texts = token_texts([entry.token for entry in trace], decode)
    return [
        {"text": text, "how": _HOW.get(entry.source.kind, "single"), "round": entry.round - first}
        for entry, text in zip(trace, texts, strict=True)
    ]


def token_texts(ids: Sequence[int], decode: Decode) -> Iterator[str]:
    """The text each token adds; a character cut between tokens comes with the last of them."""
    stream = TextStream(decode)
    for position, token in enumerate(ids):
        yield stream.add([token], last=position == len(ids) - 1)


class TextStream:
    """Turns token ids to text as they come.

    A token is decoded together with those before it, since tokenizers treat the beginning of a text in their own
    way.
    """

    def __init__(self, decode: Decode) -> None:
        self._decode = decode
        self._before: list[int] = []
        self._fresh: list[int] = []

    def add(self, ids: Sequence[int], *, last: bool = False) -> str:
        """The text that ``ids`` add, without a character that is still cut off unless this is the ``last``."""
        self._fresh += ids
        known = self._decode(self._before) if self._before else ""
        text = self._decode(self._before + self._fresh)
        if text.endswith(_CUT) and not last:
            return ""
        self._before, self._fresh = self._fresh or self._before, []
        return text[len(known) :]
