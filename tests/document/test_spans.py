"""Spans of a block's text: their places, and what Markdown and HTML make of them."""

from __future__ import annotations

from html.parser import HTMLParser
from urllib.parse import unquote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from pydantic import ValidationError

from galley.document import BBox, Block, Document, Label, Page, Span, Style
from galley.document.html_spans import html_text
from galley.document.spans import CharStyle, are_valid, clipped, in_order, joined, over_spaces, runs

BOX = BBox(x0=10, y0=20, x1=500, y1=60)
SHOWN = (
    Style.BOLD,
    Style.ITALIC,
    Style.STRIKE,
    Style.UNDERLINE,
    Style.SUPERSCRIPT,
    Style.SUBSCRIPT,
    Style.MONOSPACE,
)
_TAGS = {
    "strong": Style.BOLD,
    "em": Style.ITALIC,
    "s": Style.STRIKE,
    "del": Style.STRIKE,
    "u": Style.UNDERLINE,
    "sup": Style.SUPERSCRIPT,
    "sub": Style.SUBSCRIPT,
    "code": Style.MONOSPACE,
}


def spans_of(chars: list[CharStyle]) -> list[Span]:
    return [Span(start=a, end=b, styles=in_order(c.styles), link=c.link) for a, b, c in runs(chars)]


class _Styled(HTMLParser):
    """The characters of HTML with the styles and the link of each; white space is left out."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.chars: list[tuple[str, frozenset[Style], str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "br":
            self.open.append(f"a {dict(attrs).get('href')}" if tag == "a" else tag)

    def handle_endtag(self, tag: str) -> None:
        if tag == "br":
            return
        assert self.open and self.open[-1].split()[0] == tag, f"{tag} closes {self.open}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        styles = frozenset(_TAGS[tag] for tag in self.open if tag in _TAGS)
        link = next((unquote(tag[2:]) for tag in self.open if tag.startswith("a ")), None)
        self.chars += [(char, styles, link) for char in data if not char.isspace()]


def read(html: str) -> list[tuple[str, frozenset[Style], str | None]]:
    parser = _Styled()
    parser.feed(html)
    parser.close()
    return parser.chars


_CHARS = st.sampled_from("ab1 .,(*_~`[]<>&!\\|-#+é中\n")
_STYLES = st.frozensets(st.sampled_from(SHOWN[:4]), max_size=3) | st.sampled_from(
    [frozenset({Style.SUPERSCRIPT}), frozenset({Style.MONOSPACE}), frozenset({Style.BOLD, Style.MONOSPACE})]
)
_LINKS = st.sampled_from([None, None, "https://example.org/a_(b)*", "#part-2"])


@st.composite
def styled_texts(draw: st.DrawFn) -> tuple[str, list[CharStyle]]:
    """Texts of one and more lines without white space at their ends, and the style of each character."""
    pieces = draw(
        st.lists(st.tuples(st.text(_CHARS, min_size=1, max_size=6), _STYLES, _LINKS), min_size=1, max_size=6)
    )
    text = "".join(piece for piece, _, _ in pieces)
    chars = [CharStyle(styles, link) for piece, styles, link in pieces for _ in piece]
    return text, over_spaces(text, chars)


def _expected(text: str, chars: list[CharStyle]) -> list[tuple[str, frozenset[Style], str | None]]:
    """What a reader is to see: a bold or italic run needs a letter or a figure."""
    spans = spans_of(chars)
    found: list[tuple[str, frozenset[Style], str | None]] = []
    by_place = {at: span for span in spans for at in range(span.start, span.end)}
    for at, char in enumerate(text):
        if char.isspace():
            continue
        span = by_place.get(at)
        link = span.link if span else None
        found.append((char, frozenset(span.styles) if span else frozenset(), link))
    return found


def _letters(
    chars: list[tuple[str, frozenset[Style], str | None]],
) -> list[tuple[str, frozenset[Style], str | None]]:
    return [char for char in chars if char[0].isalnum()]


@settings(max_examples=300, deadline=None)
@given(styled_texts())
@example(("a*b", [CharStyle(), CharStyle(), CharStyle(frozenset({Style.BOLD}))]))
def test_markdown_reads_as_the_styles_it_was_made_of(styled: tuple[str, list[CharStyle]]) -> None:
    text, chars = styled
    markdown = Document(
        pages=[
            Page(
                number=1,
                width=600,
                height=800,
                blocks=[Block(label=Label.TEXT, bbox=BOX, content=text, spans=spans_of(chars))],
            )
        ]
    ).to_markdown()
    shown = read(MarkdownIt("commonmark", {"html": True}).enable(["strikethrough", "table"]).render(markdown))
    assert [char for char, _, _ in shown] == [char for char in text if not char.isspace()]
    assert _letters(shown) == _letters(_expected(text, chars))


@settings(max_examples=200, deadline=None)
@given(styled_texts())
def test_html_reads_as_the_styles_it_was_made_of(styled: tuple[str, list[CharStyle]]) -> None:
    text, chars = styled
    assert read(html_text(text, spans_of(chars))) == _expected(text, chars)


@settings(max_examples=200, deadline=None)
@given(styled_texts(), styled_texts(), st.integers(0, 8), st.integers(0, 8))
def test_places_stay_within_the_text(
    first: tuple[str, list[CharStyle]], second: tuple[str, list[CharStyle]], start: int, length: int
) -> None:
    """Cut or joined, spans are in order, do not overlap, and say of each character what they said before."""
    spans = spans_of(first[1])
    cut = clipped(spans, start, start + length)
    assert are_valid(cut, length)
    whole = joined(spans, spans_of(second[1]), len(first[0]), len(first[0]))
    assert are_valid(whole, len(first[0]) + len(second[0]))
    read_back = [CharStyle()] * (len(first[0]) + len(second[0]))
    for span in whole:
        read_back[span.start : span.end] = [CharStyle(frozenset(span.styles), span.link)] * (
            span.end - span.start
        )
    assert read_back == [*first[1], *second[1]]


def _block(content: str, *spans: Span) -> str:
    block = Block(label=Label.TEXT, bbox=BOX, content=content, spans=list(spans))
    return Document(pages=[Page(number=1, width=600, height=800, blocks=[block])]).to_markdown().strip()


def test_marks_that_would_not_be_read_are_tags() -> None:
    bold = [Style.BOLD]
    assert _block("a bold word", Span(start=2, end=6, styles=bold)) == "a **bold** word"
    assert _block("a(b)c", Span(start=1, end=4, styles=bold)) == "a<strong>(b)</strong>c"
    assert _block("5 * 3 is bold", Span(start=9, end=13, styles=bold)) == r"5 \* 3 is **bold**"


def test_an_address_that_is_its_own_text_has_no_mark() -> None:
    link = Span(start=4, end=23, link="https://example.org/", styles=[Style.MONOSPACE])
    assert _block("see https://example.org now", link) == "see https://example.org now"


def test_raised_digits_are_written_once() -> None:
    assert _block("12¹ m", Span(start=2, end=3, styles=[Style.SUPERSCRIPT])) == "12<sup>1</sup> m"


@pytest.mark.parametrize("address", ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd"])
def test_addresses_that_run_something_are_refused(address: str) -> None:
    with pytest.raises(ValidationError):
        Span(start=0, end=1, link=address)


@pytest.mark.parametrize("spans", [[(0, 9)], [(2, 2)], [(0, 3), (2, 4)], [(3, 4), (0, 2)]])
def test_blocks_refuse_spans_that_do_not_fit_their_text(spans: list[tuple[int, int]]) -> None:
    with pytest.raises(ValidationError):
        _block("words", *(Span.model_construct(start=a, end=b, styles=[Style.BOLD]) for a, b in spans))
