"""How a worker process carries out the server's tasks: whatever goes wrong with one is its answer."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable

from galley.errors import GalleyError, ModelError, unexpected
from galley.serving.disk import NO_ROOM, is_full
from galley.serving.models import Models
from galley.serving.task_reader import TaskReader
from galley.serving.tasks import Answer, Delta, ReadPage, Task, TaskFailed


class TaskHandler:
    """Carries out tasks with models that all lanes share; each lane has a reader of its own."""

    def __init__(self, make_models: Callable[[], Models]) -> None:
        self._models = make_models()
        self._lane = threading.local()

    def do(self, task: Task, send: Callable[[Delta], None]) -> Answer:
        """The task's answer; text of a region goes to ``send`` as it is read."""
        try:
            return self._reader.do(task, send)
        except GalleyError as error:
            return TaskFailed(str(error), error.exit_code)
        except Exception as error:  # no task may take the others down
            return _failed(task, error)

    def cancel(self, owner: str) -> None:
        """Stop reading for this owner as soon as may be."""
        self._models.cancel(owner)

    @property
    def _reader(self) -> TaskReader:
        reader: TaskReader | None = getattr(self._lane, "reader", None)
        if reader is None:
            reader = self._lane.reader = TaskReader(self._models)
        return reader


def _failed(task: Task, error: Exception) -> TaskFailed:
    if is_full(error):
        return TaskFailed(NO_ROOM, ModelError.exit_code)
    traceback.print_exc()
    what = unexpected(error)
    return TaskFailed(f"page {task.number}: {what}" if isinstance(task, ReadPage) else what)
