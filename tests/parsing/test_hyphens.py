"""Hyphens at line ends: undone only where a dictionary or the document agrees."""

from __future__ import annotations

from galley.parsing.text.hyphenation import Vocabulary, join_lines


def test_a_dictionary_word_is_joined() -> None:
    assert join_lines(["the infor-", "mation was kept"], Vocabulary()) == "the information was kept"


def test_a_compound_keeps_its_hyphen() -> None:
    assert join_lines(["a well-", "known name"], Vocabulary()) == "a well-known name"


def test_a_word_of_the_document_is_joined() -> None:
    words = Vocabulary(["the Zorblaxian fleet"])
    assert join_lines(["every Zorb-", "laxian ship"], words) == "every Zorblaxian ship"


def test_lines_without_hyphens_are_joined_by_one_space() -> None:
    assert join_lines(["one two", "three"], Vocabulary()) == "one two three"


def test_a_hyphen_beside_a_digit_takes_no_space() -> None:
    assert join_lines(["of 9,10-epoxy-9-", "methyl acid, 3-", "D, 555-", "0199"], Vocabulary()) == (
        "of 9,10-epoxy-9-methyl acid, 3-D, 555-0199"
    )


def test_chinese_lines_take_no_space_before_a_quotation_mark() -> None:
    assert join_lines(["不但避免了像", "“比较文学”那样", "in English", "中文"], Vocabulary()) == (
        "不但避免了像“比较文学”那样 in English 中文"
    )


def test_half_a_word_is_joined_in_any_language() -> None:
    assert join_lines(["die Bun-", "desregierung"], Vocabulary()) == "die Bundesregierung"
    assert join_lines(["las pala-", "bras"], Vocabulary()) == "las palabras"


def test_a_suspended_hyphen_keeps_its_space() -> None:
    assert join_lines(["pre-", "and post-test scores"], Vocabulary()) == "pre- and post-test scores"
    assert join_lines(["Ein-", "und Ausgang"], Vocabulary()) == "Ein- und Ausgang"


def test_a_name_keeps_its_hyphen() -> None:
    assert join_lines(["by Navier-", "Stokes flow"], Vocabulary()) == "by Navier-Stokes flow"


def test_soft_hyphens_join_whatever_the_word() -> None:
    assert join_lines(["der Wärmetausch\u00ad", "koeffizient der Wand"], Vocabulary()) == (
        "der Wärmetauschkoeffizient der Wand"
    )
