"""Boolean masks without lengths that depend on values: what they choose stays in its place.

A reduction of `f(x[mask])` becomes one of `where(mask, f(x), neutral)`, an update of
`x[mask]` becomes a `where`, a matrix product along what is chosen becomes one along all, with
zeros, and an output `f(x[mask])` is chosen from `f(x)` at the end. Nothing then has a length
that JAX would have to know beforehand. Derivatives have been taken before, so that elements
which the mask leaves out do not reach them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from weft_graph import CheckAndRaise, FunctionGraph, Named, Op, Variable
from weft_graph.extend import remake
from weft_jax.lowering.dispatch import has_function
from weft_tensor import (
    Compress,
    Gather,
    Kind,
    Length,
    Pointwise,
    Reduction,
    Scatter,
    SumOver,
    TensorVariable,
    View,
    broadcast_to,
    constant,
    eq,
    expand,
    expanded,
    gt,
    where,
)
from weft_tensor.extend import (
    ARRAY,
    Slice,
    as_axes,
    changed,
    kind_of,
    kinds_of,
    lengths_of,
    same_size,
)

__all__ = ["CHOSEN", "LIFTED", "POSITIONS", "Chosen", "chosen_by_mask", "lift_masks"]

POSITIONS: Final[set[type[Op]]] = set()
"""Ops of the kind `Compress`, which give the positions of a mask."""
_NEUTRAL: Final = {"add": 0, "mul": 1, "logical_or": False, "logical_and": True}
_EXTREMES: Final = ("maximum", "minimum")


class Chosen(NamedTuple):
    """The elements of `whole` for which a mask is true: its axes, from `axis` on, become one."""

    whole: Any
    mask: Any
    count: Any
    axis: int
    fits: frozenset[tuple[int, Any]]
    """How long axes of the mask must be: (axis, length) pairs."""
    like: Any
    """A tensor of the shape of the whole."""
    positions: tuple[Variable, ...]
    """Where the mask is true, along each of its axes."""

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for the same mask at the same place."""
        return self.mask, self.count, self.axis, self.after

    @property
    def after(self) -> int:
        """How many axes of the whole follow those of the mask."""
        return int(self.like.ndim - self.axis - self.mask.ndim)

    @property
    def shape(self) -> list[TensorVariable]:
        """The lengths of the chosen."""
        lengths = list(lengths_of(self.like))
        lengths[self.axis : self.axis + self.mask.ndim] = [self.count]
        return lengths

    def checked(self) -> TensorVariable:
        """The mask, which raises if it does not fit what it is used for."""
        mask: TensorVariable = self.mask
        for axis, n in sorted(self.fits, key=str):
            message = f"axis {axis} of the boolean mask has another length than what it indexes"
            mask = CheckAndRaise(IndexError, message)(mask, eq(lengths_of(mask)[axis], n))
        return mask

    def among(self, mask: Any, others: Any) -> TensorVariable:
        """The chosen in their places, `others` in all other places."""
        behind = tuple(range(mask.ndim, mask.ndim + self.after))
        mask = mask.expand_dims(behind) if behind else mask
        result: TensorVariable = where(mask, self.whole, others)
        return result

    def picked(self) -> TensorVariable:
        """The chosen elements themselves."""
        mask = self.checked()
        positions = [remake(p, (mask, self.count)) for p in self.positions]
        elements: TensorVariable = self.whole[((slice(None),) * self.axis + tuple(positions))]
        return elements


_Below = Sequence[Chosen | None]
"""What of the inputs a mask chose."""
CHOSEN: Final[dict[type[Op], Callable[[Variable, Sequence[Any], _Below], Chosen | None]]] = {}
"""What is chosen, where inputs are, of an Op without a kind."""
LIFTED: Final[dict[type[Op], Callable[[Variable, _Below], Any]]] = {}
"""What computes an Op without a kind with the chosen in their places; None if that can't be."""


def lift_masks(graph: FunctionGraph) -> FunctionGraph:
    """`graph` without lengths that come from masks, wherever these can be avoided.

    Ops that are not lowered stand there by their expansions.
    """
    graph = expanded(graph, has_function)
    if POSITIONS.isdisjoint(graph.op_classes):
        return graph
    kinds = kinds_of(graph)
    choices: dict[Variable, Chosen] = {}
    counts: dict[Variable, Chosen] = {}
    copies: dict[Variable, Any] = {v: v for v in graph.inputs}
    for v in graph.order:
        if v in copies:
            continue
        inputs = tuple([copies[i] for i in v.inputs])
        kind, below = kinds.get(v), [choices.get(i) for i in v.inputs]
        choice = _chosen(v, kind, inputs, below, counts)
        if choice is not None:
            choices[v] = choice
            counts.setdefault(choice.count, choice)
        lifted = _lifted(v, kind, inputs, below)
        if lifted is not None:
            copies[v] = lifted
        else:
            copies[v] = remake(v, inputs)
    outputs = [choices[v].picked() if v in choices else copies[v] for v in graph.outputs]
    return FunctionGraph(graph.inputs, outputs)


def chosen_by_mask(v: Variable) -> bool:
    """Whether `v` is what indices choose of a tensor, among them the positions of a mask."""
    return isinstance(kind_of(v), Gather) and any(
        isinstance(kind_of(i), Compress) for i in v.inputs
    )


def _chosen(
    v: Variable,
    kind: Kind | None,
    inputs: Sequence[Any],
    below: _Below,
    counts: dict[Variable, Chosen],
) -> Chosen | None:
    """What `v` is, if a mask chose its elements and they can stay in their places."""
    if isinstance(kind, Gather):
        return _by_mask(kind.at, inputs[0], inputs[1:])
    if isinstance(kind, View) and kind.stretched and not inputs[0].ndim:
        like = next((counts[n] for n in inputs[1:] if n in counts), None)
        if like is None or not _same_lengths(inputs[1:], like.shape):
            return None
        return like._replace(whole=broadcast_to(inputs[0], lengths_of(like.whole)))
    if isinstance(kind, SumOver):
        first = below[0]
        return first if first is not None and _same_lengths(inputs[1:], first.shape) else None
    if type(v.op) in CHOSEN:
        return CHOSEN[type(v.op)](v, inputs, below)
    if isinstance(kind, Reduction | View):
        return None if below[0] is None else _moved(v, kind, below[0])
    if not _is_elementwise(v):
        return None
    masked = [c for c in below if c is not None]
    if not masked or len({c.key for c in masked}) > 1:
        return None
    lead = masked[0]
    wholes: list[Any] = [
        _for_all(i, lead) if c is None else c.whole for i, c in zip(inputs, below, strict=True)
    ]
    if any(w is None for w in wholes):
        return None
    whole = remake(v, tuple(wholes))
    fits = frozenset().union(*[c.fits for c in masked])
    others = [i.ndim for i, c in zip(inputs, below, strict=True) if c is None]
    same = len({c.like for c in masked}) == 1 and max(others, default=0) <= lead.after + 1
    return lead._replace(whole=whole, fits=fits, like=lead.like if same else whole)


def _for_all(x: Any, chosen: Chosen) -> Any:
    """`x` for the whole, if the same of it meets each of the chosen; None if not.

    It has no axis where they are, or one of length 1.
    """
    at = x.ndim - 1 - chosen.after
    if at < 0:
        return x
    if at > chosen.axis or x.type.shape[at] != 1:
        return None
    return x.expand_dims(tuple(range(at, at + chosen.mask.ndim - 1))) if chosen.mask.ndim > 1 else x


def _is_elementwise(v: Variable) -> bool:
    kind = kind_of(v)
    return type(v.op) is Named or (isinstance(kind, Pointwise) and not kind.positions)


def _moved(v: Variable, kind: Reduction | View, x: Chosen) -> Chosen | None:
    """A view, or a reduction along other axes: what is chosen is on one axis, as before."""
    if isinstance(kind, View):
        axes: Sequence[int | None] = () if kind.stretched else kind.axes
    else:
        gone = as_axes(kind.axis, x.like.ndim - x.mask.ndim + 1)
        axes = [a for a in range(x.axis + 1) if a not in gone]
    if x.mask.ndim > 1 or x.axis not in axes:
        return None
    whole = remake(v, (x.whole,))
    return x._replace(whole=whole, axis=axes.index(x.axis), like=whole)


def _by_mask(entries: Any, x: Any, values: Sequence[Any]) -> Chosen | None:
    """What `x[entries]` is, if `entries` are all positions of one mask and else full slices."""
    width = len(values)
    if ARRAY not in entries or not isinstance(kind_of(values[0]), Compress):
        return None
    mask, count = values[0].inputs[:2]
    at = list(entries).index(ARRAY)
    rest = [*entries[:at], *entries[at + width :]]
    if (
        mask.ndim != width
        or any(e != ARRAY for e in entries[at : at + width])
        or not all(isinstance(e, Slice) and e.is_full for e in rest)
        or any(
            kind_of(v) != Compress(k) or v.inputs[:2] != (mask, count) for k, v in enumerate(values)
        )
    ):
        return None
    fits = set()
    for k, (own, n) in enumerate(zip(lengths_of(mask), lengths_of(x)[at:], strict=False)):
        if not _same_lengths([own], [n]):
            if len(values[k].inputs) == 2:  # a mask that may be shorter
                return None
            fits.add((k, values[k].inputs[2]))
    return Chosen(x, mask, count, at, frozenset(fits), x, tuple(values))


def _same_lengths(sizes: Sequence[object], others: Sequence[object]) -> bool:
    return len(sizes) == len(others) and all(
        same_size(_root(a), _root(b)) for a, b in zip(sizes, others, strict=True)
    )


def _root(size: Any) -> Any:
    """The same length of what elementwise functions of one tensor and scalars are made from."""
    while isinstance(size.op, Length) and _is_elementwise(size.inputs[0]):
        tensors = [i for i in size.inputs[0].inputs if i.ndim]
        if len(tensors) != 1:
            break
        size = lengths_of(tensors[0])[size.op.axis]
    return size


def _lifted(v: Variable, kind: Kind | None, inputs: Sequence[Any], below: Sequence[Any]) -> Any:
    """What computes `v` with the chosen in their places; None if that can't be."""
    op: Any = v.op
    first = below[0] if below else None
    if isinstance(kind, Reduction) and first is not None:
        return _reduced(op, kind, first)
    if type(op) is Length and first is not None:
        return first.shape[op.axis]
    if type(op) in LIFTED:
        return LIFTED[type(op)](v, below)
    if isinstance(kind, Scatter):
        return _updated(kind, inputs, below[1])
    return None


def _reduced(op: Any, kind: Reduction, x: Chosen) -> object:
    """The reduction of everything, in which the elements left out change nothing."""
    width = x.mask.ndim
    gone = as_axes(kind.axis, x.like.ndim - width + 1)
    if x.axis not in gone or kind.start is not None:
        return None
    axes = [a if a < x.axis else a + width - 1 for a in gone if a != x.axis]
    axes += range(x.axis, x.axis + width)
    neutral = constant(_neutral(kind.combine, x.whole.dtype), x.whole.dtype)
    among = x.among(x.checked(), neutral)
    result: Any = expand(kind._replace(axis=tuple(sorted(axes))), op, (among,))
    if kind.combine not in _EXTREMES or kind.or_infinity:
        return result
    message = f"{op} of no elements has no value"
    return CheckAndRaise(ValueError, message)(result, gt(x.count, 0))


def _neutral(combine: str, dtype: str) -> complex:
    if combine in _NEUTRAL:
        return _NEUTRAL[combine]
    is_max = combine == "maximum"
    sign = -1 if is_max else 1
    if dtype == "bool":
        return sign > 0
    if dtype.startswith("float"):
        return sign * math.inf
    if dtype.startswith("complex"):
        return complex(sign * math.inf, sign * math.inf)
    limits = np.iinfo(dtype)
    return limits.min if is_max else limits.max


def _updated(kind: Scatter, inputs: Sequence[Any], y: Chosen | None) -> TensorVariable | None:
    """`where`, in place of an update of what a mask chooses."""
    x, value, *places = inputs
    there = _by_mask(kind.at, x, places)
    if there is not None and _is_number(value, there.shape):
        value = value.inputs[0]
    if there is None or (value.ndim > there.after if y is None else y.key != there.key):
        return None
    whole = (value if y is None else y.whole).astype(x.dtype)
    fits = there.fits if y is None else there.fits | y.fits
    new = there._replace(whole=changed(kind.how, x, whole), fits=fits)
    return new.among(new.checked(), x)


def _is_number(v: Any, shape: Sequence[object]) -> bool:
    """Whether all elements of `v`, which has this shape, are one number."""
    kind = kind_of(v)
    is_one = isinstance(kind, View) and kind.stretched and not v.inputs[0].ndim
    return is_one and _same_lengths(v.inputs[1:], shape)
