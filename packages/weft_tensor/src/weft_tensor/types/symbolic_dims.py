"""Lengths of axes: integers, names, integer expressions over names, or unknown."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cache
from math import inf
from typing import Any

from weft_graph.extend import Interned

__all__ = [
    "Dim",
    "Length",
    "ShapeLike",
    "as_length",
    "as_lengths",
    "at_least_zero",
    "least",
    "provably_differ",
    "quotient",
    "show_shape",
]

Monomial = tuple[str, ...]


class Dim(Interned):
    """A polynomial with integer coefficients over named lengths, in normal form.

    Equal expressions are the same object: `Dim.named("n") + 1 is as_length("1 + n")`.
    What can't be a polynomial, like `n // 2` and `max(n - 1, 0)`, is a name of its own.

    >>> n = Dim.named("n")
    >>> 2 * n + 1, (n + 1) * (n - 1), (n + 1) - n
    (2*n + 1, n*n - 1, 1)
    """

    terms: tuple[tuple[Monomial, int], ...]

    def __init__(self, terms: tuple[tuple[Monomial, int], ...]) -> None:
        if not isinstance(terms, tuple):
            raise TypeError(f"Dim takes terms, not {terms!r}: a length has a name by Dim.named")
        super().__init__(terms)

    @staticmethod
    def named(name: str) -> Dim:
        """The length called `name`."""
        return Dim(((((name,)), 1),))

    def __add__(self, other: Dim | int) -> Any:
        terms = dict(self.terms)
        for monomial, factor in _terms(other):
            terms[monomial] = terms.get(monomial, 0) + factor
        return _simplest(terms)

    __radd__ = __add__

    def __mul__(self, other: Dim | int) -> Any:
        terms: dict[Monomial, int] = {}
        for left, a in self.terms:
            for right, b in _terms(other):
                monomial = tuple(sorted(left + right))
                terms[monomial] = terms.get(monomial, 0) + a * b
        return _simplest(terms)

    __rmul__ = __mul__

    def __neg__(self) -> Any:
        return self * -1

    def __sub__(self, other: Dim | int) -> Any:
        return self + (-other)

    def __rsub__(self, other: int) -> Any:
        return -self + other

    def __floordiv__(self, other: Dim | int) -> Any:
        if other == 1:
            return self
        if other == 0:
            raise ZeroDivisionError(f"({self}) // 0")
        if isinstance(other, int) and other and all(f % other == 0 for m, f in self.terms if m):
            return _simplest({m: f // other for m, f in self.terms})
        return Dim.named(f"({_operand(self)} // {_operand(other)})")

    def __rfloordiv__(self, other: int) -> Any:
        return Dim.named(f"({_operand(other)} // {_operand(self)})")

    def __str__(self) -> str:
        parts = []
        for monomial, factor in self.terms:
            if not monomial:
                parts.append(str(factor))
            elif factor == 1:
                parts.append("*".join(monomial))
            elif factor == -1:
                parts.append("-" + "*".join(monomial))
            else:
                parts.append(f"{factor}*" + "*".join(monomial))
        return " + ".join(parts).replace("+ -", "- ")

    __repr__ = __str__


Length = int | Dim | None
"""The length of an axis: an integer, an expression over names, or None if unknown."""


def _terms(value: Dim | int) -> tuple[tuple[Monomial, int], ...]:
    return value.terms if isinstance(value, Dim) else (((), value),)


def _operand(value: Dim | int) -> str:
    """`value` as text that can stand beside an operator."""
    alone = value.terms[0][0] if isinstance(value, Dim) and len(value.terms) == 1 else ()
    is_name = len(alone) == 1 and str(value) == alone[0]
    return str(value) if is_name or isinstance(value, int) else f"({value})"


def _simplest(terms: dict[Monomial, int]) -> Dim | int:
    rest = {m: f for m, f in terms.items() if f}
    if not rest.keys() - {()}:
        return rest.get((), 0)
    return Dim(tuple(sorted(rest.items(), key=lambda item: (-len(item[0]), item[0]))))


def as_length(value: object) -> Length:
    """`value` as the length of an axis: an int, a name, an expression like "n + 1", or None.

    Raises ValueError for a negative int or an expression that is not one, TypeError for
    anything else.

    >>> as_length(3), as_length("n"), as_length("2*n - 1"), as_length(None)
    (3, n, 2*n - 1, None)
    """
    if value is None or isinstance(value, Dim):
        return value
    if isinstance(value, str):
        value = _parse(value)
        if isinstance(value, Dim):
            return value
    try:
        number = value.__index__()  # type: ignore[attr-defined]  # AttributeError is caught
    except (AttributeError, TypeError):
        raise TypeError(f"the length of an axis is an int, a name or None, not {value!r}") from None
    if number < 0:
        raise ValueError(f"the length of an axis can't be negative: {number}")
    return int(number)


ShapeLike = Iterable[object] | int | str | Dim
"""Lengths: one per axis, or a single one, as NumPy takes them."""


def as_lengths(shape: ShapeLike) -> tuple[Length, ...]:
    """A shape as lengths: one per axis; an int or a name is the length of the only axis.

    Raises TypeError for what is no sequence of lengths.

    >>> as_lengths(("n", None, 3)), as_lengths(3), as_lengths("2*n")
    ((n, None, 3), (3,), (2*n,))
    """
    if type(shape) is tuple or type(shape) is list:
        return tuple(map(as_length, shape))
    is_number = hasattr(shape, "__index__") and not getattr(shape, "ndim", 0)
    if is_number or isinstance(shape, (str, Dim)):
        return (as_length(shape),)
    if not isinstance(shape, Iterable):
        raise TypeError(
            "a shape has one length per axis (an int, a name or None), as in ('n', 3), not "
            f"{shape!r}"
        )
    return tuple(map(as_length, shape))


def _parse(text: str) -> Dim | int:
    def value(node: ast.expr) -> Any:
        match node:
            case ast.Name(id=name):
                return Dim.named(name)
            case ast.Constant(value=int() as number) if not isinstance(number, bool):
                return number
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -value(operand)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return value(left) + value(right)
            case ast.BinOp(left=left, op=ast.Sub(), right=right):
                return value(left) - value(right)
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                return value(left) * value(right)
            case ast.BinOp(left=left, op=ast.FloorDiv(), right=right):
                return value(left) // value(right)
            case ast.Call(ast.Name("max"), [inner, ast.Constant(0)], []):
                return at_least_zero(value(inner))
        raise ValueError

    try:
        return value(ast.parse(text.strip(), mode="eval").body)  # type: ignore[no-any-return]  # Dims or ints
    except (SyntaxError, ValueError, ZeroDivisionError):
        raise ValueError(
            f"{text!r} is no length: use a name like 'n' or an expression like '2*n + 1'"
        ) from None


def least(n: Dim | int) -> float:
    """A number that `n` is not below, whatever its names stand for; minus infinity without one."""
    bound = 0.0
    for monomial, factor in _terms(n):
        if monomial and (factor < 0 or not all(map(_is_no_difference, monomial))):
            return -inf
        bound += 0 if monomial else factor
    return bound


def quotient(n: Length, k: int) -> Length:
    """`n // k` where that is an expression over the names; None where it is a name of its own.

    >>> n = Dim.named("n")
    >>> quotient(2 * n + 1, 2), quotient(n + 1, 2)
    (n, None)
    """
    if isinstance(n, Dim) and any(factor % k for names, factor in n.terms if names):
        return None
    return None if n is None else n // k


def _is_no_difference(name: str) -> bool:
    """Whether what is called so is never negative: names, quotients of sums, and `max(..., 0)`."""
    return name.startswith("max(") or "-" not in name


def at_least_zero(n: Dim | int) -> Any:
    """The larger one of `n` and 0: a name of its own, unless one of them is known to be it.

    None for differences of names: max(n - m, 0) + m and max(m - n, 0) + n are the same.

    >>> n = Dim.named("n")
    >>> at_least_zero(n + 1), at_least_zero(n - 1), at_least_zero(at_least_zero(n - 1) - 2)
    (n + 1, max(n - 1, 0), max(n - 3, 0))
    """
    if isinstance(n, int):
        return max(n, 0)
    if least(n) >= 0:
        return n
    if least(n) == -inf:
        return None
    match n.terms:
        case (((str(name),), 1), ((), int(less))) if name.startswith("max(") and less < 0:
            return at_least_zero(_inside(name) + less)
    return Dim.named(f"max({n}, 0)")


def _inside(name: str) -> Any:
    return _parse(name.removeprefix("max(").removesuffix(", 0)"))


@cache
def _relaxed(n: Dim) -> Any:
    """`n` as it is if none of its parts had to be at least 0."""
    total: Any = 0
    for monomial, factor in n.terms:
        product: Any = factor
        for name in monomial:
            product = product * (_inside(name) if name.startswith("max(") else Dim.named(name))
        total = total + product
    return total


def provably_differ(a: Length, b: Length) -> bool:
    """Whether lengths `a` and `b` are known to be different; distinct names count as such.

    >>> n = Dim.named("n")
    >>> provably_differ(n, n - 1), provably_differ(at_least_zero(n - 1), n - 1)
    (True, False)
    """
    if a is None or b is None or a == b:
        return False
    if isinstance(a, Dim) and isinstance(b, Dim):
        return bool(_relaxed(a) != _relaxed(b))
    return True


def show_shape(shape: tuple[Length, ...]) -> str:
    """`shape` as text, with ? for unknown lengths.

    >>> show_shape((as_length("n"), 3, None))
    '[n, 3, ?]'
    """
    return f"[{', '.join(['?' if length is None else str(length) for length in shape])}]"
