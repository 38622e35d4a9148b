"""What is kept on disk of a task: machine code, and how a door uses it."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from weft_graph import Constant, Linker, Task, Variable
from weft_numba import cache
from weft_numba.identity import identity
from weft_numba.object_code import ObjectCode, loaded
from weft_numba.results import How

__all__ = ["Recalled", "recall", "remember"]


class Recalled(NamedTuple):
    """Machine code that an earlier process has compiled."""

    call: Callable[..., Any]
    constants: list[Any]
    """Arrays: the first arguments of `call`."""
    finish: tuple[How, ...]
    conditions: tuple[str, ...]
    """When `call` computes the right thing."""


def remember(
    linker: Linker,
    task: Task,
    code: ObjectCode,
    constants: Sequence[Variable],
    finish: tuple[How, ...],
    conditions: tuple[str, ...],
) -> None:
    """Keep what `task` was compiled to.

    Of constants that the user has written, only their places are kept; others are results of
    rewriting.
    """
    key = identity(linker, task)
    if key is None or cache.directory() is None:
        return
    places = {v: k for k, v in enumerate(task.written.order)}
    kept = [places.get(v, v.op.value) for v in constants if isinstance(v.op, Constant)]
    cache.store(key, pickle.dumps((tuple(code), kept, finish, conditions)))


def recall(linker: Linker, task: Task) -> Recalled | None:
    """What an earlier process has kept of the same task."""
    if cache.directory() is None:
        return None
    key = identity(linker, task)
    found = None if key is None else cache.load(key)
    if found is None:
        return None
    try:
        code, kept, finish, conditions = pickle.loads(found)
        call = loaded(ObjectCode(*code))
    except Exception:  # unpickling an object of the user's may raise anything
        call = None
    if call is None:
        return None
    order: Any = task.written.order
    values = [order[c].op.value if isinstance(c, int) else c for c in kept]
    return Recalled(call, values, finish, conditions)
