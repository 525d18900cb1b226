"""``GET /v1/formats``: the formats results can be had in."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from galley.document.exporters import EXPORTERS

router = APIRouter()


@router.get("/v1/formats")
async def formats() -> dict[str, Any]:
    """Names, as ``format`` takes them, titles for people, suffixes of files and MIME types."""
    known = [
        {"name": one.name, "title": one.title, "suffix": one.suffix, "media_type": one.media_type}
        for one in EXPORTERS.values()
        if one.available
    ]
    return {"formats": known}
