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
    "elliprg": [
        (TINY, TINY, 1e300, 5e149), (1e300, 1e300, 0.5, 7.853981633974484e149),
        (1e-5, 5e-324, 0.0, 0.0015811388300841897), (1e-300, 3e-308, 1e-305, 5.00016659988857e-151),
    ],
    "yv": [(-2.5, 0.0, 0.0), (-2.5, TINY, 0.0), (-INF, 0.0, -INF), (-2.25, 0.0, -INF)],
    "zeta": [
        (INF, 1.0), (0.0, -0.5), (-1.0, -1 / 12), (-2.0, 0.0), (0.5, -1.4603545088095868),
        (-1e-20, -0.5), (-1e-3, -0.499082063645237), (1.0, INF), (-INF, NAN),
    ],
    "zetac": [
        (INF, 0.0), (1e300, 0.0), (-1e-20, -1.5), (-2.0, -1.0), (60.0, 8.673617380120694e-19),
    ],
    "log_ndtr": [(-1.8e154, -1.62e308), (-1e154, -5e307)],
    "ndtri_exp": [(-1.797693134862315e308, -1.896150381621835e154), (-INF, -INF)],
    "powm1": [(-1.25, INF, NAN), (-INF, -INF, NAN), (2.0, INF, INF)],
    "boxcox": [(0.0, NAN, NAN), (INF, NAN, NAN), (0.0, -2.0, -INF)],
    "boxcox1p": [(-1.0, NAN, NAN), (INF, NAN, NAN), (-1.0, 2.0, -0.5)],
    "bdtrik": [
        (1.0, -0.0, NAN, NAN), (1.0, -2.0, 0.3, NAN), (1.0, 3.0, 1.3, NAN), (1.0, 3.0, 0.3, 3.0),
    ],
    "gdtr": [(1.0, 2.0, -1.0, NAN), (-1.0, 2.0, -1.0, NAN), (1.0, 2.0, 0.0, 0.0)],
    "gdtrc": [(1.0, 2.0, -1.0, NAN), (-1.0, 2.0, -1.0, NAN), (1.0, 2.0, 0.0, 1.0)],
    "ber": [(1000.0, -1.5451866300031968e305), (-720.0, 1.857519082805737e219)],
    "beip": [(1000.0, -9.338974125004597e304), (-901.0, -1.59324087352e274)],
    "betaln": [(-0.3, INF, INF), (0.3, INF, -INF)],
    "ker": [(1e10, 0.0), (0.3, 1.337218637529977)],
    "kerp": [(0.3, -3.2198652535539374), (1e-300, -1e300)],
    "keip": [(1e-10, 1.1820891222799435e-9), (1e10, 0.0), (0.999, 0.35243543865057536)],
    "tklmbda": [
        (1e-300, 50.0, 0.5), (1e-20, 50.0, 0.5000028147497322), (1e-100, 1e3, 0.7998342550070348),
        (2.0, -3.0, 0.559592076793591), (-30.5, -1e-10, 5.6756854966e-14),
    ],
    "stdtr": [
        (0.0, 1.0, NAN), (-1.0, 1.0, NAN), (1e-300, 0.5, 0.5), (INF, 0.0, 0.5), (3.0, 0.0, 0.5),
        (0.1, -1e200, 4.1738031371732e-21), (0.001, -1e300, 0.249556653271752),
    ],
    "stdtrit": [(1e10, 0.0, -INF), (1e300, 1.0, INF), (1e-300, 0.5, 0.0), (0.0, 0.3, NAN)],
    "nrdtrimn": [(0.5, -3.0, 2.0, NAN), (0.5, 3.0, 2.0, 2.0)],
    "pseudo_huber": [(1e-10, -1e300, 1e290), (INF, 2.0, 2.0), (INF, 0.0, 0.0), (NAN, 0.0, NAN)],
    "log_wright_bessel": [(2.0, 3e-308, 0.3, -1.1791580300265054), (0.0, 1e-305, 1.0, -701.28845)],
    "modstruve": [(INF, 0.3, 0.0), (3.0, 1e300, INF), (2.0, -1e300, -INF), (-INF, 0.3, NAN)],
    "struve": [(INF, 0.3, 0.0), (1.0, INF, 2 / np.pi), (-INF, 0.3, NAN)],
    "inv_boxcox": [
        (6.451612903226469e307, 155.0, 100.0), (3.0, 2.0, 7.0**0.5), (1e10, -1e300, NAN),
    ],
}  # fmt: skip


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("part", range(3))
def test_ends(part: int, mode: Any, few: Any) -> None:
    rows = list(CASES.items())[part::3]
    rows = rows if mode == "py" else few(rows, 3)
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
    for near in (-1e-20, -1e-9, 0.0, 1e-9):
        np.testing.assert_allclose(slope(near), -0.9189385332046727, rtol=1e-8)
    assert slope(1e30) == 0


SLOPES: Final[dict[str, list[tuple[tuple[float, ...], tuple[float, ...]]]]] = {
    "binom": [
        ((5.0, 6.0), (1 / 6, -1 / 6)), ((5.0, 7.0), (-1 / 42, 1 / 42)), ((5.0, -1.0), (0.0, 1 / 6)),
        ((0.0, 3.0), (1 / 3, -1 / 3)), ((5.0, 5.0), (137 / 60, -137 / 60)),
    ],
    "poch": [
        ((0.0, 2.0), (1.0, 0.0)), ((0.0, 0.5), (np.pi**0.5, 0.0)), ((-1.0, 3.0), (-1.0, 0.0)),
        ((-3.0, 5.5), (-6 * 0.75 * np.pi**0.5, 0.0)), ((3.0, 2.0), (7.0, 18.073411959)),
    ],
    "beta": [
        ((0.5, -0.5), (-6.283185307179586, -6.283185307179586)),
        ((7.25, -12.25), (0.00068218152281415, 0.00068218152281415)),
    ],
    "elliprj": [
        ((0.0, 1.0, 2.0, 3.0), (-INF, -0.25508103, -0.14552587, -0.20639886)),
        ((1.0, 2.0, 0.0, 3.0), (-0.25508103, -0.14552587, -INF, -0.20639886)),
    ],
}  # fmt: skip
"""What slopes are at zeros."""


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("name", SLOPES)
def test_slopes_at_zeros(name: str, mode: Any) -> None:
    given, wanted = map(np.array, zip(*SLOPES[name], strict=True))
    inputs = [wt.vector(f"x{k}") for k in range(given.shape[1])]
    slopes = grad(getattr(wt.special, name)(*inputs).sum(), inputs)
    found: Any = function(inputs, slopes, mode=mode)(*given.T)
    np.testing.assert_allclose(np.transpose(found), wanted, rtol=1e-7, atol=1e-14)


def test_slopes_of_cauchys_value_at_zeros() -> None:
    inputs = [wt.scalar(f"x{k}") for k in range(4)]
    value = wt.special.elliprj(*inputs)
    at = (0.0, 2.0, 1.0, -0.7)
    found: Any = function(inputs, grad(value, inputs))(*at)
    assert found[0] == INF
    for k in (1, 2, 3):
        up, down = (np.array(at) + s * 1e-5 * np.eye(4)[k] for s in (1, -1))
        both = scipy.special.elliprj(*up) - scipy.special.elliprj(*down)
        np.testing.assert_allclose(found[k], both / 2e-5, rtol=1e-7)


def test_slopes_of_products_of_steps() -> None:
    """Of two poles, what is left; twice, too."""
    a, m = wt.vector("a"), wt.vector("m")
    slope = grad(wt.special.poch(a, m).sum(), a)
    first, second = function([a, m], [slope, grad(slope.sum(), a)])(
        [-5.0, -2.0, 0.0, -2.5, -1.0], [3.0, 2.0, 0.0, 1.0, -2.0]
    )
    np.testing.assert_allclose(first, [47, -3, 0, 1, 5 / 36], rtol=1e-12)
    np.testing.assert_allclose(second, [-24, 2, 0, 0, 19 / 108], rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_hankels_functions_of_negative_numbers(mode: Any) -> None:
    v, x = wt.vector("v"), wt.vector("x")
    names = ("hankel1", "hankel2", "hankel1e", "hankel2e")
    given = np.array([0.0, 1.0, 0.4, -1.7, 3.5]), np.array([-3.0, -0.2, -40.0, -2.0, 2.0])
    found: Any = function([v, x], [getattr(wt.special, n)(v, x) for n in names], mode=mode)(*given)
    for name, value in zip(names, found, strict=True):
        wanted = getattr(scipy.special, name)(*given)
        np.testing.assert_allclose(value, wanted, rtol=1e-11, err_msg=name)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_integrals_of_bessel_functions_that_are_infinite(mode: Any) -> None:
    x = wt.vector("x")
    values = [*wt.special.iti0k0(x), *wt.special.it2i0k0(x)]
    found: Any = function([x], values, mode=mode)([1e10, -1e300, np.inf])
    np.testing.assert_allclose(found[0], [INF, -INF, INF])
    np.testing.assert_allclose(found[1], [np.pi / 2, NAN, np.pi / 2])
    np.testing.assert_allclose(found[2], INF)
    np.testing.assert_allclose(found[3], [0, NAN, 0])


def test_small_of_complex_numbers() -> None:
    np.testing.assert_array_equal(wt.special.rgamma(1e5 + 1j).eval(), 0)
    np.testing.assert_allclose(
        wt.special.eval_sh_jacobi(2, 3.0, 2.0, 0.3 + 0.1j).eval(),
        scipy.special.eval_sh_jacobi(2, 3.0, 2.0, 0.3 + 0.1j),
    )


def test_degrees_of_which_nobody_waits_for_the_end() -> None:
    n = wt.vector("n")
    values = function([n], wt.special.eval_legendre(n, 0.5))([2.0, 1e300, 1e9, np.inf, -1.0])
    np.testing.assert_array_equal(values, [-0.125, NAN, NAN, NAN, 1.0])


@pytest.mark.parametrize(
    "name", ["powm1", "huber", "inv_boxcox", "inv_boxcox1p", "kolmogorov", "kolmogi", "radian"]
)
def test_complex_numbers_are_refused(name: str) -> None:
    count = {"radian": 3}.get(name, 1 if name.startswith("kolm") else 2)
    for place in range(count):
        numbers = [0.5 + 0.1j if k == place else 0.5 for k in range(count)]
        with pytest.raises(TypeError, match=f"{name} takes real numbers"):
            getattr(wt.special, name)(*numbers)


def test_refused() -> None:
    with pytest.raises(TypeError, match="eval_legendre: the degree is a real number"):
        wt.special.eval_legendre(2 + 1j, 0.5)
    with pytest.raises(TypeError, match="degrees and orders are real numbers"):
        wt.special.lpmv(1j, 2, 0.5)
    several: Any = np.array([0, 1])
    with pytest.raises(TypeError, match="one Python int"):
        wt.special.lambertw(1.0, several)
    with pytest.raises(TypeError, match="spherical_kn: the order is a real number"):
        wt.special.spherical_kn(1j, 1 + 1j)
    with pytest.raises(TypeError, match="takes integers"):
        wt.special.stirling2(3.0, 2)
    with pytest.raises(ValueError, match="floating numbers"):
        wt.special.stirling2(3, 2, exact=True)
    with pytest.raises(ValueError, match="at least 0, not -1"):
        wt.special.lmbda(-1, 2.0)


@pytest.mark.parametrize("mode", ["numba", "jax"])
def test_incomplete_gamma_functions_of_large_shapes_and_small_ends(mode: str) -> None:
    a, x = wt.vector("a"), wt.vector("x")
    f = function([a, x], [wt.special.gammainc(a, x), wt.special.gammaincc(a, x)], mode=mode)
    shapes = np.repeat([20.0, 700.0, 1500.0, 2836.0, 2999.0, 3001.0, 4.5e15], 4)
    ends = shapes * np.tile([1e-3, 0.06, 0.3, 0.499], 7)
    lower, upper = f(shapes, ends)
    np.testing.assert_allclose(lower, scipy.special.gammainc(shapes, ends), rtol=1e-11)
    np.testing.assert_allclose(upper, scipy.special.gammaincc(shapes, ends), rtol=1e-11)


def test_whole_degrees_and_orders_have_no_slopes() -> None:
    m, n, x = (wt.scalar(name) for name in "mnx")
    value = wt.special.lpmv(m, n, x)
    slopes = grad(value, [m, n, x], disconnected_inputs="ignore")
    at = function([m, n, x], slopes)(1.0, 2.0, 0.3)
    np.testing.assert_allclose(at, [0.0, 0.0, -3 * (1 - 2 * 0.09) / 0.91**0.5], rtol=1e-14)
