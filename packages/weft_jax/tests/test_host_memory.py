"""What is done on a GPU, that results and lengths are soon on the host, done on a CPU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function
from weft_jax.runtime import call, host_memory, near_results, runtime_checks

X, K = wt.vector("x"), wt.vector("k", "int64")
VALUES = np.array([2.0, -1.0, 0.5])


@pytest.fixture(autouse=True)
def _as_on_a_gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for module in (call, host_memory, near_results, runtime_checks):
        monkeypatch.setattr(module, "is_one_gpu", lambda: True)
    with jax.enable_x64(True):
        yield


@pytest.mark.parametrize("convert", [np.asarray, jnp.asarray])
def test_results_and_errors(convert: Any) -> None:
    f = function([X, K], [wt.exp(X)[K], X.sum()], mode="jax")
    found, total = f(convert(VALUES), convert(np.array([0, -1])))
    np.testing.assert_allclose(found, np.exp([2.0, 0.5]))
    assert float(total) == 1.5
    with pytest.raises(IndexError, match="out of bounds"):
        f(convert(VALUES), convert(np.array([0, 3])))


@pytest.mark.cases(0)
@pytest.mark.parametrize("convert", [np.asarray, jnp.asarray])
def test_lengths_that_depend_on_values(convert: Any) -> None:
    chosen = X[X > 0]
    f = function([X, K], [chosen, chosen[K], wt.nonzero(X < 0)[0]], mode="jax")
    for values in (VALUES, VALUES[:1], np.tile(VALUES, 3)):
        found = f(convert(values), convert(np.array([0])))
        positive = values[values > 0]
        for one, right in zip(
            found, [positive, positive[:1], np.flatnonzero(values < 0)], strict=True
        ):
            np.testing.assert_array_equal(one, right)
    with pytest.raises(IndexError, match="out of bounds"):
        f(convert(VALUES), convert(np.array([2])))


def test_many_small_results() -> None:
    xs = [wt.scalar(f"x{k}") for k in range(5)]
    f = function(xs, [wt.exp(x) for x in xs], mode="jax")
    np.testing.assert_allclose(f(*range(5)), np.exp(np.arange(5.0)))
