"""Elements of labelled tensors, found by positions along their dims, and put there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.indexing.nonzero import flatnonzero
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.xtensor.alignment import aligned, of_one_length, united
from weft_tensor.xtensor.rearranging import transpose
from weft_tensor.xtensor.variable import Dims, XTensor, as_xtensor, labelled

__all__ = ["getitem", "inc", "isel", "set"]

_PLACE: Final = "_place"


class _Place(NamedTuple):
    """Where elements are, for them to be changed."""

    part: TensorVariable
    """The elements, the direct result of indexing."""
    dims: Dims
    """Of the elements."""
    of: Dims
    """Of what was indexed, in the order in which its axes were."""
    whole: Dims
    """The same, in the order in which they are."""


def isel(x: Any, indexers: Mapping[str, Any] | None = None, /, **more: Any) -> XTensor:
    """The elements at positions along some dims. See `xarray.DataArray.isel`.

    A position, an integer, drops its dim; a slice keeps it; so does a list or vector of positions,
    or a vector of booleans, for each dim by itself. Positions that have dims are looked up
    together along those that they share, which come in place of the first that is indexed.

    The result has `set` and `inc`, which give `x` with other elements there.

    Raises ValueError for a dim that `x` has not; TypeError for what is no position.

    >>> x = as_xtensor([[1, 2, 3], [4, 5, 6]], ("a", "b"))
    >>> isel(x, a=0, b=slice(1, None)).values.eval(), isel(x, b=[2, 0]).values.eval()
    (array([2, 3]), array([[3, 1],
           [6, 4]]))
    >>> isel(x, a=as_xtensor([0, 1], "c"), b=as_xtensor([2, 0], "c")).values.eval()
    array([3, 4])
    >>> isel(x, a=1).set(0).values.eval()
    array([[1, 2, 3],
           [0, 0, 0]])
    """
    x = as_xtensor(x)
    entries = {**(indexers or {}), **more}
    x.axes(entries)
    entries = {d: e if isinstance(e, slice) else _position(d, e) for d, e in entries.items()}
    tables = _tables(x, entries)
    entries |= tables
    new = united(list(tables.values()))
    numbers = [d for d, e in entries.items() if isinstance(e, XTensor) and d not in tables]
    first = [*tables, *numbers] if tables else []
    order = (*first, *(d for d in x.dims if d not in first))
    at = dict(zip(tables, aligned(of_one_length(list(tables.values()), "isel"), new), strict=True))
    at |= {d: entries[d].values for d in numbers}
    turned = x if order == x.dims else transpose(x, *order)
    part = index(turned.values, tuple([at.get(d, entries.get(d, slice(None))) for d in order]))
    kept = [d for d in x.dims if d not in tables and d not in numbers]
    dims = (*new, *kept)
    apart = len(new) == len(tables) == sum(e.ndim for e in tables.values())
    came = {d: e.dims if apart else new for d, e in tables.items()}
    wanted = dict.fromkeys(e for d in x.dims for e in came.get(d, (d,) if d in kept else ()))
    result = labelled(part, dims)
    result = result if tuple(wanted) == dims else transpose(result, *wanted)
    result.__dict__[_PLACE] = _Place(part, dims, order, x.dims)
    return result


def _tables(x: XTensor, entries: Mapping[str, Any]) -> dict[str, XTensor]:
    """What is looked up along dims: of those that positions share with `x`, each by itself."""
    tables = {d: e for d, e in entries.items() if isinstance(e, XTensor) and e.ndim}
    for d in united(list(tables.values())):
        if d in x.dims and d not in tables:
            if d in entries:
                raise ValueError(f"isel: {d!r}, a dim of positions, is indexed itself{called()}")
            tables[d] = labelled(arange(lengths_of(x.values)[x.axis(d)]), (d,))
    return tables


def _position(dim: str, entry: Any) -> XTensor:
    """Integers, which have the dim itself if they are a plain vector."""
    if not isinstance(entry, XTensor) and not hasattr(entry, "dims"):
        values = as_tensor(entry)
        entry = labelled(values, (dim,) * values.ndim)
    found = as_xtensor(entry)
    if found.ndim == 1 and found.dtype == "bool":
        return labelled(flatnonzero(found.values), found.dims)
    if found.dtype[:3] not in ("int", "uin") or len(found.dims) != len({*found.dims}):
        raise TypeError(
            f"along {dim!r} positions are integers, a slice, a vector, or have dims: not {entry!r}"
            + called()
        )
    return found


def getitem(x: Any, key: Any) -> XTensor:
    """`isel` of a mapping from dims to positions, or of positions along the first dims.

    >>> x = as_xtensor([[1, 2], [3, 4]], ("a", "b"))
    >>> getitem(x, {"b": 0}).values.eval(), getitem(x, (..., 1)).values.eval()
    (array([1, 3]), array([2, 4]))
    """
    x = as_xtensor(x)
    if isinstance(key, Mapping):
        return isel(x, key)
    entries = list(key) if isinstance(key, tuple) else [key]
    places = [k for k, e in enumerate(entries) if e is ...]
    if places:
        rest = [slice(None)] * (x.ndim + 1 - len(entries))
        entries[places[0] : places[0] + 1] = rest
    if len(entries) > x.ndim or len(places) > 1:
        raise IndexError(f"{key!r} has too many positions for the dims {x.dims}{called()}")
    return isel(x, dict(zip(x.dims, entries, strict=False)))


def set(part: XTensor, value: Any) -> XTensor:  # PyTensor's name
    """What `part` was taken from by `isel`, with `value` in its place.

    Raises TypeError for what was not, ValueError for a value with other dims.

    >>> x = as_xtensor([[1, 2], [3, 4]], ("a", "b"))
    >>> set(isel(x, b=0), as_xtensor([7, 8], "a")).values.eval()
    array([[7, 2],
           [8, 4]])
    """
    return _changed(part, "set", value)


def inc(part: XTensor, value: Any) -> XTensor:
    """What `part` was taken from by `isel`, with `value` added there, as often as it is named.

    Raises TypeError for what was not, ValueError for a value with other dims.

    >>> inc(isel(as_xtensor([1, 2], "a"), a=[1, 1]), 10).values.eval()
    array([ 1, 22])
    """
    return _changed(part, "inc", value)


def _changed(part: XTensor, mode: str, value: Any) -> XTensor:
    place = vars(part).get(_PLACE)
    if place is None:
        raise TypeError(f"{part!r} is no result of indexing: write x.isel(a=i).{mode}(v){called()}")
    known = labelled(place.part, place.dims)
    _, y = of_one_length([known, as_xtensor(value)], mode)
    if strange := [d for d in y.dims if d not in place.dims]:
        raise ValueError(f"{mode}: {strange} are none of the dims {place.dims}{called()}")
    whole = updated(place.part, mode, aligned([y], place.dims)[0])
    result = labelled(whole, place.of)
    return result if place.of == place.whole else transpose(result, *place.whole)
