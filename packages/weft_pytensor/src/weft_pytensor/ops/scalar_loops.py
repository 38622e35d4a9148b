"""Loops for each element, by which PyTensor writes slopes of special functions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import numpy as np
from pytensor.graph.basic import equal_computations
from pytensor.graph.op import Op
from pytensor.graph.traversal import ancestors
from pytensor.scalar.basic import ScalarType
from pytensor.scalar.loop import ScalarLoop
from pytensor.scalar.math import betainc_grad

import weft_tensor as wt
from weft_graph import Constant, grad
from weft_pytensor.convert.graphs import converted
from weft_pytensor.convert.table import register_names
from weft_tensor import TensorVariable

_SUBTRACT: Final = wt.subtract(1.0, wt.scalar("x", "float64")).op


@register_names("ScalarLoop")
def scalar_loop(op: Op, n_steps: TensorVariable, *inputs: TensorVariable) -> list[TensorVariable]:
    """A loop for each element, which ends for itself; that of `betainc`'s slopes is Weft's own."""
    count = len(op.outputs) - op.is_while
    declared = [v.astype(i.dtype) for v, i in zip(inputs, op.fgraph.inputs, strict=True)]
    for k, loop in enumerate(_betainc_loops()):
        if _is_same(op, loop):
            *_, odds, p, q, _, _ = declared
            return [_betainc_slope(k, odds, p, q), *declared[1:count], wt.constant(True)]

    def once(most: TensorVariable, *values: TensorVariable) -> tuple[TensorVariable, ...]:
        def step(states: Sequence[TensorVariable]) -> list[TensorVariable]:
            value_of = dict(zip(op.fgraph.inputs, (*states[:count], *values[count:]), strict=True))
            return converted(op.fgraph.outputs, value_of)

        first = list(values[:count])
        if not op.is_while:
            return tuple(wt.fori_loop(0, most, lambda _, states: step(states), first))
        ended = wt.zeros((), dtype="bool")
        *states, ended = wt.while_loop(lambda s: ~s[-1], step, [*first, ended], most)
        return (*states, wt.logical_or(ended, most <= 0))

    return wt.vectorize(once)(n_steps, *declared)


@cache
def _betainc_loops() -> list[Any]:
    """PyTensor's loops for the slopes of `betainc(p, q, x)` in p and in q."""
    p, q, x = [ScalarType("float64")(name) for name in "pqx"]
    nodes = [v.owner for v in ancestors([betainc_grad(p, q, x, True)]) if v.owner]
    loop_of = {n.inputs[-4]: n.op for n in nodes if isinstance(n.op, ScalarLoop)}
    return [loop_of[p], loop_of[q]]  # that in q is used where 1 - x is less than x


def _is_same(op: Any, other: Any) -> bool:
    one, two = op.fgraph, other.fgraph
    return len(one.inputs) == len(two.inputs) and bool(
        equal_computations(one.outputs, two.outputs, one.inputs, two.inputs)
    )


def _betainc_slope(
    k: int, odds: TensorVariable, p: TensorVariable, q: TensorVariable
) -> TensorVariable:
    """The slope of `betainc(p, q, x)` in p or q, by Weft's row; `odds` are q x / (p (1 - x)).

    PyTensor writes it for 1 - x as well, and chooses: both are written alike here.
    """
    x = _share(odds, p, q)
    if x.op is _SUBTRACT:
        one, y = x.inputs
        if isinstance(one.op, Constant) and np.all(one.op.value == 1):
            return -_betainc_slope_at(1 - k, q, p, y)
    return _betainc_slope_at(k, p, q, x)


def _betainc_slope_at(k: int, *arguments: TensorVariable) -> TensorVariable:
    whole = wt.broadcast_arrays(*arguments)
    full = [v.named(name) for v, name in zip(whole, "pqx", strict=True)]  # p may be q
    slope: TensorVariable = grad(wt.sum(wt.special.betainc(*full)), full[k])
    return slope


def _share(odds: TensorVariable, p: TensorVariable, q: TensorVariable) -> TensorVariable:
    """x, as PyTensor wrote it where that is to be seen."""
    if odds.op is (p / q).op:
        numerator, denominator = odds.inputs
        for x in numerator.inputs:
            for y in denominator.inputs:
                if y.op is _SUBTRACT and y.inputs[1] is x:
                    return x
    return p * odds / (p * odds + q)
