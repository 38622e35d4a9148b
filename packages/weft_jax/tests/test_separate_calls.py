"""Functions that XLA would compute many times over are several calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import Variable, function, grad
from weft_jax import as_jax
from weft_jax.interop import as_jax as as_jax_module
from weft_jax.lowering.x64 import enable_x64
from weft_jax.runtime import traced

X = np.linspace(-1.0, 2.0, 70)


def chain(x: Any, step: Callable[[Any, Any], Any], number: int) -> list[Variable]:
    """The last state, and a sum of what others than the next state read."""
    y, total = x, x
    for _ in range(number):
        found = wt.tanh(y * 1.01)
        y, total = step(y, found), total + found
    return [y, total]


def cheap(y: Any, found: Any) -> Any:
    return wt.sin(y) + found


def calls(outputs: list[Variable], x: Any) -> int:
    f = as_jax(function([x], outputs, mode="jax"))
    with enable_x64(True):
        return jax.jit(f).lower(X).as_text().count("call @weft_separate")


@pytest.mark.parametrize("shape", [(None,), (70,)])
def test_a_chain_of_cheap_states(shape: Any) -> None:
    """In functions that JAX transforms, too."""
    x = wt.vector("x", shape=shape)
    outputs = chain(x, cheap, 40)
    assert calls(outputs, x) > 2
    found = function([x], outputs, mode="jax")(X)
    wanted = function([x], outputs, mode="py")(X)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-14)
    slopes = function([x], grad(wt.sum(outputs[1]), x), mode="py")(X)
    with enable_x64(True):
        found = jax.grad(lambda v: as_jax(function([x], outputs, mode="jax"))(v)[1].sum())(X)
    np.testing.assert_allclose(found, slopes, rtol=1e-10, atol=1e-14)


def test_slopes_of_sums_and_functions_of_several_steps() -> None:
    x = wt.vector("x")
    y = z = x
    for _ in range(40):
        y, z = wt.log1p(wt.square(y)) + wt.hypot(y, 1.0), (z - wt.mean(z)) * wt.exp(-z * z)
    for outputs in ([wt.sum(y), grad(wt.sum(y), x)], [wt.sum(z), grad(wt.sum(z * x), x)]):
        assert calls(outputs, x) > 2


def test_states_that_are_stored_anyhow() -> None:
    """Or do not depend on cheap ones."""
    x = wt.vector("x")
    assert calls(chain(x, lambda y, found: y + 0.1 * found, 60), x) == 0
    assert calls(chain(x, lambda y, found: wt.sin(found), 60), x) == 0


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (traced, as_jax_module):
        monkeypatch.setattr(module, "recomputes", lambda graph: True)


@pytest.mark.usefixtures("always", "nothing_recalled")
def test_whatever_is_computed() -> None:
    x, k = wt.vector("x"), wt.vector("k", "int64")
    drawn = wt.random.normal(wt.random.key(3), size=(4,))
    looped = wt.fori_loop(0, 3, lambda i, s: s * wt.sin(s), x)
    outputs = [x[x > 0], wt.cumsum(x)[k], drawn, looped, x, grad(wt.sum(looped), x)]
    f = function([x, k], outputs, mode="jax")
    values = X, np.array([3, -1, 0])
    for one, other in zip(f(*values), function([x, k], outputs, mode="py")(*values), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10)
    with pytest.raises(IndexError):
        f(X, np.array([70]))
