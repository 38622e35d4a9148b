"""Special functions at poles, infinities and NaN, of huge and complex numbers: SciPy's results."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import product
from typing import Any, Final

import mpmath as mp
import numpy as np
import pytest
import scipy.special

import weft_tensor as wt
from weft_graph import function, grad, stop_gradient

ENDS: Final = [0.0, -0.0, np.inf, -np.inf, np.nan, -1.0, -2.0, -3.0, -0.5, -1.5, 1e-300, -1e-300]
INSIDE: Final = [1e-10, 0.5, 1.0, 2.0, 5.0, 30.0, 1e3, -30.5]
HUGE: Final = [1e10, 1e300, -1e10, -1e300]
PARAMETERS: Final = [np.nan, -1.0, 1e-10, 0.5, 1.0, 2.0, 30.0, 1e3]
FEW: Final = [*PARAMETERS, 0.0, np.inf, 1e-300]
SHARES: Final = [0.0, 1.0, np.nan, 1e-300, 1e-10, 0.5, 0.99]
POLES: Final = [0.0, -0.0, -1.0, -2.0, -3.0, -0.5, -1.5, *INSIDE]

UNARY: Final = (
    *("digamma", "entr", "erf", "erfc", "erfcinv", "erfcx", "erfinv", "exprel", "gamma", "gammaln"),
    *("dawsn", "erfi", "exp1", "expi", "spence"),
    *("gammasgn", "i0e", "i1e", "log_expit", "log_ndtr", "logit", "ndtr", "ndtri", "ndtri_exp"),
)
BESSEL: Final = ("i0", "i1", "j0", "j1", "k0", "k1", "y0", "y1")
PAIRS: Final = ("beta", "betaln", "binom", "poch")
ENTROPIES: Final = ("kl_div", "rel_entr", "xlog1py", "xlogy")
INCOMPLETE: Final = ("gammainc", "gammaincc")
GROUPS: Final[dict[str, tuple[Sequence[str], tuple[Sequence[float], ...]]]] = {
    "one number": (UNARY, ([*ENDS, *INSIDE, *HUGE],)),
    "Bessel": (BESSEL, ([*ENDS, *INSIDE],)),
    "gamma and beta": (PAIRS, (POLES, POLES)),
    "entropies": (ENTROPIES, ([*ENDS[:-2], *INSIDE, 1e10],) * 2),
    "incomplete": (INCOMPLETE, ([*ENDS, *INSIDE, 1e300], [*ENDS, *INSIDE, 1e10, 1e300])),
    "scaled": (("k0e", "k1e"), ([*ENDS, *INSIDE, 1e300],)),
    "order": (("expn",), ([-1.0, 0.0, 1.0, 2.0, 7.0, 60.0], [*ENDS, *INSIDE[:-2], 1e300])),
    "beta": (("betainc", "betaincc"), (FEW, FEW, [*SHARES, -0.5, 1.5])),
    "elliptic": (("ellipe", "ellipk", "ellipkm1"), ([*ENDS, *INSIDE, *HUGE],)),
    "angles": (("ellipeinc", "ellipkinc"), ([*ENDS, *INSIDE[:-2]], [-np.inf, -3.0, 0.0, 1.0, 2.0])),
    "inverses of gamma": (("gammaincinv", "gammainccinv"), (PARAMETERS, [*SHARES, 1 - 1e-12])),
    "inverses of beta": (("betaincinv", "betainccinv"), (PARAMETERS, PARAMETERS, SHARES)),
}
"""Functions that are compiled together, and what each argument is."""
RIGHT: Final = {
    ("expn", 60.0, 30.0),
    ("binom", 0.0, 1e-10), ("binom", -0.0, 1e-10), ("betainc", 1e-10, 1e-300, 0.99),
    *((f"betainc{c}inv", *(a, b)[:: 1 if not c else -1], 1e-300)
      for c in ("", "c") for a, b in ((2.0, 30.0), (2.0, 1e3), (30.0, 30.0), (1e3, 30.0))),
    *((f"betainc{c}inv", 1e-10, 1e-10, 0.5) for c in ("", "c")),
}  # fmt: skip
"""Where SciPy has NaN, or digits that are wrong, or where a function is flat."""


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("group", GROUPS)
def test_extremes(group: str, mode: str) -> None:
    names, places = GROUPS[group]
    xs = [wt.vector(name) for name in "xyz"[: len(places)]]
    given = [np.array(column) for column in zip(*product(*places), strict=True)]
    found: Any = function(xs, [getattr(wt.special, name)(*xs) for name in names], mode=mode)(*given)
    differing = []
    for name, result in zip(names, found, strict=True):
        with np.errstate(all="ignore"):
            wanted = getattr(scipy.special, name)(*given)
            near = np.isclose(result, wanted, rtol=1e-10, atol=1e-307, equal_nan=True)
        for k in np.flatnonzero(~near):
            case = (name, *[float(v[k]) for v in given])
            if case not in RIGHT:
                differing.append((*case, float(wanted[k]), float(result[k])))
    assert not differing


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_bessel_functions_of_large_numbers(mode: str) -> None:
    """Where SciPy's have lost the angle."""
    places, names = np.array([12345678901.0, 1e15, 2.0**62]), ("j0", "j1", "y0", "y1")
    x = wt.vector("x")
    found: Any = function([x], [getattr(wt.special, name)(x) for name in names], mode=mode)(places)
    with mp.workdps(60):
        for name, result in zip(names, found, strict=True):
            of = mp.besselj if name[0] == "j" else mp.bessely
            wanted = [float(of(int(name[1]), mp.mpf(v))) for v in places]
            np.testing.assert_allclose(result, wanted, rtol=1e-12)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_integrals_in_pairs(mode: str) -> None:
    x = wt.vector("x")
    names = ("sici", "shichi", "fresnel")
    pairs = function([x], [y for n in names for y in getattr(wt.special, n)(x)], mode=mode)
    places = np.array([*ENDS, *INSIDE, 1e4, -1e10])
    wanted = [y for n in names for y in getattr(scipy.special, n)(places)]
    found: Any = pairs(places)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-15)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_lambertw_is_scipys_where_that_is_real(mode: str) -> None:
    x = wt.vector("x")
    branches = function([x], [wt.special.lambertw(x, k) for k in (0, -1)], mode=mode)
    places = np.array([*ENDS, *INSIDE, *HUGE, -0.367, -0.2, -1e-10])
    for k, result in zip((0, -1), branches(places), strict=True):
        wanted = scipy.special.lambertw(places, k)
        real = np.where(wanted.imag == 0, wanted.real, np.nan)
        np.testing.assert_allclose(result, real, rtol=1e-10)
    np.testing.assert_array_equal(branches(np.array([-np.exp(-1)])), -1)


@pytest.mark.cases("numba", "py")
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_beta_where_all_but_nothing_is_left(mode: str) -> None:
    """1 - x is 1 there, and yet the function is neither 0 nor 1."""
    a, b, x = (wt.vector(name) for name in "abx")
    names = ("betainc", "betaincc", "betaincinv", "betainccinv")
    places = product([1e-3, 2e-3, 0.03], [0.5, 7.0], [1e-77, 1e-20, 0.3])
    given = [np.array(v) for v in zip(*places, strict=True)]
    found: Any = function([a, b, x], [getattr(wt.special, n)(a, b, x) for n in names], mode=mode)
    for name, result in zip(names, found(*given), strict=True):
        wanted = getattr(scipy.special, name)(*given)  # whose inverses have no less than 2e-308
        np.testing.assert_allclose(result, wanted, rtol=3e-12, atol=1e-307)


def exact_betainc(a: Any, b: Any, x: float) -> Any:
    if x > 0.5:
        return 1 - exact_betainc(b, a, 1 - x)
    return x**a / (a * mp.beta(a, b)) * mp.hyp2f1(a, 1 - b, a + 1, x)


SLOPES: Final[dict[str, tuple[Any, tuple[Sequence[float], ...]]]] = {
    "betainc": (exact_betainc, (
        [1e-45, 1e-8, 1e-3, 0.5, 3.0, 90.0], [1e-8, 1e-3, 0.5, 1.0, 20.0],
        [1e-45, 1e-3, 0.5, 0.9, 1 - 2.0**-53],
    )),
    "gammainc": (
        lambda a, x: mp.gammainc(a, 0, x, regularized=True),
        ([1e-3, 0.5, 4.5, 30.0, 100.0, 1e3], [0.01, 1.0, 7.3, 63.0, 100.0, 1e3]),
    ),
    "iv": (mp.besseli, ([0.0, 1e-3, 0.1, 0.5, 2.0, -0.3], [0.1, 1.5, 2.5, 7.3, 9.0, 90.0])),
}  # fmt: skip
"""Functions, and places of their slopes in the first argument."""


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("name", SLOPES)
def test_slopes_in_parameters_are_exact_where_parts_cancel(name: str, mode: str) -> None:
    exact, places = SLOPES[name]
    given = [np.array(column) for column in zip(*product(*places), strict=True)]
    xs = [wt.vector(f"x{k}") for k in range(len(given))]
    slope = grad(getattr(wt.special, name)(*xs).sum(), xs[0])
    found = function(xs, slope, mode=mode)(*given)
    with mp.workdps(200):
        h = mp.mpf(10) ** -80
        wanted = [
            float((exact(a + h, *rest) - exact(a - h, *rest)) / (2 * h))
            for a, *rest in (map(mp.mpf, map(float, case)) for case in zip(*given, strict=True))
        ]
    np.testing.assert_allclose(found, wanted, rtol=3e-12, atol=1e-290)


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_logarithms_of_incomplete_gamma_functions(mode: str) -> None:
    """Where they are ordinary, nearly 1, underflow, and where large parts of their sums cancel."""
    a, x = wt.vector("a"), wt.vector("x")
    logs = [wt.log(wt.special.gammainc(a, x)), wt.log(wt.special.gammaincc(a, x))]
    places = [(2.0, 1.0), (2.0, 30.0), (40.0, 0.5), (2.0, 900.0), (300.0, 1.0), (1e6, 1.001e6)]
    given = [np.array(column) for column in zip(*places, strict=True)]
    found = function([a, x], logs, mode=mode)(*given)
    with mp.workdps(700):
        lower = [mp.gammainc(*map(mp.mpf, (k, 0, end)), regularized=True) for k, end in places]
        wanted = [[float(mp.log(p)) for p in lower], [float(mp.log(1 - p)) for p in lower]]
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    huge = np.array([1e20, 1e300])
    halves = function([a, x], logs, mode=mode)(huge, huge)
    np.testing.assert_allclose(halves, -np.log(2), rtol=1e-9)


REAL: Final = ("hyp0f1", "hyp1f1", "kei", "ker", "bei", "ber")
"""How functions begin that take real numbers alone."""
COMPLEX: Final = (
    *("gamma", "digamma", "erf", "erfc", "erfcx", "loggamma", "wofz", "ndtr", "log_ndtr"),
    *("exp1", "expi", "spence", "dawsn", "erfi", "wrightomega"),
)
ORDERED: Final = (
    *("jv", "jve", "yv", "yve", "iv", "ive", "kv", "kve"),
    *("hankel1", "hankel1e", "hankel2", "hankel2e"),
)
PLACES: Final = np.array([0.5 + 0.3j, -1.5 + 1j, 1.2 - 1j, -0.5 - 0.2j, 0.1 + 0.7j])


@pytest.mark.cases("jax", "py")
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_complex_numbers(mode: str) -> None:
    z, v = wt.vector("z", dtype="complex128"), wt.vector("v")
    order = stop_gradient(v)
    results = [getattr(wt.special, name)(z) for name in COMPLEX]
    results += [getattr(wt.special, name)(order, z) for name in ORDERED]
    results += [getattr(wt.special, name)(z[::-1] ** 2, z) for name in ENTROPIES[2:]]
    parameters = [v * k + 0.3 for k in (1, 2, 3)]
    hyp2f1: Any = wt.special.hyp2f1
    results.append(hyp2f1(*map(stop_gradient, parameters), z))
    cost: Any = sum((wt.abs(r) ** 2).sum() for r in results)
    orders = np.array([0.0, 0.5, 2.0, -1.3, 3.0])
    *found, slope = function([z, v], [*results, grad(cost, z)], mode=mode)(PLACES, orders)
    wanted: Any = [getattr(scipy.special, name)(PLACES) for name in COMPLEX]
    wanted += [getattr(scipy.special, name)(orders, PLACES) for name in ORDERED]
    wanted += [getattr(scipy.special, name)(PLACES[::-1] ** 2, PLACES) for name in ENTROPIES[2:]]
    hyp2f1 = scipy.special.hyp2f1
    wanted.append(hyp2f1(*[orders * k + 0.3 for k in (1, 2, 3)], PLACES))
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-14)
    value = function([z, v], cost, mode="py")
    for k in range(PLACES.size):
        for step in (1e-6, 1e-6j):
            ahead, behind = (value(PLACES + s * np.eye(5)[k], orders) for s in (step, -step))
            along = slope[k].real if step == 1e-6 else slope[k].imag
            np.testing.assert_allclose(along, (ahead - behind) / 2e-6, rtol=1e-5, atol=1e-5)


def test_complex_numbers_are_taken_where_scipy_takes_them() -> None:
    for name in wt.special.__all__:
        ufunc = getattr(scipy.special, name, None)
        loops = ufunc.types if isinstance(ufunc, np.ufunc) else ()
        for taken, _, given in (loop.partition("->") for loop in loops if "D" in loop):
            if name.startswith(REAL):
                with pytest.raises(TypeError, match="real"):
                    getattr(wt.special, name)(*[wt.scalar("x", dtype="complex128")] * len(taken))
                continue
            xs = [wt.scalar("x", dtype=str(np.dtype(letter))) for letter in taken]
            made = getattr(wt.special, name)(*xs)
            for result in made if isinstance(made, tuple) else (made,):
                assert result.dtype == np.dtype(given[0]), name


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_slopes_of_complex_digamma(mode: str) -> None:
    """Against mpmath, on the left, next to poles and far from the real line, too."""
    z = wt.vector("z", dtype="complex128")
    places = [*PLACES, -8.3 + 0j, -7.0001 + 1e-4j, -30.5 + 40j, 2 - 500j, -20 + 24.9j, 1e6 + 0j]
    slopes = [z]
    for _ in range(2):
        cost = wt.special.digamma(z).real.sum() if len(slopes) == 1 else slopes[-1].real.sum()
        slopes.append(grad(cost, z))
    found: Any = function([z], slopes[1:], mode=mode)(np.array(places))
    for order, result in enumerate(found, 1):
        wanted = [np.conj(complex(mp.polygamma(order, p))) for p in places]
        np.testing.assert_allclose(result, wanted, rtol=1e-9 if order > 1 else 1e-12)


def test_slope_of_zeta_of_bools() -> None:
    order, place = wt.vector("s", dtype="bool"), wt.vector("q")
    slope = function([order, place], grad(wt.special.zeta(order, place).sum(), place), mode="py")
    np.testing.assert_allclose(slope([True], [2.0]), [1 - np.pi**2 / 6])


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_hyp2f1_of_a_third_parameter_that_is_a_pole(mode: str) -> None:
    parameters = [(0.75, -2), (-2, 0.75), (-2, -2), (-2, -3), (-3, -2), (-2, -1), (-1, -2), (5, -2)]
    inputs = [wt.vector(name) for name in "abcz"]
    f = function(inputs, wt.special.hyp2f1(*inputs), mode=mode)
    for z in (-3.0, -1.0, -0.5, 0.3, 0.75, 2.5):
        a, b = np.array(parameters, "float64").T
        values = a, b, np.full(a.shape, -2.0), np.full(a.shape, z)
        np.testing.assert_allclose(f(*values), scipy.special.hyp2f1(*values), rtol=1e-14)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_slopes_of_logarithms_of_gammainc_near_the_mean(mode: str) -> None:
    """Where the integral goes so far that exp(v) overflows, they were NaN."""
    places = [(2.0, 2.1), (2.0, 2.4), (3.0, 3.1), (0.7, 2.01), (10.0, 10.5), (2.0, 1.9)]
    a, x = wt.vector("a"), wt.vector("x")
    logarithms = [wt.log(wt.special.gammainc(a, x)), wt.log(wt.special.gammaincc(a, x))]
    found: Any = function([a, x], [grad(v.sum(), a) for v in logarithms], mode=mode)(
        *np.array(places).T
    )
    for result, is_upper in zip(found, (False, True), strict=True):
        with mp.workdps(40):
            wanted = [float(mp.diff(partial(_log_share, at, is_upper), s)) for s, at in places]
        np.testing.assert_allclose(result, wanted, rtol=1e-12)


def _log_share(at: float, is_upper: bool, shape: Any) -> Any:
    low, high = (at, mp.inf) if is_upper else (0, at)
    return mp.log(mp.gammainc(shape, low, high, regularized=True))


EXTREME: dict[str, list[tuple[float, ...]]] = {
    "poch": [(-np.inf, np.nan), (-np.inf, 0.5), (np.inf, np.inf), (np.inf, 0.5), (-np.inf, 0.0)],
    "beta": [
        *[(np.inf, b) for b in (-2.5, -1.5, -1.0, 0.0, 0.5, 2.0, 1e300, np.inf, -np.inf)],
        *[(-1e300, b) for b in (-np.inf, -0.5, 1.0, 1e10)],
    ],
    "binom": [
        (np.nan, -np.inf),
        *[(np.inf, k) for k in (0.0, 3.0, -2.5, 0.5, -0.5, 20.0, 1e300, -np.inf)],
        (-2.0, 0.0),
        (np.nan, 0.0),
    ],
}


@pytest.mark.parametrize("name", EXTREME)
def test_infinite_parameters_on_jax(name: str) -> None:
    columns = np.array(EXTREME[name]).T
    inputs = [wt.vector(f"x{k}") for k in range(len(columns))]
    f = function(inputs, getattr(wt.special, name)(*inputs), mode="jax")
    expected = getattr(scipy.special, name)(*columns)
    np.testing.assert_allclose(f(*columns), expected, rtol=1e-12)


BETA: Final = [
    (2.0, 3e5, 1e-5, 0.80085471375015695, 0.19914528624984305),
    (3e6, 1e10, 3e-4, 0.69841021826677471, 0.30158978173322529),
    (12.0, 7e9, 1.1e-9, 0.091492908302566759, 0.90850709169743324),
    (1e10, 2e10, 0.333331, 0.19563373926236101, 0.80436626073763899),
    (5e5, 4e5, 0.56, 1.0, 1.0240328132034721e-17),
    (1e10, 0.3, 0.9999999999, 0.084325833582292391, 0.91567416641770761),
    (1e-10, 1e3, 1e-300, 0.99999993167089663, 6.8329103369341268e-08),
    (1e-6, 1e9, 1e-19, 0.99997755161588064, 2.2448384119359922e-05),
    (1e200, 1e200, 0.5, 0.5, 0.5),
]
"""Two parameters and a place; what is on both sides of it, by mpmath with 40 digits."""


def test_beta_of_parameters_of_any_size_on_jax() -> None:
    inputs = a, b, x = [wt.vector(name) for name in "abx"]
    f = function(inputs, [wt.special.betainc(a, b, x), wt.special.betaincc(a, b, x)], mode="jax")
    *arguments, lower, upper = np.array(BETA).T
    np.testing.assert_allclose(f(*arguments), [lower, upper], rtol=1e-12)


LARGE_SLOPES: Final = [
    (1.7e8, 1.1e10, 0.015217020804572972, -4.108777855187988e-06),
    (1.1e10, 1.1e10, 0.4999932580013755, -3.6400947610216773e-07),
    (1.1e10, 50.0, 0.9999999951331333, -2.2720736148845168e-10),
]
"""Two parameters and a place of `betainc`; the slope in the first, by mpmath with 40 digits."""


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_slopes_of_beta_in_large_parameters(mode: str) -> None:
    inputs = a, b, x = [wt.vector(name) for name in "abx"]
    slope = function(inputs, grad(wt.special.betainc(a, b, x).sum(), a), mode=mode)
    *arguments, wanted = np.array(LARGE_SLOPES).T
    np.testing.assert_allclose(slope(*arguments), wanted, rtol=1e-10)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_medians_of_symmetric_betas(mode: str) -> None:
    """Also where all shares between the ends are rounded to the same."""
    a = wt.vector("a")
    places = function([a], [wt.special.betaincinv(a, a, 0.5)], mode=mode)(
        np.array([1e-300, 1e-3, 0.7, 3.0, 1e6])
    )
    np.testing.assert_allclose(places[0], 0.5, rtol=1e-14)
