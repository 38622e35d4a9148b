"""Short forms of usual numbers give what whole ones do, whatever stands beside a number."""

from __future__ import annotations

import numpy as np
import pytest

from weft_graph import Mode, function
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
