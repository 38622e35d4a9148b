"""Algebra: signs, neutral elements, powers, quotients.

Signs move outwards, where they meet and cancel, or into constants, where they cost nothing.
So an expression has one form, and rules that look for `exp(x)` need not look for
`exp(-x)` as well. Results may differ in the sign of a zero, and by rounding where two
quotients become one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import weft_tensor as wt
from weft_graph import FunctionGraph, Rule
from weft_graph.extend import changing, remake
from weft_rewrites.dsl.conditions import is_one_for_many, nonnegative
from weft_rewrites.dsl.equation import COMPLEX, FLOATS, INTEGERS, REAL, equation, letter, literal
from weft_rewrites.dsl.signs import negated
from weft_tensor import Elemwise, Matmul, TensorType
from weft_tensor.extend import applied

__all__ = ["rules", "share_opposites"]

_ADD, _SUB, _NEG = map(Elemwise, ("add", "sub", "neg"))
_PRODUCTS: Final = frozenset(map(Elemwise, ("mul", "true_div")))
"""With the sign of all inputs together."""
_EVEN: Final = frozenset(map(Elemwise, ("square", "abs", "cos", "cosh")))

Signed = tuple[Any, bool]
"""A variable, and whether its opposite is meant."""

x, y = letter("x"), letter("y")
number = literal("y")
ALL = REAL | COMPLEX
FLOATING = ALL - INTEGERS
BITS = INTEGERS | {"bool"}
ANY = ALL | {"bool"}

ODD = (
    *(wt.sin, wt.tan, wt.arcsin, wt.arctan, wt.sinh, wt.tanh, wt.arcsinh, wt.arctanh),
    *(wt.erf, wt.erfinv, wt.cbrt),
)

signs = (
    equation(wt.neg(wt.neg(x)), x, of=ALL),
    equation(
        -(x * number),
        x * -number,
        of=ALL,
        name="-(x * constant) = x * -constant",
        may_change="complex",
    ),
    equation(-(x - y), y - x, of=ALL, may_change="zero sign, complex"),
    equation((-x) * (-y), x * y, of=ALL),
    equation((-x) * number, x * -number, of=ALL, name="-x * constant = x * -constant"),
    equation((-x) * y, -(x * y), of=ALL, may_change="complex"),
    equation((-x) / (-y), x / y),
    equation((-x) / y, -(x / y)),
    equation(x / (-y), -(x / y)),
    equation(x - (-y), x + y, of=ALL),
    equation((-x) - y, -(x + y), of=ALL, may_change="zero sign, complex"),
    equation((-x) + y, y - x, of=ALL),
    equation(wt.abs(-x), wt.abs(x)),
    equation(wt.square(-x), wt.square(x), of=ALL),
    equation(wt.cos(-x), wt.cos(x)),
    equation(wt.cosh(-x), wt.cosh(x)),
    equation(wt.sech(-x), wt.sech(x)),
    equation(wt.log_cosh(-x), wt.log_cosh(x)),
    *(equation(odd(-x), -odd(x)) for odd in ODD),
)

neutral = (
    equation(x + 0, x, of=ANY, may_change="zero sign, complex"),
    equation(x - 0, x, of=ALL),
    equation(0 - x, -x, of=ALL, may_change="zero sign, complex"),
    equation(x * 1, x, of=ANY, may_change="complex"),
    equation(x * -1, -x, of=ALL, may_change="complex"),
    equation(x / 1, x, of=FLOATING, may_change="complex"),
    equation(x // 1, x, of=INTEGERS),
    equation(x**1, x, of=ALL),
)


def _is_below_zero(y: Any) -> bool:
    return bool((y.op.value < 0).all())


negative = (
    equation(
        x + number,
        x - -number,
        of=REAL,
        when=_is_below_zero,
        name="x + c = x - -c where c is negative",
    ),
)

powers = (
    equation(x * x, wt.square(x), of=REAL),
    equation(x**2, wt.square(x), of=REAL),
    equation(x**-1, wt.reciprocal(x)),
    equation(x**0.5, wt.sqrt(x), of=REAL, may_change="inf, zero sign"),
    equation(
        wt.square(wt.sqrt(x)),
        x,
        when=nonnegative,
        name="square(sqrt(x)) = x where x >= 0",
        may_change="rounding",
    ),
    equation(wt.square(wt.abs(x)), wt.square(x), of=REAL),
)

quotients = (
    equation(1 / x, wt.reciprocal(x)),
    equation(
        x * wt.reciprocal(y),
        x / y,
        when=lambda x, y: not is_one_for_many(x, y),
        name="x * reciprocal(y) = x / y unless y is one number for many",
        may_change="rounding, overflow, domain",
    ),
    equation(x / wt.reciprocal(y), x * y, may_change="rounding, digits, inf"),
    equation(wt.reciprocal(-x), -wt.reciprocal(x)),
    equation(wt.reciprocal(wt.reciprocal(x)), x, may_change="rounding"),
)

repeated = (
    equation(wt.abs(wt.abs(x)), wt.abs(x), of=REAL),
    equation(wt.abs(x), x, when=nonnegative, name="abs(x) = x where x is not negative"),
    equation(wt.maximum(x, x), x, of=ANY),
    equation(wt.minimum(x, x), x, of=ANY),
    equation(x & x, x, of=BITS, name="x & x = x"),
    equation(x | x, x, of=BITS, name="x | x = x"),
    equation(~(~x), x, of=BITS, name="~(~x) = x"),
    equation(
        wt.logical_not(wt.logical_not(x)), x, of=frozenset({"bool"}), name="not not x = x for bools"
    ),
    equation(wt.logical_and(x, x), x, of=frozenset({"bool"}), name="x and x = x for bools"),
    equation(wt.logical_or(x, x), x, of=frozenset({"bool"}), name="x or x = x for bools"),
    equation(wt.conj(wt.conj(x)), x, of=COMPLEX),
)

rules: tuple[Rule, ...] = (*neutral, *signs, *negative, *powers, *quotients, *repeated)
"""All of them, neutral elements first."""


@changing("zero sign")
def share_opposites(graph: FunctionGraph) -> FunctionGraph:
    """`graph` where of `x - y` and `y - x`, and of what is made of them, one is left.

    It stays as it is where this takes no fewer Ops.

    >>> import weft_tensor as wt
    >>> x, y, s = map(wt.scalar, "xys")
    >>> outputs = share_opposites(FunctionGraph([x, y, s], [(x - y) * s, 1 + (y - x) * s])).outputs
    >>> outputs[1] is 1 - outputs[0]
    True
    """
    nodes: Sequence[Any] = graph.nodes
    differences = {v.inputs for v in nodes if v.op is _SUB}
    if not differences or not any((b, a) in differences for a, b in differences):
        return graph
    changed: dict[Any, Signed] = {}
    made: set[tuple[Any, Any]] = set()
    for v in nodes:
        if v.op is _SUB or any(i in changed for i in v.inputs):
            new = _signed(v, [changed.get(i, (i, False)) for i in v.inputs], made)
            if new[0] is not v:
                changed[v] = new
    outputs: Sequence[Any] = graph.outputs
    new_outputs = [_whole(*changed.get(v, (v, False))) for v in outputs]
    shorter = FunctionGraph(graph.inputs, new_outputs)
    return shorter if len(shorter.nodes) < len(nodes) else graph


def _whole(v: Any, is_opposite: bool) -> Any:
    return negated(v) if is_opposite else v


def _signed(v: Any, inputs: Sequence[Signed], differences: set[tuple[Any, Any]]) -> Signed:
    """`v` of new inputs; `differences` are those that have been made."""
    op = v.op
    signs = [sign for _, sign in inputs]
    if not any(signs) and op is not _SUB:
        return _remade(v, [value for value, _ in inputs]), False
    if not _is_float(v):
        return _remade(v, [_whole(*i) for i in inputs]), False
    values = [value for value, _ in inputs]
    if op is _NEG:
        return values[0], not signs[0]
    if op in (_ADD, _SUB):
        signs[1] ^= op is _SUB
        return _sum(v, values, signs, differences)
    if op in _EVEN:
        return _remade(v, values), False
    if op in _PRODUCTS or type(op) is Matmul or op.linear == slice(1):
        return _remade(v, values), sum(signs) % 2 == 1
    return _remade(v, [_whole(*i) for i in inputs]), False


def _is_float(v: Any) -> bool:
    return all(type(w.type) is TensorType and w.dtype in FLOATS for w in (v, v.inputs[0]))


def _remade(v: Any, inputs: Sequence[Any]) -> Any:
    return remake(v, tuple(inputs))


def _sum(v: Any, values: list[Any], signs: list[bool], differences: set[tuple[Any, Any]]) -> Signed:
    """The sum of two terms with their signs."""
    if signs[0] == signs[1]:
        return applied(_ADD, tuple(values), v.place), signs[0]
    a, b = values[:: -1 if signs[0] else 1]
    if (b, a) in differences:
        return applied(_SUB, (b, a), v.place), True
    differences.add((a, b))
    return applied(_SUB, (a, b), v.place), False
