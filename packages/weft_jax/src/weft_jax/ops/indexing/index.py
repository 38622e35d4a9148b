"""Indexing and updates in JAX, with bounds that are checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from weft_graph import Constant, Variable
from weft_jax.analysis.integer_ranges import Range
from weft_jax.analysis.sized_subscripts import SizedSubscript
from weft_jax.compile.tracing import range_of, ranges_at
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_jax.lowering.known_places import at_known_places
from weft_jax.lowering.x64 import of_dtype
from weft_jax.ops.indexing.slices import Window, added, is_quick, replaced, taken
from weft_jax.ops.indexing.windows import fit, windows, with_windows
from weft_jax.runtime.granted_ranges import Granted, range_of_call
from weft_jax.runtime.runtime_checks import (
    MispredictedError,
    bounds,
    counts_from_start,
    grant,
    is_granted,
    require,
    require_within,
)
from weft_jax.runtime.speculative_indices import indexed_axes
from weft_tensor import Arange, BroadcastTo, ExpandDims, Index, IndexUpdate, Reshape
from weft_tensor.extend import (
    ARRAY,
    NEW,
    SCALAR,
    Slice,
    SliceLength,
    build_key,
    windows_of,
)

__all__ = ["jax_funcify_index", "jax_funcify_index_update"]


def _checked_key(entries: Sequence[Any], x: Array, values: Sequence[Array]) -> tuple[Any, ...]:
    """The index for `jax.numpy`, its integers required to be within bounds, or brought there."""
    key = list(build_key(entries, values, lambda i: i))
    shapes = [np.shape(k) for k, e in zip(key, entries, strict=True) if e == ARRAY]
    try:
        nothing = 0 in np.broadcast_shapes(*shapes)  # then NumPy looks at no index
    except ValueError:
        raise IndexError(f"index arrays of shapes {shapes} could not be broadcast") from None
    axis = 0
    clips = bounds() == "clip"
    for place, (k, e) in enumerate(zip(key, entries, strict=True)):
        if e == NEW:
            continue
        n = x.shape[axis]
        if isinstance(e, Slice) or nothing:
            pass
        elif clips and n:
            key[place] = jnp.clip(k, -n, n - 1)
        else:
            error = IndexError(f"an index is out of bounds for axis {axis} with size {n}")
            require_within(k, n, error)
        axis += 1
    return tuple(key)


def _with_elements(entries: Sequence[Any], x: Array) -> Array:
    """An element on axes without any, of which integers choose: in a loop of no steps they may."""
    shape = [*x.shape]
    for axis, entry in enumerate(e for e in entries if e != NEW):
        shape[axis] = shape[axis] if isinstance(entry, Slice) else max(shape[axis], 1)
    return x if x.shape == (*shape,) else jnp.zeros(shape, x.dtype)


@jax_funcify.register(Index)
def jax_funcify_index(op: Index, *, node: Variable, **kwargs: object) -> Lowering:
    """`jax.numpy`'s indexing."""
    entries = op.entries
    axes = indexed_axes(entries)
    slides = len(axes) == 1 and windows_of(node.inputs[1]) is not None

    def index(x: Array, *values: Array) -> Array:
        x = jnp.asarray(x)
        if slides and fit(values[0].shape, x.shape[axes[0]]):
            return windows(x, axes[0], *values[0].shape)
        key = _checked_key(entries, x, values)
        x = _with_elements(entries, x)
        if _count_from_start(axes, key, x) or _are_from_start(entries, key):
            return x.at[key].get(mode="clip", wrap_negative_indices=False)  # no look yet
        return x[key]

    return index


@jax_funcify.register(IndexUpdate)
def jax_funcify_index_update(op: IndexUpdate, *, node: Variable, **kwargs: object) -> Lowering:
    """`x.at[...]`."""
    entries, mode = op.entries, op.mode
    axes = indexed_axes(entries)
    adds = mode == "inc" and len(axes) == 1 and windows_of(node.inputs[2]) is not None
    counts = mode == "inc" and axes == [0] and _are_counts(*node.inputs[:2])
    is_window = NEW not in entries and ARRAY not in entries
    quick = is_quick(node.inputs[1])
    by_rows = entries == (ARRAY, ARRAY) and _are_all_rows(*node.inputs[::2])

    def update(x: Any, y: Any, *values: Any) -> object:
        x = jnp.asarray(x)
        y = of_dtype(y, x.dtype)
        if adds and x.dtype != bool and fit(values[0].shape, x.shape[axes[0]]):
            return with_windows(x, y, axes[0], *values[0].shape)
        if counts and x.size <= values[0].size and is_granted(values[0]):
            counted = _scattered(x, y, values[0], 0, mode)
            require(counted.sum() == values[0].size, MispredictedError)
            return counted
        key = _checked_key(entries, x, values)
        if not x.size:
            return x
        if is_window:
            windows = list(map(_window, key, x.shape))
            single = [axis for axis, e in enumerate(entries) if not isinstance(e, Slice)]
            result = _in_windows(x, y, windows, mode, quick, single)
            if result is not None:
                return result
        result = at_known_places(x, y, key, mode)
        if result is not None:
            return result
        from_start = _count_from_start(axes, key, x) or _are_from_start(entries, key)
        if by_rows and np.shape(key[1]) in [(len(x), 1), (1, 1), (1,)] and x.shape[1] <= _FEW:
            return _in_rows(x, y, key[1], mode, from_start)
        if not from_start:
            return _changed(x.at[key], y, mode)
        if len(axes) == 1:
            return _scattered(x, y, key[axes[0]], axes[0], mode)
        return _changed(x.at[key], y, mode, mode="drop", wrap_negative_indices=False)

    return update


_FEW: Final = 16
"""Rows so short are compared with an index as soon as they are written at it."""

_METHODS: Final = {
    "set": "set",
    "inc": "add",
    "mul": "multiply",
    "maximum": "max",
    "minimum": "min",
}
_SCATTERS: Final[dict[str, Callable[..., Array]]] = {
    "set": lax.scatter,
    "inc": lax.scatter_add,
    "mul": lax.scatter_mul,
    "maximum": lax.scatter_max,
    "minimum": lax.scatter_min,
}
_OF_ELEMENTS: Final[dict[str, Callable[[Array, Array], Array]]] = {
    "set": lambda x, y: y,
    "inc": jnp.add,
    "mul": jnp.multiply,
    "maximum": jnp.maximum,
    "minimum": jnp.minimum,
}
_OF_BOOLS: Final = {"inc": "maximum", "mul": "minimum"}
"""To add bools is to ask whether any is true; to multiply them, whether all are."""


def _changed(place: Any, y: Array, how: str, **options: object) -> Any:
    """`x` with `y` set, added, ... at this place."""
    how = _OF_BOOLS.get(how, how) if y.dtype == bool else how
    return getattr(place, _METHODS[how])(y, **options)


def _count_from_start(axes: Sequence[int], key: Sequence[Any], x: Array) -> bool:
    """Whether indices are all that there is in `key`, beside whole axes, and none is negative."""
    return bool(axes) and all(counts_from_start(key[axis], x.shape[axis]) for axis in axes)


def _are_from_start(entries: Sequence[Any], key: Sequence[Any]) -> bool:
    """Whether all numbers and index arrays in `key` are known not to be negative."""
    known = [
        Range(e, e) if isinstance(e, int) else range_of(k)
        for e, k in zip(entries, key, strict=True)
        if not isinstance(e, Slice) and e != NEW
    ]
    return ARRAY in entries and all(r is not None and r.least >= 0 for r in known)


def _are_all_rows(x: Any, rows: Any) -> bool:
    """Whether `rows` counts the rows of the matrix `x`, in a column."""
    (n, *columns), source = x.type.shape, rows
    while isinstance(source.op, ExpandDims | Granted | Reshape):
        source = source.inputs[0]
    is_count = isinstance(source.op, Arange) and len(source.inputs) == 1
    return len(columns) == 1 and is_count and n is not None and rows.type.shape == (n, 1)


def _in_rows(x: Array, y: Array, columns: Array, mode: str, from_start: bool) -> Array:
    """`x` with y set, added, ... in one place of each row.

    XLA makes a loop of a scatter, which it compiles for longer than comparisons, and runs no faster
    where rows are short.
    """
    y = jnp.broadcast_to(y, (len(x), 1))
    columns = columns if from_start else jnp.where(columns < 0, columns + x.shape[1], columns)
    hit = columns == lax.broadcasted_iota(columns.dtype, x.shape, 1)
    return jnp.where(hit, _OF_ELEMENTS[mode](x, y), x)


def _are_counts(x: Any, y: Any) -> bool:
    """Whether ones are added to integers, all of which are zero."""
    numbers = [v.inputs[0].op if isinstance(v.op, BroadcastTo) else v.op for v in (x, y)]
    return x.dtype == "int64" and [
        isinstance(op, Constant) and op.value.size == 1 and op.value.item() for op in numbers
    ] == [0, 1]


@jax_funcify.register(Granted)
def jax_funcify_granted(op: Granted, *, node: Variable, **kwargs: object) -> Lowering:
    """The indices themselves; what says between which numbers they are is noted."""
    index, *sources = node.inputs

    def granted(x: Array, *values: Any) -> Array:
        known = {v: limits for v in sources if (limits := ranges_at(node).of(v))}
        grant(x, lambda: range_of_call(index, dict(zip(sources, values, strict=True)), known))
        return x

    return granted


def _scattered(x: Array, y: Array, index: Array, axis: int, mode: str) -> Array:
    """`x` with `y` in the places `index` of an axis, none of which is negative."""
    if index.dtype not in ("int32", "int64"):
        index = lax.convert_element_type(index, "int64")
    behind = axis + index.ndim
    shape = (*x.shape[:axis], *index.shape, *x.shape[axis + 1 :])
    windows = lax.ScatterDimensionNumbers(
        update_window_dims=(*range(axis), *range(behind, len(shape))),
        inserted_window_dims=(axis,),
        scatter_dims_to_operand_dims=(axis,),
    )
    return _SCATTERS[_OF_BOOLS.get(mode, mode) if x.dtype == bool else mode](
        x,
        lax.expand_dims(index, (index.ndim,)),
        jnp.broadcast_to(y, shape),
        windows,
        mode=lax.GatherScatterMode.FILL_OR_DROP,  # the host has not looked yet
    )


@jax_funcify.register(SizedSubscript)
def jax_funcify_sized_subscript(
    op: SizedSubscript, *, node: Variable, **kwargs: object
) -> Lowering:
    """Slices first, then what is left of the index."""
    inner, sized = op.op, op.sized
    quick = is_quick(node.inputs[1])

    def windows(x: Array, rest: Sequence[Any]) -> tuple[dict[int, Window], list[Any], list[Any]]:
        """What slices take, by axis; the index without these, and its values."""
        values, lengths = iter(rest[:-sized]), iter(rest[-sized:])
        by_axis: dict[int, Window] = {}
        entries: list[Any] = []
        rest_values: list[Any] = []
        axis = 0
        for e in inner.entries:
            if isinstance(e, Slice) and SCALAR in e:
                parts = [next(values) if p == SCALAR else p for p in e]
                by_axis[axis] = Window.of(parts, x.shape[axis], int(next(lengths)))
                entries.append(_ALL)
            else:
                entries.append(e)
                if e in (SCALAR, ARRAY):
                    rest_values.append(next(values))
            axis += e != NEW
        return by_axis, entries, rest_values

    def index(x: Array, *rest: Any) -> Array:
        places, entries, values = windows(x, rest)
        for axis, window in places.items():
            x = taken(x, axis, window)
        return x if all(e == _ALL for e in entries) else x[_checked_key(entries, x, values)]

    def update(x: Array, y: Array, *rest: Any) -> object:
        x = jnp.asarray(x)
        assert isinstance(inner, IndexUpdate)
        axes, entries, values = windows(x, rest)
        if all(isinstance(e, Slice) for e in entries):
            slices = [slice(*e) for e in entries]
            whole = {**dict(enumerate(map(_window, slices, x.shape))), **axes}
            ordered = [whole[axis] for axis in sorted(whole)]
            result = _in_windows(x, y, ordered, inner.mode, quick)
            if result is not None:
                return result
        places = jnp.arange(x.size).reshape(x.shape)
        for axis, window in axes.items():
            places = taken(places, axis, window)
        places = places[_checked_key(entries, places, values)]
        y = jnp.broadcast_to(jnp.asarray(y, x.dtype), places.shape)
        return _changed(x.ravel().at[places], y, inner.mode).reshape(x.shape)

    return index if isinstance(inner, Index) else update


_ALL: Final = Slice(None, None, None)


def _window(k: Any, n: int) -> Window:
    """What a slice of numbers, or an index within bounds, takes of an axis of length n."""
    if not isinstance(k, slice):
        return Window.of_index(k, n)
    places = range(*k.indices(n))
    return Window(places.start, places.step, len(places))


def _in_windows(
    x: Array,
    y: Any,
    windows: Sequence[Window],
    mode: str,
    quick: bool,
    single: Sequence[int] = (),
) -> Array | None:
    """`x` with y set, added, ... in windows along its first axes; None if there is no better way.

    `quick` says whether y costs little. Along the axes `single` windows have one element each, and
    y has not these axes.
    """
    rest = [Window(0, 1, n) for n in x.shape[len(windows) :]]
    windows = [*windows, *rest]
    lengths = [w.length for w in windows]
    y = jnp.broadcast_to(of_dtype(y, str(x.dtype)), np.delete(lengths, single)).reshape(lengths)
    spreads = mode == "inc" and not single and (quick or not all(w.is_dense for w in windows))
    result = added(x, y, windows) if spreads else None
    return replaced(x, y, windows, mode) if result is None else result


@jax_funcify.register(SliceLength)
def jax_funcify_slice_length(op: SliceLength, **kwargs: object) -> Lowering:
    """As Python's `slice.indices` says."""

    def slice_length(n: Array, *values: Array) -> Array:
        rest = iter(values)
        parts: list[Any] = [next(rest) if p == SCALAR else p for p in op.part]
        start, stop, step = parts
        step = 1 if step is None else step
        low, high = jnp.where(step > 0, 0, -1), jnp.where(step > 0, n, n - 1)
        begin = _end(start, n, low, high, jnp.where(step > 0, low, high))
        end = _end(stop, n, low, high, jnp.where(step > 0, high, low))
        distance = jnp.where(step > 0, end - begin, begin - end)
        return jnp.maximum(-(-distance // jnp.abs(step)), 0)

    return slice_length


def _end(end: Array | int | None, n: Array, low: Array, high: Array, default: Array) -> Array:
    """Where a slice begins or ends, counted from the front and within bounds."""
    if end is None:
        return default
    return jnp.clip(jnp.where(end < 0, end + n, end), low, high)
