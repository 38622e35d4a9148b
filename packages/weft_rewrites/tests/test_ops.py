"""Every Op's own examples, with gradients and lengths, have the same values after rewriting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import Mode, Op, UndefinedGradientError, Variable, function, grad
from weft_graph.extend import import_all
from weft_rewrites import books


def op_classes(base: type[Op]) -> Iterator[type[Any]]:
    """The classes of weft_tensor that nothing there is derived from."""
    for kind in base.__subclasses__():
        derived = list(op_classes(kind))
        if kind.__module__.startswith("weft_tensor.") and not derived:
            yield kind
        yield from derived


def cases() -> Iterator[Any]:
    import_all()
    for kind in dict.fromkeys(op_classes(wt.TensorOp)):
        for number, (op, values) in enumerate(kind.examples()):
            yield pytest.param(op, values, id=f"{kind.__name__} {number}")


RIGHT = Mode("py", books=books).excluding("square(x) - square(y) = (x - y) * (x + y)")
"""Without what computes where squares overflow: these cases have such numbers."""


def outputs_of(op: Any, inputs: list[Any], with_slopes: bool = True) -> list[Any]:
    made = op(*inputs)
    results: list[Any] = [made] if isinstance(made, Variable) else list(made)
    outputs = results + [wt.Length(a)(v) for v in results for a in range(v.ndim)]
    cost = wt.constant(0.0)
    for v in results:
        if v.type.differentiable:
            cost = cost + wt.abs(wt.square(wt.abs(v)) - v).sum().astype("float64")
    wrt = [v for v in inputs if v.type.differentiable and with_slopes]
    try:
        gradients = grad(cost, wrt, disconnected_inputs="ignore") if wrt else []
    except UndefinedGradientError:
        gradients = []
    return outputs + gradients


@pytest.mark.cases(200)
@pytest.mark.parametrize("static", [False, True], ids=["unknown lengths", "known lengths"])
@pytest.mark.parametrize(("op", "values"), list(cases()))
def test_rewriting_keeps_what_ops_compute(
    op: Any, values: list[Any], static: bool, few: Any
) -> None:
    """In the quick run, slopes of slopes that are sums are of few Ops."""
    arrays = [np.asarray(v) for v in values]
    inputs = [
        wt.TensorType(a.dtype, a.shape if static else [None] * a.ndim)(f"x{i}")
        for i, a in enumerate(arrays)
    ]
    is_drawn = "_slope" not in str(op) or few([*[False] * 5, True], 1)[-1]
    outputs = outputs_of(op, inputs, is_drawn)
    with np.errstate(all="ignore"):
        before = function(inputs, outputs, mode=Mode("py", books=[]))(*arrays)
        after = function(inputs, outputs, mode=RIGHT)(*arrays)
    for old, new in zip(before, after, strict=True):
        assert old.dtype == new.dtype
        rtol = 1e-4 if old.dtype in ("float32", "complex64") else 1e-9
        np.testing.assert_allclose(new, old, rtol=rtol, atol=rtol)
