"""Text that went out as Markdown comes back as that text when the Markdown is rendered."""

import html
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from galley.document.markdown_escape import escape_block

RENDERER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
TRICKY = st.text(alphabet="ab1 *_`#<>&;[]()!|~\\-+=.:/\n", max_size=40)


def rendered(markdown: str) -> str:
    """The text of the paragraph the Markdown renders to; anything else than one paragraph stays as HTML."""
    page = RENDERER.render(markdown).strip()
    match = re.fullmatch(r"<p>(.*)</p>", page, re.DOTALL)
    return html.unescape(re.sub(r"<br />\n?", "\n", match.group(1))) if match else page


def plain(text: str) -> str:
    return "\n".join(line.strip() for line in text.split("\n") if line.strip())


@given(TRICKY)
@settings(max_examples=400, deadline=None)
@example("1. item")
@example("**a** __b__ ~~c~~ `d` ``e``")
@example("<b> &amp; <!-- c -->")
@example("[a](b) [c]: d ![e](f)")
@example("a\n===")
@example("a | b\n--- | ---")
@example("\\* \\")
@example("- - -")
@example("+ a\n- b\n* c\n> d\n# e\n1) f")
def test_round_trip(text):
    assert rendered(escape_block(text)) == plain(text)


@pytest.mark.parametrize(
    "text",
    [
        "snake_case_name and 2 * 3 * 4 = 24",
        "C# is #1; a < b & c > d",
        "See [12] and [13-17], p. 5 (2019).",
        "$5 and $6, 50% off - today!",
        "R&D costs 3*",
        "E-mail a_b@c.org, https://a.b/c_d?e=f&g",
        "C:\\Users\\name",
    ],
)
def test_ordinary_text_needs_no_backslash(text):
    assert escape_block(text) == text
