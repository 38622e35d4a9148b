"""Reading parts: of parts, of what was joined, made or just written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

import weft_tensor as wt
from weft_graph import Constant, Each, Rule
from weft_rewrites.dsl.equation import equation, letter, others
from weft_rewrites.ops.shape.broadcasting import ends_in
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
from weft_tensor.extend import ARRAY, NEW, Slice, Stack, lengths_of

__all__ = ["part_of", "rules", "sums"]

_FULL: Final = Slice(None, None, None)


def _first(f: Any) -> int | None:
    """The index, if `f` takes one element of the first axis and everything of the others."""
    first, *others = f.entries or (None,)
    is_one = all(isinstance(e, Slice) and e.is_full for e in others)
    return first if type(first) is int and is_one else None


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
    ends = [p for p in (*inner, *(outer if isinstance(outer, Slice) else ())) if p is not None]
    if not all(isinstance(p, int) for p in ends):
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
    behind = [p for p in (stop, high) if isinstance(p, int)]
    if step == pace == 1 and all(p < 0 for p in behind):
        return _slice(start + low, sum(behind) or None, 1)
    if isinstance(high, int) and high < 0:
        return None
    end = None if high is None else start + high * step
    if stop is not None:
        if not isinstance(stop, int) or stop < 0:
            return None
        end = stop if end is None else min(end, stop)
    return _slice(start + low * step, end, step * pace)


def _slice(start: int, stop: int | None, step: int) -> Slice:
    """The slice as users write it."""
    return Slice(start or None, stop, None if step == 1 else step)


def _entries(f: Index, g: Index) -> tuple[Any, ...] | None:
    """Those of an index that does what `g`, and after it `f`, do; None if it depends."""
    if not (_is_plain(f) and _is_plain(g)):
        return None
    outer = iter(f.entries)
    entries = [_joined(e, next(outer)) if isinstance(e, Slice) else e for e in g.entries]
    return None if None in entries else tuple(entries)


def _are_one(f: Index, g: Index, x: TensorVariable) -> bool:
    entries = _entries(f, g)
    return entries is not None and all(
        type(e) is not int or _is_within(x, a, e) for a, e in enumerate(entries)
    )


def part_of(f: Index, x: TensorVariable) -> TensorVariable:
    """What `f` takes of `x`, at once where that is a part already."""
    g = x.op
    if type(g) is not Index or len(x.inputs) > 1 or not _are_one(f, g, x.inputs[0]):
        return f(x)
    return Index(_entries(f, g) or ())(x.inputs[0])


def _is_within(x: TensorVariable, axis: int, index: int) -> bool:
    """Whether a static index is none that the type refuses."""
    n = x.type.shape[axis]
    return not isinstance(n, int) or -n <= index < n


def _is_plain(f: Index) -> bool:
    """Whether it takes elements and slices alone."""
    return not f.lifted and not {ARRAY, NEW} & {*f.entries}


def _takes_rows(f: Index, x: TensorVariable) -> bool:
    of_parts = type(x.op) is Stack
    return _is_plain(f) and any(type(e) is int or (of_parts and e != _FULL) for e in f.entries)


def _of_transpose(f: Index, g: Transpose, x: TensorVariable) -> TensorVariable:
    entries, axes = f.entries, g.axes
    part = Index(tuple(entries[axes.index(a)] for a in range(len(axes))))(x)
    kept = [a for a, e in zip(axes, entries, strict=True) if type(e) is not int]
    order = [sorted(kept).index(a) for a in kept]
    return part if order == sorted(order) else part.transpose(order)


def _numbers(e: Any, length: object) -> Sequence[int]:
    """The elements of an axis that a slice takes; none if that depends."""
    is_static = isinstance(e, Slice) and all(p is None or isinstance(p, int) for p in e)
    return range(length)[slice(*e)] if is_static and isinstance(length, int) else ()


def _takes_some(f: Index, parts: Sequence[TensorVariable]) -> bool:
    if not _is_plain(f) or not f.entries or f.entries[0] == _FULL:
        return False
    first = f.entries[0]
    return type(first) is int or bool(_numbers(first, len(parts)))


def _of_some(
    node: TensorVariable, f: Index, g: Stack, parts: Sequence[TensorVariable]
) -> TensorVariable:
    if type(f.entries[0]) is int:
        return Index(f.entries[1:])(parts[f.entries[0]].astype(node.dtype))
    some = [parts[k].astype(node.dtype) for k in _numbers(f.entries[0], len(parts))]
    return Index((_FULL, *f.entries[1:]))(g(*some))


def _element(f: Index, g: Concatenate, parts: Sequence[TensorVariable]) -> Any:
    """The element of the part in which it is, if the lengths before it are known."""
    index = None if g.axis else _first(f)
    if index is None:
        return None
    place = index if index >= 0 else -1 - index
    for v in parts if index >= 0 else parts[::-1]:
        length = v.type.shape[0]
        if not isinstance(length, int):
            return None
        if place < length:
            return v[place if index >= 0 else -1 - place]
        place -= length
    return None


def _row(f: Index) -> tuple[int, int] | None:
    """The axis of which `f` takes one element, if everything of the others, and which one."""
    parts = [(a, e) for a, e in enumerate(f.entries) if e != _FULL]
    (a, e), *others = parts or [(0, _FULL)]
    return (a, e) if type(e) is int and not others and _is_plain(f) else None


def _row_of_update(
    f: Index, g: IndexUpdate, x: TensorVariable, y: TensorVariable
) -> TensorVariable | None:
    """A row of what was written along all of an axis, or beside it."""
    element = _row(f)
    if element is None or g.mode not in ("set", "inc") or y.ndim != x.ndim:
        return None
    a, index = element
    length, others = x.type.shape[a], {*g.entries[:a], *g.entries[a + 1 :]}
    places = _numbers(g.entries[a], length) if a < len(g.entries) and others <= {_FULL} else ()
    if not isinstance(length, int) or not places or y.type.shape[a] != len(places):
        return None
    row, place = f(x), index % length
    if place not in places:
        return row
    entries = (*f.entries[:a], places.index(place), *f.entries[a + 1 :])
    new = Index(entries)(y).astype(x.dtype)
    if g.mode == "inc":
        return row + new
    return wt.broadcast_to(new, lengths_of(row)) if row.ndim else new


def _is_repeated(node: TensorVariable, f: Index, x: TensorVariable) -> bool:
    (mid,), element = node.inputs, _row(f)
    if element is None or not isinstance(mid.type.shape[element[0]], int):
        return False
    own = element[0] - mid.ndim + x.ndim
    return own < 0 or x.type.shape[own] == 1


def _of_repeated(f: Index, x: TensorVariable, n: Sequence[TensorVariable]) -> TensorVariable:
    a = next(a for a, e in enumerate(f.entries) if e != _FULL)
    own = a - len(n) + x.ndim
    one = x if own < 0 else Index((_FULL,) * own + (0,) + (_FULL,) * (x.ndim - own - 1))(x)
    sizes = [*n[:a], *n[a + 1 :]]
    return BroadcastTo()(one, *sizes) if sizes else one


def _is_read_again(f: Index, g: IndexUpdate, i: Sequence[TensorVariable]) -> bool:
    """Whether what was just set is read; what is written several times is what was written last."""
    is_same = g.mode == "set" and f.entries == g.entries and not f.lifted
    return is_same and all(type(v.op) is Arange for v in i if v.ndim)


def _written(node: TensorVariable, f: Index, x: TensorVariable, y: TensorVariable, i: Any) -> Any:
    y = y.astype(node.dtype)
    return wt.broadcast_to(y, lengths_of(f(x, *i))) if node.ndim else y


def _are_apart(f: Index, g: IndexUpdate) -> bool:
    first, other = _first(f), _first(g)
    if first is None or other is None or f.lifted:
        return False
    return first != other and (first >= 0) == (other >= 0)


def _are_alike(f: IndexUpdate, a: TensorVariable, b: TensorVariable) -> bool:
    same = a.type.shape == b.type.shape and a.dtype == b.dtype
    return f.mode == "inc" and same and None not in b.type.shape


def _adds_to_zeros(node: TensorVariable, f: IndexUpdate, x: TensorVariable, n: Any) -> bool:
    """Whether `x` has the shape of the zeros, and each is increased once."""
    once = f.mode == "inc" and ARRAY not in f.entries and x.dtype == node.dtype
    return once and x.ndim == len(n) == node.ndim and ends_in(x, n)


def _row_is_known(node: TensorVariable, f: Index, k: TensorVariable) -> bool:
    lengths = node.inputs[0].type.shape
    is_known = all(isinstance(length, int) for length in lengths)
    return _first(f) is not None and is_known and type(k.op) is Constant


def _row_of_eye(node: Any, f: Index, k: Any) -> TensorVariable:
    rows, columns = node.inputs[0].type.shape
    place = (_first(f) or 0) % rows + int(k.op.value)
    return wt.constant(np.eye(1, columns, place, dtype=node.dtype)[0])


x, y, a, b, k = (letter(name) for name in "xyabk")
n, i, parts = others("n"), others("i"), others("parts")
_PART, _WRITE = Each(Index, "f"), Each(IndexUpdate, "f")


def _reading(left: Any, right: Any, name: str, when: Any, may_change: str = "") -> Rule:
    """Elements of any dtype, read."""
    return equation(left, right, of=None, when=when, name=name, may_change=may_change)


rules: tuple[Rule, ...] = (
    _reading(
        _PART(Each(Index, "g")(x)),
        lambda f, g, x: Index(_entries(f, g) or ())(x),
        "part of a part",
        _are_one,
    ),
    _reading(_PART(Each(Transpose, "g")(x)), _of_transpose, "row of a transpose", _takes_rows),
    _reading(
        _PART(Each(Concatenate, "g")(parts)),
        lambda node, f, g, parts: _element(f, g, parts).astype(node.dtype),
        "element of a concatenation",
        lambda f, g, parts: _element(f, g, parts) is not None,
    ),
    _reading(_PART(Each(Stack, "g")(parts)), _of_some, "some of a stack", _takes_some),
    _reading(_PART(BroadcastTo()(x, n)), _of_repeated, "element of what is repeated", _is_repeated),
    _reading(
        _PART(Each(Arange)(x)),
        lambda node, f: wt.constant(f.entries[0] % node.inputs[0].type.shape[0], node.dtype),
        "element of arange(n)",
        lambda node, f: _first(f) is not None and isinstance(node.inputs[0].type.shape[0], int),
    ),
    _reading(
        _PART(Each(IndexUpdate, "g")(x, y, i), i),
        _written,
        "reading what was just set",
        _is_read_again,
    ),
    _reading(
        _PART(Each(IndexUpdate, "g")(x, y)),
        lambda f, x: f(x),
        "reading beside what was just set",
        _are_apart,
    ),
    _reading(
        _PART(Each(IndexUpdate, "g")(x, y)),
        _row_of_update,
        "row of what was set",
        lambda f, g, x, y: _row_of_update(f, g, x, y) is not None,
    ),
    _reading(
        _WRITE(Each(IndexUpdate, "g")(x, a, i), b, i),
        lambda f, x, b, i: f(x, b, *i),
        "set over what was set",
        lambda f, g: f.mode == "set" and f.entries == g.entries,
    ),
    _reading(
        _WRITE(_WRITE(x, a, i), b, i),
        _WRITE(x, a + b, i),
        "increments merged",
        _are_alike,
        "rounding",
    ),
    _reading(
        _WRITE(x, Each(Index, "g")(x, i), i),
        x,
        "setting what is there",
        lambda f, g: f.mode == "set" and f.entries == g.entries,
    ),
    _reading(_WRITE(x, wt.constant(0)), x, "increment by nothing", lambda f: f.mode == "inc"),
    _reading(
        _WRITE(x, BroadcastTo()(wt.constant(0), n), i),
        x,
        "increment by zeros",
        lambda f: f.mode == "inc" and all(isinstance(e, Slice) for e in f.entries),
        "zero sign",
    ),
    *(
        _reading(
            _PART(Each(kind, "g")(x)),
            whole,
            name,
            lambda node, f, g, x: _first(f) == -1 and not g.axis and x.dtype == node.dtype,
            may_change,
        )
        for kind, whole, name, may_change in (
            (CumSum, lambda x: wt.sum(x, 0), "cumsum(x)[-1] = sum(x)", "zero sign"),
            (CumProd, lambda x: wt.prod(x, 0), "cumprod(x)[-1] = prod(x)", ""),
        )
    ),
    *(
        _reading(
            _PART(Each(kind, "g")(x)),
            lambda node, x: x[0].astype(node.dtype),
            f"{name}(x)[0] = x[0]",
            lambda f, g: _first(f) == 0 and not g.axis,
        )
        for kind, name in ((CumSum, "cumsum"), (CumProd, "cumprod"))
    ),
    _reading(_PART(Each(Eye)(x, y, k)), _row_of_eye, "row of an identity matrix", _row_is_known),
)
"""All of them."""

sums: tuple[Rule, ...] = (
    _reading(
        x + _WRITE(BroadcastTo()(wt.constant(0), n), y, i),
        _WRITE(x, y, i),
        "x + increment of zeros = increment of x",
        _adds_to_zeros,
        "zero sign",
    ),
)
"""After what is alike has been joined, of which sums of increments tell."""
