"""Which functions of SciPy's `ndimage` are not offered, and why."""

from __future__ import annotations

from typing import Final

from weft_tensor.front.absences.absence_group import Absence

__all__ = ["ABSENT"]

_WRAP: Final = "wrap SciPy's with `wrap_py`"

ABSENT: Final = {
    "scipy.ndimage": (
        Absence(
            "Regions as slices",
            f"`label`, and measures of regions, are here: {_WRAP}",
            "find_objects labeled_comprehension value_indices watershed_ift",
        ),
        Absence(
            "Filters of transforms by ellipsoids",
            "multiply the transform, as `fft.fftn` has it, by the filter's",
            "fourier_ellipsoid",
        ),
        Absence(
            "Functions of Python",
            "write the function of whole tensors: of neighbours, which are "
            "x[i[:, None] + arange(size)]",
            "generic_filter generic_filter1d vectorized_filter",
        ),
    ),
}
