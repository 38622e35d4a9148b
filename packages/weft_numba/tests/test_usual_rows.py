"""Short forms of usual numbers give what whole ones do, whatever stands beside a number."""

from __future__ import annotations

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import Mode, Variable, function
from weft_numba import NumbaLinker
from weft_numba.inspection import llvm_code
from weft_numba.ir.vector_math import lengths
from weft_tensor import Elemwise, TensorType
from weft_tensor.extend import SCALARS

NAMES = sorted(name for name, row in SCALARS.items() if row.usual)
PLAIN = Mode(NumbaLinker(), books=[])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_stands_beside_a_number_does_not_count(dtype: str) -> None:
    assert {"gammaln", "digamma", "betaln", "erfinv", "erfcinv"} <= {*NAMES}
    xs = [TensorType(dtype, (None,))(f"x{k}") for k in range(2)]
    outputs = [Elemwise(name)(*xs[: SCALARS[name].arity]) for name in NAMES]
    f = function(xs, outputs, mode=PLAIN)
    assert [name for name in NAMES if f"@weft_{name}_" not in llvm_code(f)] == []
    rng = np.random.default_rng(0)
    for k, name in enumerate(NAMES):
        for usual in SCALARS[name].usual:
            low, high = max(usual.low, -30.0), min(usual.high, 30.0)
            drawn = [rng.uniform(low, high, 256).astype(dtype).clip(low, high) for _ in xs]
            for x in drawn:
                x[:2] = usual.low, usual.high
            short = f(*drawn)[k]
            mixed = [np.stack([x, np.full_like(x, np.nan)], 1).ravel() for x in drawn]
            whole = f(*mixed)[k][::2]
            np.testing.assert_array_equal(short, whole, name)
            assert not np.isnan(short[2:]).any(), name


def test_vectors_are_of_this_machine() -> None:
    x = TensorType("float64", (None,))("x")
    code = llvm_code(function([x], Elemwise("gammaln")(x), mode=PLAIN))
    assert all(f"@weft_gammaln_double_{lanes}(" in code for lanes in lengths(64))
    exact = function([x], Elemwise("gammaln")(x), mode=Mode(NumbaLinker(exact=True), books=[]))
    assert "@weft_gammaln" not in llvm_code(exact)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_is_computed_many_times_is_one_function(dtype: str) -> None:
    x = TensorType(dtype, (None,))("x")

    def total(count: int) -> Variable:
        return sum([wt.tanh(x * k) for k in range(2, count)], x)

    few, many = (function([x], total(count), mode=PLAIN) for count in (4, 30))
    value = np.linspace(-0.5, 1.5, 21).astype(dtype)
    rest = sum([np.tanh(value * k) for k in range(4, 30)])
    tolerance = 1e-5 if dtype == "float32" else 1e-13
    np.testing.assert_allclose(many(value), few(value) + rest, rtol=tolerance)
    assert "@weft_tanh_" not in llvm_code(few)
    assert "@weft_tanh_" in llvm_code(many)
