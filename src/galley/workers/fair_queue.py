"""A queue in which every owner gets the same share, however much it has waiting."""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import Generic, TypeVar

Item = TypeVar("Item")


class FairQueue(Generic[Item]):
    """First in, first out within an owner; owners take turns."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, deque[Item]] = OrderedDict()
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def put(self, owner: str, item: Item, *, first: bool = False) -> None:
        """Add an item; ``first`` puts it before everything else of its owner."""
        own = self._waiting.setdefault(owner, deque())
        if first:
            own.appendleft(item)
        else:
            own.append(item)
        self._length += 1

    def take(self) -> Item | None:
        """The next item of the owner whose turn it is, None when nothing waits."""
        if not self._waiting:
            return None
        owner, own = next(iter(self._waiting.items()))
        item = own.popleft()
        self._length -= 1
        if own:
            self._waiting.move_to_end(owner)
        else:
            del self._waiting[owner]
        return item

    def drop(self, owner: str) -> list[Item]:
        """Take out everything of an owner."""
        own = self._waiting.pop(owner, deque())
        self._length -= len(own)
        return list(own)
