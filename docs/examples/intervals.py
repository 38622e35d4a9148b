"""Arithmetic with guaranteed bounds, and roots that are proved: a library on weft-graph alone.

A value is an interval that surely contains the true number, however much is rounded. The
library defines a Type, three Ops with their derivatives, and rules. The rules do more than
save time here: `x * x` of an x between -1 and 1 lies between -1 and 1 for all that the
product knows, `x ** 2` between 0 and 1.

>>> x = interval("x")
>>> enclose = function([x], x * x + -2 * x, mode=Mode("py", books=[TIGHT]))
>>> enclose((-1, 1))
-2.000000000000001 .. 3.0000000000000013
>>> for root in roots(x**3 - 3 * x + 1, x, (-10, 10)):
...     print(f"{root.low:.12f} .. {root.high:.12f}")
-1.879385241572 .. -1.879385241572
0.347296355334 .. 0.347296355334
1.532088886238 .. 1.532088886238

A second linker computes with as many decimal digits as one asks for:

>>> square_root = roots(x**2 - 2, x, (0, 10), digits=40)[0]
>>> print(f"{square_root.low:.36f}")
1.414213562373095048801688724209698079
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal, localcontext
from math import inf, nextafter
from typing import Any, ClassVar, NamedTuple

from weft_graph import (
    FunctionGraph,
    Mode,
    Op,
    Rule,
    RuleBook,
    Type,
    Variable,
    constant,
    function,
    grad,
    py_funcify,
    wildcard,
)
from weft_graph.extend import Linker, Program, transpile


class Interval(NamedTuple):
    """All numbers from `low` to `high`, both included; the ends are floats or Decimals."""

    low: Any
    high: Any

    def __repr__(self) -> str:
        return f"{self.low} .. {self.high}"

    def meet(self, other: Interval) -> Interval | None:
        """What both contain; None if that is nothing."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        return Interval(low, high) if low <= high else None


def spanning(*ends: Any) -> Interval:
    """The interval from the least to the greatest of rounded numbers, and a bit beyond."""
    low, high = min(ends), max(ends)
    if isinstance(low, Decimal):
        return Interval(low.next_minus(), high.next_plus())
    return Interval(nextafter(low, -inf), nextafter(high, inf))


class IntervalVariable(Variable):
    """A variable with the operators of arithmetic."""

    __slots__ = ()

    def __add__(self, other: Any) -> Any:
        return Add()(self, other)

    def __mul__(self, other: Any) -> Any:
        return Multiply()(self, other)

    def __neg__(self) -> Any:
        return Multiply()(-1, self)

    def __sub__(self, other: Any) -> Any:
        return Add()(self, Multiply()(-1, other))

    def __pow__(self, exponent: int) -> Any:
        return Power(exponent)(self)

    __radd__ = __add__

    def __rmul__(self, other: Any) -> Any:
        return Multiply()(other, self)


class IntervalType(Type):
    """Intervals; a number counts as the interval that contains nothing else."""

    differentiable: ClassVar[bool] = True
    variable_class: ClassVar[type[Variable]] = IntervalVariable

    def filter(self, value: Any) -> Interval:
        """`value` as an Interval; TypeError or ValueError if it is none."""
        low, high = value if isinstance(value, tuple) else (value, value)
        if not low <= high:
            raise ValueError(f"an interval can't end before it begins: {low} .. {high}")
        return Interval(float(low), float(high))

    def constant_key(self, value: Interval) -> str:
        """Tells 0.0 from -0.0."""
        return repr(value)

    def literal(self, value: Interval) -> float | None:
        """The number, if there is only one."""
        return value.low if value.low == value.high else None

    def zeros_like(self, x: Variable) -> Any:
        """The derivative of what does not depend on `x`."""
        return constant(self, 0)

    def seed(self, cost: Variable) -> Any:
        """The derivative of `cost` by itself."""
        return constant(self, 1)

    def add(self, a: Any, b: Any) -> Any:
        """Derivatives along two ways add."""
        return a + b


def interval(name: str) -> Any:
    """An input that stands for an interval."""
    return IntervalType()(name)


class IntervalOp(Op):
    """An Op from intervals to an interval; numbers among its arguments become constants."""

    def convert(self, inputs: tuple[Any, ...]) -> tuple[Variable, ...]:
        """The arguments as variables."""
        kind = IntervalType()
        return tuple(v if isinstance(v, Variable) else constant(kind, v) for v in inputs)

    def infer(self, *types: Type) -> Type:
        """Always an interval."""
        return IntervalType()


class Add(IntervalOp):
    """The sum."""

    commutative = True

    def impl(self, *values: Interval) -> Interval:
        """Add the ends."""
        a, b = values
        return spanning(a.low + b.low, a.high + b.high)

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Sequence[Any]:
        """Each term counts once."""
        return [cotangents[0], cotangents[0]]


class Multiply(IntervalOp):
    """The product."""

    commutative = True

    def impl(self, *values: Interval) -> Interval:
        """The extremes are among the products of ends."""
        a, b = values
        return spanning(a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high)

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Sequence[Any]:
        """The product rule."""
        a, b = inputs
        return [cotangents[0] * b, cotangents[0] * a]


class Power(IntervalOp):
    """A power with a whole exponent, which knows that even powers are positive."""

    exponent: int

    def impl(self, *values: Interval) -> Interval:
        """The ends' powers; from 0 up if the exponent is even and 0 lies between them."""
        (a,) = values
        one = type(a.low)(1)
        low = high = Interval(one, one)
        for _ in range(self.exponent):
            low = Multiply().impl(low, Interval(a.low, a.low))
            high = Multiply().impl(high, Interval(a.high, a.high))
        if self.exponent % 2:
            return Interval(low.low, high.high)
        zero = type(a.low)(0)
        least = zero if a.low <= 0 <= a.high else min(low.low, high.low)
        return Interval(max(zero, least), max(low.high, high.high))

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Sequence[Any]:
        """n x^(n-1)."""
        slope = self.exponent * inputs[0] ** (self.exponent - 1)
        return [cotangents[0] * slope]


a, b, c = (wildcard(name, IntervalVariable) for name in "abc")

TIGHT = RuleBook(
    "tight",
    [
        Rule(a * 0, constant(IntervalType(), 0), name="times zero"),
        Rule(a * 1, a, name="times one"),
        Rule(a + 0, a, name="plus zero"),
        Rule(a + -1 * a, constant(IntervalType(), 0), name="minus itself"),
        Rule(a + a, 2 * a, name="double"),
        Rule(a**0, constant(IntervalType(), 1), name="power zero"),
        Rule(a**1, a, name="power one"),
        Rule(a * a, a**2, name="square"),
        Rule(a**2 * a, a**3, name="cube"),
        Rule(a * b + a * c, a * (b + c), name="common factor"),
    ],
)


class DecimalLinker(Linker):
    """Runs graphs of intervals with as many decimal digits as one likes."""

    name = "decimal"

    def __init__(self, digits: int) -> None:
        self.digits = digits

    def filter(self, variable: Variable, value: Any) -> Interval:
        """An argument of a call, with Decimals as ends."""
        low, high = value if isinstance(value, tuple) else (value, value)
        if not low <= high:
            raise ValueError(f"an interval can't end before it begins: {low} .. {high}")
        return Interval(Decimal(low), Decimal(high))

    def funcify(self, node: Variable) -> Callable[..., Any]:
        """The Ops' own functions serve: they compute with what they are given."""
        return py_funcify(node.op, node=node)

    def link(self, graph: FunctionGraph) -> tuple[Callable[..., Any], Program]:
        """The straight-line function that calls them in order, rounding to so many digits."""
        program = transpile(graph, self.funcify, reuse=True)
        for name, value in program.namespace.items():
            if isinstance(value, Interval):
                program.namespace[name] = Interval(*map(Decimal, value))
        run = program.load()

        def call(*values: Interval) -> tuple[Interval, ...]:
            with localcontext(prec=self.digits):
                results: tuple[Interval, ...] = run(*values)
                return results

        return call, program


def roots(
    expression: Variable,
    x: Variable,
    within: tuple[float, float],
    *,
    narrowest: float = 1e-9,
    digits: int | None = None,
) -> list[Interval]:
    """All zeros of `expression`, each enclosed in an interval that surely contains just one.

    This is Newton's method for intervals. Where the derivative has one sign, there is at most
    one zero; where a step leads inside the interval that it starts from, there is one.
    Raises ArithmeticError if two zeros are closer than `narrowest`, or one is at an end.
    """
    mode = Mode("py" if digits is None else DecimalLinker(digits), books=[TIGHT])
    value = function([x], expression, mode=mode)
    slope = function([x], grad(expression, x), mode=mode)
    number = float if digits is None else Decimal
    with localcontext(prec=digits):
        return list(_roots(value, slope, Interval(*map(number, within)), narrowest))


def _roots(
    value: Callable[[Any], Interval],
    slope: Callable[[Any], Interval],
    within: Interval,
    narrowest: float,
) -> Iterator[Interval]:
    todo = [(within, False)]
    while todo:
        here, certain = todo.pop()
        if not _has_zero(value(here)):
            continue
        steepness = slope(here)
        if _has_zero(steepness):
            if here.high - here.low < narrowest:
                raise ArithmeticError(f"can't tell how many zeros there are in {here}")
            cut = here.low + (here.high - here.low) * 9 / 20
            todo += [(Interval(cut, here.high), False), (Interval(here.low, cut), False)]
            continue
        middle = here.low / 2 + here.high / 2
        step = _quotient(value(middle), steepness)
        newton = spanning(middle - step.high, middle - step.low)
        narrowed = newton.meet(here)
        if narrowed is None:
            continue
        certain = certain or (here.low < newton.low and newton.high < here.high)
        if narrowed != here:
            todo.append((narrowed, certain))
        elif certain:
            yield here
        else:
            raise ArithmeticError(f"can't tell whether there is a zero in {here}")


def _has_zero(values: Interval) -> bool:
    return bool(values.low <= 0 <= values.high)


def _quotient(a: Interval, b: Interval) -> Interval:
    return spanning(a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high)
