"""Inner graphs, branches, checks and derivatives that stop."""

from __future__ import annotations

from functools import reduce

import numpy as np
from pytensor.graph.op import Op

import weft_tensor as wt
from weft_graph import Variable
from weft_graph import set_breakpoint as stop_in_debugger
from weft_pytensor.convert.graphs import converted
from weft_pytensor.convert.table import register, register_names
from weft_pytensor.convert.to_pytensor import WeftOp
from weft_tensor import TensorVariable


@register_names("OpFromGraph")
def inner_graph(op: Op, *inputs: TensorVariable) -> list[TensorVariable]:
    """What is in the Op, in its place."""
    return converted(op.fgraph.outputs, dict(zip(op.fgraph.inputs, inputs, strict=True)))


@register(WeftOp)
def own_graph(op: WeftOp, *inputs: TensorVariable) -> list[Variable]:
    """What went out comes in again."""
    return op.op.body(inputs)


@register_names("IfElse")
def ifelse(op: Op, condition: TensorVariable, *branches: TensorVariable) -> TensorVariable:
    """One of two lists of results."""
    then, otherwise = branches[: op.n_outs], branches[op.n_outs :]
    return wt.ifelse(wt.not_equal(condition, 0), list(then), list(otherwise))


@register_names("LazyIfElse")
def lazy_ifelse(op: Op, condition: TensorVariable, *inputs: TensorVariable) -> TensorVariable:
    """One of the lists of results of two graphs."""
    branches = [inner_graph(branch, *inputs) for branch in (op.true_branch, op.false_branch)]
    return wt.ifelse(wt.not_equal(condition, 0), *branches)


@register_names("CheckAndRaise")
def check(op: Op, x: TensorVariable, *conditions: TensorVariable) -> TensorVariable:
    """A value, under conditions; where PyMC says so, minus infinity instead of an error."""
    holding = [_holds(c) for c in conditions]
    if holding and getattr(op, "can_be_replaced_by_ninf", False):
        holds = reduce(wt.logical_and, holding)
        return wt.where(holds, x, wt.constant(-np.inf, x.dtype))
    for condition in holding:
        x = wt.check_and_raise(x, condition, op.exc_type, op.msg)
    return x


def _holds(condition: TensorVariable) -> TensorVariable:
    true = condition if condition.dtype == "bool" else wt.not_equal(condition, 0)
    return wt.all(true) if true.ndim else true


@register_names("Print")
def print_value(op: Op, x: TensorVariable) -> TensorVariable:
    """A value that is shown."""
    return wt.print_value(x, op.message, tuple(op.attrs))


@register_names("PdbBreakpoint")
def set_breakpoint(
    op: Op, condition: TensorVariable, *values: TensorVariable
) -> list[TensorVariable]:
    """Values that a debugger shows; the first one waits for it."""
    first, *others = values
    watched = {f"value_{k}": v for k, v in enumerate(others, 1)}
    return [stop_in_debugger(first, wt.not_equal(condition, 0), **watched), *others]


@register_names("DisconnectedGrad", "ZeroGrad", "UndefinedGrad")
def stop_gradient(op: Op, x: TensorVariable) -> TensorVariable:
    """A value that counts as a constant for derivatives."""
    return wt.disconnected_grad(x)


@register_names("GradClip")
def grad_clip(op: Op, x: TensorVariable) -> TensorVariable:
    """A value whose derivative is kept in bounds."""
    return wt.grad_clip(x, op.clip_lower_bound, op.clip_upper_bound)


@register_names("GradScale")
def grad_scale(op: Op, x: TensorVariable) -> TensorVariable:
    """A value whose derivative is scaled."""
    return wt.grad_scale(x, op.multiplier)
