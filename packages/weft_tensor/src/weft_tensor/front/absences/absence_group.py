"""A reason why functions of another library are not offered."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Absence"]


class Absence(NamedTuple):
    """Why some functions are not here, what to do instead, and whether they are to come."""

    title: str
    reason: str
    names: str
    later: bool = False
