"""Products of matrices that need not be computed whole."""

from __future__ import annotations

from math import prod
from typing import Final

from weft_graph import Each, Rule
from weft_rewrites.dsl.equation import equation, letter, others
from weft_rewrites.dsl.result import Result
from weft_tensor import (
    BroadcastTo,
    Elemwise,
    ExpandDims,
    Matmul,
    Reshape,
    Sum,
    TensorVariable,
)
from weft_tensor.extend import lengths_of, same_size

__all__ = ["rules", "stacks"]

_FEW: Final = 4
"""So few terms are summed without a loop."""
x, y, b, s, t = (letter(name) for name in "xybst")
A, B, n = letter("A"), letter("B"), others("n")
_COLUMN: Final = ExpandDims((1,))
_LAYERS: Final = ExpandDims((2,))


def _are_vectors(x: TensorVariable, y: TensorVariable) -> bool:
    return x.ndim == y.ndim == 1


def _has_fewer_rows(
    s: TensorVariable, t: TensorVariable, A: TensorVariable, B: TensorVariable
) -> bool:
    """Whether A is known to be smaller than B."""
    rows, columns = A.type.shape[0], B.type.shape[1]
    is_smaller = isinstance(rows, int) and isinstance(columns, int) and rows < columns
    return not s.ndim and not t.ndim and is_smaller


def _may_be_long(node: Result[Sum]) -> bool:
    """Whether so many terms may be summed that a library's product pays."""
    (axis,), (terms,) = node.op.axis, node.inputs
    length = terms.type.shape[axis]
    return node.dtype.startswith("float") and not (isinstance(length, int) and length <= _FEW)


def _summed(A: TensorVariable, B: TensorVariable) -> TensorVariable:
    """A @ B, where a call may repeat the one column of A, or the one row of B."""
    (n, k), (other, m) = lengths_of(A), lengths_of(B)
    if not same_size(k, other):
        length = Elemwise("broadcast_length")(k, other)
        A, B = BroadcastTo()(A, n, length), BroadcastTo()(B, length, m)
    return Matmul()(A, B)


def _is_repeated(x: TensorVariable, n: tuple[TensorVariable, ...]) -> bool:
    """Whether all rows of a matrix are x."""
    return len(n) == 2 and x.ndim < 2


def _same_rows(
    x: TensorVariable, n: tuple[TensorVariable, ...], B: TensorVariable
) -> TensorVariable:
    row = Matmul()(BroadcastTo()(x, n[1]), B)
    return BroadcastTo()(row, n[0], lengths_of(B)[1])


def _times_same_rows(
    A: TensorVariable, x: TensorVariable, n: tuple[TensorVariable, ...]
) -> TensorVariable:
    sums = Sum((1,))(Reshape()(A, lengths_of(A)[0], n[0]))
    return sums.expand_dims(1) * BroadcastTo()(x, n[1])


def _rows(x: TensorVariable) -> TensorVariable:
    """The rows of all matrices of a stack, as one matrix."""
    *others, last = lengths_of(x)
    return x.reshape((prod(others), last))


def _rows_times(x: TensorVariable, A: TensorVariable) -> TensorVariable:
    return (_rows(x) @ A).reshape((*lengths_of(x)[:-1], *lengths_of(A)[1:]))


def _are_all_summed(f: Sum, x: TensorVariable, y: TensorVariable) -> bool:
    """Whether the products of two stacks, of which none is known to repeat, are added up."""
    if x.ndim != y.ndim or f.axis != tuple(range(x.ndim - 2)):
        return False
    pairs = zip(x.type.shape[:-2], y.type.shape[:-2], strict=True)
    return all(None in pair or pair[0] == pair[1] for pair in pairs)


def _side_by_side(x: TensorVariable, y: TensorVariable) -> TensorVariable:
    x = x.mT
    (*left, k, n), (*right, other, m) = lengths_of(x), lengths_of(y)
    if not all(map(same_size, left, right)):
        common = [Elemwise("broadcast_length")(*pair) for pair in zip(left, right, strict=True)]
        x, y = BroadcastTo()(x, *common, k, n), BroadcastTo()(y, *common, other, m)
    return _rows(x).T @ _rows(y)


_OUTER: Final = "rounding, domain, smaller domain, zero sign, inf"
_SCALED: Final = "rounding, smaller domain, zero sign, inf, nan"
_DIVIDED: Final = f"{_SCALED}, domain"
_SUMMED: Final = "rounding, domain, inf"
_PAIR: Final = Matmul()(s * A, t * B)
rules: tuple[Rule, ...] = (
    *(
        equation(
            Sum((axis,))(terms),
            right,
            when=_may_be_long,
            name=name,
            may_change="rounding, overflow, domain, inf",
        )
        for axis, terms, right, name in (
            (
                0,
                _LAYERS(A) * _COLUMN(B),
                lambda A, B: _summed(A.T, B),
                "sum(A[:, :, None] * B[:, None], 0) = A.T @ B",
            ),
            (1, _LAYERS(A) * B, _summed, "sum(A[:, :, None] * B, 1) = A @ B"),
            (2, _COLUMN(A) * B, lambda A, B: _summed(A, B.T), "sum(A[:, None] * B, 2) = A @ B.T"),
        )
    ),
    *(
        equation(Sum(axes)(Matmul()(A, B)), right, name=name, may_change=_SUMMED)
        for axes, right, name in (
            ((0, 1), Matmul()(Sum((0,))(A), Sum((1,))(B)), "sum(A @ B) = sum(A, 0) @ sum(B, 1)"),
            ((0,), Matmul()(Sum((0,))(A), B), "sum(A @ B, 0) = sum(A, 0) @ B"),
            ((1,), Matmul()(A, Sum((1,))(B)), "sum(A @ B, 1) = A @ sum(B, 1)"),
        )
    ),
    equation(
        Matmul()(BroadcastTo()(x, n), B),
        _same_rows,
        when=_is_repeated,
        name="broadcast_to(x, n) @ B = broadcast_to(x @ B, n)",
        may_change="rounding",
    ),
    equation(
        Matmul()(A, BroadcastTo()(x, n)),
        _times_same_rows,
        when=_is_repeated,
        name="A @ broadcast_to(x, n) = sum(A, 1)[:, None] * x",
        may_change=_OUTER,
    ),
    equation(
        Matmul()(_COLUMN(x) * y, b),
        lambda x, y, b: x * (y @ b),
        when=lambda x, y, b: x.ndim == y.ndim == b.ndim == 1,
        name="outer(x, y) @ b = x * (y @ b) for vectors b",
        may_change=_OUTER,
    ),
    equation(
        Matmul()(_COLUMN(x) * y, B),
        _COLUMN(x) * Matmul()(y, B),
        when=_are_vectors,
        name="outer(x, y) @ B = outer(x, y @ B)",
        may_change=_OUTER,
    ),
    *(
        equation(
            left,
            right,
            when=lambda s, x: not s.ndim and x.ndim == 1,
            name=f"{name} for numbers s and vectors x",
            may_change=may_change,
        )
        for left, right, name, may_change in (
            (Matmul()(s * A, x), s * Matmul()(A, x), "(s * A) @ x = s * (A @ x)", _SCALED),
            (Matmul()(x, s * A), s * Matmul()(x, A), "x @ (s * A) = s * (x @ A)", _SCALED),
            (Matmul()(A / s, x), Matmul()(A, x) / s, "(A / s) @ x = (A @ x) / s", _DIVIDED),
            (Matmul()(x, A / s), Matmul()(x, A) / s, "x @ (A / s) = (x @ A) / s", _DIVIDED),
        )
    ),
    *(
        equation(
            left,
            right,
            when=lambda x: x.ndim == 1,
            name=f"{name} for vectors x",
            may_change="zero sign",
        )
        for left, right, name in (
            (Matmul()(-A, x), -Matmul()(A, x), "-A @ x = -(A @ x)"),
            (Matmul()(x, -A), -Matmul()(x, A), "x @ -A = -(x @ A)"),
        )
    ),
    equation(
        _PAIR,
        Matmul()(s * t * A, B),
        when=_has_fewer_rows,
        name="(s * A) @ (t * B) = (s * t * A) @ B for numbers s and t, where A is smaller",
        may_change="rounding, overflow, domain",
    ),
    equation(
        _PAIR,
        Matmul()(A, s * t * B),
        when=lambda s, t: not s.ndim and not t.ndim,
        name="(s * A) @ (t * B) = A @ (s * t * B) for numbers s and t",
        may_change="rounding, overflow, domain",
    ),
)
"""Those of two matrices, and of vectors."""

stacks: Final[tuple[Rule, ...]] = (
    equation(
        Matmul()(x, A),
        _rows_times,
        when=lambda x: x.ndim > 2,
        name="x @ A of a stack x = product of its rows, one below the other",
        may_change="rounding",
    ),
    equation(
        Matmul()(x, b),
        lambda x, b: _rows_times(x, b),
        when=lambda x, b: x.ndim > 2 and b.ndim == 1,
        name="x @ b of a stack x = product of its rows, one below the other, with b",
        may_change="rounding",
    ),
    equation(
        Each(Sum, "f")(Matmul()(x, y)),
        _side_by_side,
        when=_are_all_summed,
        name="sum(x @ y) of stacks = product of what lies side by side",
        may_change="rounding, overflow, domain, inf",
    ),
)
"""One product for all of a stack: less calls, and no stack of products that are only added up."""
