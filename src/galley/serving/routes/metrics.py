"""``GET /metrics`` for Prometheus."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response
from prometheus_client import CONTENT_TYPE_LATEST

from galley.serving.metrics import Metrics
from galley.serving.routes.common import scheduler_of

router = APIRouter()


@router.get("/metrics")
async def metrics(request: Request) -> Response:
    """All figures."""
    own: Metrics = request.app.state.metrics
    scheduler = scheduler_of(request)
    own.queue.set(scheduler.load)
    own.tasks.set(scheduler.tasks_waiting)
    return Response(own.text(), media_type=CONTENT_TYPE_LATEST)
