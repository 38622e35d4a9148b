"""Equations between elementwise expressions: the plainest kind of rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from weft_graph import Op, Rule, Variable, any_constant, rest, toposort, wildcard
from weft_graph.extend import Wildcard
from weft_rewrites.dsl.notation import written
from weft_tensor import TensorVariable

__all__ = [
    "COMPLEX",
    "FLOATS",
    "INTEGERS",
    "REAL",
    "Equation",
    "equation",
    "letter",
    "literal",
    "others",
]

_INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
INTEGERS: Final = frozenset(_INTEGERS)
"""The integer dtypes."""
FLOATS: Final = frozenset({"float32", "float64"})
"""The real floating dtypes."""
REAL: Final = INTEGERS | FLOATS
"""The dtypes of real numbers."""
Over = Op | type[Op]
COMPLEX: Final = frozenset({"complex64", "complex128"})
"""The complex dtypes."""


def letter(name: str) -> Any:
    """A wildcard for any tensor; one of capital letters stands for a matrix in equations."""
    return wildcard(name, kind=TensorVariable)


def literal(name: str) -> Any:
    """A wildcard for any constant."""
    return any_constant(name, kind=TensorVariable)


def others(name: str) -> Any:
    """A wildcard for all inputs that are left, as lengths and indices are."""
    return rest(name, kind=TensorVariable)


class Equation(Rule):
    """A rule with an expression over letters on either side, for dtypes `of`."""

    of: frozenset[str] | None
    asked_for: Callable[..., bool] | None
    """The condition beside that of dtypes."""

    def may_meet(self, other: Rule) -> bool:
        """Whether both may hold for one node: for some dtype, and under one condition at most."""
        if not isinstance(other, Equation):
            return super().may_meet(other)
        if self.of and other.of and self.of.isdisjoint(other.of):
            return False
        asked = (self.asked_for, other.asked_for)
        return None in asked or asked[0] is asked[1]


def equation(
    left: Any,
    right: Any,
    *,
    of: frozenset[str] | None = FLOATS,
    when: Callable[..., bool] | None = None,
    over: Over | Iterable[Over] = (),
    name: str = "",
    may_change: str = "",
) -> Rule:
    """A rule between tensors of one dtype, which must be among `of`.

    It applies where all that the letters stand for have the dtype of the result, so that
    no conversion is hidden in it; with None for `of`, they may have any. Capital letters stand
    for matrices. `when`, a function of some of the letters and of the Ops that `Each` has names
    for, asks for more.

    `right` is an expression over the letters of `left`, all of them: else the result could lose an
    axis along which it was broadcast. Or, where that needs parameters of Ops, types or lengths, a
    function of them that returns one, or None; then the rule applies where its type fits.
    Unless it has a `name`, it is called as it is written. What it `may_change` is parted by ", ".

    >>> from weft_tensor import exp, log, vector
    >>> x = letter("x")
    >>> log_exp = equation(log(exp(x)), x, may_change="rounding, overflow")
    >>> v = vector("v")
    >>> log_exp(log(exp(v))) is v, log_exp.name
    (True, 'log(exp(x)) = x')
    """
    is_function = not isinstance(right, Variable)
    name = name or f"{written(left)} = {written(right)}"
    letters = _letters(left)
    if not is_function and _letters(right) != letters:
        raise ValueError(f"{name}: both sides must have the same letters")
    changes = may_change.split(", ") if may_change else ()
    rule = Equation(
        left,
        _fitting(right) if is_function else right,
        when=_condition(letters, of, when),
        over=over,
        name=name,
        may_change=changes,
    )
    rule.of, rule.asked_for = of, when
    return rule


def _letters(side: Variable) -> list[str]:
    leaves = [v.op for v in toposort([side])]
    return sorted(op.name or "" for op in leaves if isinstance(op, Wildcard) and not op.is_rest)


def _parameters(function: Any) -> tuple[str, ...]:
    code = function.__code__
    return tuple(code.co_varnames[: code.co_argcount])


def _condition(
    letters: list[str], of: frozenset[str] | None, when: Callable[..., bool] | None
) -> Callable[..., bool] | None:
    """A function of the node and what it needs, which says all that there is to ask."""
    tests = [f"{x}.type.ndim == 2" for x in letters if x.isupper()]
    if of is not None:
        tests = (
            ["(dtype := node.type.dtype) in of"]
            + [f"{x}.type.dtype == dtype" for x in letters]
            + tests
        )
    wanted = dict.fromkeys(["node", *letters])
    if when is not None:
        if not tests:
            return when
        wanted |= dict.fromkeys(_parameters(when))
        tests.append(f"when({', '.join(_parameters(when))})")
    source = f"lambda {', '.join(wanted)}: {' and '.join(tests) or True}"
    condition: Callable[..., bool] = eval(source, {"of": of, "when": when})
    return condition if tests else None


def _fitting(right: Any) -> Callable[..., TensorVariable | None]:
    """`right`, of whose results those are taken that may stand for the node."""

    def fits(node: TensorVariable, new: TensorVariable | None) -> TensorVariable | None:
        return new if new is not None and node.type.accepts(new.type) else None

    names = _parameters(right)
    wanted = dict.fromkeys(["node", *names])
    source = f"lambda {', '.join(wanted)}: fits(node, right({', '.join(names)}))"
    replacement: Callable[..., TensorVariable | None] = eval(source, {"fits": fits, "right": right})
    return replacement
