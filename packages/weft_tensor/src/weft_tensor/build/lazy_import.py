"""Functions of NumPy and SciPy, imported when they are first called."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

__all__ = ["lazy_import"]


@cache
def lazy_import(path: str) -> Callable[..., Any]:
    """The function with the dotted name `path`. SciPy's modules take long to import.

    >>> lazy_import("numpy.linalg.norm")([3.0, 4.0]).item()
    5.0
    """
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)  # type: ignore[no-any-return]  # found by name
