"""XML from strangers: no entities are declared, expanded or fetched.

With the standard library's expat, whose handlers refuse entities and depth as they come: lxml could do no more here
and would be one more compiled package for everybody.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any
from xml.parsers import expat

from galley.errors import InputError

_DEEPEST = 200


def parse_xml(text: str) -> ET.Element:
    """The root element. Raises InputError for XML that is not well-formed, nested too deep or declares entities."""
    builder = ET.TreeBuilder()
    depth = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise InputError("this XML is nested too deep")
        builder.start(name, attributes)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(name)

    def refuse(*_: Any) -> int:
        raise InputError("this XML declares entities, which Galley does not expand; save it without them")

    parser = expat.ParserCreate(encoding="utf-8")
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        raise InputError(f"this XML is damaged: {error}") from None
    return builder.close()


def local_name(element: ET.Element) -> str:
    """The element's name without its namespace or prefix."""
    return element.tag.rpartition("}")[2].rpartition(":")[2]
