"""How many digits products keep: all, unless JAX was told otherwise."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import Variable, function

A, B = wt.matrix("A", "float32"), wt.matrix("B", "float32")
PRODUCTS = [A @ B, wt.nn.conv(A[None, None], B[None, None]), wt.convolve(A[0], B[0])]


@pytest.mark.parametrize("product", PRODUCTS, ids=["matmul", "conv", "convolve"])
def test_products_keep_all_digits_by_default(product: Variable) -> None:
    values = [np.ones((3, 3), "float32")] * 2
    f = function([A, B], product, mode="jax")
    assert "HIGHEST" in f.lower_text("jaxpr", *values)
    with jax.default_matmul_precision("tensorfloat32"):
        assert "HIGHEST" not in f.lower_text("jaxpr", *values)
        assert function([A, B], product, mode="jax")(*values).dtype == "float32"
