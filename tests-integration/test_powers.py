"""Powers: those that are whole numbers, and their derivatives, on all backends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import (
    Mode,
    function,
    grad,
)

x = wt.vector("x")

BACKENDS = pytest.mark.parametrize("mode", ["py", "numba", "jax"])


@BACKENDS
def test_a_power_of_one_half_is_a_square_root(mode: str) -> None:
    values = np.array([-np.inf, -0.0, 0.0, 2.0, np.inf])
    with np.errstate(invalid="ignore"):
        found = function([x], x**0.5, mode=mode)(values)
        expected = values**0.5
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(np.signbit(found[1:]), np.signbit(expected[1:]))


@BACKENDS
@pytest.mark.parametrize("books", [[], None], ids=["plain", "all"])
def test_a_power_is_the_same_for_one_exponent_and_for_many(mode: str, books: Any) -> None:
    how = Mode(mode) if books is None else Mode(mode, books=books)
    values = np.array([-np.inf, -0.0, 0.0, 2.0, np.inf])
    rows = wt.matrix("rows")
    for y, half in ((wt.scalar("y"), 0.5), (wt.vector("y"), [0.5] * 5), (wt.vector("y"), [0.5])):
        found = function([x, y], x**y, mode=how)(values, half)
        np.testing.assert_allclose(found, [np.inf, 0.0, 0.0, 2**0.5, np.inf], rtol=1e-15)
        assert not np.signbit(found).any()
    found = function([x, rows], x**rows, mode=how)(values, [[0.5], [2.0]])
    np.testing.assert_allclose(found[:, 0], [np.inf, np.inf])


@BACKENDS
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_powers_of_halves_are_right_to_three_units(mode: str, dtype: str) -> None:
    v = wt.vector("v", dtype=dtype)
    halves = [1.5, 2.5, -0.5, -1.5, -2.5]
    f = function([v], [v**y for y in halves], mode=mode)
    small = 1e-12 if dtype == "float32" else 1e-100
    ends = [-np.inf, -2.0, -0.0, 0.0, 1.0, np.inf, np.nan]
    values = np.array([*ends, *np.geomspace(small, 1 / small, 2001)], dtype)
    with np.errstate(all="ignore"):
        for y, found in zip(halves, f(values), strict=True):
            exact = values.astype(np.longdouble) ** np.longdouble(y)
            expected = exact.astype(dtype)
            np.testing.assert_array_equal(found[:7], expected[:7])
            np.testing.assert_array_equal(np.signbit(found[2:4]), np.signbit(expected[2:4]))
            assert (np.abs(found - exact)[7:] <= 3 * np.spacing(expected)[7:]).all()


EXPONENTS = [0, 1, 2, 3, 4, 5, 7, 8, 12, 31, 63, 64, 65, -1, -2, -3, -8, -64]


@BACKENDS
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_whole_powers_are_numpys_but_for_rounding(mode: str, dtype: str, few: Any) -> None:
    v, exponents = wt.vector("v", dtype=dtype), few(EXPONENTS, 7)
    f = function([v], [v**n for n in exponents], mode=mode)
    half = [0.0, 0.3, 0.99, 1.0, 1.01, 3.0, 1e10, np.inf]
    values = np.array([*half, *(-x for x in half), np.nan], dtype)
    with np.errstate(all="ignore"):
        found = f(values)
        expected = [values.astype("float64") ** n for n in exponents]
        expected = [e.astype(dtype) for e in expected]
    for n, got, want in zip(exponents, found, expected, strict=True):
        assert got.dtype == dtype
        tiny = float(np.finfo(dtype).tiny)  # XLA has nothing smaller
        rounding = float(max(4, abs(n)) * np.finfo(dtype).eps)
        np.testing.assert_allclose(got, want, rtol=rounding, atol=tiny, err_msg=str(n))
        signed = want[:-1]
        np.testing.assert_array_equal(np.signbit(got[:-1]), np.signbit(signed), str(n))


@BACKENDS
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int32", "uint32", "int64", "uint64"])
def test_whole_powers_of_integers_wrap_around_as_numpys(mode: str, dtype: str) -> None:
    values = np.array([0, 1, 2, 3, 5, 7, 11, 100], dtype)
    values = values if dtype[0] in "bu" else np.concatenate([values, -values])
    exponents: list[Any] = [0, 1, 2, 3, 4, 5, 13, 64, 100]
    exponents += [np.int8(3), np.uint64(3), np.float32(3)]
    v = wt.vector("v", dtype=dtype)
    found = function([v], [v**n for n in exponents], mode=mode)(values)
    for n, got in zip(exponents, found, strict=True):
        want = np.power(values, n)
        assert got.dtype == (v**n).dtype == ("float32" if want.dtype == "float16" else want.dtype)
        np.testing.assert_allclose(got, want, rtol=1e-6 if want.dtype.kind == "f" else 0)


@pytest.mark.cases(2)
@BACKENDS
@pytest.mark.parametrize("books", [[], None], ids=["plain", "all"])
def test_integers_to_negative_powers_are_refused(mode: str, books: Any) -> None:
    how = Mode(mode) if books is None else Mode(mode, books=books)
    v, y, condition = wt.lvector("v"), wt.lvector("y"), wt.scalar("condition", dtype="bool")
    values = np.array([1, 2, 3])
    for outputs, given in (
        (v**-1, ()),
        (v**-2, ()),
        (v ** np.array([[2], [-3]]), ()),
        (v**y, ([0, -1, 2],)),
        (v**y, ([-1],)),
    ):
        f = function([v, y][: 1 + len(given)], outputs, mode=how)
        with pytest.raises(ValueError, match=r"(?i)integers to negative integer powers") as caught:
            f(values, *given)
        assert "while computing pow" in caught.value.__notes__[0]
        assert f(values[:0], *[g[:1] for g in given]).size == 0
    chosen = function([condition, v], wt.ifelse(condition, v**-2, v), mode=how)
    assert chosen(False, values).tolist() == [1, 2, 3]


@pytest.mark.cases(0)
@BACKENDS
@pytest.mark.parametrize("books", [[], None], ids=["plain", "all"])
def test_many_integers_to_the_power_of_one_and_of_many(mode: str, books: Any) -> None:
    how = Mode(mode) if books is None else Mode(mode, books=books)
    values = np.arange(10**6)
    exponents = values % 70
    v, y, one = wt.lvector("v"), wt.lvector("y"), wt.lscalar("one")
    outputs = [v**3, v**100, v**exponents, v**y, v**one, one**y]
    found = function([v, y, one], outputs, mode=how)(values, exponents, 5)
    expected = [values**n for n in (3, 100, exponents, exponents, 5)]
    for got, want in zip(found, [*expected, 5**exponents], strict=True):
        np.testing.assert_array_equal(got, want)


@BACKENDS
def test_whole_powers_of_complex_numbers(mode: str, few: Any) -> None:
    z, exponents = wt.zvector("z"), few(EXPONENTS, 7)
    values = np.array([0, 0.3 - 2j, -1.5, 2j, 1 + 1e-9j, -0.7 - 0.7j])
    f = function([z], [z**n for n in exponents], mode=mode)
    found = f(values[1:])
    for n, got in zip(exponents, found, strict=True):
        np.testing.assert_allclose(got, values[1:] ** n, rtol=1e-13, atol=1e-13, err_msg=str(n))
    zeros = function([z], [z**n for n in (0, 1, 2, 5)], mode=mode)(values[:1])
    assert [complex(x[0]) for x in zeros] == [1, 0, 0, 0]
    w = wt.zvector("w")
    of_zero = np.array([0.5, 2 + 1j, 1e-3 - 2j])
    assert not function([z, w], z**w, mode=mode)(np.zeros(3, complex), of_zero).any()
    with np.errstate(all="ignore"):
        assert np.isnan(function([z, w], z**w, mode=mode)(np.zeros(1, complex), [-1 + 1j])).all()


@BACKENDS
@pytest.mark.parametrize("n", [-3, -2, -1, 0, 1, 2, 3, 5, 8])
def test_derivatives_of_whole_powers(mode: str, n: int) -> None:
    slope = grad((x**n).sum(), x)
    second_slope = grad(slope.sum(), x, disconnected_inputs="ignore")
    f = function([x], [slope, second_slope], mode=mode)
    values = np.array([-2.0, -0.5, 0.5, 3.0] if n < 0 else [-2.0, -0.5, 0.0, 0.5, 3.0])
    first, second = f(values)
    zero = 0.0 * values
    np.testing.assert_allclose(first, n * values ** (n - 1) if n else zero, rtol=1e-13)
    expected = n * (n - 1) * values ** (n - 2) if n not in (0, 1) else zero
    np.testing.assert_allclose(second, expected, rtol=1e-13)


n, k = wt.scalar("n", "int64"), wt.vector("k", "int64")
