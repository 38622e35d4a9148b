"""Sums of diagonals: products and systems take as many steps as such a matrix has numbers."""

from __future__ import annotations

from typing import Final

import weft_tensor as wt
from weft_graph import Constant, Form, Rule
from weft_rewrites.dsl.conditions import is_zero
from weft_rewrites.dsl.equation import equation, letter, others
from weft_rewrites.ops.linalg.diagonal import as_long_as
from weft_rewrites.ops.linalg.identity import are_equal
from weft_rewrites.ops.linalg.structure import numbers_of
from weft_tensor import Arange, Elemwise, IndexUpdate, Matmul, Reshape, Solve, TensorVariable
from weft_tensor.extend import ARRAY, lengths_of, static_length

__all__ = ["rules"]

Bands = dict[int, TensorVariable]
"""By number of the diagonal, as in `diag(b, k)`, what stands on it."""
_ADD, _SUB, _NEG = Elemwise("add"), Elemwise("sub"), Elemwise("neg")
_WIDEST: Final = 8
"""A matrix has no more diagonals."""


def _diagonal_of(x: TensorVariable) -> tuple[int, TensorVariable] | None:
    """k and b, where `x` is `diag(b, k)`."""
    numbers = numbers_of(x)
    if numbers is not None:
        return 0, numbers.broadcast_to(lengths_of(x)[:1])
    if x.op != IndexUpdate((ARRAY, ARRAY), "set"):
        return None
    zeros, b, *places = x.inputs
    begins = [begin for i in places if (begin := _begin(i))]
    if len(begins) < 2 or not is_zero(zeros):
        return None
    (i, row), (j, column) = begins
    k, length = column - row, i.inputs[0]
    is_all = i is j and min(row, column) == 0 and are_equal(lengths_of(zeros)[0], length + abs(k))
    return (k, b.broadcast_to((length,))) if is_all else None


def _begin(i: TensorVariable) -> tuple[TensorVariable, int] | None:
    """The numbers from 0 on, and by what they are increased."""
    if i.op is _ADD:
        for places, k in (i.inputs, i.inputs[::-1]):
            if type(k.op) is Constant and not k.ndim and type(places.op) is Arange:
                return places, int(k.op.value)
    return (i, 0) if type(i.op) is Arange and len(i.inputs) == 1 else None


def _bands(x: TensorVariable) -> tuple[Bands] | None:
    """The diagonals, where a square matrix is a sum of them."""
    if x.ndim != 2 or x.type.numpy_dtype.kind != "f":
        return None
    parts: list[tuple[TensorVariable, int, TensorVariable]] = []
    todo = [(x, False)]
    while todo:
        part, is_negative = todo.pop()
        if part.op in (_ADD, _SUB):
            first, second = part.inputs
            todo += [(second, is_negative ^ (part.op is _SUB)), (first, is_negative)]
            continue
        if part.op is _NEG:
            todo.append((part.inputs[0], not is_negative))
            continue
        diagonal = _diagonal_of(part) if part.ndim == 2 and part.dtype == x.dtype else None
        if diagonal is None:
            return None
        k, b = diagonal
        parts.append((lengths_of(part)[0], k, -b if is_negative else b))
    n, *_ = min(parts, key=lambda part: abs(part[1]))
    bands: Bands = {}
    for length, k, b in parts:
        if not are_equal(length, n):
            if 1 in (static_length(length), static_length(n)):
                return None  # one number for all
            b = Reshape()(b, n - abs(k))  # which a call checks to be as long
        bands[k] = bands[k] + b if k in bands else b
    return (bands,) if 1 < len(bands) <= _WIDEST else None


def _times(bands: Bands, x: TensorVariable) -> TensorVariable:
    total = wt.zeros_like(x)
    for k, b in bands.items():
        part = x[k:] if k > 0 else x[:k] if k else x
        numbers = as_long_as(b, part, 0)
        product = part * (numbers if x.ndim == 1 else numbers.expand_dims(1))
        rows = total[:-k] if k > 0 else total[-k:] if k else total
        total = rows.inc(product) if k else total + product
    return total


def _turned(bands: Bands) -> Bands:
    """Those of the transpose."""
    return {-k: b for k, b in bands.items()}


def _solved(bands: Bands, b: TensorVariable) -> TensorVariable:
    lower, upper = max(0, -min(bands)), max(0, *bands)
    rows = []
    for k in range(upper, -lower - 1, -1):
        ends = wt.zeros(abs(k), b.dtype)
        row = bands.get(k)
        if row is None:
            row = wt.zeros(lengths_of(b)[0], b.dtype)
        elif k:
            row = wt.concatenate([ends, row] if k > 0 else [row, ends])
        rows.append(row)
    return wt.linalg.solve_banded((lower, upper), wt.stack(rows), b, b_ndim=2)


x, b, B, bands = letter("x"), letter("b"), letter("B"), others("bands")
_SUM: Final = Form("sum of diagonals", _bands)(bands)
_OVER: Final = (_ADD, _SUB)
_CHANGES: Final = "rounding, inf, nan"
rules: tuple[Rule, ...] = (
    equation(
        Matmul()(_SUM, x),
        _times,
        when=lambda x: x.ndim in (1, 2),
        over=_OVER,
        name="(diag(a) + diag(b, k)) @ x by diagonals",
        may_change=_CHANGES,
    ),
    equation(
        Matmul()(x, _SUM),
        lambda bands, x: _times(_turned(bands), x),
        when=lambda x: x.ndim == 1,
        over=_OVER,
        name="x @ (diag(a) + diag(b, k)) by diagonals for vectors x",
        may_change=_CHANGES,
    ),
    equation(
        Matmul()(B, _SUM),
        lambda B, bands: _times(_turned(bands), B.mT).mT,
        over=_OVER,
        name="B @ (diag(a) + diag(b, k)) by diagonals",
        may_change=_CHANGES,
    ),
    equation(
        Solve()(_SUM, b),
        _solved,
        when=lambda b: b.ndim == 2,
        over=_OVER,
        name="solve(diag(a) + diag(b, k), c) = solve_banded",
        may_change="rounding, inf",
    ),
)
"""Products and systems."""
