"""One context of MLIR for many programs of JAX, in the quick run.

JAX makes one for each program that it lowers, which takes six of the sixteen milliseconds in which
a small program is lowered and read from disk. A context keeps each type and constant that ever was
in it; thus each thread has its own, and after some programs a new one.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from itertools import count
from threading import local
from typing import Any, Final

__all__ = ["choose"]

_PROGRAMS: Final = 40
"""So many share a context."""
_mlir: Final = vars(import_module("jax._src.interpreters.mlir"))
_NEW: Final[Callable[[], Any]] = _mlir.get("make_ir_context", object)


class _OfThread(local):
    def __init__(self) -> None:
        self.number = count()
        self.context: Any = None


_own: Final = _OfThread()


def _shared() -> Any:
    if next(_own.number) % _PROGRAMS == 0:
        _own.context = _NEW()
    return _own.context


def choose(*, shared: bool) -> None:
    """Say what programs are lowered in from now on, if this version of JAX has its parts there."""
    if "make_ir_context" in _mlir:
        _mlir["make_ir_context"] = _shared if shared else _NEW
