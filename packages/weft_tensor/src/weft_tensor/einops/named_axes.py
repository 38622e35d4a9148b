"""Axes in another order, split, joined, reduced and repeated by names, as einops has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, Final

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.einops.axis_patterns import (
    Axis,
    Group,
    Pattern,
    filled,
    groups_of,
    pattern_of,
    shown,
)
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.products import einsum as products
from weft_tensor.ops.reduction import standard
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.length import lengths_of, static_length
from weft_tensor.ops.shape.reshape import reshape
from weft_tensor.ops.shape.transpose import transpose
from weft_tensor.types.symbolic_dims import Length, quotient

__all__ = ["einsum", "pack", "parse_shape", "rearrange", "reduce", "repeat", "unpack"]

Tensors = TensorLike | Sequence[TensorLike]
_REDUCTIONS: Final[dict[str, Callable[..., TensorVariable]]] = {
    name: getattr(standard, name) for name in ("min", "max", "sum", "mean", "prod", "any", "all")
}


def rearrange(tensor: Tensors, pattern: str, **axes_lengths: SizeLike) -> TensorVariable:
    """The elements of `tensor` with its axes in another order, split and joined.

    See einops' `rearrange`.

    Parameters
    ----------
    tensor
        A tensor, or a list of tensors of one shape, whose first axis is the place in the list.
    pattern
        Names of axes before and after `->`; those in parentheses are one axis, of which the last
        changes fastest. `1` is an axis of length 1, and `...` stands for all that have no name.
    **axes_lengths
        Lengths of axes, which may be scalars of the graph: in parentheses, of all but one.

    Raises
    ------
    ValueError
        for a pattern that is none or does not fit the rank, axes that are on one side only, and
        lengths that are not known or do not fit, at the call if they are not known before.

    Examples
    --------
    >>> rearrange([[1, 2, 3, 4], [5, 6, 7, 8]], "b (h w) -> w (b h)", w=2).eval()
    array([[1, 3, 5, 7],
           [2, 4, 6, 8]])
    """
    x, sides, lengths = _read("rearrange", tensor, pattern, axes_lengths)
    before, after = (_flat(side) for side in sides)
    for axis in (*before, *after):
        if (axis in before) != (axis in after):
            where = "before" if axis in before else "after"
            instead = "`reduce`, or 1," if axis in before else "`repeat`, or 1,"
            raise ValueError(
                f"rearrange: the axis {axis} of {pattern!r} is only {where} ->: {instead} has such "
                f"axes{called()}"
            )
    return _joined(_ordered(x, before, after), sides.after, lengths)


def reduce(
    tensor: Tensors,
    pattern: str,
    reduction: str | Callable[[TensorVariable, tuple[int, ...]], TensorVariable],
    **axes_lengths: SizeLike,
) -> TensorVariable:
    """`rearrange`, after a reduction over the axes that are only before `->`.

    `reduction` is "min", "max", "sum", "mean", "prod", "any", "all", or a function of the tensor
    and of a tuple of axes. A number in the pattern is an axis of that length. See einops' `reduce`.
    Raises ValueError as `rearrange` does, and for another reduction.

    >>> reduce([[1.0, 2.0, 3.0, 4.0]], "b (w 2) -> b w", "max").eval()
    array([[2., 4.]])
    """
    of = _REDUCTIONS.get(reduction) if isinstance(reduction, str) else reduction
    if of is None:
        names = ", ".join(_REDUCTIONS)
        raise ValueError(f"reduce: reduction is a function or {names}, not {reduction!r}{called()}")
    x, sides, lengths = _read("reduce", tensor, pattern, axes_lengths)
    before, after = (_flat(side) for side in sides)
    for axis in after:
        if axis not in before:
            raise ValueError(
                f"reduce: the axis {axis} of {pattern!r} is only after ->: `repeat` has such "
                f"axes{called()}"
            )
    gone = tuple(k for k, axis in enumerate(before) if axis not in after)
    x = of(x, gone) if gone else x
    kept = [axis for axis in before if axis in after]
    return _joined(_ordered(x, kept, after), sides.after, lengths)


def repeat(tensor: Tensors, pattern: str, **axes_lengths: SizeLike) -> TensorVariable:
    """`rearrange`, with elements repeated along the axes that are only after `->`.

    Their lengths are given by name, or are numbers in the pattern. See einops' `repeat`. Raises
    ValueError as `rearrange` does.

    >>> repeat([[1, 2]], "h w -> (h 2) (w k)", k=2).eval()
    array([[1, 1, 2, 2],
           [1, 1, 2, 2]])
    """
    x, sides, lengths = _read("repeat", tensor, pattern, axes_lengths)
    before, after = (_flat(side) for side in sides)
    for axis in before:
        if axis not in after:
            raise ValueError(
                f"repeat: the axis {axis} of {pattern!r} is only before ->: `reduce` has such "
                f"axes{called()}"
            )
    new = [axis for axis in after if axis not in before]
    for axis in new:
        if axis.length is None and axis not in lengths:
            raise ValueError(
                f"repeat: the length of {axis} in {pattern!r} is unknown: give {axis}=...{called()}"
            )
        lengths.setdefault(axis, axis.length)
    whole = broadcast_to(x, [lengths[axis] for axis in (*new, *before)])
    return _joined(_ordered(whole, (*new, *before), after), sides.after, lengths)


def einsum(*tensors_and_pattern: Any) -> TensorVariable:
    """Products of tensors, summed over the axes that are not after `->`, by names of axes.

    The pattern, "b i, i o -> b o", is the last argument. See einops' `einsum`. Raises ValueError
    for parentheses and numbers, and where `wt.einsum` does.

    >>> einsum([[1.0, 2.0]], [[3.0], [4.0]], "batch in_, in_ out -> batch out").eval()
    array([[11.]])
    """
    *tensors, pattern = tensors_and_pattern
    if not isinstance(pattern, str) or pattern.count("->") != 1:
        raise ValueError(
            f"einsum: the last argument is a pattern with one ->, not {pattern!r}{called()}"
        )
    before, after = pattern.split("->")
    numbers: dict[Any, Any] = {"...": ...}
    labels = [_labels(side, numbers) for side in (*before.split(","), after)]
    if len(labels) != len(tensors) + 1:
        raise ValueError(
            f"einsum: {pattern!r} is for {len(labels) - 1} tensors, not {len(tensors)}{called()}"
        )
    pairs = [v for pair in zip(tensors, labels, strict=False) for v in pair]
    return products.einsum(*pairs, labels[-1])


def _labels(side: str, numbers: dict[Any, Any]) -> list[Any]:
    found = []
    for group in groups_of("einsum", side):
        if len(group) != 1 or group[0].length is not None:
            raise ValueError(f"einsum: axes of {side.strip()!r} are names alone{called()}")
        found.append(numbers.setdefault(group[0].name, len(numbers)))
    return found


def parse_shape(x: TensorLike, pattern: str) -> dict[str, SizeLike]:
    """The length of each axis by its name, but of those called `_`: a number where it is known.

    See einops' `parse_shape`. Raises ValueError for another rank, and for parentheses.

    >>> parse_shape([[1, 2, 3]], "_ w")
    {'w': 3}
    """
    x = as_tensor(x)
    groups = _filled("parse_shape", groups_of("parse_shape", pattern), x, pattern)
    found: dict[str, SizeLike] = {}
    for group, length in zip(groups, lengths_of(x), strict=True):
        if len(group) > 1:
            raise ValueError(f"parse_shape takes no parentheses: {pattern!r}{called()}")
        if group and group[0].name != "_" and group[0].place < 0:
            found[group[0].name] = _known(length)
    return found


def pack(
    tensors: Sequence[TensorLike], pattern: str
) -> tuple[TensorVariable, list[tuple[SizeLike, ...]]]:
    """Tensors beside each other along one axis, written `*`, and the shapes of what it stands for.

    In each tensor, `*` stands for any number of axes. See einops' `pack`. Raises ValueError where
    the pattern has not one `*`, or a tensor has fewer axes.

    >>> packed, shapes = pack([[[1, 2], [3, 4]], [5, 6]], "* c")
    >>> packed.eval().tolist(), shapes
    ([[1, 2], [3, 4], [5, 6]], [(2,), ()])
    """
    first, last = _around("pack", pattern)
    flat, shapes = [], []
    for value in tensors:
        x = as_tensor(value)
        if x.ndim < first + last:
            raise ValueError(
                f"pack: {x!r} has not the {first + last} axes of {pattern!r}, besides *{called()}"
            )
        lengths = lengths_of(x)
        middle = lengths[first : x.ndim - last]
        ends = lengths[:first], lengths[x.ndim - last :]
        flat.append(reshape(x, (*ends[0], prod(middle), *ends[1])))
        shapes.append(tuple(map(_known, middle)))
    return concatenate(flat, axis=first), shapes


def unpack(
    tensor: TensorLike, packed_shapes: Sequence[Sequence[SizeLike]], pattern: str
) -> list[TensorVariable]:
    """The tensors that `pack` has put beside each other. See einops' `unpack`.

    Raises ValueError where the pattern has not one `*`, or the tensor another rank.

    >>> [v.eval().tolist() for v in unpack([[1, 2], [3, 4], [5, 6]], [(2,), ()], "* c")]
    [[[1, 2], [3, 4]], [5, 6]]
    """
    first, last = _around("unpack", pattern)
    x = as_tensor(tensor)
    if x.ndim != first + last + 1:
        raise ValueError(
            f"unpack: {x!r} has not the {first + last + 1} axes of {pattern!r}{called()}"
        )
    lengths, found = lengths_of(x), []
    start: Any = 0
    for shape in packed_shapes:
        sizes: Any = shape
        stop = start + prod(sizes)
        part = x[(*([slice(None)] * first), slice(start, stop))]
        found.append(reshape(part, (*lengths[:first], *shape, *lengths[first + 1 :])))
        start = stop
    return found


def _around(who: str, pattern: str) -> tuple[int, int]:
    """How many axes are before and after the star."""
    names = pattern.split()
    if names.count("*") != 1 or len({*names}) != len(names):
        raise ValueError(f"{who}: a pattern is names of axes and one *, not {pattern!r}{called()}")
    return names.index("*"), len(names) - 1 - names.index("*")


def _read(
    who: str, tensor: Tensors, text: str, given: Mapping[str, SizeLike]
) -> tuple[TensorVariable, Pattern, dict[Axis, Any]]:
    """The tensor, split into axes; both sides of the pattern; the length of each axis."""
    x = stack(list(tensor)) if isinstance(tensor, (list, tuple)) else as_tensor(tensor)
    pattern = pattern_of(who, text)
    before = _filled(who, pattern.before, x, text)
    rest = sum(axis.place >= 0 and axis.length is None for axis in _flat(before))
    sides = Pattern(before, filled(pattern.after, rest))
    named = {axis for side in sides for axis in _flat(side)}
    for name in given:
        if Axis(name) not in named:
            raise ValueError(f"{who}: there is no axis {name} in {text!r}{called()}")
    lengths: dict[Axis, Any] = {Axis(name): length for name, length in given.items()}
    sizes: list[Any] = []
    for group, length in zip(before, lengths_of(x), strict=True):
        x = _split(who, x, group, length, lengths, text)
        sizes += [lengths[axis] for axis in group]
    return reshape(x, sizes), sides, lengths


def _filled(who: str, groups: Sequence[Group], x: TensorVariable, text: str) -> tuple[Group, ...]:
    has_rest = any(axis.name == "..." for group in groups for axis in group)
    rest = x.ndim - len(groups) + has_rest
    if rest < 0 or (rest and not has_rest):
        raise ValueError(
            f"{who}: {text!r} is for {len(groups) - has_rest}{' or more' if has_rest else ''} "
            f"axes, and {x!r} has {x.ndim}{called()}"
        )
    return filled(groups, rest)


def _split(
    who: str, x: TensorVariable, group: Group, length: Any, lengths: dict[Axis, Any], text: str
) -> TensorVariable:
    """`x`, checked to have an axis that is split so; the lengths of its parts are added."""
    for axis in group:
        if axis.length is not None:
            lengths[axis] = axis.length
    unknown = [axis for axis in group if axis not in lengths]
    if len(unknown) > 1:
        raise ValueError(
            f"{who}: lengths of {shown(group)} in {text!r} must be known but for one: give "
            f"{' or '.join(f'{axis}=...' for axis in unknown)}{called()}"
        )
    product: Any = prod(lengths[axis] for axis in group if axis in lengths)
    if unknown and group == tuple(unknown):
        lengths[unknown[0]] = length
        return x
    message = (
        f"{who}: the length of {shown(group)} in {text!r} must be "
        f"{'a multiple of ' if unknown else ''}"
        f"{' * '.join(str(axis) for axis in group if axis not in unknown)}"
        f"{f' = {product}' if isinstance(product, int) else ''}"
    )
    known, size = static_length(length), static_length(product)
    if unknown:
        lengths[unknown[0]] = _known(length) // product
    if isinstance(known, int) and isinstance(size, int):
        if known != size * (known // size if unknown and size else 1):
            raise ValueError(f"{message}; it is {known}{called()}")
        return x
    if _divides(known, size) if unknown else known is not None and known == size:
        return x
    lack = length % product if unknown else length - product
    return check_and_raise(x, lack.eq(0), ValueError, message)


def _divides(length: Length, part: Length) -> bool:
    if not isinstance(part, int) or part < 1:
        return False
    share = quotient(length, part)
    return share is not None and share * part == length


def _known(length: TensorVariable) -> Any:
    number = static_length(length)
    return number if isinstance(number, int) else length


def _flat(groups: Sequence[Group]) -> tuple[Axis, ...]:
    return tuple(axis for group in groups for axis in group)


def _ordered(x: TensorVariable, before: Sequence[Axis], after: Sequence[Axis]) -> TensorVariable:
    return transpose(x, [before.index(axis) for axis in after]) if after else x


def _joined(
    x: TensorVariable, groups: Sequence[Group], lengths: Mapping[Axis, Any]
) -> TensorVariable:
    return reshape(x, [prod(lengths[axis] for axis in group) for group in groups])
