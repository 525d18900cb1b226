"""``galley.parse`` and ``galley.iter_pages`` from Python, and their options."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from fakes import FailsOnTwo, NoModel, Words
from running import numbered

import galley
from galley.parsing.options import ParseOptions, load_options, make_options

OPTIONS = ParseOptions()


def test_parse_gives_a_document() -> None:
    document = galley.parse(numbered(3), name="minutes", pages="1,3", parser=Words(OPTIONS))
    assert (document.source, document.page_count) == ("minutes", 3)
    assert [page.blocks[0].content for page in document.pages] == ["Page 1", "Page 3"]
    assert document.failures == [] and document.metadata["galley"] == galley.__version__


def test_failures_are_listed_and_the_rest_goes_on() -> None:
    document = galley.parse(io.BytesIO(numbered(3)), pages="1-5", parser=FailsOnTwo(OPTIONS))
    assert [page.number for page in document.pages] == [1, 3]
    assert [(failure.page, failure.message) for failure in document.failures] == [
        (2, "page 2: unexpected ZeroDivisionError: two is one too many; please report it"),
        (None, "pages 4-5 do not exist; document has 3 pages"),
    ]


def test_what_no_page_escapes_is_raised() -> None:
    with pytest.raises(galley.ModelError, match="the model is missing"):
        galley.parse(numbered(2), parser=NoModel(OPTIONS))
    with pytest.raises(galley.InputError, match="does not exist"):
        galley.parse("/nowhere/a.pdf", parser=Words(OPTIONS))


def test_iter_pages_streams() -> None:
    pages = galley.iter_pages(numbered(3), parser=FailsOnTwo(OPTIONS))
    assert next(pages).number == 1
    with pytest.raises(galley.InputError, match="page 2"):
        next(pages)
    failures: list[object] = []
    numbers = [
        page.number
        for page in galley.iter_pages(numbered(3), parser=FailsOnTwo(OPTIONS), on_failure=failures.append)
    ]
    assert numbers == [1, 3] and len(failures) == 1


def test_figures_go_to_the_sink() -> None:
    kept: dict[str, np.ndarray] = {}

    def sink(name: str, image: np.ndarray) -> str:
        kept[name] = image
        return f"figures/{name}.png"

    document = galley.parse(numbered(1), parser=Words(OPTIONS, sink))
    assert document.pages[0].blocks[1].image == "figures/page-1-figure-1.png"
    assert kept["page-1-figure-1"].shape == (20, 30, 3)


def test_options_replace_single_fields() -> None:
    base = make_options(pages="1", dpi=100)
    page = galley.parse(numbered(2), options=base, pages=[2], parser=Words(OPTIONS)).pages[0]
    assert (page.number, page.dpi) == (2, pytest.approx(100))
    with pytest.raises(galley.UsageError, match="there is no option 'page'"):
        galley.parse(numbered(1), page=1, parser=Words(OPTIONS))


def test_options_are_checked() -> None:
    assert make_options(keep="headers, footnotes").keep == {"headers", "footnotes"}
    assert make_options(pages=[1, 2, 7]).pages == "1,2,7"
    for values in (
        {"dpi": 0},
        {"max_pixels": 1},
        {"keep": {"tables"}},
        {"pages": "0"},
        {"pages": 1.5},
        {"ocr": "perhaps"},
    ):
        with pytest.raises(galley.UsageError):
            make_options(**values)


def test_passwords_are_never_shown() -> None:
    options = make_options(password="sesame")
    assert "sesame" not in repr(options) + options.model_dump_json() and options.secret == "sesame"
    assert options.fingerprint() == make_options().fingerprint()
    with pytest.raises(galley.UsageError) as caught:
        make_options(password=["sesame"])
    assert "sesame" not in str(caught.value)


def test_fingerprints_tell_options_apart() -> None:
    keep = ("headers", "footers", "footnotes")
    assert make_options(keep=keep).fingerprint() == make_options(keep=keep[::-1]).fingerprint()
    assert len({make_options(dpi=dpi).fingerprint() for dpi in (100, 150, 200)}) == 3


def test_configuration_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DPI", "300")
    monkeypatch.setenv("OCR", "never")
    assert load_options().dpi == 200 and load_options().ocr == "auto"
    Path("galley.toml").write_text('[parse]\ndpi = 150\nkeep = ["footers"]\n')
    assert load_options().dpi == 150 and load_options(dpi=90, ocr=None).dpi == 90
    for text, message in (
        ("[parse]\ndpi = 'x'\n", "dpi in other.toml"),
        ("[parse\n", "cannot read the configuration file other.toml"),
        ("[pars]\ndpi = 3\n", r"only \[parse\] is read, not 'pars'"),
        ("dpi = 3\n", r"only \[parse\] is read, not 'dpi'"),
        ("parse = 3\n", r"\[parse\] has to be a table"),
    ):
        Path("other.toml").write_text(text)
        with pytest.raises(galley.UsageError, match=message):
            load_options(Path("other.toml"))


def test_keeping_more(tmp_path: Path) -> None:
    assert load_options(also_keep="headers").keep == {"headers", "footnotes"}
    assert load_options(also_keep="none,headers").keep == {"headers"}
    assert load_options(also_keep="none").keep == frozenset()


def test_names_of_the_package() -> None:
    assert {"parse", "iter_pages", "Document", "GalleyError"} <= set(dir(galley))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        galley.nonsense  # noqa: B018
