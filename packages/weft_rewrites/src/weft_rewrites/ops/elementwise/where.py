"""Choices that are decided, or that make no difference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weft_graph import Constant, Each, Form, Item, Rule
from weft_rewrites.dsl.equation import FLOATS, equation, letter, literal, others
from weft_rewrites.dsl.result import shape_of
from weft_tensor import (
    BroadcastTo,
    Cast,
    ExpandDims,
    IfElse,
    Matmul,
    Squeeze,
    Sum,
    SumTo,
    TensorVariable,
    Transpose,
    bitwise_not,
    broadcast_to,
    constant,
    ifelse,
    logical_not,
    where,
)

__all__ = ["rules"]

c, x, y = letter("c"), letter("x"), letter("y")
condition, values = literal("c"), others("values")


def _is_true(c: Any) -> bool:
    return bool(c.op.value.all() if c.ndim else c.op.value)


def _is_false(c: Any) -> bool:
    return not (c.op.value.any() if c.ndim else c.op.value)


def _is_decided(c: Any) -> bool:
    return _is_true(c) or _is_false(c)


def _in_full(chosen: TensorVariable, node: TensorVariable) -> TensorVariable:
    """`chosen`, in the dtype and the shape of `node`, of which it is one operand."""
    whole = chosen.astype(node.dtype)
    if not any(v.ndim for v in node.inputs if v is not chosen):
        return whole
    return broadcast_to(whole, shape_of(node))


_TRUTHS = frozenset({"bool"})
_IF, _ITEM = Each(IfElse, "choice"), Each(Item, "item")
decided = (
    equation(
        where(condition, x, y),
        lambda node, x: _in_full(x, node),
        of=None,
        when=_is_true,
        name="where(True, x, y) = x",
    ),
    equation(
        where(condition, x, y),
        lambda node, y: _in_full(y, node),
        of=None,
        when=_is_false,
        name="where(False, x, y) = y",
    ),
    equation(
        condition & x,
        lambda node, c, x: _in_full(x if _is_true(c) else c, node),
        of=_TRUTHS,
        when=_is_decided,
        name="x & True = x and x & False = False",
    ),
    equation(
        condition | x,
        lambda node, c, x: _in_full(c if _is_true(c) else x, node),
        of=_TRUTHS,
        when=_is_decided,
        name="x | True = True and x | False = x",
    ),
    equation(where(c, x, x), lambda node, x: _in_full(x, node), of=None, name="where(c, x, x) = x"),
    equation(
        _IF(condition, x, y), lambda x: x, of=None, when=_is_true, name="ifelse(True, x, y) = x"
    ),
    equation(
        _IF(condition, x, y), lambda y: y, of=None, when=_is_false, name="ifelse(False, x, y) = y"
    ),
    equation(_IF(c, x, x), lambda x: x, of=None, name="ifelse(c, x, x) = x"),
    equation(
        _ITEM(_IF(condition, values)),
        lambda item, values: values[item.index],
        of=None,
        when=_is_true,
        name="result of ifelse(True, xs, ys)",
    ),
    equation(
        _ITEM(_IF(condition, values)),
        lambda item, choice, values: values[choice.n_outs + item.index],
        of=None,
        when=_is_false,
        name="result of ifelse(False, xs, ys)",
    ),
    equation(
        _ITEM(_IF(c, values)),
        lambda item, values: values[item.index],
        of=None,
        when=lambda item, choice, values: values[item.index] is values[choice.n_outs + item.index],
        name="result of ifelse(c, xs, ys) that is the same in both",
    ),
    equation(
        where(logical_not(c), x, y),
        where(c, y, x),
        of=None,
        name="where with a negated condition",
    ),
    equation(
        where(bitwise_not(c), x, y),
        where(c, y, x),
        of=None,
        when=lambda c: c.dtype == "bool",
        name="where(~c, x, y) = where(c, y, x)",
    ),
)


def _are_alike(x: TensorVariable, y: TensorVariable) -> bool:
    return x.dtype == y.dtype and x.dtype in FLOATS


joined = (
    equation(
        where(c, x, 0.0) + where(c, 0.0, y),
        where(c, x, y),
        of=None,
        when=_are_alike,
        may_change="zero sign",
    ),
    equation(
        where(c, x, 0.0) + where(c, y, 0.0),
        where(c, x + y, 0.0),
        of=None,
        when=_are_alike,
    ),
    equation(
        where(c, 0.0, x) + where(c, 0.0, y),
        where(c, 0.0, x + y),
        of=None,
        when=_are_alike,
    ),
)
"""Derivatives of a choice come from each of its cases, and are zero in the other."""


def _case(case: bool) -> Callable[[TensorVariable], tuple[TensorVariable, TensorVariable] | None]:
    """The condition and what there is in one `case` of a choice that is zero in the other."""

    def parts(v: TensorVariable) -> tuple[TensorVariable, TensorVariable] | None:
        if type(v.op) is not IfElse or v.op.n_outs > 1:
            return None
        condition, then, otherwise = v.inputs
        value, zero = (then, otherwise) if case else (otherwise, then)
        return (condition, value) if _is_zero(zero) else None

    return parts


def _is_zero(v: TensorVariable) -> bool:
    while type(v.op) in (BroadcastTo, Cast):
        v = v.inputs[0]
    return type(v.op) is Constant and not v.ndim and v.op.value == 0


def _sunk(case: bool, shown: str) -> list[Rule]:
    """What is computed of a choice that is zero in one case, computed in the other alone."""
    form = Form(shown, _case(case))
    one, two = form(c, x), form(c, y)

    def chosen(node: TensorVariable, c: TensorVariable, value: TensorVariable) -> TensorVariable:
        zero = broadcast_to(constant(0, node.dtype), shape_of(node))
        return ifelse(c, value, zero) if case else ifelse(c, zero, value)

    def of(left: Any, right: Callable[..., Any], text: str, may_change: str) -> Rule:
        name = f"{text.format(shown, shown.replace('x', 'y'))}, computed in one case"
        return equation(left, right, of=None, over=IfElse, name=name, may_change=may_change)

    return [
        of(
            one * y,
            lambda node, c, x, y: chosen(node, c, x * y),
            "{} * y",
            "inf, nan, zero sign",
        ),
        of(
            one / y,
            lambda node, c, x, y: chosen(node, c, x / y),
            "{} / y",
            "domain, inf, nan, zero sign",
        ),
        of(
            Matmul()(one, y),
            lambda node, c, x, y: chosen(node, c, x @ y),
            "{} @ y",
            "domain, inf, nan",
        ),
        of(
            Matmul()(y, one),
            lambda node, c, x, y: chosen(node, c, y @ x),
            "y @ {}",
            "domain, inf, nan",
        ),
        of(one + two, lambda node, c, x, y: chosen(node, c, x + y), "{} + {}", ""),
        of(one - two, lambda node, c, x, y: chosen(node, c, x - y), "{} - {}", ""),
        of(-one, lambda node, c, x: chosen(node, c, -x), "-{}", "zero sign"),
        *(
            of(
                Each(kind, "f")(one),
                lambda node, f, c, x: chosen(node, c, f(x)),
                f"{kind.__name__}({{}})",
                "",
            )
            for kind in (Cast, ExpandDims, Squeeze, Sum, Transpose)
        ),
        of(
            Each(SumTo, "f")(one, values),
            lambda node, f, c, x, values: chosen(node, c, f(x, *values)),
            "SumTo({})",
            "",
        ),
    ]


rules: tuple[Rule, ...] = (
    *decided,
    *joined,
    *_sunk(True, "ifelse(c, x, 0)"),
    *_sunk(False, "ifelse(c, 0, x)"),
)
"""All of them. Derivatives of a choice are computed in the case that is chosen alone."""
