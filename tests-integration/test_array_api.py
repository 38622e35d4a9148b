"""`x.__array_namespace__()` is the Python array API standard, as NumPy's namespace is."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest

import weft.tensor as wt
from weft_testing import Case, case, check_function

xp: Final[Any] = wt.constant(1.0).__array_namespace__()
STANDARD: Final = """
__array_namespace_info__ abs acos acosh add all any arange argmax argmin argsort asarray asin asinh
astype atan atan2 atanh bitwise_and bitwise_invert bitwise_left_shift bitwise_or bitwise_right_shift
bitwise_xor bool broadcast_arrays broadcast_to can_cast ceil clip complex128 complex64 concat conj
copysign cos cosh count_nonzero cumulative_prod cumulative_sum diff divide e empty empty_like equal
exp expand_dims expm1 eye finfo flip float32 float64 floor floor_divide from_dlpack full full_like
greater greater_equal hypot iinfo imag inf int16 int32 int64 int8 isdtype isfinite isinf isnan less
less_equal linspace log log10 log1p log2 logaddexp logical_and logical_not logical_or logical_xor
matmul matrix_transpose max maximum mean meshgrid min minimum moveaxis multiply nan negative newaxis
nextafter nonzero not_equal ones ones_like permute_dims pi positive pow prod real reciprocal
remainder repeat reshape result_type roll round searchsorted sign signbit sin sinh sort sqrt square
squeeze stack std subtract sum take take_along_axis tan tanh tensordot tile tril triu trunc uint16
uint32 uint64 uint8 unique_all unique_counts unique_inverse unique_values unstack var vecdot where
zeros zeros_like
"""

m = np.array([[0.5, -0.25, 1.0], [0.75, 0.0, -1.0]])
v, w = np.array([3, 1, 2, 1]), np.array([2, 2, 1, 3])
t = np.array([True, False, True])
square = np.array([[1.0, 2.0], [3.0, 4.0]])
positive = np.array([[4.0, 2.0], [2.0, 5.0]])

ONE: Final = """
abs asin asinh atan atanh ceil cos cosh exp expm1 floor isfinite isinf isnan log1p negative
positive round sign signbit sin sinh square tan tanh trunc nonzero max min argmax argmin sum
prod mean count_nonzero diff flip permute_dims empty_like ones_like zeros_like unique_values
"""
TWO: Final = """
add copysign divide equal greater greater_equal hypot less less_equal logaddexp maximum minimum
multiply nextafter not_equal subtract atan2 stack concat broadcast_arrays
"""
WHOLE: Final = """
bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift floor_divide remainder
pow vecdot meshgrid
"""

CASES: Final[dict[str, list[Case]]] = {
    **{name: [case(m), case(m.astype("float32")), case(m[0])] for name in ONE.split()},
    **{name: [case(m, m[::-1]), case(m.astype("float32"), m)] for name in TWO.split()},
    **{name: [case(v, w), case(v.astype("int8"), w.astype("int8"))] for name in WHOLE.split()},
    **{name: [case(t, t[::-1])] for name in ("logical_and", "logical_or", "logical_xor")},
    **{name: [case(m + 2.0)] for name in ("acosh", "log", "log10", "log2", "sqrt", "reciprocal")},
    **{name: [case(m + 1j)] for name in ("real", "imag", "conj")},
    **{name: [case(v), case(v[:0])] for name in ("unique_all", "unique_counts", "unique_inverse")},
    **{name: [case(square), case(square, k=1)] for name in ("tril", "triu")},
    "acos": [case(m)],
    "all": [case(t), case(m, axis=0), case(m, axis=1, keepdims=True)],
    "any": [case(t), case(m, axis=0)],
    "arange": [case(5), case(1, 7, 2), case(0.0, 1.0, 0.25), case(3, dtype="float32")],
    "argsort": [case(v, stable=True), case(m, axis=0)],
    "asarray": [case(m), case(v, dtype="float32")],
    "astype": [case(m, "int64")],
    "bitwise_invert": [case(v), case(t)],
    "broadcast_to": [case(m[0], (2, 3))],
    "clip": [case(m, min=0.0), case(m, -0.5, 0.5)],
    "cumulative_prod": [case(v), case(m, axis=0, include_initial=True)],
    "cumulative_sum": [case(v, include_initial=True), case(m, axis=1), case(m)],
    "empty": [case((0, 3))],
    "expand_dims": [case(m, axis=1)],
    "eye": [case(3), case(2, 3, k=1, dtype="float32")],
    "full": [case((2, 3), 7), case((2,), 1.5, dtype="float32")],
    "full_like": [case(m, 3)],
    "linspace": [case(0.0, 1.0, 5), case(0.0, 1.0, 4, endpoint=False, dtype="float32")],
    "logical_not": [case(t)],
    "matmul": [case(square, m), case(m, m[0])],
    "matrix_transpose": [case(m)],
    "moveaxis": [case(m, 0, 1)],
    "ones": [case((2, 2)), case(3, dtype="int32")],
    "repeat": [case(v, 2), case(m, 2, axis=0)],
    "reshape": [case(m, (3, 2)), case(m, (-1,))],
    "roll": [case(m, 1, axis=1)],
    "searchsorted": [case(np.sort(v), w), case(np.sort(v), w, side="right")],
    "sort": [case(v), case(m, axis=0)],
    "squeeze": [case(m[None], axis=0)],
    "std": [case(m), case(m, axis=0, correction=1.0, keepdims=True)],
    "take": [case(m, np.array([0, 2]), axis=1)],
    "take_along_axis": [case(m, np.array([[0], [2]]), axis=1)],
    "tensordot": [case(square, m, axes=1)],
    "tile": [case(v, (2,))],
    "var": [case(m), case(m, axis=1, correction=1.0)],
    "where": [case(t, m, 0.0)],
    "zeros": [case((2, 0)), case(2, dtype="bool")],
}


def test_all_of_the_standard_is_there_or_impossible() -> None:
    missing = {name for name in STANDARD.split() if not hasattr(xp, name)}
    assert missing == {"from_dlpack"}
    assert set(xp.NAMES) == set(STANDARD.split()) - missing
    assert set(dir(xp)) >= set(xp.NAMES)
    for name in xp.IMPOSSIBLE:
        with pytest.raises(AttributeError, match=r"no value yet|the backend|x\[i\].set"):
            getattr(xp, name)
    functions = {name for name in xp.NAMES if callable(getattr(xp, name))}
    of_dtypes = {"can_cast", "finfo", "iinfo", "isdtype", "result_type", "__array_namespace_info__"}
    assert functions - of_dtypes - {"unstack"} == set(CASES)


@pytest.mark.cases(25)
@pytest.mark.parametrize("name", CASES)
def test_each_is_numpys(name: str, few: Any) -> None:
    zeros: dict[str, Any] = {"empty": np.zeros, "empty_like": np.zeros_like}
    reference = zeros.get(name) or getattr(np, name)
    backends = few(["numba", "py", "jax"], 1)
    assert check_function(getattr(xp, name), reference, CASES[name], backends) > 0


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_descending_order_keeps_equal_elements_in_order(mode: str) -> None:
    x = wt.vector("x")
    space = x.__array_namespace__()
    results = [space.sort(x, descending=True), space.argsort(x, descending=True)]
    f = wt.function([x], results, mode=mode)
    ordered, places = f([1.0, 3.0, 2.0, 3.0])
    assert ordered.tolist() == [3.0, 3.0, 2.0, 1.0]
    assert places.tolist() == [1, 3, 2, 0]


def test_code_for_any_namespace() -> None:
    def standardised(values: Any) -> Any:
        space = values.__array_namespace__()
        centred = values - space.mean(values, axis=0, keepdims=True)
        return centred / space.std(values, axis=0, correction=1, keepdims=True)

    x = wt.matrix("x")
    np.testing.assert_allclose(standardised(x).eval({x: square}), standardised(square))


LINALG: Final = {
    "cholesky": [case(positive), case(positive, upper=True)],
    "cross": [case(m, m + 1), case(m.T, m.T + 1, axis=0)],
    "det": [case(square)],
    "diagonal": [case(m), case(m, offset=1)],
    "eigvalsh": [case(positive)],
    "inv": [case(square)],
    "matmul": [case(square, m)],
    "matrix_norm": [case(m), case(m, ord=1, keepdims=True)],
    "matrix_power": [case(square, 3)],
    "matrix_rank": [case(m), case(m, rtol=1e-3)],
    "matrix_transpose": [case(m)],
    "outer": [case(v, w)],
    "pinv": [case(m), case(m, rtol=1e-3)],
    "slogdet": [case(square)],
    "solve": [case(square, m)],
    "svdvals": [case(m)],
    "tensordot": [case(square, m, axes=1)],
    "trace": [case(square), case(square, offset=1)],
    "vecdot": [case(m, m + 1)],
    "vector_norm": [case(m), case(m, axis=0, ord=1, keepdims=True)],
}


@pytest.mark.parametrize("name", LINALG)
def test_linear_algebra_is_numpys(name: str) -> None:
    compute, reference = getattr(xp.linalg, name), getattr(np.linalg, name)
    assert check_function(compute, reference, LINALG[name], ["py"]) == len(LINALG[name])


def test_factors_have_the_names_of_the_standard() -> None:
    assert xp.linalg.eigh(positive)._fields == ("eigenvalues", "eigenvectors")
    assert xp.linalg.qr(m, mode="complete")._fields == ("Q", "R")
    assert xp.linalg.slogdet(square)._fields == ("sign", "logabsdet")
    assert xp.linalg.svd(m, full_matrices=False)._fields == ("U", "S", "Vh")


def test_unstacked_is_what_has_a_known_length() -> None:
    x = wt.matrix("x", shape=(2, None))
    _, second = xp.unstack(x)
    assert second.eval({x: m}).tolist() == m[1].tolist()
    with pytest.raises(TypeError, match="unstack: the length of axis 0 of <x"):
        xp.unstack(wt.matrix("x"))


def test_dtypes() -> None:
    x = wt.vector("x", dtype="float32")
    assert x.dtype == xp.float32
    assert xp.result_type(x, xp.float64) == xp.float64
    assert xp.result_type(x, 2.0) == xp.float32
    assert xp.can_cast(x, xp.float64)
    assert not xp.can_cast(xp.float64, x.dtype)
    assert xp.finfo(x).bits == 32
    assert xp.iinfo(xp.int8).max == 127
    info: Any = xp.__array_namespace_info__()
    assert set(info.dtypes(kind="unsigned integer")) == {"uint8", "uint16", "uint32", "uint64"}
    assert (info.devices(), info.default_device()) == ([None], None)
    assert info.capabilities()["boolean indexing"]


def test_what_can_not_be_chosen() -> None:
    x = wt.matrix("x")
    with pytest.raises(ValueError, match=r"device='cpu' can't be chosen here"):
        xp.zeros(3, device="cpu")
    with pytest.raises(ValueError, match=r"the array API is that of 2024\.12, not 2021\.12"):
        x.__array_namespace__(api_version="2021.12")
    with pytest.raises(ValueError, match=r"which axis of <x : .*> to go along"):
        xp.cumulative_sum(x)
    with pytest.raises(AttributeError, match="has no attribute 'cumsum'"):
        xp.cumsum  # noqa: B018
