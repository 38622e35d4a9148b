"""Kernels over the same rows run block by block, and give what they give one after another."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function, grad

x = wt.dmatrix("x")
y = wt.dvector("y")
Data = np.ndarray[Any, Any]


def standardized(x: Any) -> Any:
    return (x - x.mean(-1, keepdims=True)) / wt.sqrt(wt.var(x, axis=-1, keepdims=True) + 1e-5)


log_softmax = wt.log_softmax(x, axis=-1)
TOGETHER: dict[str, Any] = {
    "variance": wt.var(x, axis=-1),
    "softmax": wt.softmax(x, axis=-1),
    "standardized": standardized(x),
    "scaled": standardized(x) * y[:, None] + wt.cumsum(x, axis=1).max(axis=1)[:, None],
    "gradient": grad((log_softmax * log_softmax).sum(), x),
}
LAYOUTS: dict[str, Callable[[Data], Data]] = {
    "rows": lambda a: a,
    "columns": np.asfortranarray,
    "backwards": lambda a: a[::-1],
    "apart": lambda a: np.repeat(a, 2, axis=0)[::2],
}


@pytest.mark.cases(0)
@pytest.mark.parametrize("name", TOGETHER)
def test_blocks_of_rows_give_what_python_gives(name: str) -> None:
    given = [v for v in (x, y) if v in function([x, y], TOGETHER[name], mode="py").graph.order]
    blocks = function(given, TOGETHER[name], mode="numba")
    expected = function(given, TOGETHER[name], mode="py")
    assert "for " in blocks.source
    for shape in ((700, 150), (3, 40_000), (5, 4), (1, 1), (0, 3), (3, 1)):
        rng = np.random.default_rng(0)
        a, b = rng.normal(size=shape), rng.normal(size=shape[0])
        for layout in LAYOUTS.values():
            data = [layout(a), b][: len(given)]
            np.testing.assert_allclose(blocks(*data), expected(*data), rtol=1e-9, atol=1e-12)


def test_arrays_of_other_lengths_are_refused() -> None:
    scaled = function([x, y], standardized(x) * y[:, None], mode="numba")
    with pytest.raises(ValueError, match="broadcast"):
        scaled(np.ones((4, 3)), np.ones(3))
    np.testing.assert_array_equal(scaled(np.ones((4, 3)), np.ones(4)), np.zeros((4, 3)))


def test_what_is_read_as_a_whole_waits_for_the_last_block() -> None:
    soft = wt.softmax(x, axis=-1)
    both = [soft, soft @ soft.T, soft.sum(axis=0), wt.var(x, axis=-1)]
    data = np.random.default_rng(0).normal(size=(400, 300))
    for a, b in zip(
        function([x], both, mode="numba")(data), function([x], both, mode="py")(data), strict=True
    ):
        np.testing.assert_allclose(a, b, rtol=1e-10)


@pytest.mark.cases(0)
def test_blocks_of_one_kind_are_one_function() -> None:
    z: Any = x
    for _ in range(4):
        z = z @ standardized(z)
    blocks = function([x], [z, grad(z.sum(), x)], mode="numba")
    expected = function([x], [z, grad(z.sum(), x)], mode="py")
    assert "for " not in blocks.source
    for layout in LAYOUTS.values():
        a = layout(np.random.default_rng(0).normal(size=(6, 6)) / 3)
        for found, wanted in zip(blocks(a), expected(a), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)
