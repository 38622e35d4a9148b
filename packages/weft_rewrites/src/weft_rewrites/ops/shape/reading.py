"""Reading parts: of parts, of what was joined, made or just written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

import weft_tensor as wt
from weft_graph import Constant, Rule, rule
from weft_rewrites.dsl.result import Result
from weft_rewrites.ops.shape.broadcasting import keeps_lengths
from weft_tensor import (
    Arange,
    BroadcastTo,
    Concatenate,
    CumProd,
    CumSum,
    Eye,
    Index,
    IndexUpdate,
    TensorVariable,
    Transpose,
)
from weft_tensor.extend import ARRAY, NEW, Slice, lengths_of

__all__ = ["rules"]

_FULL: Final = Slice(None, None, None)


def _first(node: Any) -> int | None:
    """The index, if `node` takes one element of the first axis and everything of the others."""
    first, *others = node.op.entries or (None,)
    is_one = all(isinstance(e, Slice) and e.is_full for e in others)
    return first if type(first) is int and is_one else None


def _keeping(node: TensorVariable, new: TensorVariable) -> TensorVariable | None:
    return new if keeps_lengths(node.type, new.type) else None


def _joined(inner: Slice, outer: Any) -> Slice | int | None:
    """The slice, or the index, that does what both do one after the other; None if it depends."""
    reverse = Slice(None, None, -1)
    if inner.is_full:
        return outer
    if isinstance(outer, Slice) and outer.is_full:
        return inner
    if inner == reverse and outer == reverse:
        return _FULL
    if inner == reverse and isinstance(outer, int):
        return -1 - outer
    known = [p for p in (*inner, *(outer if isinstance(outer, Slice) else ())) if p is not None]
    if not all(isinstance(p, int) for p in known):
        return None
    start, stop, step = inner.start or 0, inner.stop, inner.step or 1
    if not isinstance(start, int) or not isinstance(step, int) or start < 0 or step < 1:
        return None
    if isinstance(outer, int):
        at = start + outer * step
        is_inside = outer >= 0 and stop is None and step == 1
        return at if is_inside or (outer < 0 and stop is None and step == 1 and not start) else None
    low, high, pace = outer.start or 0, outer.stop, outer.step or 1
    if not all(isinstance(p, int) for p in (low, pace)) or low < 0 or pace < 1:
        return None
    if isinstance(high, int) and high < 0:
        return None
    end = None if high is None else start + high * step
    if stop is not None:
        if not isinstance(stop, int) or stop < 0:
            return None
        end = stop if end is None else min(end, stop)
    return Slice(start + low * step, end, step * pace)


@rule(Index, over=Index, name="part of a part")
def _part_of_part(node: Result[Index]) -> TensorVariable | None:
    (mid, *values) = node.inputs
    if type(mid.op) is not Index or values or len(mid.inputs) > 1:
        return None
    if node.op.lifted or mid.op.lifted or {ARRAY, NEW} & {*node.op.entries, *mid.op.entries}:
        return None
    outer = iter(node.op.entries)
    entries: list[Any] = []
    for e in mid.op.entries:
        joined: Any = _joined(e, next(outer)) if isinstance(e, Slice) else e
        if joined is None:
            return None
        entries.append(joined)
    x = mid.inputs[0]
    if any(type(e) is int and not _is_within(x, a, e) for a, e in enumerate(entries)):
        return None
    return _keeping(node, Index(tuple(entries))(x))


def _is_within(x: TensorVariable, axis: int, index: int) -> bool:
    """Whether a static index is none that the type refuses."""
    n = x.type.shape[axis]
    return not isinstance(n, int) or -n <= index < n


@rule(Index, over=Transpose, name="row of a transpose")
def _of_transpose(node: Result[Index]) -> TensorVariable | None:
    (mid, *values) = node.inputs
    entries = node.op.entries
    if type(mid.op) is not Transpose or values or node.op.lifted:
        return None
    if {ARRAY, NEW} & {*entries} or not any(type(e) is int for e in entries):
        return None
    axes = mid.op.axes
    moved = tuple(entries[axes.index(a)] for a in range(len(axes)))
    found = Index(moved)(mid.inputs[0])
    kept = [a for a, e in zip(axes, entries, strict=True) if type(e) is not int]
    order = [sorted(kept).index(a) for a in kept]
    return _keeping(node, found if order == sorted(order) else found.transpose(order))


@rule(Index, over=Concatenate, name="element of a concatenation")
def _of_concatenation(node: Result[Index]) -> TensorVariable | None:
    """Of a part whose place is known."""
    (mid, *_) = node.inputs
    index = _first(node)
    if index is None or type(mid.op) is not Concatenate or mid.op.axis:
        return None
    parts = mid.inputs if index >= 0 else mid.inputs[::-1]
    place = index if index >= 0 else -1 - index
    for v in parts:
        length = v.type.shape[0]
        if not isinstance(length, int):
            return None
        if place < length:
            found = v[place if index >= 0 else -1 - place]
            return _keeping(node, found.astype(node.dtype))
        place -= length
    return None


@rule(Index, over=BroadcastTo, name="element of what is repeated")
def _of_repeated(node: Result[Index]) -> TensorVariable | None:
    (mid, *_) = node.inputs
    index = _first(node)
    if index is None or type(mid.op) is not BroadcastTo or not isinstance(mid.type.shape[0], int):
        return None
    x, _, *sizes = mid.inputs
    if x.ndim == mid.ndim:
        if x.type.shape[0] != 1:
            return None
        x = x[0]
    return _keeping(node, BroadcastTo()(x, *sizes) if sizes else x)


@rule(Index, over=Arange, name="element of arange(n)")
def _of_arange(node: Result[Index]) -> TensorVariable | None:
    (mid, *_) = node.inputs
    index = _first(node)
    if index is None or type(mid.op) is not Arange or len(mid.inputs) > 1:
        return None
    (n,) = mid.type.shape
    return wt.constant(index % n, node.dtype) if isinstance(n, int) else None


@rule(Index, over=IndexUpdate, name="reading what was just set")
def _of_written(node: Result[Index]) -> TensorVariable | None:
    (mid, *values) = node.inputs
    if type(mid.op) is not IndexUpdate or node.op.lifted:
        return None
    x, y, *places = mid.inputs
    if node.op.entries == mid.op.entries and values == places:
        if mid.op.mode != "set" or any(type(v.op) is not Arange for v in places if v.ndim):
            return None  # what is written several times is what was written last
        y = y.astype(node.dtype)
        lengths = lengths_of(node.op(x, *values))
        return _keeping(node, wt.broadcast_to(y, lengths) if node.ndim else y)
    first, other = _first(node), _first(mid) if not places else None
    if first is None or other is None or places:
        return None
    apart = first != other and (first >= 0) == (other >= 0)
    return node.op(x) if apart else None


@rule(IndexUpdate, over=IndexUpdate, name="set over what was set")
def _set_again(node: Result[IndexUpdate]) -> TensorVariable | None:
    mid, y, *places = node.inputs
    if node.op.mode != "set" or type(mid.op) is not IndexUpdate:
        return None
    if mid.op.entries != node.op.entries or list(mid.inputs[2:]) != places:
        return None
    return node.op(mid.inputs[0], y, *places)


@rule(IndexUpdate, over=IndexUpdate, name="increments merged", may_change="rounding")
def _increments(node: Result[IndexUpdate]) -> TensorVariable | None:
    mid, y, *places = node.inputs
    if node.op.mode != "inc" or mid.op is not node.op or list(mid.inputs[2:]) != places:
        return None
    first = mid.inputs[1]
    if first.type.shape != y.type.shape or first.dtype != y.dtype or None in y.type.shape:
        return None
    return node.op(mid.inputs[0], first + y, *places)


@rule(IndexUpdate, over=Index, name="setting what is there")
def _set_the_same(node: Result[IndexUpdate]) -> TensorVariable | None:
    x, y, *places = node.inputs
    if node.op.mode != "set" or type(y.op) is not Index or y.op.entries != node.op.entries:
        return None
    return x if y.inputs[0] is x and list(y.inputs[1:]) == places else None


@rule(IndexUpdate, over=Constant, name="increment by nothing")
def _nothing(node: Result[IndexUpdate]) -> TensorVariable | None:
    x, y, *places = node.inputs
    is_zero = type(y.op) is Constant and not y.ndim and y.op.value == 0
    return x if is_zero and node.op.mode == "inc" and not places else None


def _last(
    kind: type[CumSum | CumProd], whole: Callable[..., Any], name: str, changes: Sequence[str]
) -> Rule:
    @rule(Index, over=kind, name=name, may_change=changes)
    def found(node: Result[Index]) -> TensorVariable | None:
        mid: Any = node.inputs[0]
        if _first(node) != -1 or type(mid.op) is not kind or mid.op.axis:
            return None
        (x,) = mid.inputs
        return _keeping(node, whole(x, 0)) if x.dtype == node.dtype else None

    return found


@rule(Index, over=(CumSum, CumProd), name="first of sums or products so far")
def _first_so_far(node: Result[Index]) -> TensorVariable | None:
    mid: Any = node.inputs[0]
    if _first(node) != 0 or type(mid.op) not in (CumSum, CumProd) or mid.op.axis:
        return None
    return _keeping(node, mid.inputs[0][0].astype(node.dtype))


@rule(Index, over=Eye, name="row of an identity matrix")
def _row_of_eye(node: Result[Index]) -> TensorVariable | None:
    (mid, *_) = node.inputs
    index = _first(node)
    if index is None or type(mid.op) is not Eye:
        return None
    rows, columns = mid.type.shape
    shift = mid.inputs[2].op
    if not isinstance(columns, int) or type(shift) is not Constant or not isinstance(rows, int):
        return None
    place = index % rows + int(shift.value)
    return wt.constant(np.eye(1, columns, place, dtype=node.dtype)[0])


rules: tuple[Rule, ...] = (
    _part_of_part,
    _of_transpose,
    _of_concatenation,
    _of_repeated,
    _of_arange,
    _of_written,
    _set_again,
    _increments,
    _set_the_same,
    _nothing,
    _last(CumSum, wt.sum, "cumsum(x)[-1] = sum(x)", ["zero sign"]),
    _last(CumProd, wt.prod, "cumprod(x)[-1] = prod(x)", []),
    _first_so_far,
    _row_of_eye,
)
"""All of them."""
