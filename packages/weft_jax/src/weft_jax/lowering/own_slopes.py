"""Whether JAX is to have derivatives of Ops from their rows, where it may differentiate them.

What JAX makes of the implementations is NaN or wrong in places: where one side of a choice is not
taken and has no slope, and where parts have a kink that the whole has not, as softplus at 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

__all__ = ["are_wanted", "with_own_slopes"]

_wanted: Final[ContextVar[bool]] = ContextVar("own slopes", default=False)


def are_wanted() -> bool:
    """Whether it is so for what is traced right now."""
    return _wanted.get()


@contextmanager
def with_own_slopes() -> Iterator[None]:
    """In this block it is so. Tracing takes longer, and what is compiled is the same."""
    token = _wanted.set(True)
    try:
        yield
    finally:
        _wanted.reset(token)
