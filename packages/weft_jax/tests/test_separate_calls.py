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


def chain(x: Any, step: Callable[[Any], Any], number: int) -> list[Variable]:
    y = x
    for _ in range(number):
        y = step(y)
    return [y, grad(wt.sum(y), x)]


def cheap(y: Any) -> Any:
    return wt.tanh(y * 1.01) + wt.sin(y) * wt.exp(-y * y)


def calls(outputs: list[Variable], x: Any) -> int:
    f = as_jax(function([x], outputs, mode="jax"))
    with enable_x64(True):
        return jax.jit(f).lower(X).as_text().count("call @weft_separate")


@pytest.mark.parametrize("shape", [(None,), (70,)])
def test_a_chain_of_cheap_states(shape: Any) -> None:
    """In functions that JAX transforms, too."""
    x = wt.vector("x", shape=shape)
    outputs = chain(x, cheap, 20)
    assert calls(outputs, x) > 2
    found = function([x], outputs, mode="jax")(X)
    wanted = function([x], outputs, mode="py")(X)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-14)
    with enable_x64(True):
        slope = jax.grad(lambda v: as_jax(function([x], outputs, mode="jax"))(v)[0].sum())(X)
    np.testing.assert_allclose(slope, wanted[1], rtol=1e-10, atol=1e-14)


def test_states_that_are_stored_anyhow() -> None:
    """Or are what nothing else reads, as in a chain of exp."""
    x = wt.vector("x")
    assert calls(chain(x, lambda y: y + 0.1 * wt.tanh(y), 40), x) == 0
    assert calls(chain(x, wt.tanh, 120), x) == 0


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
