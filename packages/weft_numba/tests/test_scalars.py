"""Every row of the scalar table against NumPy, at all pairs of special values of every dtype."""

from __future__ import annotations

import re
import sys
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest

from weft_graph import Mode, PythonFallbackWarning, function
from weft_numba import NumbaLinker
from weft_numba.ir.llvm_writer import Code, Pair, number
from weft_numba.llvm.scalar.table import row
from weft_tensor import Cast, Elemwise, TensorType
from weft_tensor.extend import SCALARS, loop_dtypes

INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
DTYPES = ["bool", *INTEGERS, "float32", "float64", "complex64", "complex128"]
PLAIN = Mode(NumbaLinker(), books=[])

SIGNED = [dtype for dtype in INTEGERS if dtype.startswith("int")]

ROUNDED = {
    *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "logaddexp", "logaddexp2"),
    *("sin", "cos", "tan", "arcsin", "arccos", "arctan", "arctan2", "sinh", "cosh", "tanh"),
    *("arcsinh", "arccosh", "arctanh", "erf", "erfc", "sigmoid", "softplus", "log1mexp"),
    *("pow", "cbrt", "erfinv", "hypot", "deg2rad", "rad2deg", "sech", "log_cosh", "slow_tanh"),
    *("spherical_j0", "spherical_j1", "log1mexpexp"),
    *("expm1mx", "exprel2", "langevin", "log1pmx", "log_sinhc", "pow1pm1"),
}
"""Functions whose results may differ from NumPy's by rounding."""
SCIPYS = {
    *("erf", "erfc", "erfcx", "log_ndtr", "logerfc", "sigmoid", "erfcinv", "ndtr", "ndtri"),
    "reciprocal_erfcx",
    *("beta", "betaln", "binom", "digamma", "gamma", "gammaln", "ndtri_exp", "poch", "trigamma"),
    *("gammainc", "gammaincc", "gammaincinv", "gammainccinv"),
    *("betainc", "betaincc", "betaincinv", "betainccinv"),
    *(
        "i0",
        "i0e",
        "i1",
        "i1e",
        "iv",
        "ive",
        "j0",
        "j1",
        "jv",
        "k0",
        "k0e",
        "k1",
        "k1e",
        "kv",
        "kve",
    ),
    *("y0", "y1", "owens_t", "zeta", "gammainc_density", "log_gammainc", "log_gammaincc"),
    *("log_gammainc_slope", "log_gammaincc_slope", "gammainc_slope", "betainc_slope"),
    *("dawsn", "erfi", "exp1", "expi", "expn", "spence", "lambertw_above", "lambertw_below"),
    *("sine_integral", "cosine_integral", "sinh_integral", "cosh_integral"),
    *("fresnel_sine", "fresnel_cosine"),
    *("ellipe", "ellipeinc", "ellipk", "ellipkinc", "ellipkm1", "elliprc", "elliprd", "elliprf"),
    *(
        "airy_ai",
        "airy_aip",
        "airy_bi",
        "airy_bip",
        "airye_ai",
        "airye_aip",
        "airye_bi",
        "airye_bip",
    ),
    *("elliprg", "yv", "yv_slope"),
    *("elliprj", "elliprj_slope", "elliprj_slope_p"),
    *("hyp1f1", "hyp1f1_slope", "hyp1f1_slope_b"),
    *("elliprd_slope", "iv_slope", "ive_slope", "jv_slope", "kv_slope", "kve_slope"),
    *("struve", "struve_slope", "modstruve", "modstruve_slope", "complex_lambertw"),
    *("log_iv", "log_iv_by_x", "log_iv_slope", "log_ive", "log_ive_by_x"),
    *("log_kv_integral", "log_kv_integral_by_b", "log_kv_integral_by_p"),
    *("log_student_mass", "log_student_mass_slope0", "log_student_mass_slope1"),
    *(f"{name}_{of}integral" for name in ("i0", "j0", "k0", "y0") for of in ("", "over_")),
    *("itstruve0", "it2struve0", "itmodstruve0"),
    *[f"log_ncx2{of}" for of in ("cdf", "cdf_slope", "sf", "sf_slope")],
    *("entr", "exprel", "kl_div", "log_expit", "logit", "rel_entr", "xlog1py", "xlogy"),
}
"""Functions that SciPy has to fewer digits than the C library, or by another formula."""

ROUGH: dict[str, float] = {
    "struve": 16,
    "modstruve_slope": 16,
    "log_iv_slope": 16,
    "log_kv_integral_by_p": 1e5,
}
ROUGH |= {f"log_ncx2{of}": 64 for of in ("cdf", "sf", "pdf_slope")}
ROUGH |= {f"log_ncx2{of}_slope": 1e5 for of in ("cdf", "sf")}
ROUGH |= {
    f"{log}wright_bessel{of}": 16 for log in ("", "log_") for of in ("", "_slope0", "_slope1")
}
ROUGH |= {f"log_geninvgauss_{of}": 4096 for of in ("cdf", "sf")}
ROUGH |= {f"log_geninvgauss_{of}_by_{x}": 4096 for of in ("cdf", "sf") for x in "xpb"}
ROUGH |= {"modstruve": 16}
"""Functions that are differences of larger numbers, and how many times more that costs."""

PHASES = {"j0", "j1", "y0", "y1", "y0_integral", "y0_over_integral", "yv_slope"}
"""Functions that turn with their last argument."""

LEFT = {
    *("log_iv_slope", "log_kv_integral_by_p", "log_wright_bessel"),
    *("log_geninvgauss_cdf_by_b", "log_geninvgauss_sf_by_b"),
}
"""Functions that are left of two larger ones."""

BORDERS = {
    *("betaincc", "betainccinv", "log_gammaincc_slope", "log_kv_integral", "struve_slope"),
    "log_wright_bessel_slope1",
}
"""Functions that reach infinity at a last step, or next to it."""

EITHER = {"maximum", "minimum", "ndtri", *LEFT}
"""Functions of which NumPy gives either zero, or what is left of rounding."""

PARTS = [
    *("student_mills", *[f"student_mills_slope{k}" for k in range(3)]),
    *("student_mills_by_shape", *[f"student_mills_by_shape_slope{k}" for k in range(3)]),
]
"""Means in which both sides of 0 cancel: tests of the laws that are made of them compare these."""

LONG = {*PARTS, "hyp1f1_slope", "hyp1f1_slope_b", "hyperu", "hyperu_slope", "hyperu_slope_b"}
"""Functions of which NumPy makes as many steps for all numbers as the longest of them takes."""


def specials(dtype: str) -> np.ndarray[Any, Any]:
    """Values at which functions of scalars tend to be wrong."""
    if dtype == "bool":
        return np.array([False, True])
    kind = np.dtype(dtype).kind
    if kind in "iu":
        info = np.iinfo(dtype)
        values = {0, 1, 2, 3, 5, 7, 31, 32, 63, 64, 100, info.max, info.max - 1, info.max // 2}
        if kind == "i":
            values |= {-v for v in values} | {info.min}
        return np.array(sorted(v for v in values if info.min <= v <= info.max), dtype)
    if kind == "f":
        real = np.finfo(dtype)
        ordinary = [0.1, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 7.3, 20.0, 90.0, 700.0]
        extreme = [real.smallest_subnormal, real.tiny / 4, real.tiny, real.eps, real.max, np.inf]
        half = np.array([0.0, *ordinary, *extreme, 1 - real.epsneg, 1e-3, 1e10], dtype)
        return np.concatenate([half, -half, np.array([np.nan], dtype)])
    parts = np.array([0.0, -0.0, 0.5, -1.0, 1.0, 2.0, -3.25, 1e10, np.inf, -np.inf, np.nan])
    real, imaginary = np.meshgrid(parts, parts)
    numbers = np.empty(real.size, dtype)
    numbers.real, numbers.imag = real.ravel(), imaginary.ravel()
    return numbers


def arguments(dtypes: tuple[str, ...]) -> list[np.ndarray[Any, Any]]:
    """All combinations of special values; many of each where they are few, for whole vectors."""
    grids = np.meshgrid(*map(specials, dtypes), indexing="ij")
    values = [np.ascontiguousarray(g.ravel()) for g in grids]
    return values if len(dtypes) > 1 else [np.repeat(v, 32) for v in values]


def rows(dtype: str) -> list[str]:
    """The functions that are defined for `dtype`."""
    with pytest.raises(KeyError):  # by now all are there
        SCALARS["none of them"]
    found = []
    for name, scalar in SCALARS.items():
        if "_peak" in name:  # of counts alone
            continue
        try:
            loop_dtypes(name, (dtype,) * scalar.arity)
        except TypeError:
            continue
        found.append(name)
    return found


def fault(name: str, got: Any, expected: Any, given: list[Any]) -> str:
    """What is wrong: all must be equal, zeros in sign too, but for rounding in some functions."""
    if got.dtype != expected.dtype:
        return f"{name} gives {got.dtype}, not {expected.dtype}"
    if expected.dtype.kind == "c":
        wrong = wrong_numbers(name, got, expected)
        if name == "complex_lambertw":  # branches are whole
            wrong &= given[0] == np.rint(given[0].real)
        if name == "pow":  # large exponents magnify the logarithm's rounding
            wrong &= np.isfinite(given[0]) & ~(np.abs(given[1]) > 1e6)
    elif expected.dtype.kind == "f":
        slack = 0 * expected
        if name in SCIPYS or SCALARS[name].summation is not None:
            slack = np.finfo(expected.dtype).tiny + 256 * np.spacing(np.abs(expected))
        elif name in ROUNDED or given[0].dtype.kind == "c":
            slack = 8 * np.spacing(np.abs(expected))
        if name in ("jv_slope", "yv_slope"):  # they change over the cube root of a large order
            slack += np.abs(given[0]) ** (2 / 3) * np.spacing(np.abs(expected))
        slack *= ROUGH.get(name, 1)
        if name in LEFT:
            slack += 64 * np.finfo(expected.dtype).eps
        if name in PHASES:  # which is rounded, and -1e308 is -inf
            most = 1e300 if expected.dtype == "float64" else 1e9
            least = np.abs(given[0]) <= np.finfo(expected.dtype).tiny
            slack = np.where(least | (np.abs(given[-1]) > most), np.inf, slack)
        if re.match("log_(ncx2.*_slope|geninvgauss.*_by_b)", name):  # which grow next to 0
            slack = np.where(np.abs(given[1]) < 1e-3, np.inf, slack)
        if name in BORDERS:
            tiny = 1e-307 if expected.dtype == "float64" else 1e-37
            least, most = np.min(np.abs(given), axis=0), np.max(np.abs(given), axis=0)
            slack = np.where((least < tiny) | (most > 1e38), np.inf, slack)
        wrong = apart(got, expected, slack)
        wrong &= ~(np.isnan(expected) | np.isinf(expected)) | (slack < np.inf)
        wrong[wrong] = apart(got[wrong], expected[wrong], slack[wrong] + swing(name, given, wrong))
        if name not in EITHER:
            signs = np.signbit(got) != np.signbit(expected)
            wrong |= signs & ~np.isnan(expected) & (slack < np.inf)
    else:
        wrong = got != expected
    cases = [
        f"  {name}({', '.join(repr(x[k]) for x in given)}) = {got[k]!r}, not {expected[k]!r}"
        for k in np.flatnonzero(wrong)[:8]
    ]
    return "\n".join([f"{wrong.sum()} of {wrong.size} wrong:", *cases]) if cases else ""


def swing(name: str, given: list[Any], where: Any) -> Any:
    """By how much 32 last places of the arguments move a function whose results are rounded."""
    if name not in ROUNDED | SCIPYS or not where.any():
        return 0.0
    places = [v[where] for v in given]
    function: Any = Elemwise(name).impl
    moved = np.zeros(places[0].shape)
    for k, x in enumerate(places):
        beside = [*places[:k], x + 1024 * np.spacing(x), *places[k + 1 :]]
        moved += np.abs(function(*beside) - function(*places))
    return np.nan_to_num(32 / 1024 * moved)


def apart(got: Any, expected: Any, slack: Any) -> Any:
    """Where two numbers differ by more than they may; NaN is equal to NaN."""
    same = (got == expected) | (np.isnan(got) & np.isnan(expected))
    return ~same & ~(np.abs(got - expected) <= slack)


def wrong_numbers(name: str, got: Any, expected: Any) -> Any:
    """Where complex numbers differ by more than rounding of the larger part."""
    size = np.maximum(np.abs(expected.real), np.abs(expected.imag))
    few = 4096 if name == "pow" and got.dtype == "complex64" else 8  # NumPy rounds in between
    slack = np.nan_to_num(few * np.spacing(size))
    wrong = apart(got.real, expected.real, slack) | apart(got.imag, expected.imag, slack)
    if name in ("xlogy", "xlog1py"):  # C++'s products recover infinities, NumPy's are NaN
        return wrong & ~(np.isnan(got) & ~np.isfinite(expected))
    if name not in (
        "pow",
        "complex_sine_integral",
    ):  # how often NumPy multiplies shows in its zeros
        for have, want in ((got.real, expected.real), (got.imag, expected.imag)):
            wrong |= (np.signbit(have) != np.signbit(want)) & (have == 0) & (want == 0)
    return wrong


def faults(names: list[str], dtype: str, values: list[Any]) -> list[str]:
    """What is wrong with the rows of one arity for inputs of one dtype."""
    arity = SCALARS[names[0]].arity
    inputs = [TensorType(dtype, (None,))(f"x{k}") for k in range(arity)]
    results = function(inputs, [Elemwise(name)(*inputs) for name in names], mode=PLAIN)(*values)
    found = []
    with np.errstate(all="ignore"):
        for name, got in zip(names, results, strict=True):
            wanted, out = loop_dtypes(name, (dtype,) * arity)
            given = [v.astype(d) for v, d in zip(values, wanted, strict=True)]
            expected = Elemwise(name).impl(*given)
            found.append(fault(name, got, np.asarray(expected, out), given))
    return [text for text in found if text]


@pytest.mark.cases(0)
@pytest.mark.parametrize("arity", [1, 2, 3])
@pytest.mark.parametrize("dtype", DTYPES)
def test_rows(dtype: str, arity: int, few: Any) -> None:
    names = [name for name in rows(dtype) if SCALARS[name].arity == arity and name not in LONG]
    if dtype in SIGNED and arity == 2:
        names.remove("pow")
    drawn = few(names, 25)
    values = [v[:: 7 if arity == 3 else 1] for v in arguments((dtype,) * arity)]
    found = faults(drawn, dtype, values) if drawn else []
    assert not found, "\n".join(found)


@pytest.mark.parametrize("dtype", SIGNED)
def test_integer_powers(dtype: str) -> None:
    bases, exponents = arguments((dtype, dtype))
    allowed = exponents >= 0
    assert not faults(["pow"], dtype, [bases[allowed], exponents[allowed]])
    x, y = TensorType(dtype, (None,))("x"), TensorType(dtype, (None,))("y")
    f = function([x, y], [Elemwise("pow")(x, y), Elemwise("add")(x, y)], mode=PLAIN)
    with pytest.raises(ValueError, match="to negative integer powers") as caught:
        f(np.ones(3, dtype), np.array([1, -1, 2], dtype))
    assert "while computing pow" in caught.value.__notes__[0]
    assert f(np.ones(0, dtype), np.ones(0, dtype))[0].size == 0


@pytest.mark.cases(5)
@pytest.mark.parametrize("dtype", DTYPES)
def test_casts(dtype: str) -> None:
    x = TensorType(dtype, (None,))("x")
    wanted = [d for d in DTYPES if d != dtype]
    outputs = [Cast(d)(x) for d in wanted]
    f = function([x], outputs, mode=PLAIN)
    values = specials(dtype)
    for want, got in zip(wanted, f(values), strict=True):
        fits = np.ones(values.shape, bool)
        if np.dtype(dtype).kind in "fc" and np.dtype(want).kind in "iu":
            info = np.iinfo(want)
            with np.errstate(invalid="ignore"):
                whole = np.trunc(values.real.astype("float64"))
                fits = (whole >= float(info.min)) & (whole < 2.0 ** (info.bits - (info.min < 0)))
        assert got.shape == values.shape, want
        with np.errstate(all="ignore"):
            expected = Cast(want).impl(values[fits])
        np.testing.assert_array_equal(got[fits], expected, f"{dtype} to {want}", strict=True)
        if np.dtype(want).kind == "f":
            np.testing.assert_array_equal(np.signbit(got[fits]), np.signbit(expected))


@pytest.mark.parametrize("system", ["linux", "win32"])
def test_complex_functions_are_called_as_the_system_does(
    system: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    code, n = Code(), number("complex128")
    power = row("pow", "c")
    assert power is not None
    result = power(code, n, Pair("%a", "%b"), Pair("%c", "%d"))
    assert isinstance(result, Pair)
    added = f"%sum = fadd double {result.real}, {result.imag}"
    lines = "\n".join([*code.lines, added, "ret double %sum"])
    head = "define double @f(double %a, double %b, double %c, double %d)"
    text = str(llvm.parse_assembly(code.module(f"{head} {{\n{lines}\n}}")))
    by_address = "void @cpow(ptr sret([2 x double]) %out, ptr %in0, ptr %in1)"
    assert (by_address in text) == (system == "win32")


def test_complex_reductions() -> None:
    z = TensorType("complex128", (None, None))("z")
    value = np.array([[1 + 2j, -3j, 0.5], [2, 1j, -1 - 1j]])
    outputs = [z.sum(), z.sum(axis=0), z.prod(axis=1), (z * 2).any(axis=0), z.all(), z[0, 1] + 1]
    total, columns, products, some, every, one = function([z], outputs, mode=PLAIN)(value)
    np.testing.assert_allclose(total, value.sum())
    np.testing.assert_allclose(columns, value.sum(axis=0))
    np.testing.assert_allclose(products, value.prod(axis=1))
    np.testing.assert_array_equal(some, [True, True, True])
    assert every
    assert one == 1 - 3j


def test_a_row_that_is_missing() -> None:
    x = TensorType("float64", (None,))("x")
    SCALARS["half"] = SCALARS["neg"]._replace(name="half", function=lambda v: v / 2, dtypes=_own)
    try:
        with pytest.warns(PythonFallbackWarning, match="Add a row to weft_numba.scalars.TABLE"):
            f = function([x], Elemwise("half")(x), mode=PLAIN)
        assert f([3.0]).tolist() == [1.5]
    finally:
        del SCALARS["half"]


def _own(dtypes: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    return dtypes, dtypes[0]
