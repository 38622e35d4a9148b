"""What one side of a choice alone needs, and takes long, is computed where that side is taken."""

from __future__ import annotations

import re

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function
from weft_numba.inspection import llvm_code

A, B, X = np.array([2.0, 3.0, 0.5, 700.0]), np.array([1.5, 4.0, 2.0, 900.0]), np.array(0.4)


def variables() -> tuple[wt.TensorVariable, wt.TensorVariable, wt.TensorVariable]:
    return wt.vector("a"), wt.vector("b"), wt.scalar("x")


def test_both_sides_are_behind_branches() -> None:
    a, b, x = variables()
    low, high = wt.special.betainc(a, b, x), wt.special.gammainc(a, b)
    nested = wt.where(a > 2, wt.where(b > 3, 1 - low, wt.exp(high)), 0.25)
    f = function([a, b, x], nested, mode="numba")
    before_first_call = llvm_code(f).split("call double @weft_special")[0]
    assert before_first_call.count("br i1") > before_first_call.count("loop_")  # more than loops
    np.testing.assert_allclose(f(A, B, X), function([a, b, x], nested)(A, B, X), rtol=1e-14)


def test_what_both_sides_or_the_condition_need_is_computed_once() -> None:
    a, b, x = variables()
    share = wt.special.betainc(a, b, x)
    for result in (wt.where(a > 2, share, -share), wt.where(share > 0.5, share, 0.0)):
        f = function([a, b, x], result, mode="numba")
        code = llvm_code(f)
        assert code.count("call double @weft_special") == 1
        assert "phi double" not in code
        np.testing.assert_allclose(f(A, B, X), function([a, b, x], result)(A, B, X), rtol=1e-14)


def test_places_out_of_bounds_are_refused_on_the_side_that_is_not_taken() -> None:
    a, b, x = variables()
    i = wt.vector("i", dtype="int64")
    result = wt.where(a > 1e9, wt.special.betainc(a[i], b, x), 0.0)
    f = function([a, b, x, i], result, mode="numba")
    np.testing.assert_array_equal(f(A, B, X, np.array([3, 2, 1, 0])), np.zeros(4))
    with pytest.raises(IndexError):
        f(A, B, X, np.array([3, 2, 1, 4]))


def test_choices_of_complex_numbers_and_of_float32() -> None:
    z, a = wt.vector("z", dtype="complex128"), wt.vector("a", dtype="float32")
    results = [
        wt.where(wt.real(z) > 0, wt.special.gamma(z), z),
        wt.where(a > 1, wt.special.j0(a), a),
    ]
    values = [np.array([1.5 + 1j, -2.5 - 1j]), np.array([0.5, 2.5], "float32")]
    for v, result, value in zip((z, a), results, values, strict=True):
        f = function([v], result, mode="numba")
        assert "phi" in llvm_code(f)
        assert f(value).dtype == result.dtype
        np.testing.assert_allclose(f(value), function([v], result)(value), rtol=1e-6)


@pytest.mark.parametrize("x", [0.0, 1e-12, 0.01, 0.4, 0.6, 1 - 1e-12, 1.0, -1.0, np.nan])
def test_betaincc_is_scipys(x: float) -> None:
    a, b, v = variables()
    shapes = np.array([0.0, 1e-12, 0.01, 0.5, 3.0, 50.0, 400.0, 1e5, 1e12, np.inf, -1.0, np.nan])
    values = [m.ravel() for m in np.meshgrid(shapes, shapes)]
    f = function([a, b, v], wt.special.betaincc(a, b, v), mode="numba")
    right = function([a, b, v], wt.special.betaincc(a, b, v))(*values, x)
    np.testing.assert_allclose(f(*values, x), right, rtol=3e-13, atol=1e-300)


@pytest.mark.parametrize(("name", "loops"), [("hyperu", 3), ("wright_bessel", 2)])
def test_choices_by_one_condition_are_one_branch(name: str, loops: int) -> None:
    """What the sums on its sides have in common is in one loop for each."""
    x = [wt.vector(k) for k in "abx"]
    text = llvm_code(function(x, getattr(wt.special, name)(*x), mode="numba"))
    code = text[text.index(f"@weft_sum_{name}_double(double %p0") :]
    assert len(re.findall(r"(?m)^loop_weft_sum_", code[: code.index("\n}")])) == loops
