"""Hyphens at line ends in eleven languages: divided words are joined, compounds keep theirs."""

from __future__ import annotations

import pytest

from galley.parsing.text.hyphenation import Vocabulary, join_lines
from galley.parsing.text.language import language_of

AROUND = {
    "en": "The bridge was closed for two weeks because of the flood, and that is why they came by boat.",
    "de": "Die Brücke war für zwei Wochen gesperrt, und das ist auch der Grund, warum sie mit dem Boot kamen.",
    "fr": "Le pont est fermé pour deux semaines et les habitants sont venus en bateau, ce qui n'est pas une joie.",
    "es": "El puente se ha cerrado por dos semanas y los vecinos han venido en barco, que no es una alegría.",
    "it": "Il ponte è chiuso per due settimane e gli abitanti sono venuti con la barca, che non è una gioia.",
    "pt": "A ponte foi fechada por duas semanas e os moradores vieram de barco, o que não é uma alegria para a vila.",
    "nl": "De brug is voor twee weken gesloten en de bewoners zijn met een boot gekomen, dat is niet het plezier.",
    "pl": "Most jest zamknięty na dwa tygodnie, a mieszkańcy są przez to na łodzi, co nie jest dla nich i że to.",
    "cs": "Most je na dva týdny zavřený a obyvatelé se tak na druhý břeh dostanou jen lodí, což pro ně není radost.",
    "sv": "Bron är stängd i två veckor och invånarna har kommit med båt, som inte är en glädje för att det tar tid.",
    "ru": "Мост закрыт на две недели, и жители приехали на лодке, что не радость для всех.",
}


@pytest.mark.parametrize("language", AROUND)
def test_the_language_is_told_by_its_common_words(language: str) -> None:
    assert language_of(AROUND[language].lower().replace(",", " ").replace(".", " ").split()) == language


def test_a_few_names_are_in_no_language() -> None:
    assert language_of(["anna", "müller", "köln"]) is None


@pytest.mark.parametrize(
    ("language", "before", "after", "joined"),
    [
        ("en", "the neigh-", "bour", "the neighbour"),
        ("en", "an up-", "to-date map", "an up-to-date map"),
        ("de", "das Hand-", "werk", "das Handwerk"),
        ("de", "Rheinland-", "Pfalz", "Rheinland-Pfalz"),
        ("fr", "la respon-", "sabilité", "la responsabilité"),
        ("fr", "vient-", "elle", "vient-elle"),
        ("fr", "eux-", "mêmes", "eux-mêmes"),
        ("es", "la carre-", "tera", "la carretera"),
        ("it", "la sta-", "zione", "la stazione"),
        ("pt", "a cons-", "trução", "a construção"),
        ("pt", "encontra-", "se", "encontra-se"),
        ("nl", "de water-", "stand", "de waterstand"),
        ("pl", "samo-", "chód", "samochód"),
        ("pl", "czesko-", "polski", "czesko-polski"),
        ("cs", "nádra-", "ží", "nádraží"),
        ("sv", "järn-", "vägen", "järnvägen"),
        ("ru", "вок-", "зал", "вокзал"),
        ("ru", "когда-", "нибудь", "когда-нибудь"),
    ],
)
def test_divided_words_and_compounds(language: str, before: str, after: str, joined: str) -> None:
    assert join_lines([before, after], Vocabulary([AROUND[language]])) == joined


def test_a_compound_that_the_text_has_elsewhere_keeps_its_hyphen() -> None:
    words = Vocabulary([AROUND["sv"], "en gul-svart flagga"])
    assert join_lines(["den gul-", "svart randiga"], words) == "den gul-svart randiga"
