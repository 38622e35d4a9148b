"""Ops of other packages that have no machine code run in Python, between compiled segments."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

import weft.tensor as wt
from weft_graph import OpFromGraph, function, grad
from weft_jax import wrap_jax
from weft_tensor import Mesh, psum, shard_map

x, y = wt.vector("x", shape=("n",)), wt.vector("y", shape=("n",))
XS, YS = np.array([0.5, -1.5, 2.0]), np.array([1.0, 2.0, 4.0])


@wrap_jax
def softened(values: Any, power: int = 1) -> Any:
    return {"log": jnp.logaddexp(values, 0.0), "sum": jnp.sum(values**power)}


def parts(f: Any) -> list[str]:
    return [part.by for part in f.segments]


def test_jax_functions_and_their_gradients() -> None:
    found = softened(wt.sin(x) * y, power=2)
    cost = (found["log"] * y).sum() + found["sum"]
    outputs = [found, cost, *grad(cost, [x, y])]
    compiled = function([x, y], outputs, mode="numba")
    expected = function([x, y], outputs, mode="py")(XS, YS)
    results = compiled(XS, YS)
    for result, wanted in zip(
        [*results[0].values(), *results[1:]], [*expected[0].values(), *expected[1:]], strict=True
    ):
        assert (type(result), result.dtype, result.shape) == (np.ndarray, "float64", wanted.shape)
        np.testing.assert_allclose(result, wanted, rtol=1e-12)
    assert parts(compiled)[::2] == ["numba"] * len(parts(compiled)[::2])
    assert set(parts(compiled)[1::2]) == {"py"}


def test_a_jax_function_in_a_graph_of_its_own() -> None:
    op = OpFromGraph([x], [wt.exp(softened(x)["log"])], inline=False)
    f = function([x], grad(op(wt.cos(x)).sum(), x), mode="numba")
    np.testing.assert_allclose(f(XS), -np.exp(np.cos(XS)) * np.sin(XS), rtol=1e-12)


def test_an_error_of_a_jax_function_names_the_node() -> None:
    fails = wrap_jax(lambda values: values[jnp.newaxis], out=wt.vector().type)
    f = function([x], fails(wt.exp(x)) + 1.0, mode="numba")
    with pytest.raises(TypeError, match="as `out` says") as caught:
        f(XS)
    assert "while computing wrap_jax" in "".join(caught.value.__notes__)


def test_shard_map() -> None:
    mapped = shard_map(lambda part: psum(wt.exp(part), "i"), Mesh(i=3), [("i",)], None)
    f = function([x], wt.log(mapped(x * 3.0)), mode="numba")
    np.testing.assert_allclose(f(XS), [np.log(np.exp(3.0 * XS).sum())], rtol=1e-12)
    assert parts(f) == ["numba", "py", "numba"]
