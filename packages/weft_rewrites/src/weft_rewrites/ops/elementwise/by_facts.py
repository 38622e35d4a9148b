"""Rules that rely on facts: what is known of a value makes a function of it superfluous.

What is known of elements is exact, and so are these results, to the sign of a zero. What is
known of matrices holds up to rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import weft_tensor as wt
from weft_graph import Constant, Each, Rule, ask
from weft_graph.extend import Assumed
from weft_rewrites.dsl.conditions import has, keeps_lengths
from weft_rewrites.dsl.equation import REAL, equation, letter
from weft_rewrites.dsl.result import shape_of
from weft_tensor import Cholesky, Elemwise, Inverse, Matmul, TensorVariable, Transpose, facts

__all__ = ["filled", "maximum_of_signs", "rules"]

x, y = letter("x"), letter("y")
_SIGN = Elemwise("sign")


_known_anyway = equation(
    Each(Assumed, "assumed")(x),
    lambda x: x,
    of=None,
    when=lambda assumed, x: all(ask(x, name) == holds for name, holds in assumed.answers),
    name="what is known need not be assumed",
)


def filled(value: int, node: TensorVariable) -> TensorVariable:
    """A tensor of the dtype and shape of `node` in which each element is `value`.

    >>> filled(1, wt.exp(wt.vector("x", shape=(3,))))
    <broadcast_to : float64[3]>
    """
    return wt.full(shape_of(node), value, node.dtype)


# Signs.


def _is_negative(x: TensorVariable) -> bool:
    return has(x, facts.negative)


def _is_whole_result(v: TensorVariable, other: TensorVariable, node: TensorVariable) -> bool:
    """Whether `v` has the dtype and the shape of `node`, of which both are the operands."""
    if v.dtype != node.dtype:
        return False
    if other.ndim <= v.ndim and all(n == 1 for n in other.type.shape):
        return True
    return None not in node.type.shape and v.type.shape == node.type.shape


def _zeros_agree(v: TensorVariable, w: TensorVariable) -> bool:
    """Whether no 0.0 of one can meet a -0.0 of the other."""
    no_two = has(v, facts.nonzero) or has(w, facts.nonzero)
    return no_two or (has(v, facts.no_negative_zero) and has(w, facts.no_negative_zero))


def _chosen(
    node: TensorVariable,
    upper: TensorVariable,
    lower: TensorVariable,
    chosen: TensorVariable,
    other: TensorVariable,
) -> bool:
    """Whether `upper` is nowhere less than `lower`, and `chosen` the one that `node` chooses."""
    return (
        _is_whole_result(chosen, other, node)
        and has(other, facts.not_nan)
        and has(upper, facts.nonnegative)
        and has(lower, facts.nonpositive)
        and _zeros_agree(upper, lower)
    )


maximum_of_signs = equation(
    wt.maximum(x, y),
    lambda x: x,
    of=None,
    when=lambda node, x, y: _chosen(node, x, y, chosen=x, other=y),
    name="maximum(x, y) = x where x >= 0 and y <= 0",
)
_minimum_of_signs = equation(
    wt.minimum(x, y),
    lambda y: y,
    of=None,
    when=lambda node, x, y: _chosen(node, x, y, chosen=y, other=x),
    name="minimum(x, y) = y where x >= 0 and y <= 0",
)


# Comparisons.


def _is_above(x: TensorVariable, y: TensorVariable) -> bool:
    """Whether `x` is more than `y` wherever both are numbers."""
    return (has(x, facts.positive) and has(y, facts.nonpositive)) or (
        has(x, facts.nonnegative) and has(y, facts.negative)
    )


def _is_not_below(x: TensorVariable, y: TensorVariable) -> bool:
    """Whether `x` is `y` or more wherever both are numbers."""
    return has(x, facts.nonnegative) and has(y, facts.nonpositive)


def _are_numbers(v: TensorVariable, w: TensorVariable) -> bool:
    return has(v, facts.not_nan) and has(w, facts.not_nan)


def _differ(x: TensorVariable, y: TensorVariable) -> bool:
    """Whether they are nowhere equal."""
    for a, b in ((x, y), (y, x)):
        is_zero = type(b.op) is Constant and not b.op.value.any()
        if _is_above(a, b) or (is_zero and has(a, facts.nonzero)):
            return True
    return False


_Condition = Callable[[Any, Any], bool]


def _of_numbers(holds: _Condition) -> _Condition:
    return lambda x, y: holds(x, y) and _are_numbers(x, y)


def _turned(holds: _Condition) -> _Condition:
    return lambda x, y: holds(y, x)


_DECIDED: Final[tuple[tuple[str, str, bool, _Condition], ...]] = (
    ("gt", "x > y where x > 0 and y <= 0", True, _of_numbers(_is_above)),
    ("gt", "x > y where x <= 0 and y >= 0", False, _turned(_is_not_below)),
    ("ge", "x >= y where x >= 0 and y <= 0", True, _of_numbers(_is_not_below)),
    ("ge", "x >= y where x <= 0 and y > 0", False, _turned(_is_above)),
    ("lt", "x < y where x <= 0 and y > 0", True, _of_numbers(_turned(_is_above))),
    ("lt", "x < y where x >= 0 and y <= 0", False, _is_not_below),
    ("le", "x <= y where x <= 0 and y >= 0", True, _of_numbers(_turned(_is_not_below))),
    ("le", "x <= y where x > 0 and y <= 0", False, _is_above),
    ("eq", "x == y where they are of different signs", False, _differ),
    ("neq", "x != y where they are of different signs", True, _differ),
)
"""Comparisons, when they are decided, and how."""


def _everywhere(value: int) -> Callable[[TensorVariable], TensorVariable]:
    return lambda node: filled(value, node)


def _constant(
    left: Any, value: int, when: Callable[..., bool], name: str, over: tuple[Any, ...] = ()
) -> Rule:
    """What is the same everywhere."""
    shown = value if left.op == _SIGN else bool(value)
    name = f"{name.replace(' where', f' = {shown} where', 1)}"
    return equation(left, _everywhere(value), of=None, when=when, over=over, name=name)


def _is_whole(x: TensorVariable) -> bool:
    return has(x, facts.integer)


def _is_regular(x: TensorVariable, y: TensorVariable) -> bool:
    return has(x, facts.positive, facts.finite) and has(y, facts.finite)


elements = (
    equation(wt.abs(x), -x, when=_is_negative, name="abs(x) = -x where x is negative"),
    _constant(
        wt.sign(x), 1, lambda x: has(x, facts.positive, facts.not_nan), "sign(x) where x > 0"
    ),
    _constant(
        wt.sign(x), -1, lambda x: has(x, facts.negative, facts.not_nan), "sign(x) where x < 0"
    ),
    maximum_of_signs,
    _minimum_of_signs,
    *(
        _constant(Elemwise(op)(x, y), value, when, name, (Constant,))
        for op, name, value, when in _DECIDED
    ),
    _constant(wt.isnan(x), 0, lambda x: has(x, facts.not_nan), "isnan(x) where x is no NaN"),
    _constant(wt.isinf(x), 0, lambda x: has(x, facts.finite), "isinf(x) where x is finite"),
    _constant(wt.isfinite(x), 1, lambda x: has(x, facts.finite), "isfinite(x) where x is finite"),
    *(
        equation(Elemwise(name)(x), x, when=_is_whole, name=f"{name}(x) = x for whole numbers")
        for name in ("floor", "ceil", "trunc", "rint")
    ),
    equation(
        wt.log(x**y),
        y * wt.log(x),
        when=_is_regular,
        name="log(x ** y) = y * log(x) for positive x",
        may_change="rounding, overflow, zero sign",
    ),
)


# Matrices.


def _exchanges(swap: Transpose) -> bool:
    """Whether it is the transpose of matrices, on the last two axes."""
    n = len(swap.axes)
    return swap.axes == (*range(n - 2), n - 1, n - 2)


_SWAP = Each(Transpose, "swap")
matrices = (
    equation(
        _SWAP(x),
        lambda x: x,
        of=REAL,
        when=lambda node, swap, x: (
            _exchanges(swap) and has(x, facts.symmetric) and keeps_lengths(node.type, x.type)
        ),
        name="A.T = A for symmetric A",
        may_change="rounding",
    ),
    equation(
        Inverse()(x),
        lambda x: x.mT,
        of=REAL,
        when=lambda x: has(x, facts.orthogonal),
        name="inv(Q) = Q.T for orthogonal Q",
        may_change="rounding",
    ),
    equation(
        Cholesky()(Matmul()(Each(Cholesky, "factor")(x), _SWAP(Each(Cholesky, "factor")(x)))),
        Each(Cholesky, "factor")(x),
        when=_exchanges,
        name="cholesky(L Lᵀ) = L",
        may_change="rounding",
    ),
    equation(
        Cholesky()(x),
        lambda x: wt.sqrt(abs(x)),
        when=lambda x: has(x, facts.diagonal, facts.positive_definite),
        name="cholesky(D) = sqrt(D) for positive diagonal D",
        may_change="inf, nan",
    ),
)

rules: tuple[Rule, ...] = (_known_anyway, *elements, *matrices)
"""All of them."""
