"""Logarithms of tails far beyond the smallest probability, with huge places and parameters."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, Final

import mpmath as mp
import numpy as np
import pytest
import scipy.special as sc
from exact_mixtures import MIXED_DENSITIES, MIXED_TAILS

import weft.tensor as wt
from weft_tensor.ops.special.noncentral.chi_square import log_ncx2cdf, log_ncx2pdf, log_ncx2sf
from weft_tensor.ops.special.noncentral.f_ratio import log_ncfcdf, log_ncfpdf, log_ncfsf
from weft_tensor.ops.special.noncentral.halphen import log_geninvgauss_cdf, log_geninvgauss_sf

HUGE: Final = [1e5, 1e150, 1e300]
MODES: Final = ("py", "numba", "jax")
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
MEETINGS: Final[dict[str, tuple[tuple[Callable[..., Any], ...], list[tuple[float, ...]]]]] = {
    "ncx2": (
        (log_ncx2cdf, log_ncx2sf, log_ncx2pdf),
        [
            (1e-9, 0.3, 0.7), (0.3, 0.01, 1.0), (0.3, 0.09, 1.9), (3.0, 1.0, 0.5), (7.0, 1.0, 0.5),
            (30.0, 40.0, 20.0), (49.0, 40.0, 10.9), (49.2, 40.0, 10.9), (80.0, 1.0, 18.0),
            (2.0, 90.0, 7.9), (2.0, 90.0, 8.1), (60.0, 0.5, 39.0),
        ],
    ),
    "ncf": (
        (log_ncfcdf, log_ncfsf, log_ncfpdf),
        [
            (1e-3, 0.3, 0.7, 0.5), (0.5, 0.3, 0.7, 0.5), (8.9, 1.0, 1.0, 0.5), (9.1, 1.0, 1.0, 0.5),
            (2.0, 3.0, 0.2, 9.0), (0.2, 3.0, 20.0, 0.5), (3.0, 3.0, 20.0, 0.5),
            (9.0, 3.0, 20.0, 0.5), (1.2, 70.0, 90.0, 39.0), (1.2, 70.0, 90.0, 41.0),
            (40.0, 5.0, 3.0, 2.0), (0.5, 0.01, 0.3, 0.1), (3.0, 0.1, 30.0, 20.0),
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
@pytest.mark.cases("square, above", "Halphen, below")
def test_as_far_as_numbers_go(case: str, few: Any) -> None:
    """The same on all backends: leading terms, and NaN of parameters that are not resolved."""
    of, grids = CASES[case]
    places = [np.array(v) for v in zip(*product(*grids), strict=True)]
    inputs = wt.dvectors("x", "p", "q")
    with np.errstate(all="ignore"):
        found = [wt.function(inputs, of(*inputs), mode=m)(*places) for m in few(MODES, 2)]
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], rtol=1e-10, atol=1e-300)
    x, p, q = places
    unresolved = (p > 1e100) | (q > 1e100) if case.startswith("square") else abs(p) > 1e20
    np.testing.assert_array_equal(np.isnan(found[0]), unresolved)
    far = ~unresolved & (x > 1e100)
    above = -0.5 * x if case.startswith("square") else -0.5 * q * x
    np.testing.assert_allclose(found[0][far], above[far] if "above" in case else 0.0, rtol=1e-9)


def test_slopes_of_tails_in_few_degrees_of_freedom() -> None:
    x, df, nc = wt.dvectors("x", "df", "nc")
    slope = wt.function([x, df, nc], wt.grad(log_ncx2sf(x, df, nc).sum(), df))
    np.testing.assert_allclose(slope([90.0], [1e-10], [1e-3]), 23.697886895495305, rtol=1e-12)


def test_slopes_of_far_tails() -> None:
    """Those in x of Halphen's do not follow from differences of huge logarithms."""
    x, p, b = wt.dvectors("x", "p", "b")
    for of, place, expected in (
        (log_geninvgauss_sf, 1e150, -0.5 * 3.0),
        (log_geninvgauss_cdf, 1e-150, 0.5 * 3.0 * 1e300),
    ):
        slope = wt.function([x, p, b], wt.grad(of(x, p, b).sum(), x))
        np.testing.assert_allclose(slope([place], [0.7], [3.0]), expected, rtol=1e-9)


def test_upper_tails_whose_path_is_far_from_the_pole() -> None:
    """What even steps lack for the pole was added where it is none, and was infinite."""
    df = wt.dvector("df")
    tails = wt.function([df], [log_ncx2sf(2786.0, df, 13.75), log_ncx2cdf(2786.0, df, 13.75)])
    above, below = tails([62.0, 80.0, 100.0])
    wanted = [-1130.254161254046, -1107.931209388988, -1083.6046181526203]
    np.testing.assert_allclose(above, wanted, rtol=1e-14)
    np.testing.assert_array_equal(below, 0)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("law", ["ncx2", "ncf"])
def test_where_sums_and_integrals_meet(law: str, mode: Any) -> None:
    """Next to sizes of 100, places at the share 0.9, tails that are 0.95."""
    of, rows = MEETINGS[law]
    inputs = wt.dvectors(*[f"x{k}" for k in range(len(rows[0]))])
    results = [wt.exp(f(*inputs)) for f in of]
    found: Any = wt.function(inputs, results, mode=mode)(*np.array(rows).T)
    exact = *MIXED_TAILS[law], MIXED_DENSITIES[law]
    wanted = [[float(side(*map(mp.mpf, row))) for row in rows] for side in exact]
    np.testing.assert_allclose(found, wanted, rtol=3e-13)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_next_to_nothing(mode: Any) -> None:
    """First terms: e^(-nc / 2) (x / 2)^a / gamma(a + 1), and p^a / (a beta(a, b)) for F's."""
    x, a, b, h = np.array([1e-307, 1e-300, 1e-160, 1e-100]), 1.5, 2.0, 2.5
    inputs = wt.dvectors("x", "m", "n", "nc")
    square, ratio = (inputs[0], inputs[1], inputs[3]), tuple(inputs)
    tails = [of(*square) for of in (log_ncx2cdf, log_ncx2pdf, log_ncx2sf)]
    tails += [of(*ratio) for of in (log_ncfcdf, log_ncfpdf, log_ncfsf)]
    slopes = [wt.grad(v.sum(), inputs[1]) for v in (tails[0], tails[3])]
    whole = (x, np.full(4, 2 * a), np.full(4, 2 * b), np.full(4, 2 * h))
    found: Any = wt.function(inputs, [*tails, *slopes], mode=mode)(*whole)
    low = a * np.log(x / 2) - h - sc.gammaln(a + 1)
    share = a * np.log(x * a / b) - h - np.log(a) - sc.betaln(a, b)
    wanted = [low, low + np.log(a / x), 0 * x, share, share + np.log(a / x), 0 * x]
    wanted.append(0.5 * (np.log(x / 2) - sc.digamma(a + 1)))
    wanted.append(0.5 * (np.log(x * a / b) + 1 - 1 / a - sc.digamma(a) + sc.digamma(a + b)))
    for value, right in zip(found, wanted, strict=True):
        np.testing.assert_allclose(value, right, rtol=1e-13, atol=1e-40)
    few = wt.function(inputs, tails[0], mode=mode)([1e-300], [1e-300], [1.0], [6.0])
    np.testing.assert_allclose(few, -3.0)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_many_degrees_of_freedom_of_the_denominator(mode: Any) -> None:
    """F's is that of chi-square then, over those of the numerator."""
    inputs = wt.dvectors("x", "m", "n", "nc")
    x, m, _, nc = inputs
    tails = [log_ncfcdf(*inputs), log_ncfsf(*inputs)]
    tails += [log_ncx2cdf(m * x, m, nc), log_ncx2sf(m * x, m, nc)]
    places = [
        np.array(v)
        for v in zip(
            *product([1e-3, 0.5, 3.0], [0.3, 3.0], [1e20, 1e300], [2.0, 30.0]), strict=True
        )
    ]
    found: Any = wt.function(inputs, tails, mode=mode)(*places)
    np.testing.assert_allclose(found[0], found[2], rtol=1e-12)
    np.testing.assert_allclose(found[1], found[3], rtol=1e-12)


NAN: Final = np.nan
NUMBERS: Final[dict[str, list[tuple[float, ...]]]] = {
    "chndtrix": [
        (1e-300, 2.0, 1.0, 3.297442541400256e-300), (1e-300, 3.0, 40.0, 1.4929567300340702e-194),
    ],
    "chndtrinc": [(1e-300, 1e-5, 1e-10, 46.04479294524563)],
    "ncfdtri": [(2.0, 3.0, 1.0, 1e-300, 1.648721270700128e-300)],
    "nctdtr": [(np.inf, 0.0, 1e300, 1.0), (np.inf, 200.0, -1e300, 0.0), (1e-5, 1.0, 1.5, NAN)],
    "ncfdtr": [
        (1e-3, 3.0, 0.0, 1.5, 0.9965120351667524), (2.0, 1e300, 0.0, 1e-300, 1e-300),
        (30.0, 1e-300, 0.3, 2.0, NAN), (1e-300, 1.0, 0.0, 1e-300, NAN),
    ],
}  # fmt: skip


@pytest.mark.cases("nctdtr", "ncfdtr")
@pytest.mark.parametrize("name", NUMBERS)
def test_at_ends(name: str, few: Any) -> None:
    """By mpmath."""
    columns = [np.array(v) for v in zip(*NUMBERS[name], strict=True)]
    inputs = wt.dvectors(*"abcd"[: len(columns) - 1])
    for mode in few(MODES, 1):
        value = wt.function(inputs, getattr(wt.special, name)(*inputs), mode=mode)(*columns[:-1])
        np.testing.assert_allclose(value, columns[-1], rtol=1e-12)


def test_students_numbers_of_few_degrees_of_freedom_far_from_0() -> None:
    """A bell beside a long tail on the left; logarithms of density and tail from mpmath."""
    x, df, nc = wt.dvectors("x", "df", "nc")
    law = wt.stats.nct
    f = wt.function([x, df, nc], [law.logpdf(x, df, nc), law.logcdf(x, df, nc)], mode="py")
    found = f([20.99, -7420.6, 21.0], [0.6985, 0.6222, 0.1], [8.547, -8.437, 8.5])
    density = [-4.343864133890335, -13.859586863650247, -5.569448116880989]
    tail = [-0.5241690236571114, -4.473077657285556, -1.6451537913526697]
    np.testing.assert_allclose(found[0], density, rtol=1e-13)
    np.testing.assert_allclose(found[1], tail, rtol=1e-13)


@pytest.mark.cases("numba")
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_places_of_tiny_shares_have_these(mode: str) -> None:
    """By the upper tail there; places of the noncentral F were off by 5e-5."""
    q, x = wt.dvectors("q", "x")
    law, shapes = wt.stats.ncf, (0.5, 0.7, 40.0)
    f = wt.function([q], law.isf(q, *shapes), mode=mode)
    g = wt.function([x], law.logsf(x, *shapes), mode="py")
    shares = np.array([1e-100, 1e-30, 1e-5, 0.5, 0.999])
    np.testing.assert_allclose(g(f(shares)), np.log(shares), rtol=1e-12)
