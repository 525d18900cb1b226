"""A PDF page's text layer: words with boxes in page-image pixels, and how far they can be trusted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pypdfium2 as pdfium
from numpy.typing import NDArray

from galley.document import BBox
from galley.document.spans import PLAIN, CharStyle
from galley.ingest.accents import join_accents
from galley.ingest.form_words import with_form_words
from galley.ingest.page import LayerQuality, TextLayer, TextWord
from galley.ingest.pdf_char_styles import char_styles
from galley.ingest.pdf_faces import face
from galley.ingest.pdf_forms import PageForm
from galley.ingest.pdf_glyphs import Glyphs, PageMap, read_glyphs
from galley.ingest.pdf_page_glyphs import read_page_glyphs
from galley.ingest.pdf_rules import read_shapes, read_vectors, thin_boxes
from galley.ingest.pdf_scene import Scene, read_scene
from galley.ingest.quality import is_garbage, judge
from galley.ingest.symbols import plain
from galley.ingest.text_decorations import decorated
from galley.ingest.type3_codes import is_nameless
from galley.ingest.vertical import runs_downward
from galley.ingest.watermarks import part_watermarks
from galley.ingest.word_breaks import word_spans

_BLANK_CONTRAST = 8
"""Grey levels; a word whose box is more even than this cannot be seen."""


def read_text_layer(
    page: pdfium.PdfPage, image: NDArray[np.uint8], form: PageForm | None = None
) -> TextLayer:
    """The words of ``page`` in content order. ``image``: (height, width, 3) uint8, the page as rendered.

    form: the page's fields and comments.

    Words that cannot be seen (invisible render mode, beneath a picture, in the colour of the paper) are kept
    only where they are most of the layer, a scan's OCR; on any other page they are not what the page says.
    """
    height, width = image.shape[:2]
    space = PageMap(page, width, height)
    scene = read_scene(page, space)
    glyphs = join_accents(read_glyphs(page, space, scene.text_order))
    shapes = read_shapes(scene.paths, space)
    rules = thin_boxes(shapes, space)
    glyphs, spans = word_spans(glyphs)
    styles = char_styles(page, space, glyphs, spans, scene, rules)
    words, seen, runs = [], [], []
    for span in spans:
        word = _word(glyphs, span, styles)
        if word and _on_page(word.bbox, width, height):
            words.append(word)
            seen.append(_is_seen(word.bbox, glyphs, span, scene, image))
            runs.append(glyphs.runs[span[0]])
    text, watermarks, stamps = part_watermarks(words, runs)
    words, seen = [words[i] for i in text], [seen[i] for i in text]
    scanned = [not shown and _on_picture(word.bbox, scene) for word, shown in zip(words, seen, strict=True)]
    quality, reason = judge(words, seen, scanned, image)
    if quality is not LayerQuality.OCR:
        words = [word for word, shown in zip(words, seen, strict=True) if shown]
    if quality is LayerQuality.PARTIAL:
        words = [word for word in words if not is_garbage(word.text)]
    fonts = {run.font.name for run in glyphs.runs}
    mathematics = quality is not LayerQuality.OCR and any(face(name).mathematical for name in fonts)
    exact = read_page_glyphs(page, space, rules) if mathematics else None
    words, vectors = decorated(words, read_vectors(shapes, scene, space, width, height))
    vertical = runs_downward(glyphs, spans, page.get_rotation())
    pictures = _pictures(scene, width, height)
    words, comments, typed = with_form_words(words, form or PageForm(), space.scale)
    return TextLayer(
        words,
        quality,
        reason,
        pictures,
        watermarks,
        stamps,
        exact,
        vertical=vertical,
        fields=form.fields if form else [],
        comments=comments,
        typed=typed,
        vectors=vectors,
    )


def _pictures(scene: Scene, width: int, height: int) -> list[BBox]:
    """Boxes of the raster images as far as they are on the page."""
    shape = np.array([width, height, width, height], np.float32)
    clipped = (np.clip(picture.box, 0, shape) for picture in scene.pictures)
    return [
        BBox(x0=float(x0), y0=float(y0), x1=float(x1), y1=float(y1))
        for x0, y0, x1, y1 in clipped
        if x1 - x0 >= 1 and y1 - y0 >= 1
    ]


def _word(glyphs: Glyphs, span: list[int], styles: Sequence[CharStyle]) -> TextWord | None:
    text, boxes = "", []
    spelled_styles: list[CharStyle] = []
    for index in span:
        run = glyphs.runs[index]
        spelled = plain(glyphs.chars[index], run.font.name, bool(glyphs.unmapped[index]), index == span[-1])
        boxes.append(_split(glyphs.boxes[index], len(spelled)))
        text += spelled
        spelled_styles += [styles[index]] * len(spelled)
    if not text:
        return None
    x0, y0 = glyphs.boxes[span, :2].min(axis=0)
    x1, y1 = glyphs.boxes[span, 2:].max(axis=0)
    font = Counter(glyphs.runs[index].font for index in span).most_common(1)[0][0]
    return TextWord(
        text=text,
        bbox=BBox(x0=float(x0), y0=float(y0), x1=float(x1), y1=float(y1)),
        font=font.name,
        size=float(np.median(glyphs.sizes[span])),
        bold=font.bold,
        italic=font.italic,
        mono=font.mono,
        char_boxes=np.concatenate(boxes),
        styles=tuple(spelled_styles) if any(style != PLAIN for style in spelled_styles) else None,
        guessed=any(glyphs.unmapped[i] and is_nameless(glyphs.runs[i].font.name) for i in span),
    )


def _split(box: NDArray[np.float32], parts: int) -> NDArray[np.float32]:
    """(parts, 4): ``box`` cut into equal widths, for ligatures that are spelled out."""
    edges = np.linspace(box[0], box[2], parts + 1, dtype=np.float32)
    tall = np.ones(parts, dtype=np.float32)
    return np.stack([edges[:-1], tall * box[1], edges[1:], tall * box[3]], axis=1)


def _on_page(box: BBox, width: int, height: int) -> bool:
    x, y = box.center
    return 0 <= x < width and 0 <= y < height and box.area > 0


def _is_seen(box: BBox, glyphs: Glyphs, span: list[int], scene: Scene, image: NDArray[np.uint8]) -> bool:
    run = glyphs.runs[span[0]]
    if not run.drawn or _is_hidden(box, run.order, scene):
        return False
    y0, x0 = max(0, int(box.y0)), max(0, int(box.x0))
    patch = image[y0 : int(np.ceil(box.y1)) + 1, x0 : int(np.ceil(box.x1)) + 1]
    if _is_even(patch):
        return False
    # The box may reach past what lies beneath the word, so that its edges are uneven while its letters do not show.
    ground = np.median(patch.reshape(-1, patch.shape[-1]), axis=0)
    height = len(patch)
    middle = patch[height // 4 : max(height // 4 + 1, 3 * height // 4), 1:-1]
    own_colour = run.colour is not None and float(np.abs(ground - run.colour).max()) < _BLANK_CONTRAST
    return not own_colour or not _is_even(middle)


def _is_even(patch: NDArray[np.uint8]) -> bool:
    """Whether a (height, width, 3) part of the page has one colour; an empty one has."""
    if patch.size == 0:
        return True
    return int(np.ptp(patch.reshape(-1, patch.shape[-1]), axis=0).max()) < _BLANK_CONTRAST


def _on_picture(box: BBox, scene: Scene) -> bool:
    x, y = box.center
    return any(p.box[0] <= x <= p.box[2] and p.box[1] <= y <= p.box[3] for p in scene.pictures)


def _is_hidden(box: BBox, order: int, scene: Scene) -> bool:
    """Whether a picture drawn after the text lies over it."""
    x, y = box.center
    return any(
        picture.opaque
        and picture.order > order >= 0
        and picture.box[0] <= x <= picture.box[2]
        and picture.box[1] <= y <= picture.box[3]
        for picture in scene.pictures
    )
