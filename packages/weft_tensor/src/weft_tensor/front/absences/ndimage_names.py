"""Which functions of SciPy's `ndimage` are not offered, and why."""

from __future__ import annotations

from typing import Final

from weft_tensor.front.absences.absence_group import Absence

__all__ = ["ABSENT"]

_WRAP: Final = "wrap SciPy's with `wrap_py`"

ABSENT: Final = {
    "scipy.ndimage": (
        Absence(
            "Structures of sets",
            "it makes numbers that no variable goes into: call SciPy's, and give Weft them",
            "generate_binary_structure iterate_structure",
        ),
        Absence(
            "Regions, and distances to them",
            f"how many regions there are depends on values: {_WRAP}",
            "distance_transform_bf distance_transform_cdt distance_transform_edt find_objects "
            "label value_indices watershed_ift",
        ),
        Absence(
            "Statistics of regions",
            "write `segment_sum(x.ravel(), labels.ravel(), n)` and its kin, or sums of "
            "`where(labels.eq(k), x, 0)`",
            "center_of_mass extrema histogram labeled_comprehension maximum maximum_position mean "
            "median minimum minimum_position standard_deviation sum sum_labels variance",
        ),
        Absence(
            "Filters of transforms",
            "multiply the transform, as `fft.fftn` has it, by the filter's",
            "fourier_ellipsoid fourier_gaussian fourier_shift fourier_uniform",
        ),
        Absence(
            "Functions of Python",
            "write the function of whole tensors: of places for `map_coordinates`, or of "
            "neighbours, which are x[i[:, None] + arange(size)]",
            "generic_filter generic_filter1d geometric_transform vectorized_filter",
        ),
    ),
}
