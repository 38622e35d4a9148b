"""Functions of complex numbers with several results, or scaled by a real part: mpmath's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import mpmath as mp
import numpy as np
import pytest
import scipy.special
from against_scipy import quietly

import weft.tensor as wt
from weft import function, grad
from weft_testing import check_op

RADII: Final = (1e-3, 0.4, 2.0, 7.0, 30.0)
ANGLES: Final = (1e-6, 0.6, 1.5, 2.2, 3.1, -0.9, -2.5, -3.14159)
PLACES: Final = np.array([r * np.exp(1j * a) for r in RADII for a in ANGLES])
EXACT: Final[dict[str, tuple[Callable[..., Any], ...]]] = {
    "airy": (
        mp.airyai,
        lambda z: mp.airyai(z, derivative=1),
        mp.airybi,
        lambda z: mp.airybi(z, derivative=1),
    ),
    "fresnel": (mp.fresnels, mp.fresnelc),
    "sici": (mp.si, mp.ci),
    "shichi": (mp.shi, mp.chi),
}
SCALED: Final[dict[str, Callable[..., Any]]] = {
    "jve": lambda z: mp.besselj(1.3, z) * mp.exp(-abs(z.imag)),
    "yve": lambda z: mp.bessely(1.3, z) * mp.exp(-abs(z.imag)),
    "ive": lambda z: mp.besseli(1.3, z) * mp.exp(-abs(z.real)),
    "hankel1e": lambda z: mp.hankel1(1.3, z) * mp.exp(-1j * z),
    "hankel2e": lambda z: mp.hankel2(1.3, z) * mp.exp(1j * z),
}


def _exact(form: Callable[..., Any], places: np.ndarray) -> np.ndarray:
    with mp.workdps(40):
        return np.array([complex(form(mp.mpc(z))) for z in places])


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("name", [*EXACT])
def test_several_results(name: str, mode: str) -> None:
    z = wt.vector("z", dtype="complex128")
    places = PLACES[abs(PLACES) < 10] if name == "fresnel" else PLACES
    found = function([z], list(getattr(wt.special, name)(z)), mode=mode)(places)
    for result, form in zip(found, EXACT[name], strict=True):
        np.testing.assert_allclose(result, _exact(form, places), rtol=1e-12)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_airys_functions_have_no_cut(mode: str) -> None:
    """SciPy's are others where the imaginary part is -0."""
    z = wt.vector("z", dtype="complex128")
    places = np.conj(np.array([-12.0, -3.5, -0.5, 2.0]) + 0j)
    found = function([z], list(wt.special.airy(z)), mode=mode)(places)
    for result, form in zip(found, EXACT["airy"], strict=True):
        np.testing.assert_allclose(result, _exact(form, places), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("name", [*SCALED])
def test_of_an_order(name: str, mode: str) -> None:
    z = wt.vector("z", dtype="complex128")
    found = function([z], getattr(wt.special, name)(1.3, z), mode=mode)(PLACES)
    np.testing.assert_allclose(found, _exact(SCALED[name], PLACES), rtol=1e-12)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_scaled_ones_do_not_overflow(mode: str) -> None:
    z = wt.vector("z", dtype="complex128")
    results = [getattr(wt.special, name)(0.5, z) for name in ("jve", "yve", "ive")]
    places = np.array([800j, 3 - 1e4j, 2000 + 1j])
    found = function([z], results, mode=mode)(places)
    wanted = [getattr(scipy.special, name)(0.5, places) for name in ("jve", "yve", "ive")]
    np.testing.assert_allclose(found, wanted, rtol=1e-13)
    assert np.isfinite(found).all()


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize(
    "name", ["airy", "airye", "fresnel", "sici", "shichi", "jve", "yve", "ive"]
)
def test_slopes(name: str, mode: str) -> None:
    """Along both axes, forward and in reverse, of each result, against differences."""
    z, t = (wt.vector(n, dtype="complex128") for n in "zt")
    made = getattr(wt.special, name)(*[0.7] * name.endswith("ve"), z)
    results = made if isinstance(made, tuple) else (made,)
    places = np.array([0.4 + 0.3j, -1.2 + 0.8j, 1.1 - 1.3j, -0.7 - 0.2j])
    values = function([z], list(results), mode="py")
    slopes = [grad((r * (0.6 - 0.8j)).real.sum(), z) for r in results]
    along = [wt.pushforward(r, z, t) for r in results]
    found = function([z, t], [*slopes, *along], mode=mode)
    for step in (1e-6, 1e-6j):
        pairs = zip(values(places + step), values(places - step), strict=True)
        wanted = np.array([(ahead - behind) / 2e-6 for ahead, behind in pairs])
        got = np.array(found(places, np.full(4, step / 1e-6)))
        back = got[: len(results)]
        component = back.real if step == 1e-6 else back.imag
        np.testing.assert_allclose(got[len(results) :], wanted, rtol=1e-7, atol=1e-8)
        np.testing.assert_allclose(component, (wanted * (0.6 - 0.8j)).real, rtol=1e-7, atol=1e-8)


def test_what_is_of_real_numbers_says_so() -> None:
    z = wt.vector("z", dtype="complex64")
    for call in (wt.special.zeta, lambda x: wt.special.comb(x, 2), wt.special.trigamma):
        with pytest.raises(TypeError, match="it takes real numbers"):
            call(z)


def test_digits_beside_numbers_of_python() -> None:
    z = wt.vector("z", dtype="complex64")
    made = [wt.special.jv(0.5, z), wt.special.hankel1(1, z), wt.special.jvp(0.5, z)]
    made += [wt.special.hyp2f1(0.5, 1.5, 2.5, z), wt.special.airy(z)[0]]
    assert {r.dtype for r in made} == {"complex64"}


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_lamberts_function_on_all_branches(mode: str) -> None:
    """Also around the branch point, -1/e, where SciPy's misses 1e-4, and along the cut."""
    around = [r * np.exp(1j * a) - np.exp(-1) for r in (1e-9, 1e-3, 0.3, 1.0) for a in ANGLES]
    places = np.array([*PLACES, *around, 1e-300, 1e300j, -0.2, -5.0, -1e-9])
    z, k = wt.vector("z", dtype="complex128"), wt.scalar("k", dtype="int64")
    w = wt.special.lambertw(z, k)
    f = function([z, k], [w, grad(w.real.sum(), z)], mode=mode)
    at_ends = function([z, k], w, mode=mode)
    for branch in (-3, -1, 0, 1, 2):
        found, slope = f(places, branch)
        with mp.workdps(30):
            wanted = np.array([complex(mp.lambertw(mp.mpc(p), branch)) for p in places])
        np.testing.assert_allclose(found, wanted, rtol=1e-13)
        exact = np.exp(-wanted[:40]) / (1 + wanted[:40])
        np.testing.assert_allclose(slope[:40], exact.conj(), rtol=1e-11)
        ends = np.array([0, np.inf, -np.inf], dtype=complex)
        np.testing.assert_array_equal(at_ends(ends, branch), scipy.special.lambertw(ends, branch))
    of_real = wt.special.lambertw(np.array([-1.0, 3.0]), 2).eval()
    np.testing.assert_allclose(of_real, scipy.special.lambertw([-1.0, 3.0], 2), rtol=1e-13)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("name", ["spherical_jn", "spherical_yn", "spherical_in", "spherical_kn"])
def test_spherical_functions(name: str, mode: str) -> None:
    z = wt.vector("z", dtype="complex128")
    places = np.array([*PLACES, 0, 3j, -3j, -2.0, complex(-2.0, -0.0), 1e-30j])
    for n in (0, 1, 4):
        value, slope = (getattr(wt.special, name)(n, z, d) for d in (False, True))
        by_grad = grad(wt.real(value).sum(), z)
        found = function([z], [value, slope], mode=mode)(places)
        wanted = [getattr(scipy.special, name)(n, places, d) for d in (False, True)]
        np.testing.assert_allclose(found[0], wanted[0], rtol=1e-11)
        np.testing.assert_allclose(found[1], wanted[1], rtol=1e-9)
        ends = np.array([np.inf, -np.inf], dtype=complex)
        at_ends = function([z], value, mode=mode)(ends)
        np.testing.assert_array_equal(at_ends, getattr(scipy.special, name)(n, ends))
        if mode == "py":
            backward = function([z], by_grad, mode=mode)(PLACES)
            np.testing.assert_allclose(backward, found[1][: PLACES.size].conj(), rtol=1e-9)


CARLSON: Final = {"elliprf": 3, "elliprd": 3, "elliprc": 2, "elliprg": 3, "elliprj": 4}


@pytest.mark.cases("elliprf-py", "elliprc-numba")
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("name", CARLSON)
def test_carlsons_integrals(name: str, mode: str) -> None:
    """Over six powers of 10, all around the cut; the third kind where it is sure."""
    count, random = CARLSON[name], np.random.default_rng(5)
    points = [
        10.0 ** random.uniform(-3, 3, 30) * np.exp(1j * random.uniform(-2.9, 2.9, 30))
        for _ in range(count)
    ]
    if name == "elliprj":
        points = [abs(v.real) + 1j * v.imag for v in points]
        points[:3] = [np.where(np.arange(30) < 10, abs(v), v) for v in points[:3]]
        points[3][:10] *= np.exp(1j)
        points[1][10:15], points[2][10:15] = points[0][10:15].conj(), 2.0
        points[3][10:15] *= 1j
    inputs = [wt.vector(f"z{k}", dtype="complex128") for k in range(count)]
    value = getattr(wt.special, name)(*inputs)
    found, slope = function(inputs, [value, grad(wt.real(value).sum(), inputs[0])], mode=mode)(
        *points
    )
    with mp.workdps(30):
        exact = getattr(mp, name)
        wanted = [complex(exact(*map(mp.mpc, place))) for place in zip(*points, strict=True)]
        step = mp.mpf(10) ** -9
        place = [mp.mpc(v[3]) for v in points]
        ahead, behind = (exact(place[0] + s, *place[1:]) for s in (step, -step))
        change = complex((ahead - behind) / (2 * step))
    np.testing.assert_allclose(found, wanted, rtol=2e-14)
    np.testing.assert_allclose(slope[3], np.conj(change), rtol=1e-7)


@pytest.mark.cases(0)
def test_carlsons_integrals_at_ends() -> None:
    inf = np.inf
    cases = [(0, 0, 1), (0, 1, 2), (1, 1, 0), (-1, 2, 3), (inf, 1, 1), (np.nan, 1, 1), (0, 0, 0)]
    for name in ("elliprf", "elliprd", "elliprg"):
        for case in np.array(cases, dtype=complex):
            found = getattr(wt.special, name)(*case).eval()
            np.testing.assert_allclose(found.real, getattr(scipy.special, name)(*case).real)
    pairs = [(1, -2), (0, 1), (1, 0), (-1, 1), (1 + 1j, -2), (inf, 1), (0, -1)]
    for case in np.array(pairs, dtype=complex):
        found = wt.special.elliprc(*case).eval()
        np.testing.assert_allclose(found.real, scipy.special.elliprc(*case).real)
    third = [(1, 2, 3, -1), (1, 2, 3, 0), (0, 0, 1, 1), (0, 1, 2, 1), (1 + 1j, 1 - 1j, 2, 1j - 1)]
    for case in np.array([*third, (1j - 1, 1, 1, 1), (1, 1, inf, 1)], dtype=complex):
        found = wt.special.elliprj(*case).eval()
        np.testing.assert_allclose(found.real, scipy.special.elliprj(*case).real)
    assert wt.special.elliprf(np.complex64(1j), 2.0, 3.0).dtype == "complex64"


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_parts_are_as_given(mode: str) -> None:
    """Also infinite ones, whose multiple of 1j has a part that is NaN, and -0.0."""
    x, y = wt.vector("x"), wt.scalar("y")
    z = wt.complex(x, y)
    slopes = grad((wt.abs(z * (1 + 2j)) ** 2).sum(), [x, y])
    compiled = function([x, y], z, mode=mode)
    real = np.array([1.0, -0.0, np.inf, np.nan])
    for imaginary in (np.inf, -0.0, 2.0):
        found = compiled(real, imaginary)
        np.testing.assert_array_equal(found.real, real)
        np.testing.assert_array_equal(found.imag, np.full(4, imaginary))
        np.testing.assert_array_equal(np.signbit(found.imag), np.signbit(np.full(4, imaginary)))
    by_x, by_y = function([x, y], slopes, mode=mode)([1.0, 3.0], -0.5)
    np.testing.assert_allclose(by_x, [10.0, 30.0])
    np.testing.assert_allclose(by_y, -10.0)
    check_op(wt.complex, np.array([1.0, 2, 3]), np.array([[2.0], [-3.0]]), backends=[mode])
    single = wt.complex(wt.vector("f", dtype="float32"), 1.5)
    assert single.dtype == "complex64"
    assert wt.complex(1j, 2.0).eval() == 3j


TURNS: Final[list[tuple[Callable[[Any, Any], Any], str]]] = [
    (lambda m, x: m.exp(1j * x), "float64"),
    (lambda m, x: m.exp(-2j * np.pi * x / 7 + 0.5j), "float64"),
    (lambda m, x: m.exp(x * 0.25j - 1j * x / 3), "float64"),
    (lambda m, x: m.exp(-1j * x - 2j * x * x), "float32"),
]


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("case", range(len(TURNS)))
def test_turns_need_no_exp(case: int, mode: str) -> None:
    turn, dtype = TURNS[case]
    x = wt.vector("x", dtype=dtype)
    places = np.array([0.3, -40.0, 1e3, np.inf], dtype)
    slope = grad(wt.real(turn(wt, x) * wt.exp(0.3j * x))[:3].sum(), x)
    found, slopes = quietly(function([x], [turn(wt, x), slope], mode=mode), places)
    expected = quietly(turn, np, places)
    assert found.dtype == expected.dtype
    # what the angle is rounded by: some units in its last place
    rounding = 2 * np.finfo(dtype).eps * np.maximum(1.0, np.abs(places[:3])) ** 2
    assert (np.abs(found - expected)[:3] <= rounding).all()
    assert np.isnan([found[3].real, found[3].imag]).all()
    if dtype == "float64":
        near = places[:2]
        ends = [np.real(turn(np, at) * np.exp(0.3j * at)) for at in (near + 1e-6, near - 1e-6)]
        np.testing.assert_allclose(slopes[:2], (ends[0] - ends[1]) / 2e-6, 1e-6, 1e-7)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_sides_of_cuts_and_the_digits_of_small_numbers(mode: str) -> None:
    z = wt.vector("z", dtype="complex128")
    real, imaginary, zeros = [-3.0, -0.5, 0.5, 3.0], [3.0, 0.5, -3.0], [0.0, -0.0]
    places = np.array(
        [complex(x, zero) for x in real for zero in zeros]
        + [complex(zero, y) for y in imaginary for zero in zeros]
        + [1e-9 + 1e-9j, 1e-5 - 1j, -1e-30 + 1j, 800, -800]
    )
    names = ["arccos", "arccosh", "arcsin", "arcsinh", "arctan", "cosh", "log", "sinh", "sqrt"]
    f = function([z], [getattr(wt, name)(z) for name in names], mode=mode)
    with np.errstate(all="ignore"):
        found = f(places)
    for name, values in zip(names, found, strict=True):
        with np.errstate(all="ignore"):
            wanted = getattr(np, name)(places)
        for part in ("real", "imag"):
            got, right = getattr(values, part), getattr(wanted, part)
            np.testing.assert_allclose(got, right, 1e-14, 1e-40, err_msg=name)
