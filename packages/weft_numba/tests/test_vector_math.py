"""Functions of whole vectors: they are used, and right to 4 units in the last place."""

from __future__ import annotations

import platform
import re
import sys
from typing import Any

import mpmath
import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import Mode, OpFromGraph, ancestors, function
from weft_numba import NumbaLinker, assembly_code, llvm_code
from weft_numba.ir import vector_math
from weft_tensor import Elemwise, TensorType
from weft_tensor.extend import SCALARS

pytestmark = pytest.mark.optimized

VECTOR = Mode(NumbaLinker(), books=[])
EXACT = Mode(NumbaLinker(exact=True), books=[])
LIMIT = 4.0
"""Units in the last place."""

PRECISION = 200
"""Bits of the reference."""
CANCELLING = {"logaddexp", "logaddexp2"}
"""Sums of numbers of different signs: measured in units of the largest argument."""


def log1mexp(x: Any) -> Any:
    return mpmath.log(-mpmath.expm1(x)) if x > -1 else mpmath.log1p(-mpmath.exp(x))


def logaddexp(x: Any, y: Any) -> Any:
    return max(x, y) + mpmath.log1p(mpmath.exp(-abs(x - y)))


def logaddexp2(x: Any, y: Any) -> Any:
    return max(x, y) + mpmath.log1p(mpmath.power(2, -abs(x - y))) / mpmath.log(2)


def erfc(x: Any) -> Any:
    return mpmath.erfc(x) if abs(x) < 1000 else 1 - mpmath.sign(x)


def cbrt(x: Any) -> Any:
    return mpmath.sign(x) * mpmath.cbrt(abs(x))


REFERENCES: dict[str, Any] = {
    **{name: getattr(mpmath, name) for name in ("exp", "expm1", "log", "log1p", "log10")},
    **{name: getattr(mpmath, name) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{f"arc{name}": getattr(mpmath, f"a{name}") for name in ("sin", "cos", "tan")},
    **{f"arc{name}": getattr(mpmath, f"a{name}") for name in ("sinh", "cosh", "tanh")},
    "arctan2": mpmath.atan2,
    "cbrt": cbrt,
    "erf": mpmath.erf,
    "erfc": erfc,
    "erfinv": mpmath.erfinv,
    "exp2": lambda x: mpmath.power(2, x),
    "hypot": mpmath.hypot,
    "log1mexp": log1mexp,
    "log2": lambda x: mpmath.log(x, 2),
    "logaddexp": logaddexp,
    "logaddexp2": logaddexp2,
    "pow": mpmath.power,
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
    "softplus": lambda x: mpmath.log1p(mpmath.exp(x)),
}
"""The rows that are made of the C library's functions, in many digits."""

DOMAINS = {
    **dict.fromkeys(("log", "log2", "log10"), (0, np.inf)),
    **dict.fromkeys(("arcsin", "arccos", "arctanh", "erfinv"), (-1, 1)),
    "log1p": (-1, np.inf),
    "log1mexp": (-np.inf, 0),
    "arccosh": (1, np.inf),
}


def points(name: str, dtype: str, arity: int) -> list[Any]:
    """Arguments of every size, and more of ordinary ones."""
    rng = np.random.default_rng(list(name.encode()))
    info, count = np.finfo(dtype), 256
    columns = []
    for column in range(arity):
        low, high = DOMAINS.get(name, (-np.inf, np.inf))
        if name == "pow" and column == 0:
            low = 0
        exponents = rng.uniform(np.log2(info.smallest_subnormal), np.log2(info.max), count)
        wide = rng.choice([-1.0, 1.0], count) * np.exp2(exponents)
        near_one = 1 + rng.normal(size=count) * 1e-3
        spans = [rng.uniform(-span, span, count) for span in (1, 20, 800)]
        values = np.concatenate([wide, near_one, *spans]).astype(dtype)
        values = values[(values > low) & (values < high)]
        columns.append(rng.permutation(np.resize(values, 5 * count)))
    return columns


def worst(name: str, got: Any, given: list[Any]) -> tuple[float, str]:
    """The largest error in units in the last place, and where it is."""
    largest, where = 0.0, ""
    top, number = np.finfo(got.dtype).max, got.dtype.type
    for result, *x in zip(got, *given, strict=True):
        with mpmath.workprec(PRECISION):
            exact = REFERENCES[name](*[mpmath.mpf(float(v)) for v in x])
            if abs(exact) > float(top):
                error = 0.0 if abs(result) >= top else np.inf
            else:
                scale = abs(number(float(exact)))
                if name in CANCELLING:
                    scale = max(scale, *map(abs, x))
                unit = float(np.spacing(min(scale, top)))
                error = float(abs(mpmath.mpf(float(result)) - exact) / unit)
        if not error <= largest:
            largest, where = error, f"{name}({', '.join(map(repr, x))}) = {result!r}, not {exact}"
    return largest, where


@pytest.mark.cases(5)
@pytest.mark.parametrize("mode", [VECTOR, EXACT], ids=["vector", "exact"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", REFERENCES)
def test_four_units_in_the_last_place(name: str, dtype: str, mode: Mode) -> None:
    arity = SCALARS[name].arity
    inputs = [TensorType(dtype, (None,))(f"x{k}") for k in range(arity)]
    given = points(name, dtype, arity)
    error, where = worst(name, function(inputs, Elemwise(name)(*inputs), mode=mode)(*given), given)
    assert error <= LIMIT, where


@pytest.mark.cases(1)
@pytest.mark.parametrize("arity", [1, 2])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_vectors_of_special_values(dtype: str, arity: int) -> None:
    info = np.finfo(dtype)
    half = np.array([0, info.smallest_subnormal, info.tiny, 0.5, 1, 2, 90, 800, info.max, np.inf])
    values = np.concatenate([half, -half, [np.nan]]).astype(dtype)
    grids = np.meshgrid(*[np.repeat(values, 64)] + [values] * (arity - 1), indexing="ij")
    given = [np.ascontiguousarray(g.T.ravel()) for g in grids]
    names = [name for name in REFERENCES if SCALARS[name].arity == arity]
    inputs = [TensorType(dtype, (None,))(f"x{k}") for k in range(arity)]
    outputs = [Elemwise(name)(*inputs) for name in names]
    fast = function(inputs, outputs, mode=VECTOR)(*given)
    exact = function(inputs, outputs, mode=EXACT)(*given)
    for name, got, expected in zip(names, fast, exact, strict=True):
        where = "at", name
        np.testing.assert_array_equal(np.isnan(got), np.isnan(expected), str(where))
        sure = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(got[sure]), np.signbit(expected[sure]), str(where))
        with np.errstate(invalid="ignore"):
            largest = np.abs(expected)
            for x in given if name in CANCELLING else ():
                largest = np.fmax(largest, np.where(np.isinf(x), 0, np.abs(x)))
            unit = np.spacing(np.minimum(largest, info.max / 2))
            apart = np.abs(got - expected) > 4 * LIMIT * unit
        assert not (apart & np.isfinite(expected)).any(), where
        np.testing.assert_array_equal(got[np.isinf(expected)], expected[np.isinf(expected)])


def calls(text: str) -> set[str]:
    """The functions of vectors that assembly code mentions."""
    return set(re.findall(r"_ZGV\w+|_simd_\w+", text))


def test_loops_are_packed_and_call_functions_of_vectors() -> None:
    x = wt.vector("x")
    y = wt.cos(x) * x + 1
    text = assembly_code(function([x], y, mode=VECTOR))
    known = {v.name for v in vector_math.variants("cos", 1)}
    found = calls(text)
    assert bool(found) == bool(known)
    assert found <= known
    if platform.machine() in ("x86_64", "AMD64"):
        assert re.search(r"\bv?(mulpd|fmadd\d+pd)\b", text)
    if platform.machine() in ("aarch64", "arm64"):
        assert re.search(r"\bfm(ul|la)\b.*\bv\d+\.2d|\bfm(ul|la)\.2d\b", text)
    assert not calls(assembly_code(function([x], y, mode=EXACT)))
    np.testing.assert_allclose(function([x], wt.exp(x), mode=VECTOR)([0.0, 1.0]), [1, np.e])


@pytest.mark.parametrize("even", [abs, wt.tanh])
def test_cosines_of_what_llvm_takes_the_sign_off_are_of_vectors(even: Any) -> None:
    x = wt.vector("x")
    known = {v.name for v in vector_math.variants("cos", 1)}
    found = calls(assembly_code(function([x], wt.cos(even(x)), mode=VECTOR)))
    assert bool(found & known) == bool(known)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_what_divisions_leave_is_exact(dtype: str) -> None:
    info, rng = np.finfo(dtype), np.random.default_rng(0)
    numbers = [info.tiny, info.smallest_subnormal, info.max, 0.0, 1.0, 1.5, 0.3, np.inf, np.nan]
    ends = np.multiply.outer([1, -1], np.array(numbers, dtype)).astype(dtype).ravel()
    scale = 2.0 ** rng.uniform(info.minexp, info.maxexp, (2, 2000))
    wide = (scale * rng.choice([-1, 1], scale.shape)).astype(dtype)
    by = rng.normal(size=2000).astype(dtype)
    whole = (by * rng.integers(-(10**6), 10**6, 2000)).astype(dtype)
    near = [np.nextafter(whole, np.array(to, dtype)) for to in (-np.inf, np.inf)]
    pairs = [wide, (whole, by), (near[0], by), (near[1], by), np.meshgrid(ends, ends)]
    x, y = (np.concatenate([np.ravel(pair[k]) for pair in pairs]) for k in (0, 1))
    a, b = wt.vector("a", dtype=dtype), wt.vector("b", dtype=dtype)
    f = function([a, b], [wt.fmod(a, b), wt.mod(a, b), wt.floor_divide(a, b)], mode=VECTOR)
    with np.errstate(all="ignore"):
        expected = [np.fmod(x, y), np.mod(x, y), np.floor_divide(x, y)]
    for got, wanted in zip(f(x, y), expected, strict=True):
        np.testing.assert_array_equal(got, wanted)
        np.testing.assert_array_equal(np.signbit(got[got == 0]), np.signbit(wanted[wanted == 0]))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_neighbours_are_those_that_numpy_has_bit_for_bit(dtype: str) -> None:
    info, rng = np.finfo(dtype), np.random.default_rng(0)
    numbers = [info.tiny, info.smallest_subnormal, info.max, 0.0, 1.0, 1.5, np.inf, np.nan]
    ends = np.multiply.outer([1, -1], np.array(numbers, dtype)).ravel()
    x, y = map(np.ravel, np.meshgrid(*[np.append(ends, rng.normal(size=9)).astype(dtype)] * 2))
    a, b = wt.vector("a", dtype=dtype), wt.vector("b", dtype=dtype)
    got = function([a, b], wt.nextafter(a, b), mode=VECTOR)(x, y)
    with np.errstate(all="ignore"):
        wanted = np.nextafter(x, y)
    np.testing.assert_array_equal(got, wanted)
    np.testing.assert_array_equal(np.signbit(got[got == 0]), np.signbit(wanted[wanted == 0]))


def test_ends_of_a_half_line_are_compared_as_numbers() -> None:
    x = wt.vector("x")
    f = function([x], wt.where((x < 0) | (x >= np.inf), -1.0, x), mode="numba")
    given = np.array([-np.inf, -1.0, -0.0, 0.0, 2.0, np.finfo(float).max, np.inf, np.nan])
    np.testing.assert_array_equal(f(given), np.where((given < 0) | (given == np.inf), -1, given))
    assert not re.search(r"\bv?p(sub|add|cmpgt)q\b.*ymm", assembly_code(f))


@pytest.mark.cases(0)
def test_graphs_inside_graphs_are_as_exact() -> None:
    x, a = wt.vector("x"), wt.vector("a")
    y = OpFromGraph([a], [wt.cos(a)])(x)
    found = bool(calls(assembly_code(function([x], y, mode=VECTOR))))
    assert found == bool(vector_math.variants("cos", 1))
    assert not calls(assembly_code(function([x], y, mode=EXACT)))


def test_exp_of_double_is_right_to_one_unit() -> None:
    x = wt.vector("x")
    ends = [-np.inf, -746.0, -745.14, -745.13, -708.4, 709.782712893384, 709.79, 1e300, np.nan, 0.0]
    rng = np.random.default_rng(0)
    given = np.concatenate(
        [ends, *[rng.uniform(-k, min(k, 709.0), 2000) for k in (1e-8, 1.0, 745.0)]]
    )
    with np.errstate(over="ignore"):
        expected = np.exp(given.astype(np.longdouble)).astype("float64")
    found = function([x], wt.exp(x), mode="numba")(given)
    np.testing.assert_array_equal(found[:10], expected[:10])
    units = np.spacing(expected[10:])
    assert (np.abs(found[10:] - expected[10:]) <= units).all()


ENDS = {
    "exp2": [-np.inf, -1e300, -1076.0, -1074.0, -1022.5, 0.0, 1023.9, 1024.0, np.inf, np.nan],
    "log": [-np.inf, -1.0, -0.0, 0.0, 5e-324, 1e-310, 1.0, 1e308, np.inf, np.nan],
}


@pytest.mark.parametrize("name", ENDS)
def test_instructions_are_right_to_one_unit(name: str) -> None:
    x, rng = wt.vector("x"), np.random.default_rng(0)
    near = [rng.uniform(-k, min(k, 1023), 3000) for k in (1e-9, 0.5, 1074)]
    if name == "log":
        near = [np.exp2(v) for v in near]
    given = np.concatenate([ENDS[name], *near])
    with np.errstate(all="ignore"):
        exact = getattr(np, name)(given.astype(np.longdouble))
        expected = exact.astype("float64")
    found = function([x], getattr(wt, name)(x), mode=VECTOR)(given)
    sure = np.isfinite(expected)
    np.testing.assert_array_equal(found[~sure], expected[~sure])
    assert (np.abs(found[sure] - exact[sure]) <= 1.1 * np.spacing(np.abs(expected[sure]))).all()


FLOAT_ENDS = {
    "exp": [-np.inf, -3e38, -104.0, -103.97, -88.0, 0.0, 88.72, 88.73, np.inf, np.nan],
    "exp2": [-np.inf, -3e38, -150.0, -149.0, -126.5, 0.0, 127.9, 128.0, np.inf, np.nan],
    "tanh": [-np.inf, np.inf, -0.0, 0.0, 1e-45, -1e-40, 3e38, -10.0, 9.02, np.nan],
}


@pytest.mark.parametrize("name", FLOAT_ENDS)
def test_instructions_of_32_bits(name: str) -> None:
    """With one unit for exp, and three for tanh; loops have no calls for them."""
    x, rng = wt.vector("x", dtype="float32"), np.random.default_rng(0)
    near = [rng.uniform(-k, min(k, 88), 3000) for k in (1e-9, 1e-2, 0.5, 9.0, 150)]
    given = np.concatenate([FLOAT_ENDS[name], *near]).astype("float32")
    with np.errstate(all="ignore"):
        exact = getattr(np, name)(given.astype("float64"))
        expected = exact.astype("float32")
    f = function([x], getattr(wt, name)(x), mode=VECTOR)
    found, sure = f(given), np.isfinite(expected)
    np.testing.assert_array_equal(found[~sure], expected[~sure])
    np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))
    units = 3.1 if name == "tanh" else 1.1
    assert (np.abs(found[sure] - exact[sure]) <= units * np.spacing(np.abs(expected[sure]))).all()
    strided = np.repeat(given, 2)[::-2]
    np.testing.assert_array_equal(f(strided), found[::-1])
    assert not calls(assembly_code(f))


def test_systems_with_vector_functions() -> None:
    name, version = platform.libc_ver()
    since = {"x86_64": [2, 22], "aarch64": [2, 38]}.get(platform.machine())
    has_them = name == "glibc" and since and [int(part) for part in version.split(".")] >= since
    wanted = bool(has_them) or sys.platform == "darwin"
    assert bool(vector_math.variants("exp", 1)) == wanted
    assert bool(vector_math.variants("sin", 1, 32)) == wanted


def test_code_of_other_backends_is_not_shown() -> None:
    x = wt.vector("x")
    with pytest.raises(TypeError, match="not compiled with Numba: make it with mode='numba'"):
        assembly_code(function([x], x + 1, mode="py"))


def test_log1p_of_32_bits_where_a_sum_loses_most() -> None:
    x = np.linspace(-0.2, -0.05, 200_000).astype("float32")
    v = wt.vector("v", dtype="float32")
    expected = np.log1p(x.astype("float64"))
    units = np.spacing(np.abs(expected).astype("float32"))
    assert (np.abs(function([v], wt.log1p(v), mode="numba")(x) - expected) / units).max() < LIMIT


def test_tanh_of_double_is_right_to_two_units() -> None:
    x = wt.vector("x")
    ends = [-np.inf, np.inf, -0.0, 0.0, 5e-324, -1e-310, 1e300, -22.0, 19.1, np.nan]
    rng = np.random.default_rng(0)
    given = np.concatenate([ends, *[rng.uniform(-k, k, 3000) for k in (1e-9, 1e-2, 0.5, 3.0, 25)]])
    right = np.tanh(given.astype(np.longdouble))
    expected = right.astype("float64")
    found = function([x], wt.tanh(x), mode="numba")(given)
    np.testing.assert_array_equal(found[:10], expected[:10])
    np.testing.assert_array_equal(np.signbit(found[:10]), np.signbit(expected[:10]))
    rest = found[10:]
    assert (np.abs(rest - right[10:]) <= 2.5 * np.spacing(np.abs(rest))).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_hypot_is_right_to_one_unit(dtype: str) -> None:
    info, rng = np.finfo(dtype), np.random.default_rng(0)
    small, top = info.smallest_subnormal, info.max / 1.5
    half = np.array([0.0, small, info.tiny / 3, 1.0, 3.0, top, np.inf], dtype)
    ends = np.concatenate([half, -half, [np.nan]])
    pairs = np.array([[a, b] for a in ends for b in ends]).T
    sizes = np.exp2(rng.uniform(np.log2(info.tiny), np.log2(info.max), (2, 3000)))
    x, y = np.hstack([pairs, rng.normal(size=(2, 3000)), sizes]).astype(dtype)
    a, b = wt.vector("a", dtype=dtype), wt.vector("b", dtype=dtype)
    found = function([a, b], wt.hypot(a, b), mode=VECTOR)(x, y)
    with np.errstate(all="ignore"):
        right = np.hypot(x.astype(np.longdouble), y.astype(np.longdouble))
        expected = right.astype(dtype)
    sure = np.isfinite(expected)
    np.testing.assert_array_equal(found[~sure], expected[~sure])
    assert (np.abs(found[sure] - right[sure]) <= np.spacing(expected[sure])).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_powers_of_any_base(dtype: str) -> None:
    """The C library's function of vectors is asked for those of positive numbers alone."""
    bases = [-np.inf, -1e30, -3.0, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 7.0, np.inf, np.nan]
    exponents = [-np.inf, -65.0, -3.0, -2.5, -1.0, -0.0, 0.5, 2.0, 5.0, 2.0**30, np.inf, np.nan]
    x, y = (v.ravel().astype(dtype) for v in np.meshgrid(bases, exponents))
    a, b = wt.vector("a", dtype=dtype), wt.vector("b", dtype=dtype)
    f = function([a, b], a**b, mode=VECTOR)
    with np.errstate(all="ignore"):
        expected = x**y
    found = f(x, y)
    np.testing.assert_allclose(found, expected, rtol=8 * float(np.finfo(dtype).eps))
    sure = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(found[sure]), np.signbit(expected[sure]))
    assert re.search(r"call \w+ @llvm.fabs", llvm_code(f))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_exp_of_complex_numbers(dtype: str) -> None:
    info = np.finfo(dtype)
    half = np.array([0, info.tiny / 8, 0.5, 2, 80, 300, 709, 745, 800, info.max, np.inf])
    ends = np.concatenate([half, -half, [np.nan]])
    drawn = np.random.default_rng(1).standard_normal((2, 2000)) * 30
    pairs = np.hstack([[g.ravel() for g in np.meshgrid(ends, ends)], drawn])
    values = (pairs.T.astype(info.dtype).copy().view(dtype)[:, 0]).repeat(8)
    x = wt.tensor("x", dtype, (None,))
    result = function([x], wt.exp(x), mode=VECTOR)(values)
    with np.errstate(all="ignore"):
        expected = np.exp(values)
    for part, right in ((result.real, expected.real), (result.imag, expected.imag)):
        differ = np.signbit(part) != np.signbit(right)
        assert not (differ & ~np.isnan(right)).any()
        eps, least = float(info.eps), float(info.tiny * info.eps)
        np.testing.assert_allclose(part, right, rtol=16 * eps, atol=16 * least)


def test_recurrences_are_computed_for_four_vectors_at_a_time() -> None:
    def recurrence(v: wt.TensorVariable) -> wt.TensorVariable:
        before, now = v * 0 + 1, 2 * v
        for k in range(1, 8):
            before, now = now, 2 * v * now - 2 * k * before
        return now

    v = wt.vector("v")
    f = function([v], recurrence(v), mode="numba")
    mark = '"llvm.loop.interleave.count", i32 4'
    assert mark in llvm_code(f)
    wide = [wt.exp(recurrence(v)), wt.sin(v) * v, recurrence(v).sum()]
    assert not any(mark in llvm_code(function([v], w, mode="numba")) for w in wide)
    for n in (0, 1, 5, 16, 37, 100):
        value = np.linspace(-1, 1, n)
        np.testing.assert_allclose(
            f(value), function([v], recurrence(v), mode="py")(value), atol=1e-9
        )


def test_functions_are_computed_for_two_vectors_at_a_time_where_they_are_written() -> None:
    mark = '"llvm.loop.interleave.count", i32 2'
    v, m = wt.vector("v"), wt.matrix("m")
    for x, result in ((v, wt.exp(v)), (v, wt.tanh(v) + v), (m, wt.exp(m).sum(0))):
        assert mark in llvm_code(function([x], result, mode="numba"))
    for x, result in ((v, wt.exp(v).sum()), (v, v * v), (m, (m * m).sum(0))):
        assert mark not in llvm_code(function([x], result, mode="numba"))


def test_arithmetic_takes_the_longest_vectors_where_it_pays() -> None:
    x, k = wt.vector("x"), wt.vector("k", "int64")
    polynomial = sum([x**n for n in range(2, 7)], x)
    for result, pays in [
        ((x * x).sum(), True),
        (k.max(), True),
        (polynomial, True),
        (x + 1, False),
        ((x > 0).sum(), False),
        (wt.gammaln(x).sum(), False),
        ((x * x)[:, None].sum(1), False),
    ]:
        inputs = [v for v in (x, k) if v in ancestors([result])]
        code = llvm_code(function(inputs, result, mode="numba"))
        assert ("prefer-vector-width" in code) == (pays and bool(vector_math.longest_vectors()))
