"""Which functions of SciPy's `fft` and `signal` are not offered, and why."""

from __future__ import annotations

from typing import Final

from weft_tensor.front.absences.absence_group import Absence

__all__ = ["ABSENT"]

_WRAP: Final = "wrap SciPy's with `wrap_py`"

ABSENT: Final = {
    "scipy.fft": (
        Absence(
            "SciPy itself",
            "it sets how SciPy computes, not Weft: backends are modes of `function`, and threads "
            "are set by NUMBA_NUM_THREADS",
            "get_workers register_backend set_backend set_global_backend set_workers skip_backend",
        ),
    ),
    "scipy.signal": (
        Absence(
            "Edges of a band that stops",
            "`buttord` and its kin find them for the least order",
            "band_stop_obj",
        ),
        Absence(
            "Matrices of systems that are not all given",
            "give lsim and its kin all four",
            "abcd_normalize",
        ),
        Absence(
            "Splines of planes",
            "SciPy has them to six digits, or three: write ndimage.spline_filter, and "
            "ndimage.map_coordinates for values",
            "cspline2d qspline2d sepfir2d spline_filter symiirorder1 symiirorder2",
        ),
        Absence(
            "Ways to convolve",
            "`convolve` chooses what is faster itself",
            "choose_conv_method",
        ),
    ),
    "scipy.signal.windows": (Absence("Names", "write `signal.get_window`", "get_window"),),
}
"""By part of SciPy, groups of its functions that are not here."""
