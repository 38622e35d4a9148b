"""Choices that are decided, or that make no difference."""

from __future__ import annotations

from typing import Any

from weft_graph import Constant, Item, Rule, rule
from weft_rewrites.equation import letter
from weft_tensor import Elemwise, IfElse, broadcast_to, inferred_shapes, logical_not, where

__all__ = ["rules"]

c, x, y = letter("c"), letter("x"), letter("y")


@rule(Elemwise("where"), over=Constant, name="where with a constant condition")
def _decided_where(node: Any) -> Any:
    condition, then, otherwise = node.inputs
    if type(condition.op) is not Constant or condition.ndim:
        return None
    chosen = then if condition.op.value else otherwise
    return _in_full(chosen.astype(node.dtype), node)


@rule(Elemwise("where"), name="where between equals")
def _idle_where(node: Any) -> Any:
    _, then, otherwise = node.inputs
    return _in_full(then, node) if then is otherwise else None


def _in_full(chosen: Any, node: Any) -> Any:
    """`chosen`, broadcast to the shape of `node`, of which it is one operand."""
    if not any(v.ndim for v in node.inputs if v is not chosen):
        return chosen
    shapes = inferred_shapes(node)
    return None if shapes is None else broadcast_to(chosen, shapes[0])


def _chosen(node: Any, index: int) -> Any:
    condition, *values = node.inputs
    half = len(values) // 2
    then, otherwise = values[index], values[half + index]
    if then is otherwise:
        return then
    if type(condition.op) is not Constant:
        return None
    return then if condition.op.value else otherwise


@rule(IfElse, name="ifelse that is decided")
def _decided_ifelse(node: Any) -> Any:
    return _chosen(node, 0) if node.op.n_outs == 1 else None


@rule(Item, over=IfElse, name="result of an ifelse that is decided")
def _decided_item(node: Any) -> Any:
    (several,) = node.inputs
    return _chosen(several, node.op.index) if type(several.op) is IfElse else None


rules: tuple[Rule, ...] = (
    _decided_where,
    _idle_where,
    Rule(where(logical_not(c), x, y), where(c, y, x), name="where with a negated condition"),
    _decided_ifelse,
    _decided_item,
)
"""All of them."""
