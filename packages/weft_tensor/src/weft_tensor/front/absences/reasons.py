"""Which functions of NumPy and SciPy are not offered, and why."""

from __future__ import annotations

from functools import cache
from typing import Final

from weft_tensor.front.absences import (
    ndimage_names,
    numpy_names,
    scipy_names,
    signal_names,
    sparse_names,
)
from weft_tensor.front.absences.absence_group import Absence

__all__ = ["ABSENT", "absences"]

ABSENT: Final[dict[str, tuple[Absence, ...]]] = {
    **numpy_names.ABSENT,
    **scipy_names.ABSENT,
    **signal_names.ABSENT,
    **ndimage_names.ABSENT,
    **sparse_names.ABSENT,
}
"""By part of NumPy or SciPy, groups of its functions that are not here."""


@cache
def absences(place: str) -> dict[str, Absence]:
    """Why each function of that part of NumPy or SciPy that is not here is not.

    >>> absences("numpy")["loadtxt"].title
    'Files and buffers'
    """
    return {name: group for group in ABSENT.get(place, ()) for name in group.names.split()}
