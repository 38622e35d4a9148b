"""Python's search for garbage, put off while graphs are made."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["without_collecting"]


@contextmanager
def without_collecting() -> Iterator[None]:
    """Within this block, Python looks for no garbage in cycles.

    Graphs have no cycles, but so many new objects that Python looks through all that there are:
    beside a large library, that takes as long as rewriting itself. It is the same for all
    threads, so the block should end soon.

    >>> import gc
    >>> with without_collecting():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
