"""Sums in which terms occur again, products in which factors cancel: each is left once, or not.

A pass, because what something else needs as well stays whole, and because a sum of many terms is
read once, not once for each of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial, reduce
from math import copysign, isfinite, prod
from typing import Any, Final, NamedTuple

import numpy as np

from weft_graph import Constant, FunctionGraph
from weft_graph.extend import Changes, changing, renewed
from weft_rewrites.dsl.conditions import has, keeps_lengths
from weft_rewrites.dsl.signs import negated
from weft_tensor import Elemwise, TensorVariable, broadcast_to, constant, facts
from weft_tensor.extend import applied, lengths_of

__all__ = ["collect"]

_ADD, _SUB, _NEG = map(Elemwise, ("add", "sub", "neg"))
_MUL, _DIV, _RECIPROCAL = map(Elemwise, ("mul", "true_div", "reciprocal"))
_SQUARE, _EXP = map(Elemwise, ("square", "exp"))
_SUMS: Final = frozenset([_ADD, _SUB])
_PRODUCTS: Final = frozenset([_MUL, _DIV])
_ROOTS: Final = _SUMS | _PRODUCTS
_WITHIN_SUMS: Final = _SUMS | {_NEG}
_WITHIN_PRODUCTS: Final = _PRODUCTS | {_NEG, _RECIPROCAL}
_LINEAR: Final = _WITHIN_SUMS | {_MUL}
_FACTORS: Final = _WITHIN_PRODUCTS | {_SQUARE, _EXP}
"""Without one of these below, there is nothing to collect."""

Uses = Mapping[Any, int]
New = Mapping[TensorVariable, TensorVariable]


@changing("rounding", "digits", "overflow", "domain", "zero sign", "inf", "nan")
def collect(graph: FunctionGraph) -> FunctionGraph:
    """`graph` with equal terms of sums merged, and equal factors of quotients cancelled.

    What is subtracted from itself, or divided by itself, must be known to be finite, and not 0.

    >>> import weft_tensor as wt
    >>> x, y = wt.scalar("x"), wt.scalar("y")
    >>> (total,) = collect(FunctionGraph([x, y], [2 * x + y + 3 * x])).outputs
    >>> total is 5.0 * x + y
    True
    """
    nodes: Sequence[Any] = graph.nodes
    if _ROOTS.isdisjoint([v.op for v in nodes]):
        return graph
    shorter = _shorter(nodes, graph.use_counts)
    if not shorter:
        return graph
    new_of = Changes()
    for v in graph.above(shorter):
        short = shorter[v].written(v, new_of) if v in shorter else None
        new_of[v] = renewed(v, new_of) if short is None else short
    return FunctionGraph(graph.inputs, [new_of[v] for v in graph.outputs])


def _shorter(nodes: Sequence[TensorVariable], uses: Uses) -> dict[TensorVariable, _Sum | _Product]:
    """The sums and products that are shorter when they are collected."""
    shorter: dict[TensorVariable, _Sum | _Product] = {}
    within: set[TensorVariable] = set()
    for v in reversed(nodes):
        op = v.op
        if op not in _ROOTS or v in within or not v.type.dtype.startswith("float"):
            continue
        a, b = v.inputs
        telling = _LINEAR if op in _SUMS else _FACTORS
        if a is not b and a.op not in telling and b.op not in telling:
            continue
        short = _sum(v, uses, within) if op in _SUMS else _product(v, uses, within)
        if short is not None:
            shorter[v] = short
    return shorter


def _number(v: TensorVariable) -> float | None:
    """The number that `v` is known to be, if it is one that can be computed with."""
    if type(v.op) is not Constant or v.ndim:
        return None
    number = float(v.op.value)
    return number if isfinite(number) and number else None


class _Sum(NamedTuple):
    """Terms with what each is multiplied by, and a number."""

    terms: dict[TensorVariable, float]
    number: float

    def written(self, root: TensorVariable, new_of: New) -> TensorVariable | None:
        """The sum as an expression; None if it is of another type."""
        groups: dict[float, list[tuple[TensorVariable, float]]] = {}
        for v, c in self.terms.items():
            if c:
                groups.setdefault(abs(c), []).append((new_of[v], c))
        parts = [part for size, own in groups.items() for part in _scaled(size, own, root)]
        total = _total(parts, root) if parts else None
        if self.number or total is None:
            number = _constant(self.number, root)
            total = number if total is None else applied(_ADD, (total, number), root.place)
        dropped = [v for v, c in self.terms.items() if not c]
        return _in_full(total, root, dropped)


def _scaled(
    size: float, own: list[tuple[TensorVariable, float]], root: TensorVariable
) -> list[tuple[TensorVariable, float]]:
    """Terms that are multiplied by one number, or its opposite, multiplied once."""
    if size == 1:
        return own
    sign = max(c > 0 for _, c in own) * 2 - 1
    total = _total([(v, c * sign) for v, c in own], root)
    return [(applied(_MUL, (_constant(size, root), total), root.place), sign)]


def _total(parts: list[tuple[TensorVariable, float]], root: TensorVariable) -> TensorVariable:
    """The sum of terms with their signs, those before that are not subtracted."""
    parts = sorted(parts, key=lambda part: part[1] < 0)
    total, c = parts[0]
    if c < 0:
        total = negated(total)
    for v, c in parts[1:]:
        total = applied(_ADD if c > 0 else _SUB, (total, v), root.place)
    return total


def _sum(root: TensorVariable, uses: Uses, within: set[TensorVariable]) -> _Sum | None:
    dtype = root.dtype
    terms: dict[TensorVariable, float] = {}
    numbers: list[float] = []
    old = leaves = 0
    stack = [(root, 1.0)]
    while stack:
        v, c = stack.pop()
        op = v.op
        if op in _WITHIN_SUMS and (v is root or (uses[v] == 1 and v.type.dtype == dtype)):
            within.add(v)
            old += 1
            if op is not _NEG:
                stack.append((v.inputs[1], -c if op is _SUB else c))
            stack.append((v.inputs[0], -c if op is _NEG else c))
            continue
        if op is _MUL and v.type.dtype == dtype:
            first, second = v.inputs
            if type(first.op) is Constant and (number := _number(first)) is not None:
                v, c, old = second, c * number, old + 1
            elif type(second.op) is Constant and (number := _number(second)) is not None:
                v, c, old = first, c * number, old + 1
        if v.type.dtype != dtype:
            return None
        if type(v.op) is Constant and (number := _number(v)) is not None:
            numbers.append(c * number)
        else:
            terms[v] = terms.get(v, 0.0) + c
            leaves += 1
    sizes = [abs(c) for c in terms.values() if abs(c) not in (0, 1)]
    if len(terms) == leaves and len(numbers) < 2 and len(set(sizes)) == len(sizes):
        return None
    if not all(c or has(v, facts.finite) for v, c in terms.items()):
        return None  # inf - inf is NaN
    kept = [c for c in terms.values() if c]
    if len({number > 0 for number in numbers}) > 1 or not all(map(isfinite, (*kept, *numbers))):
        return None
    new = len(kept) + bool(numbers) - 1 + len(set(sizes))
    return _Sum(terms, sum(numbers)) if new < old else None


class _Product(NamedTuple):
    """Factors with their powers, a number, and by which number it is divided at last."""

    powers: dict[TensorVariable, int]
    exponents: list[list[tuple[TensorVariable, int]]]
    number: float
    divisor: float

    def written(self, root: TensorVariable, new_of: New) -> TensorVariable | None:
        """The product as an expression; None if it is of another type."""
        join = partial(_joined, root)
        above = [_power(new_of[v], e, root) for v, e in self.powers.items() if e > 0]
        below = [_power(new_of[v], -e, root) for v, e in self.powers.items() if e < 0]
        for group in self.exponents:
            group = sorted(group, key=lambda part: part[1] < 0)
            total = new_of[group[0][0]]
            if group[0][1] < 0:
                total = applied(_NEG, (total,), root.place)
            for v, e in group[1:]:
                total = applied(_ADD if e > 0 else _SUB, (total, new_of[v]), root.place)
            above.append(applied(_EXP, (total,), root.place))
        if self.number != 1 or not above:
            above.insert(0, _constant(self.number, root))
        if self.divisor != 1:
            below.append(_constant(self.divisor, root))
        result = reduce(partial(join, _MUL), above)
        if below:
            result = join(_DIV, result, reduce(partial(join, _MUL), below))
        return _in_full(result, root, [v for v, e in self.powers.items() if not e])

    @property
    def size(self) -> int:
        """How many Ops it takes."""
        powers = [abs(e) for e in self.powers.values() if e]
        joined = sum(len(group) for group in self.exponents)
        parts = len(powers) + len(self.exponents) + (self.number != 1) + (self.divisor != 1)
        return max(parts - 1, 0) + joined + sum(e // 2 + e % 2 - 1 + (e > 1) for e in powers)


def _joined(
    root: TensorVariable, op: Elemwise, a: TensorVariable, b: TensorVariable
) -> TensorVariable:
    return applied(op, (a, b), root.place)


def _power(v: TensorVariable, n: int, root: TensorVariable) -> TensorVariable:
    """`v` to the power `n` > 0, from squares."""
    square = [applied(_SQUARE, (v,), root.place)] if n > 1 else []
    return reduce(partial(_joined, root, _MUL), square * (n // 2) + [v] * (n % 2))


def _product(root: TensorVariable, uses: Uses, within: set[TensorVariable]) -> _Product | None:
    dtype = root.dtype
    powers: dict[TensorVariable, int] = {}
    signs: dict[TensorVariable, set[bool]] = {}
    exponents: dict[Any, list[tuple[TensorVariable, int]]] = {}
    numbers: list[tuple[float, int]] = []
    old, leaves, sign = 0, 0, 1
    stack = [(root, 1)]
    while stack:
        v, e = stack.pop()
        op = v.op
        if v.type.dtype != dtype:
            return None
        if op in _WITHIN_PRODUCTS and (v is root or uses[v] == 1):
            within.add(v)
            old += 1
            if op in _PRODUCTS:
                stack.append((v.inputs[1], -e if op is _DIV else e))
            if op is _NEG and e % 2:
                sign = -sign
            stack.append((v.inputs[0], -e if op is _RECIPROCAL else e))
            continue
        leaves += 1
        if type(op) is Constant and (number := _number(v)) is not None:
            numbers.append((number, e))
        elif op is _EXP and uses[v] == 1 and v.inputs[0].type.dtype == dtype:
            exponents.setdefault(v.type.shape, []).append((v, e))
        elif op is _SQUARE and v.inputs[0].type.dtype == dtype:
            old += 1
            powers[v.inputs[0]] = powers.get(v.inputs[0], 0) + 2 * e
            signs.setdefault(v.inputs[0], set()).add(e > 0)
        else:
            powers[v] = powers.get(v, 0) + e
            signs.setdefault(v, set()).add(e > 0)
    if len(powers) + len(exponents) == leaves - len(numbers) and len(numbers) < 2:
        return None
    if not all(_cancels(v) for v, above in signs.items() if len(above) > 1):
        return None  # 0 / 0 and inf / inf are NaN
    for group in exponents.values():
        if len(group) == 1:
            powers[group[0][0]] = group[0][1]
    joined = [[(v.inputs[0], e) for v, e in g] for g in exponents.values() if len(g) > 1]
    old += sum(map(len, joined))
    merged = _merged(numbers, sign, dtype)
    if merged is None:
        return None
    new = _Product(powers, joined, *merged)
    return new if new.size + (merged[0] == -1 and not powers) < old else None


def _cancels(v: TensorVariable) -> bool:
    """Whether v / v is surely 1."""
    return has(v, facts.finite) and has(v, facts.nonzero)


def _merged(
    numbers: Sequence[tuple[float, int]], sign: int, dtype: str
) -> tuple[float, float] | None:
    """One factor, or one divisor; None if it is too large or too small."""
    limits = np.finfo(dtype)
    is_divisor = bool(numbers) and all(e < 0 for _, e in numbers)
    try:
        total = prod([n ** (abs(e) if is_divisor else e) for n, e in numbers])
    except OverflowError:
        return None
    if not limits.tiny <= abs(total) <= limits.max:
        return None
    return (copysign(sign, sign * total), abs(total)) if is_divisor else (sign * total, 1.0)


def _constant(number: float, root: TensorVariable) -> TensorVariable:
    return constant(number, root.dtype)


def _in_full(
    new: TensorVariable, root: TensorVariable, dropped: Sequence[TensorVariable]
) -> TensorVariable | None:
    """`new` in the shape of `root`, which may have it from what was `dropped`."""
    shape = root.type.shape
    if any(v.ndim for v in dropped) and (new.type.shape != shape or None in shape):
        new = broadcast_to(new, lengths_of(root))
    return new if keeps_lengths(root.type, new.type) else None
