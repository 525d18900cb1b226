"""Forms in XFA, Adobe's XML in place of pages: what their template prints, with the values of their data.

Such a PDF has one page that only says that the reader cannot show it. The order of what is read is that of the
template: from top to bottom as it flows, by places where it gives places.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from galley.errors import InputError
from galley.ingest.safe_xml import local_name, parse_xml

_POINTS = {"pt": 1.0, "in": 72.0, "mm": 72.0 / 25.4, "cm": 72.0 / 2.54, "": 1.0}
_MEASURE = re.compile(r"\s*(-?[\d.]+)\s*(pt|in|mm|cm|)\s*$")
_SAME_ROW = 6.0
"""Points between the upper edges of two things side by side."""
_PARAGRAPHS = frozenset(["p", "div", "li", "br", "tr"])
_UNSEEN = frozenset(["hidden", "invisible", "inactive"])
_TYPES = {
    "checkButton": "checkbox",
    "choiceList": "combo",
    "button": "button",
    "signature": "signature",
    "passwordEdit": "password",
}


@dataclass(frozen=True)
class XfaField:
    """A field of the form. kind: as ``document.FormField.type``. checked: of a box to be ticked."""

    name: str
    kind: str
    caption: str
    value: str = ""
    options: tuple[str, ...] = ()
    checked: bool = False


@dataclass
class XfaItem:
    """A line of the form: static text, or fields side by side; or the rows of a table."""

    texts: list[str] = field(default_factory=list)
    fields: list[XfaField] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)


def read_xfa(packets: Mapping[str, bytes]) -> list[XfaItem]:
    """The contents of a form.

    Args:
        packets: The parts of its XML by name; one without a name is all of it.

    Raises:
        InputError: The XML is damaged.
    """
    roots = [
        parse_xml(data.decode("utf-8", "replace").strip("\x00 \r\n"))
        for name, data in packets.items()
        if name in ("template", "datasets", "")
    ]
    template = next((found for root in roots if (found := _find(root, "template")) is not None), None)
    if template is None:
        raise InputError("the XFA form has no template")
    data = next((found for root in roots if (found := _find(root, "data")) is not None), None)
    return list(_container(template, data, "tb"))


def _find(root: ET.Element, name: str) -> ET.Element | None:
    return next((element for element in root.iter() if local_name(element) == name), None)


def _children(element: ET.Element | None, *names: str) -> list[ET.Element]:
    return [child for child in element if local_name(child) in names] if element is not None else []


def _child(element: ET.Element | None, name: str) -> ET.Element | None:
    return next(iter(_children(element, name)), None)


def _container(element: ET.Element, data: ET.Element | None, layout: str) -> Iterator[XfaItem]:
    """The items of all that stands in an element."""
    parts = _children(
        element, "subform", "subformSet", "area", "exclGroup", "field", "draw", "pageSet", "pageArea"
    )
    parts = [part for part in parts if part.get("presence") not in _UNSEEN]
    if layout == "table":
        yield _table(parts, data)
        return
    if layout == "row":
        parts_of_row = [item for part in parts for item in _items(part, data)]
        yield XfaItem([text for item in parts_of_row for text in item.texts], _fields(parts_of_row))
        return
    for row in _rows(parts) if layout == "position" else [[part] for part in parts]:
        found = [list(_items(part, data)) for part in row]
        if len(row) > 1 and all(len(items) == 1 and not items[0].rows for items in found):
            yield from _side_by_side([items[0] for items in found])
        else:
            for items in found:
                yield from items


def _side_by_side(items: Sequence[XfaItem]) -> Iterator[XfaItem]:
    """A row as one line, or as one line for each field that has its own caption."""
    line = XfaItem()
    for item in items:
        if line.fields and any(found.caption for found in item.fields):
            yield line
            line = XfaItem()
        line = XfaItem([*line.texts, *item.texts], [*line.fields, *item.fields])
    yield line


def _fields(items: Sequence[XfaItem]) -> list[XfaField]:
    return [field for item in items for field in item.fields]


def _rows(parts: Sequence[ET.Element]) -> list[list[ET.Element]]:
    """Parts placed by their coordinates, top to bottom, each row from left to right."""
    rows: list[list[ET.Element]] = []
    for part in sorted(parts, key=lambda part: _points(part.get("y"))):
        if rows and _points(part.get("y")) - _points(rows[-1][0].get("y")) < _SAME_ROW:
            rows[-1].append(part)
        else:
            rows.append([part])
    return [sorted(row, key=lambda part: _points(part.get("x"))) for row in rows]


def _points(measure: str | None) -> float:
    match = _MEASURE.match(measure or "")
    return float(match[1]) * _POINTS[match[2]] if match and match[1].strip(".-") else 0.0


def _items(part: ET.Element, data: ET.Element | None) -> Iterator[XfaItem]:
    kind = local_name(part)
    if kind == "draw":
        if text := _content(_child(part, "value")):
            yield XfaItem([text])
    elif kind == "field":
        yield from _field_item(_field(part, data))
    elif kind == "exclGroup":
        yield from _group(part, data)
    else:
        layout = part.get("layout", "position" if kind in ("subform", "area", "pageArea") else "tb")
        for instance in _instances(part, data):
            yield from _container(part, instance, layout)


def _instances(part: ET.Element, data: ET.Element | None) -> list[ET.Element | None]:
    """The data of each copy of a part of the form; the data around it where it has none of its own."""
    name = part.get("name")
    bind = _child(part, "bind")
    if name is None or data is None or (bind is not None and bind.get("match") == "none"):
        return [data]
    own: list[ET.Element | None] = [child for child in data if local_name(child) == name]
    occur = _child(part, "occur")
    if not own and occur is not None and occur.get("min") == "0" and len(data):
        return []
    return own or [data]


def _value_of(part: ET.Element, data: ET.Element | None) -> str | None:
    """What the data has for a field; None where it has nothing."""
    name = part.get("name")
    bind = _child(part, "bind")
    if bind is not None and bind.get("match") == "dataRef":
        name = re.split(r"[.\[]", (bind.get("ref") or "").rstrip("]").replace("[*", ""))[-1] or name
    if data is None or name is None or (bind is not None and bind.get("match") == "none"):
        return None
    found = next((child for child in data if local_name(child) == name), None)
    return "\n".join("".join(found.itertext()).splitlines()) if found is not None else None


def _field(part: ET.Element, data: ET.Element | None) -> XfaField:
    ui = _child(part, "ui")
    control = next((local_name(child) for child in ui), "") if ui is not None else ""
    caption = _child(part, "caption")
    shown = caption is not None and caption.get("presence") not in _UNSEEN
    label = _content(_child(caption, "value")) if shown else ""
    value = _value_of(part, data)
    if value is None:
        value = _content(_child(part, "value"))
    choices = [[_text(entry) for entry in items] for items in _children(part, "items")]
    kind = _TYPES.get(control, "text")
    if kind == "checkbox":
        button = _child(ui, "checkButton")
        kind = "radio" if button is not None and button.get("shape") == "round" else kind
        on = choices[0][0] if choices and choices[0] else "1"
        return XfaField(part.get("name", ""), kind, label, value, (on,), value == on)
    if kind == "combo" and len(choices) > 1 and value in choices[1] and len(choices[0]) == len(choices[1]):
        value = choices[0][choices[1].index(value)]
    options = tuple(choices[0]) if kind == "combo" and choices else ()
    return XfaField(part.get("name", ""), kind, label, value if kind != "password" else "", options)


def _group(part: ET.Element, data: ET.Element | None) -> Iterator[XfaItem]:
    """Radio buttons, of which the data names the one that is on."""
    chosen = _value_of(part, data) or _content(_child(part, "value"))
    caption = _content(_child(_child(part, "caption"), "value"))
    fields = []
    for entry in _children(part, "field"):
        found = _field(entry, None)
        on = found.options[0] if found.options else ""
        checked = chosen == on if chosen else found.checked
        fields.append(XfaField(part.get("name", ""), "radio", found.caption or on, chosen, (on,), checked))
    texts = [text for found in fields for item in _field_item(found) for text in item.texts]
    yield XfaItem([caption, *texts] if caption else texts, fields)


def _field_item(found: XfaField) -> Iterator[XfaItem]:
    if found.kind in ("checkbox", "radio"):
        mark = (
            ("[x]" if found.checked else "[ ]")
            if found.kind == "checkbox"
            else "(x)"
            if found.checked
            else "( )"
        )
        yield XfaItem([f"{mark} {found.caption}".strip()], [found])
    elif found.kind == "button":
        yield XfaItem([found.caption] if found.caption else [], [found])
    else:
        ends = found.caption.endswith((":", "?", ".", "：")) or not found.caption or not found.value
        text = f"{found.caption}{'' if ends else ':'} {found.value}".strip()
        yield XfaItem([text] if text else [], [found])


def _table(parts: Sequence[ET.Element], data: ET.Element | None) -> XfaItem:
    table = XfaItem()
    for part in parts:
        for instance in _instances(part, data):
            cells = [
                list(_items(cell, instance))
                for cell in _children(part, "subform", "field", "draw", "exclGroup")
            ]
            table.rows.append(["\n".join(" ".join(item.texts) for item in items) for items in cells])
            table.fields += [found for items in cells for found in _fields(items)]
    return table


def _content(value: ET.Element | None) -> str:
    """The text of a ``value``: plain, or that of the HTML in it."""
    return "\n".join(_text(child) for child in value).strip() if value is not None else ""


def _text(element: ET.Element) -> str:
    if local_name(element) in ("image", "arc", "line", "rectangle"):
        return ""
    if not len(element):
        return (element.text or "").strip()
    parts: list[str] = []
    _flatten(element, parts)
    lines = (" ".join(line.split()) for line in "".join(parts).split("\n"))
    return "\n".join(line for line in lines if line)


def _flatten(element: ET.Element, parts: list[str]) -> None:
    ends = local_name(element).lower() in _PARAGRAPHS
    parts.append(" ".join((element.text or "").split("\n")))
    for child in element:
        _flatten(child, parts)
        parts.append(" ".join((child.tail or "").split("\n")))
    if ends:
        parts.append("\n")
