"""Special functions that are next to the usual ones: SciPy's values, and derivatives."""

from __future__ import annotations

from itertools import product
from typing import Any, Final

import numpy as np
import pytest
import scipy.special

import weft_tensor as wt
from weft_graph import function, grad

LINE: Final = [-3.3, -0.4, 0.0, 1e-9, 0.3, 1.0, 2.5, 7.0]
ORDERS: Final = [-2.5, -1.0, 0.0, 0.4, 1.5, 3.0]
POSITIVE: Final = [1e-3, 0.7, 1.9, 2.4, 9.0]
DEGREES: Final = [0.0, 1.0, 4.0]
GROUPS: Final[dict[str, tuple[str, tuple[list[float], ...]]]] = {
    "orders": ("yv jve yve hankel1 hankel2 hankel1e hankel2e h1vp", (ORDERS, POSITIVE)),
    "spherical": ("spherical_jn spherical_yn spherical_in spherical_kn", (DEGREES, POSITIVE)),
    "Airy": ("airy", ([-30.0, -4.2, *LINE, 12.0],)),
    "scaled Airy": ("airye", (LINE,)),
    "Jacobi": ("ellipj", (LINE, [0.0, 1e-5, 0.4, 0.99, 1.0])),
    "means": ("agm", ([*POSITIVE, 1e180], [*POSITIVE, 1e-150, -1e-200])),
    "powers": ("boxcox", ([0.1, 1.0, 10.0], [-309.5, -2.0, 309.5])),
    "Carlson": ("elliprg", ([0.0, 0.7, 0.7001, 3.0],) * 3),
    "Carlson's third": ("elliprj", ([0.0, 0.7], [0.7001, 3.0], [0.0, 2.0], [-2.0, 1e-9, 2.0, 1e9])),
    "Kummer": (
        "hyp1f1",
        ([-20.5, -3.0, 0.4, 2.0], [0.3, 2.5, 30.0], [-60.0, -1.0, *LINE[2:], 80.0]),
    ),
    "limit": ("hyp0f1", ([-0.7, 0.3, 2.5, 30.0], [-50.0, *LINE, 60.0])),
    "profile": ("voigt_profile", (LINE, [0.0, 0.3, 2.0], [0.0, 1e-5, 0.7])),
    "Wright": ("wrightomega", ([-800.0, -30.0, *LINE, 29.9, 30.1, 700.0, 1e300, np.inf],)),
    "Kelvin": ("ber bei ker kei berp beip kerp keip", (POSITIVE,)),
    "tail": ("kolmogorov", ([-1.0, 0.0, 0.1, 0.5, 0.99, 1.0, 2.0, 30.0],)),
    "Legendre": ("lpmv", ([-2.0, 0.0, 1.0, 3.0], [-3.0, *DEGREES], [-1.0, -0.4, 0.3, 1.0])),
    "polynomials": (
        "eval_sh_legendre eval_sh_chebyt eval_sh_chebyu eval_chebyc eval_chebys",
        (DEGREES, [-0.3, 0.4, 1.2]),
    ),
    "degrees that are none": (
        "eval_legendre eval_chebyt eval_chebyu eval_sh_chebyt eval_chebyc eval_chebys "
        "eval_laguerre",
        ([-2.5, -1.3, 0.7, 2.0, 4.5], [0.1, 0.4, 1.2]),
    ),
    "degrees that are none, and parameters": (
        "eval_gegenbauer eval_genlaguerre",
        ([-1.3, 0.7, 2.0, 4.5], [0.4, 1.5], [-0.3, 0.4, 1.2]),
    ),
}


def outputs(names: str, places: tuple[list[float], ...]) -> tuple[list[Any], list[Any], list[str]]:
    inputs = [wt.vector(f"x{k}") for k in range(len(places))]
    results, labels = [], []
    for name in names.split():
        value = getattr(wt.special, name)(*inputs)
        parts = list(value) if isinstance(value, tuple) else [value]
        results += parts
        labels += [name] * len(parts)
    return inputs, results, labels


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("group", GROUPS)
def test_values_are_scipys(group: str, mode: str) -> None:
    names, places = GROUPS[group]
    inputs, results, labels = outputs(names, places)
    columns = [np.array(c) for c in zip(*product(*places), strict=True)]
    values: Any = function(inputs, results, mode=mode)(*columns)
    wanted: list[Any] = []
    for name in dict.fromkeys(labels):
        whole = name.startswith("spherical")  # SciPy takes no floats
        arguments = [columns[0].astype(int), columns[1]] if whole else columns
        result = getattr(scipy.special, name)(*arguments)
        wanted += list(result) if isinstance(result, tuple) else [result]
    for name, value, right in zip(labels, values, wanted, strict=True):
        np.testing.assert_allclose(value, right, rtol=2e-11, atol=1e-13, err_msg=name)


SMOOTH: Final[dict[str, tuple[tuple[float, ...], ...]]] = {
    "yv": ((0.3, 0.7), (0.3, 5.0), (-1.7, 0.7)),
    "hyp0f1": ((1.5, 0.4), (1.5, -9.0), (2.5, 0.0)),
    "hyp1f1": ((0.4, 2.5, 1.3), (-2.4, 1.5, 8.0), (-2.0, 1.5, 8.0), (0.5, 1.5, -9.0)),
    "elliprg": ((1.0, 2.0, 3.0), (2.0, 2.0, 2.0)),
    "elliprj": (
        (1.0, 2.0, 3.0, 4.0),
        (2.0, 2.0, 2.0, 3.0),
        (1.0, 1.0, 1.0, 1.0),
        (2.0, 1.0, 2.0, 2.0),
        (1.0, 2.0, 0.5, -0.7),
    ),
    "voigt_profile": ((0.3, 1.2, 0.4), (0.0, 1.0, 2.0), (5.0, 0.4, 1e-3)),
    "agm": ((1.0, 3.0), (2.0, 2.0)),
    "kolmogorov": ((0.6,), (1.4,)),
    "wrightomega": ((0.6,), (50.0,)),
    "kei": ((0.6,), (3.0,)),
    "ellipj": ((0.7, 0.4), (5.0, 0.9), (0.0, 0.3)),
    "airy": ((-6.0,), (0.4,), (3.0,), (9.0,)),
    "spherical_jn": ((2.0, 0.0), (2.0, 1.5), (0.0, -4.0)),
    "spherical_kn": ((2.0, 1.5), (1.0, -4.0)),
    "sph_legendre_p": ((4.0, 2.0, 0.6), (3.0, -1.0, 2.0)),
}
"""Functions, and places where they are smooth in the arguments that aren't degrees."""
WHOLE: Final = {"spherical_jn": 1, "spherical_kn": 1, "sph_legendre_p": 2}


@pytest.mark.cases("hyp0f1-numba", *[f"{name}-py" for name in SMOOTH])
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("name", SMOOTH)
def test_slopes(name: str, mode: str) -> None:
    columns = list(np.array(SMOOTH[name]).T)
    inputs, results, _ = outputs(name, tuple([[0.0]] * len(columns)))
    cost = sum(k * r.sum() for k, r in enumerate(results, 1))
    free = range(WHOLE.get(name, 0), len(columns))
    slopes = function(inputs, [grad(cost, inputs[k]) for k in free], mode=mode)(*columns)
    value = function(inputs, sum(k * r for k, r in enumerate(results, 1)), mode="py")
    for k, slope in zip(free, slopes, strict=True):
        step = 1e-5
        ahead, behind = (
            value(*[c + (i == k) * s for i, c in enumerate(columns)]) for s in (step, -step)
        )
        np.testing.assert_allclose(slope, (ahead - behind) / (2 * step), rtol=1e-6, atol=1e-9)


def test_kelvins_functions_are_right_where_scipys_are_not() -> None:
    """By mpmath; SciPy's ker misses 1e-11 there. At 0, and of negative numbers, SciPy's."""
    x = np.array([7.9, 30.0])
    values: Any = wt.special.ker(x).eval(), wt.special.bei(x).eval()
    wanted = (
        [0.0015722748203551505, -1.2938269376020803e-10],
        [-34.146833988573558, 109955713.1825061],
    )
    np.testing.assert_allclose(values, wanted, rtol=2e-13)
    for name in ("ber", "bei", "ker", "kei", "berp", "kerp", "keip"):
        value: Any = getattr(wt.special, name)([0.0, -3.2]).eval()
        np.testing.assert_allclose(value, getattr(scipy.special, name)([0.0, -3.2]), rtol=1e-10)


def test_orders_that_python_has_beside_complex_numbers() -> None:
    z = np.array([1 + 1j, -2j])
    for name in ("jv", "iv", "kv"):
        value = getattr(wt.special, name)(0, z).eval()
        np.testing.assert_allclose(value, getattr(scipy.special, name)(0, z), rtol=1e-13)


KUMMER_BELOW_0: Final = np.array(
    [
        (-30.0, -0.7, 3.0, 50.14759303543717, -49.6846363716112, -445.6732116646935),
        (-0.3, -18.4, -29.6, 0.2723414392685668, 2.725570299771783, -2.278613471590349),
        (3.5, -12.6, 24.0, -7.019353188717261e23, -1.846369804229717e24, 1.184917408761786e24),
        (14.7, -26.7, 6.6, -18712760227.71583, -23859515699.6478, 22102878019.54286),
        (-34.0, -20.3, 20.6, 3747827610591.912, 72323867748633.86, 142839229298485.0),
    ]
)
"""Arguments, and mpmath's values and slopes in a and b, by 50 digits."""


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_kummers_function_where_b_is_below_0(mode: str) -> None:
    a, b, x, *wanted = KUMMER_BELOW_0.T
    inputs = [wt.vector(name) for name in "abx"]
    value = wt.special.hyp1f1(*inputs)
    results: Any = function(inputs, [value, *grad(value.sum(), inputs[:2])], mode=mode)(a, b, x)
    np.testing.assert_allclose(results, wanted, rtol=2e-12)


def test_derivatives_of_spherical_functions_are_those_of_the_argument() -> None:
    x = wt.vector("x")
    places = np.array([-1.3, 0.4, 2.0, 7.0])
    for name in GROUPS["spherical"][0].split():
        f: Any = getattr(wt.special, name)
        both: Any = function([x], [f(2, x, True), grad(f(2, x).sum(), x)], mode="py")(places)
        np.testing.assert_allclose(both[0], both[1], rtol=1e-9)
        wanted = getattr(scipy.special, name)(2, places[1:], derivative=True)
        np.testing.assert_allclose(both[0][1:], wanted, rtol=1e-12)


def test_harmonics_are_scipys() -> None:
    theta, phi = wt.vector("t"), wt.vector("p")
    angles = np.array([0.0, 0.4, 2.0]), np.array([1.0, -2.0, 5.0])
    cases = [(0, 0), (2, 1), (2, -1), (3, 5), (40, 17)]
    values: Any = function(
        [theta, phi], [wt.special.sph_harm_y(n, m, theta, phi) for n, m in cases], mode="py"
    )(*angles)
    for (n, m), value in zip(cases, values, strict=True):
        np.testing.assert_allclose(
            value, scipy.special.sph_harm_y(n, m, *angles), rtol=1e-12, atol=1e-15
        )
    at_0 = function([theta], grad(wt.special.sph_legendre_p(1, 1, theta).sum(), theta), mode="py")
    np.testing.assert_allclose(at_0([0.0]), -np.sqrt(3 / (8 * np.pi)))


def test_small_parts_of_profiles_are_right() -> None:
    """Where the imaginary part of Faddeeva's function is much larger than the real one."""
    x, gamma = np.array([1e6, 8.0]), np.array([1e-8, 0.0])
    value: Any = wt.special.voigt_profile(x, 1.0, gamma).eval()
    wing = 1e-8 / np.pi / 1e12 * (1 + 3e-12)
    np.testing.assert_allclose(value, [wing, np.exp(-32.0) / np.sqrt(2 * np.pi)], rtol=1e-13)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("assoc_laguerre", (0.7, 3.0, 1.5)),
        ("eval_sh_jacobi", (3.0, 2.5, 1.5, 0.3)),
        ("h2vp", (1.5, 2.0)),
        ("yvp", (1.5, 2.0)),
    ],
)
def test_values_as_in_scipy(name: str, arguments: tuple[float, ...]) -> None:
    ours, theirs = (getattr(m, name)(*arguments) for m in (wt.special, scipy.special))
    np.testing.assert_allclose(ours.eval(), theirs, rtol=1e-11)


def test_slope_of_half_a_root() -> None:
    x = wt.vector("x")
    value = wt.special.elliprg(0.0, x, 0.0) + wt.special.elliprg(x, 0.0, 0.0)
    slope = function([x], grad(value.sum(), x), mode="py")
    np.testing.assert_allclose(slope([0.25, 4.0]), [1.0, 0.25])


def test_degrees_that_are_python_numbers() -> None:
    for degree in (0.7, 2.0, -1.3):
        found = wt.special.eval_legendre(degree, np.array([0.3, 0.9], dtype="float32"))
        assert found.dtype == "float32"
        wanted = scipy.special.eval_legendre(degree, [0.3, 0.9])
        np.testing.assert_allclose(found.eval(), wanted, rtol=1e-6)
    assert np.isnan(wt.special.eval_hermite(0.7, 0.3).eval())
    n, z = wt.vector("n"), wt.vector("z", dtype="complex128")
    for name in ("eval_legendre", "eval_laguerre"):
        value = getattr(wt.special, name)(n, z)
        found, slope = function([n, z], [value, grad(wt.real(value).sum(), z)])(
            [2.0, 0.5], [1j, 1j]
        )
        np.testing.assert_allclose(found[0], getattr(scipy.special, name)(2.0, 1j))
        assert np.isfinite(slope[0])
        assert np.isnan(found[1])


def test_the_multivariate_gamma_function_ends_at_half_of_what_is_left_of_d() -> None:
    a = np.array([0.99, 1.0, 1.01, np.nan])
    found = wt.special.multigammaln(a, 3).eval()
    np.testing.assert_allclose(found, [np.nan, np.inf, scipy.special.multigammaln(1.01, 3), np.nan])
