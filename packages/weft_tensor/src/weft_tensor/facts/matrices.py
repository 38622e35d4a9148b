"""What elementwise functions, shapes and choices by position say of matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from weft_graph import Constant, Fact
from weft_graph.extend import Ask
from weft_tensor.facts.definitions import (
    MATRICES,
    diagonal,
    lower_triangular,
    nonnegative,
    orthogonal,
    positive,
    positive_definite,
    symmetric,
    upper_triangular,
)
from weft_tensor.facts.statements import FactRule
from weft_tensor.ops.creation.creation import Arange, Eye
from weft_tensor.ops.elementwise.cast import Cast
from weft_tensor.ops.elementwise.op import Elemwise
from weft_tensor.ops.shape.broadcast_to import BroadcastTo
from weft_tensor.ops.shape.length import lengths_of, static_length
from weft_tensor.ops.shape.reshape import ExpandDims
from weft_tensor.ops.shape.transpose import Transpose

__all__ = ["TRIANGULAR", "is_of_zeros", "is_transpose", "same"]

TRIANGULAR = (lower_triangular, upper_triangular, diagonal)
"""Facts about where zeros are."""


def _rows(names: str) -> list[Elemwise]:
    return [Elemwise(name) for name in names.split()]


_ADD, _SUB, _MUL, _DIV, _WHERE = _rows("add sub mul true_div where")
_KEEP_ZERO = _rows(
    "abs arcsin arcsinh arctan arctanh cbrt ceil conj deg2rad erf expm1 floor imag log1p neg "
    "rad2deg real rint sign sin sinh sqrt square tan tanh trunc"
)


def same(fact: Fact) -> FactRule:
    """Says that a result has the fact if its first input has."""

    def rule(x: Any, ask: Ask) -> bool | None:
        return ask(x.inputs[0], fact) is True or None

    return rule


def _is_stretched(v: Any, x: Any) -> bool:
    """Whether the matrices of `v` may be repeated along an axis to have the shape of `x`."""
    if v.ndim < 2:
        return True
    rest = [w for w in x.inputs if w is not v]
    if all(n == 1 for w in rest for n in w.type.shape[-2:]):
        return False
    return None in v.type.shape[-2:] or v.type.shape[-2:] != x.type.shape[-2:]


def _has(v: Any, x: Any, fact: Fact, ask: Ask) -> bool:
    """Whether `v`, an operand of the elementwise `x`, has the fact in the shape of `x`."""
    return ask(v, fact) is True and not _is_stretched(v, x)


# Elementwise functions.

for _fact in TRIANGULAR:
    _fact.register(*_KEEP_ZERO, Cast)(same(_fact))


def _both(fact: Fact) -> FactRule:
    def rule(x: Any, ask: Ask) -> bool | None:
        return all(_has(v, x, fact, ask) for v in x.inputs) or None

    return rule


def _either(fact: Fact) -> FactRule:
    def rule(x: Any, ask: Ask) -> bool | None:
        return any(_has(v, x, fact, ask) for v in x.inputs) or None

    return rule


for _fact in TRIANGULAR:
    _fact.register(_ADD, _SUB)(_both(_fact))
    _fact.register(_MUL)(_either(_fact))


def is_transpose(a: Any, b: Any) -> bool:
    """Whether `a` is the transpose of `b`, on the last two axes, or the other way round.

    >>> import weft_tensor as wt
    >>> x = wt.matrix("x")
    >>> is_transpose(x, x.T), is_transpose(x.T, x), is_transpose(x, x)
    (True, True, False)
    """
    for v, w in ((a, b), (b, a)):
        if type(v.op) is Transpose and v.inputs[0] is w and _exchanges(v.op.axes):
            return True
    return False


def _exchanges(axes: tuple[int, ...]) -> bool:
    n = len(axes)
    return axes == (*range(n - 2), n - 1, n - 2)


def _keeps_matrices(axes: tuple[int, ...]) -> bool:
    return axes[-2:] == (len(axes) - 2, len(axes) - 1)


@symmetric.register(Elemwise, Cast)
def _symmetric_elementwise(x: Any, ask: Ask) -> bool | None:
    """Of numbers and symmetric matrices; and of a matrix and its transpose, in any order."""
    if any(v.is_complex for v in x.inputs):
        return None
    if len(x.inputs) == 2 and x.op.commutative and is_transpose(*x.inputs):
        return True
    return all(not v.ndim or _has(v, x, symmetric, ask) for v in x.inputs) or None


@positive_definite.register(_ADD)
def _definite_sum(x: Any, ask: Ask) -> bool | None:
    """Of two such, or of one and a diagonal matrix without negative elements."""
    for v, w in (x.inputs, x.inputs[::-1]):
        if _has(v, x, positive_definite, ask) and (
            _has(w, x, positive_definite, ask)
            or (_has(w, x, diagonal, ask) and ask(w, nonnegative) is True)
        ):
            return True
    return None


@positive_definite.register(_MUL)
def _definite_multiple(x: Any, ask: Ask) -> bool | None:
    for v, w in (x.inputs, x.inputs[::-1]):
        if not w.ndim and ask(w, positive) is True and ask(v, positive_definite) is True:
            return True
    return None


@positive_definite.register(_DIV)
def _definite_quotient(x: Any, ask: Ask) -> bool | None:
    v, w = x.inputs
    of_number = not w.ndim and ask(w, positive) is True
    return (of_number and ask(v, positive_definite) is True) or None


for _fact in TRIANGULAR:

    @_fact.register(_DIV)
    def _divided(x: Any, ask: Ask, fact: Fact = _fact) -> bool | None:
        v, w = x.inputs
        return (not w.ndim and ask(v, fact) is True) or None


# Choice by position, which is how tril and triu are written.


class _Place(NamedTuple):
    """Numbers from `offset` on, `length` of them, along an axis (counted from the end)."""

    axis: int
    offset: int
    length: Any


def _place(v: Any) -> _Place | None:
    """What a side of a comparison counts along, if it counts along one of the last two axes."""
    axis, offset = -1, 0
    while True:
        op = v.op
        if type(op) is Arange:
            return _Place(axis, offset, v.inputs[0])
        if type(op) is ExpandDims and v.ndim == 2:
            axis = -2 if op.axis == (1,) else -1
        elif op is _ADD or op is _SUB:
            number = v.inputs[1]
            if type(number.op) is not Constant or number.ndim:
                return None
            offset += int(number.op.value) if op is _ADD else -int(number.op.value)
        else:
            return None
        v = v.inputs[0]


def _covers(place: _Place, x: Any) -> bool:
    """Whether the numbers are as many as `x` has along the axis: they are not repeated."""
    length = static_length(place.length)
    if length is not None and length == x.type.shape[place.axis]:
        return True
    return any(v.ndim >= 2 and place.length is lengths_of(v)[place.axis] for v in x.inputs[1:])


_AT_LEAST = {Elemwise("ge"): 0, Elemwise("gt"): 1}
_AT_MOST = {Elemwise("le"): 0, Elemwise("lt"): 1}


def _band(x: Any) -> tuple[int | None, int | None]:
    """The least and the greatest value of column - row where the condition of `x` holds."""
    condition = x.inputs[0]
    op = condition.op
    if type(op) is not Elemwise or len(condition.inputs) != 2:
        return None, None
    left, right = map(_place, condition.inputs)
    if left is None or right is None or left.axis == right.axis:
        return None, None
    if not (_covers(left, x) and _covers(right, x)):
        return None, None
    rows_left, shift = left.axis == -2, left.offset - right.offset
    if op is Elemwise("eq"):
        k = shift if rows_left else -shift
        return k, k
    if op in _AT_LEAST:
        bound = shift - _AT_LEAST[op]
        return (None, bound) if rows_left else (-bound, None)
    if op in _AT_MOST:
        bound = shift + _AT_MOST[op]
        return (bound, None) if rows_left else (None, -bound)
    return None, None


def is_of_zeros(v: Any) -> bool:
    """Whether all elements are a constant zero.

    >>> import weft_tensor as wt
    >>> is_of_zeros(wt.zeros((2, 3))), is_of_zeros(wt.ones((2, 3)))
    (True, False)
    """
    while type(v.op) is BroadcastTo:
        v = v.inputs[0]
    return type(v.op) is Constant and not v.op.value.any()


def _chosen(fact: Fact, fits: Callable[[int | None, int | None], bool]) -> FactRule:
    def rule(x: Any, ask: Ask) -> bool | None:
        _, v, w = x.inputs
        if not is_of_zeros(w):
            return None
        return fits(*_band(x)) or _has(v, x, fact, ask) or None

    return rule


lower_triangular.register(_WHERE)(
    _chosen(lower_triangular, lambda low, high: high is not None and high <= 0)
)
upper_triangular.register(_WHERE)(
    _chosen(upper_triangular, lambda low, high: low is not None and low >= 0)
)
diagonal.register(_WHERE)(_chosen(diagonal, lambda low, high: low == high == 0))

# Shapes.

_TRANSPOSED = {lower_triangular: upper_triangular, upper_triangular: lower_triangular}


def _transposed(fact: Fact) -> FactRule:
    other = _TRANSPOSED.get(fact, fact)

    def rule(x: Any, ask: Ask) -> bool | None:
        if _exchanges(x.op.axes):
            return ask(x.inputs[0], other)
        return ask(x.inputs[0], fact) if _keeps_matrices(x.op.axes) else None

    return rule


def _expanded(fact: Fact) -> FactRule:
    def rule(x: Any, ask: Ask) -> bool | None:
        in_front = x.op.axis[-1] < x.ndim - 2
        return (in_front and ask(x.inputs[0], fact) is True) or None

    return rule


def _repeated(fact: Fact) -> FactRule:
    def rule(x: Any, ask: Ask) -> bool | None:
        v = x.inputs[0]
        same = v.ndim >= 2 and v.type.shape[-2:] == x.type.shape[-2:]
        same = same and None not in v.type.shape[-2:]
        return (same and ask(v, fact) is True) or None

    return rule


for _fact in MATRICES:
    _fact.register(Transpose)(_transposed(_fact))
    _fact.register(ExpandDims)(_expanded(_fact))
    _fact.register(BroadcastTo)(_repeated(_fact))

# Matrices made of numbers.


@diagonal.register(Eye)
def _diagonal_eye(x: Any, ask: Ask) -> bool | None:
    k = x.inputs[2].op
    return (type(k) is Constant and k.literal == 0) or None


@symmetric.register(Eye)
@positive_definite.register(Eye)
@orthogonal.register(Eye)
def _identity(x: Any, ask: Ask) -> bool | None:
    n, m, _ = x.inputs
    return (n is m and _diagonal_eye(x, ask)) or None
