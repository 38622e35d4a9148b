"""Derivatives of steps are zeros, in both modes; what is not connected at all is an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import DisconnectedInputError, function, grad, pullback, pushforward, stop_gradient

MODES = pytest.mark.parametrize("mode", ["py", "numba", "jax"])
STEPS: dict[str, Callable[[Any], Any]] = {
    "floor": wt.floor,
    "ceil": wt.ceil,
    "trunc": wt.trunc,
    "rint": wt.rint,
    "sign": wt.sign,
    "floor division": lambda x: x // 2,
    "a number divided": lambda x: 7.0 // x,
    "comparison": lambda x: (x > 1).astype("float64"),
    "isnan": lambda x: wt.isnan(x) * 1.0,
    "integer and back": lambda x: x.astype("int64").astype("float64"),
    "sum of bools": lambda x: (x * x > 1).sum() / 2,
    "count": lambda x: wt.count_nonzero(x).astype("float64"),
    "position": lambda x: wt.argmax(x) * 1.0,
    "order": lambda x: wt.argsort(x) * 1.0,
    "choice": lambda x: wt.where(x > 1, 2.0, 3.0),
    "branch": lambda x: wt.ifelse(x.sum() > 1, 2.0, 3.0),
    "index": lambda x: wt.constant([1.0, 2.0, 3.0])[x.astype("int64")],
    "length": lambda x: wt.arange(x.sum().astype("int64")).sum() * 1.0,
    "map": lambda x: wt.map(lambda v: wt.floor(v), x),
    "sign bit": lambda x: wt.copysign(2.0, x),
}


@MODES
def test_steps(mode: str) -> None:
    x, t = wt.vector("x"), wt.vector("t")
    outputs: list[Any] = []
    for step in STEPS.values():
        y = step(x)
        tangent = pushforward(y, x, t)
        assert tangent.type.accepts(y.type)
        outputs += [y, grad(y.sum(), x), pullback(y, x, wt.ones_like(y))[0], tangent]
    found = iter(function([x, t], outputs, mode=mode)([0.5, 1.5, 2.25], [1.0, 2.0, 3.0]))
    for name in STEPS:
        value, slope, back, ahead = (next(found) for _ in range(4))
        for zero, shape in ((slope, (3,)), (back, (3,)), (ahead, value.shape)):
            np.testing.assert_array_equal(zero, np.zeros(shape), name, strict=True)


@MODES
def test_integers_and_bools_stand_still(mode: str) -> None:
    x = wt.vector("x", shape=("n",))
    n, mask = wt.vector("k", dtype="int32", shape=("n",)), wt.vector("m", dtype="bool")
    cost = (x * n).sum() + (wt.where(mask, x, n)).sum()
    by_n, by_mask = grad(cost, [n, mask])
    assert (by_n.dtype, by_mask.dtype) == ("int32", "bool")
    ahead = pushforward(cost, [x, n], [wt.ones_like(x), wt.ones_like(n)])
    given = np.ones(2), np.array([3, 4], "int32"), np.array([True, False])
    zeros, false, moved = function([x, n, mask], [by_n, by_mask, ahead], mode=mode)(*given)
    np.testing.assert_array_equal(zeros, np.zeros(2, "int32"), strict=True)
    np.testing.assert_array_equal(false, np.zeros(2, bool), strict=True)
    assert moved == 3 + 4 + 1


def test_what_is_not_connected() -> None:
    x, y = wt.vector("x"), wt.vector("y")
    unconnected: list[Any] = [
        y.sum(),
        y.sum() * x.shape[0],
        wt.zeros_like(x).sum() + y.sum(),
        stop_gradient(wt.floor(x)).sum(),
        wt.check_and_raise(y, x > 0, ValueError, "not positive").sum(),
    ]
    for cost in unconnected:
        with pytest.raises(DisconnectedInputError, match=r"<x : float64\[\?\]>"):
            grad(cost, x)
        with pytest.raises(DisconnectedInputError):
            pushforward(cost, x, x)
    with pytest.raises(DisconnectedInputError, match="is cut at <floor"):
        grad(wt.floor(x).sum(), x, consider_constant=[wt.floor(x)])
