"""Documents printed as PDF by several programs."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable
from html import escape
from pathlib import Path

from documents import Part, Run

from galley.document import Style

_LATEX = {
    Style.BOLD: r"\textbf{%s}",
    Style.ITALIC: r"\textit{%s}",
    Style.SMALL_CAPS: r"\textsc{%s}",
    Style.MONOSPACE: r"\texttt{%s}",
    Style.UNDERLINE: r"\uline{%s}",
    Style.STRIKE: r"\sout{%s}",
    Style.SUPERSCRIPT: r"\textsuperscript{%s}",
    Style.SUBSCRIPT: r"\textsubscript{%s}",
}
_HTML = {
    Style.BOLD: "<b>%s</b>",
    Style.ITALIC: "<i>%s</i>",
    Style.SMALL_CAPS: '<span class="sc">%s</span>',
    Style.MONOSPACE: "<code>%s</code>",
    Style.UNDERLINE: "<u>%s</u>",
    Style.STRIKE: "<s>%s</s>",
    Style.SUPERSCRIPT: "<sup>%s</sup>",
    Style.SUBSCRIPT: "<sub>%s</sub>",
}
_REPORTLAB = _HTML | {
    Style.MONOSPACE: '<font name="Courier">%s</font>',
    Style.STRIKE: "<strike>%s</strike>",
    Style.SUPERSCRIPT: "<super>%s</super>",
}
_ODF = {
    Style.BOLD: 'fo:font-weight="bold"',
    Style.ITALIC: 'fo:font-style="italic"',
    Style.SMALL_CAPS: 'fo:font-variant="small-caps"',
    Style.MONOSPACE: 'style:font-name="DejaVu Sans Mono"',
    Style.UNDERLINE: 'style:text-underline-style="solid" style:text-underline-width="auto"',
    Style.STRIKE: 'style:text-line-through-style="solid"',
    Style.SUPERSCRIPT: 'style:text-position="super 58%"',
    Style.SUBSCRIPT: 'style:text-position="sub 58%"',
}


def _latex(parts: list[Part], folder: Path, program: str, preamble: str) -> bytes:
    # The bullet of OT1 comes as a picture where the fonts of TS1 are not installed.
    body, in_list = r"\def\labelitemi{\ensuremath{\bullet}}", False
    for part in parts:
        text = "".join(_latex_run(run) for run in part.runs)
        if part.item != in_list:
            body += r"\begin{itemize}" if part.item else r"\end{itemize}"
            in_list = part.item
        command = {0: r"\item " if part.item else "", 1: r"\section*{", 2: r"\subsection*{"}[part.level]
        body += f"\n{command}{text}{'}' if part.level else ''}\n"
    body += r"\end{itemize}" if in_list else ""
    source = (
        rf"\documentclass[11pt]{{article}}{preamble}\usepackage[normalem]{{ulem}}"
        rf"\usepackage[hidelinks]{{hyperref}}\begin{{document}}{body}\end{{document}}"
    )
    (folder / "a.tex").write_text(source, encoding="utf-8")
    _run([program, "-interaction=nonstopmode", "a.tex"], folder)
    return (folder / "a.pdf").read_bytes()


def _latex_run(run: Run) -> str:
    text = run.text.replace("&", r"\&").replace("%", r"\%").replace("_", r"\_").replace("#", r"\#")
    for style in run.styles:
        text = _LATEX[style] % text
    return rf"\href{{{run.link}}}{{{text}}}" if run.link else text


def _marked(run: Run, tags: dict[Style, str]) -> str:
    text = escape(run.text, quote=False)
    for style in run.styles:
        text = tags[style] % text
    return f'<a href="{run.link}">{text}</a>' if run.link else text


def _chromium(parts: list[Part], folder: Path, style: str) -> bytes:
    body = ""
    for part in parts:
        tag = f"h{part.level}" if part.level else "li" if part.item else "p"
        body += f"<{tag}>{''.join(_marked(run, _HTML) for run in part.runs)}</{tag}>\n"
    page = f"<meta charset=utf-8><style>.sc{{font-variant:small-caps}}{style}</style>{body}"
    (folder / "a.html").write_text(page, encoding="utf-8")
    printed = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-pdf-header-footer",
        "--print-to-pdf=a.pdf",
    ]
    _run(["chromium", *printed, "a.html"], folder)
    return (folder / "a.pdf").read_bytes()


def _reportlab(parts: list[Part], folder: Path, family: str) -> bytes:
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.platypus import Paragraph, SimpleDocTemplate

    flow = []
    for part in parts:
        text = "".join(_marked(run, _REPORTLAB) for run in part.runs)
        size = {0: 10, 1: 18, 2: 14}[part.level]
        font = family if not part.level else {"Times-Roman": "Times-Bold"}.get(family, f"{family}-Bold")
        style = ParagraphStyle("p", fontName=font, fontSize=size, leading=1.3 * size, spaceAfter=6)
        flow.append(Paragraph(text, style, bulletText="•" if part.item else None))
    SimpleDocTemplate(str(folder / "a.pdf")).build(flow)
    return (folder / "a.pdf").read_bytes()


def _libreoffice(parts: list[Part], folder: Path, family: str) -> bytes:
    names: dict[tuple[Style, ...], str] = {}
    body = ""
    for part in parts:
        text = "".join(_odf_run(run, names) for run in part.runs)
        kind = f"H{part.level}" if part.level else "P"
        heading = f'<text:h text:style-name="{kind}" text:outline-level="{part.level}">{text}</text:h>'
        paragraph = f'<text:p text:style-name="P">{"• " if part.item else ""}{text}</text:p>'
        body += heading if part.level else paragraph
    sizes = {"P": ("11pt", ""), "H1": ("18pt", _ODF[Style.BOLD]), "H2": ("14pt", _ODF[Style.BOLD])}
    styles = "".join(
        f'<style:style style:name="{name}" style:family="paragraph"><style:paragraph-properties '
        f'fo:margin-bottom="0.2cm"/><style:text-properties fo:font-family="{family}" fo:font-size="{size}" {more}/>'
        "</style:style>"
        for name, (size, more) in sizes.items()
    ) + "".join(
        f'<style:style style:name="{name}" style:family="text"><style:text-properties '
        f"{' '.join(_ODF[style] for style in kinds)}/></style:style>"
        for kinds, name in names.items()
    )
    spaces = "".join(
        f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{uri}:1.0"'
        for name, uri in (
            ("office", "office"),
            ("text", "text"),
            ("style", "style"),
            ("fo", "xsl-fo-compatible"),
            ("svg", "svg-compatible"),
        )
    )
    document = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document{spaces} '
        'xmlns:xlink="http://www.w3.org/1999/xlink" office:version="1.2" '
        'office:mimetype="application/vnd.oasis.opendocument.text"><office:font-face-decls><style:font-face '
        'style:name="DejaVu Sans Mono" svg:font-family="DejaVu Sans Mono" style:font-pitch="fixed"/>'
        f"</office:font-face-decls><office:automatic-styles>{styles}</office:automatic-styles><office:body>"
        f"<office:text>{body}</office:text></office:body></office:document>"
    )
    (folder / "a.fodt").write_text(document, encoding="utf-8")
    profile = f"-env:UserInstallation=file://{folder}/profile"
    _run(["soffice", profile, "--headless", "--convert-to", "pdf", "a.fodt"], folder)
    return (folder / "a.pdf").read_bytes()


def _odf_run(run: Run, names: dict[tuple[Style, ...], str]) -> str:
    text = escape(run.text, quote=False)
    if run.styles:
        name = names.setdefault(run.styles, f"T{len(names)}")
        text = f'<text:span text:style-name="{name}">{text}</text:span>'
    return f'<text:a xlink:type="simple" xlink:href="{run.link}">{text}</text:a>' if run.link else text


def _run(command: list[str], folder: Path) -> None:
    subprocess.run(command, cwd=folder, check=False, capture_output=True, timeout=180)


_T1 = r"\usepackage[T1]{fontenc}"
PROGRAMS: dict[str, tuple[str, Callable[[list[Part], Path], bytes]]] = {
    "latex-cm": ("pdflatex", lambda p, f: _latex(p, f, "pdflatex", "")),
    "latex-lm": ("pdflatex", lambda p, f: _latex(p, f, "pdflatex", _T1 + r"\usepackage{lmodern}")),
    "chromium-serif": ("chromium", lambda p, f: _chromium(p, f, "body{font:11pt serif}")),
    "chromium-sans": ("chromium", lambda p, f: _chromium(p, f, "body{font:10pt sans-serif;line-height:1.4}")),
    "reportlab": ("python3", lambda p, f: _reportlab(p, f, "Helvetica")),
    "latex-times": (
        "pdflatex",
        lambda p, f: _latex(p, f, "pdflatex", _T1 + r"\usepackage{lmodern,mathptmx}"),
    ),
    "libreoffice-serif": ("soffice", lambda p, f: _libreoffice(p, f, "Liberation Serif")),
    "libreoffice-sans": ("soffice", lambda p, f: _libreoffice(p, f, "Carlito")),
}
"""By name, the command that has to be installed, and the function that prints."""
WITHOUT = {"reportlab": frozenset({Style.SMALL_CAPS})}
"""Styles that a program does not have."""
UNSEEN = ("latex-times", "libreoffice-sans")
"""Programs whose documents were not looked into while the styles were built."""


def print_pdf(program: str, parts: list[Part]) -> bytes:
    """A document printed by a program of ``PROGRAMS``."""
    command, make = PROGRAMS[program]
    if shutil.which(command) is None:
        raise SystemExit(f"{program} needs {command}; install it or leave the program out")
    with tempfile.TemporaryDirectory() as folder:
        return make(parts, Path(folder))
