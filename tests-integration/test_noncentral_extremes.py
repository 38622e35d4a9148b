"""Logarithms of tails far beyond the smallest probability, with huge places and parameters."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, Final

import numpy as np
import pytest

import weft.tensor as wt
from weft_tensor.ops.special.noncentral.chi_square import log_ncx2cdf, log_ncx2sf
from weft_tensor.ops.special.noncentral.halphen import log_geninvgauss_cdf, log_geninvgauss_sf

HUGE: Final = [1e5, 1e150, 1e300]
CASES: Final[dict[str, tuple[Callable[..., Any], tuple[list[float], ...]]]] = {
    "square, below": (log_ncx2cdf, (HUGE, [3.0, 1e5, 1e150, 1e300], [0.0, 3.0, 1e5, 1e300])),
    "square, above": (log_ncx2sf, (HUGE, [3.0, 1e5, 1e150, 1e300], [0.0, 3.0, 1e5, 1e300])),
    "Halphen, below": (
        log_geninvgauss_cdf,
        ([1e-300, 0.5, *HUGE], [-1e300, 0.5, 1e300], [0.5, 1e5]),
    ),
    "Halphen, above": (
        log_geninvgauss_sf,
        ([1e-300, 0.5, *HUGE], [-1e300, 0.5, 1e300], [0.5, 1e5]),
    ),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.cases("square, above", "Halphen, below")
def test_as_far_as_numbers_go(case: str) -> None:
    """The same on all backends: leading terms, and NaN of parameters that are not resolved."""
    of, grids = CASES[case]
    places = [np.array(v) for v in zip(*product(*grids), strict=True)]
    inputs = wt.dvectors("x", "p", "q")
    with np.errstate(all="ignore"):
        found = [wt.function(inputs, of(*inputs), mode=m)(*places) for m in ("py", "numba", "jax")]
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], rtol=1e-10, atol=1e-300)
    x, p, q = places
    unresolved = (p > 1e100) | (q > 1e100) if case.startswith("square") else abs(p) > 1e20
    np.testing.assert_array_equal(np.isnan(found[0]), unresolved)
    far = ~unresolved & (x > 1e100)
    above = -0.5 * x if case.startswith("square") else -0.5 * q * x
    np.testing.assert_allclose(found[0][far], above[far] if "above" in case else 0.0, rtol=1e-9)


def test_slopes_of_far_tails() -> None:
    """Those in x of Halphen's do not follow from differences of huge logarithms."""
    x, p, b = wt.dvectors("x", "p", "b")
    for of, place, expected in (
        (log_geninvgauss_sf, 1e150, -0.5 * 3.0),
        (log_geninvgauss_cdf, 1e-150, 0.5 * 3.0 * 1e300),
    ):
        slope = wt.function([x, p, b], wt.grad(of(x, p, b).sum(), x))
        np.testing.assert_allclose(slope([place], [0.7], [3.0]), expected, rtol=1e-9)
