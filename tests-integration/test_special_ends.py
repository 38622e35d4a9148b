"""Special functions at the ends of numbers, on three backends."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
import scipy.special

import weft_tensor as wt
from weft_graph import function, grad

INF, NAN = np.inf, np.nan
TINY: Final = 1e-300
CASES: Final[dict[str, list[tuple[float, ...]]]] = {
    "betainc": [
        (1e300, TINY, 0.5, 0.0),
        (TINY, 1e300, 0.5, 1.0),
        (0.5, 1e300, TINY, 0.8427007929497149),
    ],
    "elliprc": [(INF, -2.5, 0.0), (TINY, TINY, 1e150)],
    "elliprd": [(0.0, TINY, TINY, INF), (TINY, 1e300, 1e300, 0.0)],
    "elliprf": [(0.0, TINY, TINY, 1.5707963267948969e150)],
    "betaincinv": [
        (3.0, 5.0, 1e-300, 3.0571070887388317e-101), (2.0, 1e3, 1e-300, 1.4135069854804503e-153),
        (1e-3, 3.0, 1e-5, 0.0), (2.0, -1.0, 1e-300, NAN), (1e-3, 2.0, 1.5, NAN),
    ],
    "betainccinv": [
        (5.0, 3.0, 1e-300, 1.0), (1e-3, 3.0, 0.9, 0.0), (-1.0, 2.0, 1e-300, NAN),
    ],
    "ellipkinc": [(INF, -INF, NAN), (-INF, 1.0, -INF), (INF, 0.5, INF)],
    "gammaincinv": [(-0.0, INF, NAN), (0.5, -TINY, NAN), (-0.0, 0.0, 0.0), (2.0, 1.0, INF)],
    "gammainccinv": [
        (2.0, 1e-300, 697.3242113793526), (145.0, 1e-300, 1127.9030588052597),
        (-0.0, -2.5, NAN), (0.0, TINY, NAN), (2.0, 0.0, INF), (0.0, 1.0, 0.0),
    ],
    "gammainc": [(1e300, 1e300, 0.5), (29.2134595, 1e-7, 1.7585639469310619e-236)],
    "elliprg": [(TINY, TINY, 1e300, 5e149), (1e300, 1e300, 0.5, 7.853981633974484e149)],
    "yv": [(-2.5, 0.0, 0.0), (-2.5, TINY, 0.0), (-INF, 0.0, -INF), (-2.25, 0.0, -INF)],
    "zeta": [(INF, 1.0), (0.0, -0.5), (-1.0, -1 / 12), (-2.0, 0.0), (0.5, -1.4603545088095868)],
    "log_ndtr": [(-1.8e154, -1.62e308), (-1e154, -5e307)],
    "ndtri_exp": [(-1.797693134862315e308, -1.896150381621835e154), (-INF, -INF)],
    "powm1": [(-1.25, INF, NAN), (-INF, -INF, NAN), (2.0, INF, INF)],
    "inv_boxcox": [(6.451612903226469e307, 155.0, 100.0), (3.0, 2.0, 7.0**0.5)],
}  # fmt: skip


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_ends(mode: Any, few: Any) -> None:
    rows = [*CASES.items()] if mode == "py" else few([*CASES.items()], 6)
    inputs, results = [], []
    for name, cases in rows:
        own = [wt.vector(f"{name}{k}") for k in range(len(cases[0]) - 1)]
        inputs += own
        results.append(getattr(wt.special, name)(*own))
    columns = [np.array(c) for _, cases in rows for c in list(zip(*cases, strict=True))[:-1]]
    with np.errstate(all="ignore"):
        computed = function(inputs, results, mode=mode)(*columns)
    for (name, cases), values in zip(rows, computed, strict=True):
        wanted = [case[-1] for case in cases]
        np.testing.assert_allclose(values, wanted, rtol=1e-6, err_msg=name)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_students_mass_of_many_degrees(mode: Any) -> None:
    n = wt.vector("n")
    mass = function([n], wt.Elemwise("log_student_mass")(n, 0 * n), mode=mode)([1e30, 1e300])
    np.testing.assert_allclose(mass, 0.5 * np.log(2 * np.pi / np.array([1e30, 1e300])), rtol=1e-12)


def test_what_counts_is_not_cut_off() -> None:
    x, b = wt.vector("x"), wt.vector("b")
    size, sign = function([x, b], wt.special.logsumexp(x, b=b, return_sign=True))([INF], [-1.0])
    assert (size, sign) == (INF, -1)


def test_slopes_of_zeta() -> None:
    x = wt.scalar("x")
    slope = function([x], grad(wt.special.zeta(x), x))
    np.testing.assert_allclose(slope(-1.0), -0.16542114370045092, rtol=1e-12)
    np.testing.assert_allclose(slope(0.5), -3.92264613920915, rtol=1e-12)


def test_refused() -> None:
    several: Any = np.array([0, 1])
    with pytest.raises(TypeError, match="one Python int"):
        wt.special.lambertw(1.0, several)
    with pytest.raises(TypeError, match="spherical_kn takes real numbers"):
        wt.special.spherical_kn(1, 1 + 1j)


@pytest.mark.parametrize("mode", ["numba", "jax"])
def test_incomplete_gamma_functions_of_large_shapes_and_small_ends(mode: str) -> None:
    a, x = wt.vector("a"), wt.vector("x")
    f = function([a, x], [wt.special.gammainc(a, x), wt.special.gammaincc(a, x)], mode=mode)
    shapes = np.repeat([20.0, 700.0, 1500.0, 2836.0, 2999.0, 3001.0, 4.5e15], 4)
    ends = shapes * np.tile([1e-3, 0.06, 0.3, 0.499], 7)
    lower, upper = f(shapes, ends)
    np.testing.assert_allclose(lower, scipy.special.gammainc(shapes, ends), rtol=1e-11)
    np.testing.assert_allclose(upper, scipy.special.gammaincc(shapes, ends), rtol=1e-11)
