"""`vectorize_graph`: any graph, with more leading axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from weft_graph import Variable
from weft_graph.extend import rebuilt
from weft_tensor.batching.rules import batched
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike
from weft_tensor.ops.elementwise.op import broadcast_dims
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.length import lengths_of, same_size
from weft_tensor.ops.shape.reshape import squeeze
from weft_tensor.types.shape_rules import broadcast_shapes
from weft_tensor.types.symbolic_dims import provably_differ
from weft_tensor.types.tensor_type import TensorType

__all__ = ["vectorize_graph", "with_batches"]


def vectorize_graph(outputs: Any, replace: Mapping[Any, TensorLike]) -> Any:
    """`outputs` computed for whole batches: by tensors of more leading axes in place of others.

    Not by a loop: each Op on the way is applied to all elements at once, by a rule of its own or
    of its kind. An Op that has none is applied by `map`.

    Parameters
    ----------
    outputs
        A variable, or a nested structure of them (lists, tuples, dicts, dataclasses).
    replace
        From variables to what stands in their places: of the same dtype and, behind further
        leading axes, the same shape. The leading axes of all broadcast against each other.

    Returns
    -------
    The same structure. A result has the leading axes of what it depends on; one that depends on
    nothing that is replaced stays as it is.

    Raises
    ------
    TypeError
        if a replacement is of another dtype, or of lower rank.
    ValueError
        if shapes do not fit, or if lengths of results depend on values that differ from one
        element of the batch to another, as those of `nonzero` and of `x[mask]` do.

    Examples
    --------
    >>> from weft_tensor import dot, matrix, vector
    >>> x, w = vector("x"), vector("w")
    >>> xs = matrix("xs")
    >>> vectorize_graph(dot(x, w), {x: xs}).eval({xs: [[1.0, 2.0], [3.0, 4.0]], w: [1.0, 1.0]})
    array([3., 7.])
    """
    results: list[Variable] = []

    def place(v: Any) -> int:
        if not isinstance(v, Variable):
            raise TypeError(f"vectorize_graph takes outputs that are variables, not {v!r}")
        results.append(v)
        return len(results) - 1

    places = rebuilt(outputs, place)
    new = {old: _checked(old, as_tensor(v)) for old, v in replace.items()}
    batches = with_batches(results, new)
    return rebuilt(places, batches.__getitem__)


def _checked(old: Any, new: Any) -> Any:
    if not isinstance(old, Variable) or not isinstance(old.type, TensorType):
        raise TypeError(f"vectorize_graph replaces tensor variables, not {old!r}")
    extra = new.ndim - old.type.ndim
    if new.dtype != old.type.dtype or extra < 0:
        raise TypeError(
            f"vectorize_graph: {new!r} can't stand in the place of {old!r}: it must have its "
            f"dtype, {old.type.dtype}, and its {old.type.ndim} axes behind those of the batch"
        )
    if any(map(_never_equal, old.type.shape, new.type.shape[extra:])):
        raise ValueError(
            f"vectorize_graph: {new!r}, without {extra} leading axes, does not have the shape "
            f"of {old!r}, in whose place it is"
        )
    lengths = [n if isinstance(n, int) else None for n in old.type.shape]
    return specify_shape(new, [*[None] * extra, *lengths])


def _never_equal(a: Any, b: Any) -> bool:
    return type(a) is type(b) and provably_differ(a, b)


def with_batches(outputs: Sequence[Variable], new: Mapping[Any, Any]) -> list[Any]:
    """`outputs` by the replacements, whose leading axes, of any number, are broadcast."""
    ranks = {old: old.type.ndim for old in new}
    if not new:
        return list(outputs)
    flags, values = _agreed(ranks, new)
    results = list(outputs)
    current: dict[Any, Any] = {old: old for old in new}
    for k in range(max(1, *map(len, flags.values()))):
        step = {}
        for old, v in values.items():
            outer = sum(flags[old][k + 1 :])
            inner = current[old]
            if inner is v or (outer and not any(flags[old][k : k + 1])):
                continue
            kind = TensorType(v.dtype, v.type.shape[outer:])
            step[inner] = current[old] = kind() if outer else v
        results = batched(results, step)
    return results


def _agreed(
    ranks: Mapping[Any, int], new: Mapping[Any, Any]
) -> tuple[dict[Any, list[bool]], dict[Any, Any]]:
    """For each variable, which of the leading axes it has, from the last to the first; and the
    replacements, without axes that are of length 1 for it alone, repeated where they may be."""
    batches = {old: tuple(v.type.shape[: v.ndim - ranks[old]]) for old, v in new.items()}
    try:
        whole = broadcast_shapes(*batches.values())
    except ValueError as error:
        names = ", ".join(f"{v!r} for {old!r}" for old, v in new.items())
        raise ValueError(
            f"vectorize_graph: the leading axes of {names} do not fit: {error}"
        ) from None
    flags_of: dict[Any, list[bool]] = {}
    values: dict[Any, Any] = {}
    for old, v in new.items():
        own = batches[old]
        flags = [n != 1 or target == 1 for n, target in zip(own[::-1], whole[::-1], strict=False)]
        axes = [len(own) - 1 - k for k, flag in enumerate(flags) if not flag]
        flags_of[old] = flags
        values[old] = squeeze(v, axes) if axes else v
    lengths = [lengths_of(v)[: v.ndim - ranks[old]] for old, v in new.items()]
    common = broadcast_dims(*lengths)
    for old, v in values.items():
        flags = flags_of[old]
        target = [n for n, flag in zip(common[::-1], flags, strict=False) if flag][::-1]
        own_lengths = lengths_of(v)
        if not all(map(same_size, own_lengths, target)):
            values[old] = broadcast_to(v, (*target, *own_lengths[len(target) :]))
    return flags_of, values
