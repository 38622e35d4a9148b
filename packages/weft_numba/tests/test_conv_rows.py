"""Convolutions with one result for each part add up rows; others go by columns and BLAS."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function
from weft_tensor import Conv

KERNELS: dict[str, tuple[tuple[int, ...], tuple[int, ...], Conv]] = {
    "a row": ((2, 1, 1500), (1, 1, 6), Conv((1,), (1,), (1,))),
    "apart, between": ((1, 2, 40), (1, 2, 5), Conv((1,), (3,), (2,))),
    "steps": ((1, 1, 60), (1, 1, 5), Conv((2,), (1,), (1,))),
    "a column": ((1, 1, 30, 20), (1, 1, 9, 1), Conv((1, 1), (1, 1), (1, 1))),
    "wide": ((1, 1, 30, 40), (1, 1, 3, 7), Conv((2, 1), (1, 2), (1, 1))),
    "each channel": ((2, 3, 12, 30), (3, 1, 3, 4), Conv((1, 1), (2, 1), (1, 1), 3)),
    "few": ((1, 1, 9, 9), (1, 1, 3, 3), Conv((1, 1), (1, 1), (1, 1))),
    "results": ((1, 2, 20, 30), (4, 2, 3, 3), Conv((1, 1), (1, 1), (1, 1))),
    "space": ((1, 2, 6, 7, 24), (1, 2, 3, 2, 3), Conv((1, 1, 1), (1, 2, 1), (1, 1, 1))),
}


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "int64"])
@pytest.mark.parametrize("before", [0, -2])
def test_rows_and_columns(dtype: str, before: int) -> None:
    rng, inputs, outputs, values = np.random.default_rng(0), [], [], []
    for k, (x_shape, w_shape, op) in enumerate(KERNELS.values()):
        pair: list[Any] = [wt.tensor(f"{v}{k}", dtype, (None,) * len(x_shape)) for v in "xw"]
        lengths, kernel = np.array(x_shape[2:]), np.array(w_shape[2:])
        whole = (lengths - 1) * op.spread + 1 - 2 * before
        counts = (whole - (kernel - 1) * op.dilation - 1) // op.strides + 1
        places = [before] * len(kernel) + counts.tolist()
        outputs.append(op(*pair, *[wt.as_tensor(n) for n in places]))
        inputs += pair
        drawn = [rng.integers(-9, 9, shape).astype(dtype) for shape in (x_shape, w_shape)]
        values += [v * (1 + 1j) if dtype[0] == "c" else v for v in drawn]
    expected = function(inputs, outputs, mode="py")(*values)
    f = function(inputs, outputs, mode="numba")
    turned = [np.asfortranarray(v) for v in values]
    for given in (values, turned):
        for name, got, want in zip(KERNELS, f(*given), expected, strict=True):
            np.testing.assert_array_equal(got, want, name)
