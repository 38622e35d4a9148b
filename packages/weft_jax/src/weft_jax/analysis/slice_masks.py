"""Slices of axes by masks: the whole axis stays in its place, whatever a slice takes of it.

All slices that meet in an expression must be of one mask: where these differ, as those of `x[i:]`
and `x[:n - i]`, one slice is moved to the places of the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from weft_graph import CheckAndRaise, Variable, replace
from weft_jax.analysis.shape_policy import DynamicShapeInLoopError
from weft_jax.analysis.static_values import nearer_length
from weft_tensor import (
    BroadcastTo,
    Index,
    Matmul,
    Nonzero,
    Pointwise,
    TensorVariable,
    arange,
    broadcast_to,
    clip,
    eq,
    ge,
    gt,
    le,
    lt,
    maximum,
    neq,
    where,
)
from weft_tensor.extend import (
    ARRAY,
    NEW,
    SCALAR,
    Slice,
    SliceLength,
    build_key,
    kind_of,
    lengths_of,
)

__all__ = ["SliceMasks", "by_entry", "unstretched"]

_FULL: Final = Slice(None, None, None)
_OTHERS: Final = (
    "equal slices in a loop, with lengths that differ from step to step, are of arrays of "
    "different lengths: JAX compiles the loop for one length of them"
)
_MEETING: Final = (
    "slices that meet in a loop have different lengths in one of the steps: JAX compiles the loop "
    "for one length"
)


def by_entry(op: Any, inputs: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """The variables of each entry of an index."""
    rest = iter(inputs[1 if isinstance(op, Index) else 2 :])
    for e in op.entries:
        parts = e if isinstance(e, Slice) else (e,)
        yield [next(rest) for part in parts if part in (SCALAR, ARRAY)]


class _Part(NamedTuple):
    """`count` elements of an axis, of length `n`, from `begin` on."""

    x: Any
    axis: int
    begin: Any
    count: Any
    n: Any
    places: Any

    def differs(self, lead: _Part) -> bool:
        """Whether other elements than those of `lead` are chosen."""
        return bool(self.places.inputs[:2] != lead.places.inputs[:2])

    def moved_to(self, lead: _Part) -> TensorVariable:
        """As many elements, in the places of those of `lead`."""
        at = arange(lead.n) + (self.begin - lead.begin)
        x = CheckAndRaise(DynamicShapeInLoopError, _MEETING)(self.x, eq(self.count, lead.count))
        before = [slice(None)] * self.axis
        whole = x[(*before, clip(at, 0, maximum(self.n - 1, 0)))]
        moved: TensorVariable = whole[(*before, lead.places)]
        return moved


class SliceMasks:
    """The masks of slices, one for all that are equal but for what they are slices of.

    What two arrays have in such slices belongs together, if these arrays are of one length. Where
    other slices meet, as `x[i:]` and `x[:n - i]`, one of them is moved to the places of the other.
    """

    def __init__(self, inputs: Sequence[Variable]) -> None:
        self._inputs = set(inputs)
        self._by_slice: dict[Any, tuple[Any, Any, Any]] = {}
        self._parts: dict[Variable, dict[Variable, _Part]] = {}
        """The slices, without steps, of which an expression has all elements."""

    def combined(self, v: Variable) -> None:
        """Note the slices that `v`, which has an element for each of theirs, is of."""
        parts = self._parts_of(v.inputs)
        if isinstance(v.op, Matmul) and parts:
            lengths = list(map(self._near, lengths_of(v)))
            parts = {c: part for c, part in parts.items() if part.count in lengths}
        if parts:
            self._parts[v] = parts

    def _parts_of(self, vs: Iterable[Variable]) -> dict[Variable, _Part]:
        return {c: part for v in vs for c, part in self._parts.get(v, {}).items()}

    def together(self, vs: Sequence[Any], lead: _Part | None = None) -> tuple[Any, ...]:
        """`vs`, whose slices, if they differ, are where those of `lead` are, or the first."""
        parts = self._parts_of(vs)
        if not parts:
            return tuple(vs)
        main = lead or next(iter(parts.values()))
        moved = {c: part.moved_to(main) for c, part in parts.items() if part.differs(main)}
        if not moved:
            return tuple(vs)
        new = tuple(replace(vs, moved))
        for v, old in zip(new, vs, strict=True):
            if old in self._parts:
                own = self._parts[old].items()
                self._parts[v] = {moved.get(c, c): main if c in moved else p for c, p in own}
        return new

    def subscript(self, op: Any, inputs: Sequence[Any], differs: set[Variable]) -> Variable | None:
        """The subscript, its slice by a mask; None if there is more to it that differs."""
        entries = list(by_entry(op, inputs))
        slices = [
            k
            for k, values in enumerate(entries)
            if isinstance(op.entries[k], Slice) and not differs.isdisjoint(values)
        ]
        if len(slices) != 1 or not {ARRAY, NEW}.isdisjoint(op.entries):
            return None
        place = slices[0]
        others = [_FULL if k == place else e for k, e in enumerate(op.entries)]
        rest = [v for k, values in enumerate(entries) if k != place for v in values]
        key = build_key(others, rest, lambda i: i)
        part = inputs[0] if all(e == _FULL for e in others) else inputs[0][key]
        axis = sum(isinstance(e, Slice) for e in others[:place])
        length = lengths_of(inputs[0])[place]
        chosen = self._chosen(part, axis, op.entries[place], length, entries[place])
        if isinstance(op, Index):
            return chosen
        (value,) = self.together([inputs[1]], self._parts.get(chosen, {}).get(chosen))
        changed: TensorVariable = getattr(chosen, op.mode)(unstretched(value, chosen, differs))
        if part is not inputs[0]:
            changed = inputs[0][key].set(changed)
        return changed

    def stretched(self, x: Any, *sizes: Any) -> Variable | None:
        """`x`, broadcast to these sizes; None if not one of them is the length of a slice."""
        near: list[Any] = [self._near(size) for size in sizes]
        for k, size in enumerate(near):
            kind = kind_of(size)
            if isinstance(kind, Pointwise) and kind.of == "broadcast_length":
                first, second = map(self._near, size.inputs)
                if isinstance(first.op, SliceLength) and isinstance(second.op, SliceLength):
                    x = CheckAndRaise(DynamicShapeInLoopError, _MEETING)(x, eq(first, second))
                    near[k] = first
        axes = [k for k, size in enumerate(near) if isinstance(size.op, SliceLength)]
        if len(axes) != 1:
            return None
        (axis,) = axes
        n, *values = near[axis].inputs
        whole = broadcast_to(x, (*sizes[:axis], n, *sizes[axis + 1 :]))
        return self._chosen(whole, axis, near[axis].op.part, n, values)

    def _chosen(self, x: Any, axis: int, e: Slice, n: Any, values: Sequence[Any]) -> TensorVariable:
        n, key = self._near(n), (e, *values)
        if key not in self._by_slice:
            self._by_slice[key] = _mask(e, n, values), SliceLength(e)(n, *values), n
        mask, count, first = self._by_slice[key]
        if n is not first:
            n = CheckAndRaise(DynamicShapeInLoopError, _OTHERS)(n, eq(n, first))
        places = Nonzero(0)(mask, count, n)
        chosen: TensorVariable = x[(*[slice(None)] * axis, places)]
        if e.step in (None, 1):
            self._parts[chosen] = {chosen: _Part(x, axis, _begin(e, n, values), count, n, places)}
        return chosen

    def _near(self, size: Any) -> Variable:
        return nearer_length(size, self._inputs)


def unstretched(y: Any, like: Any, differs: set[Variable]) -> Any:
    """`y`, if it has been stretched along an axis as long as that of `like`, what it was before."""
    if not isinstance(y.op, BroadcastTo) or y.ndim != like.ndim:
        return y
    x, *sizes = y.inputs
    axes = [k for k, size in enumerate(sizes) if size in differs]
    if len(axes) != 1 or x.ndim >= y.ndim - axes[0]:
        return y
    check = CheckAndRaise(ValueError, "what a slice in a loop is combined with has another length")
    return check(x, eq(sizes[axes[0]], lengths_of(like)[axes[0]]))


def _begin(e: Slice, n: Any, values: Sequence[Any]) -> Any:
    """Where a slice without steps begins, within bounds."""
    start: Any = values[0] if e.start == SCALAR else e.start or 0
    return clip(where(lt(start, 0), start + n, start), 0, n)


def _mask(e: Slice, n: Any, values: Sequence[Any]) -> TensorVariable:
    """Which of n elements a slice takes, as `slice.indices` says."""
    rest = iter(values)
    parts: list[Any] = [next(rest) if part == SCALAR else part for part in e]
    start, stop, step = parts
    if isinstance(step, Variable):
        check = CheckAndRaise(ValueError, "slice step cannot be zero")
        step = check(step, neq(step, 0))
    is_ahead: Any = gt(step, 0) if isinstance(step, Variable) else step is None or step > 0

    def choice(ahead: Any, back: Any) -> Any:
        if isinstance(is_ahead, Variable):
            return where(is_ahead, ahead, back)
        return ahead if is_ahead else back

    low, high = choice(0, -1), choice(n, n - 1)

    def end(part: Any, default: Any) -> Any:
        """Counted from the front and within bounds."""
        return default if part is None else clip(where(lt(part, 0), part + n, part), low, high)

    begin, behind = end(start, choice(low, high)), end(stop, choice(high, low))
    places = arange(n)
    ahead, back = ge(places, begin) & lt(places, behind), le(places, begin) & gt(places, behind)
    inside: TensorVariable = choice(ahead, back)
    is_dense = step is None or (isinstance(step, int) and step == 1)
    return inside if is_dense else inside & eq((places - begin) % abs(step), 0)
