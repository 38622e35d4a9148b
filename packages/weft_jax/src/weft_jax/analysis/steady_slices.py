"""Slices in the bodies of loops that begin and end elsewhere in each step, for JAX.

JAX compiles a body for one shape. A slice such as `x[i : i + 3]` has one length, as long as it is
within its axis, which is required. Of any other, such as `x[:i]` or `x[i * i :: i]`, the elements
are what a mask chooses: a step works on the whole axis, and `lift_masks` leaves them in place.
Where different slices meet, as `x[i:]` and `x[:n - i]`, they must be equally long.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress
from types import MappingProxyType
from typing import Any, Final

from weft_graph import CheckAndRaise, Constant, FunctionGraph, Op, OpFromGraph, Variable
from weft_graph.extend import Branch, apply
from weft_jax.analysis.shape_policy import DynamicShapeInLoopError
from weft_jax.analysis.sized_subscripts import SizedSubscript
from weft_jax.analysis.slice_masks import SliceMasks, by_entry, unstretched
from weft_jax.lowering.dispatch import has_function
from weft_tensor import (
    BroadcastTo,
    Length,
    Map,
    Matmul,
    Pointwise,
    Recurrence,
    SumTo,
    TensorVariable,
    View,
    as_tensor,
    expanded,
    ge,
    le,
    maximum,
)
from weft_tensor.extend import (
    NEW,
    Slice,
    SliceLength,
    kind_of,
    lengths_of,
)

__all__ = ["HOLDING", "with_steady_slices"]

HOLDING: Final = frozenset([Recurrence, Map, Branch])
"""Ops with graphs in which there may be such slices."""

_NO_SEQUENCES: Final[Mapping[Variable, Variable]] = MappingProxyType({})
_BEYOND: Final = (
    "a slice in a loop reaches beyond its axis, or begins at a negative number, in one of the "
    "steps: JAX compiles the loop for one length of it"
)


def with_steady_slices(
    graph: FunctionGraph,
    differing: Iterable[Variable] = (),
    sequences: Mapping[Variable, Variable] = _NO_SEQUENCES,
) -> FunctionGraph:
    """`graph`, in which no length of a slice depends on what differs from step to step.

    That is `differing`, and in loops what moves there. `sequences` says what inputs are elements
    of, around the loop whose body this is. Slices that JAX can't have stay.

    >>> from weft_graph import rewrite_graph
    >>> from weft_jax.analysis.sized_subscripts import book
    >>> from weft_tensor import Nonzero, fori_loop, vector
    >>> x = vector("x")
    >>> graph = FunctionGraph([x], [fori_loop(0, x.shape[0], lambda i, s: s[:i].inc(1.0), x)])
    >>> steady = with_steady_slices(rewrite_graph(graph, [book]))
    >>> (loop,) = [v for v in steady.nodes if isinstance(v.op, Recurrence)]
    >>> any(isinstance(v.op, Nonzero) for v in loop.op.body.graph.nodes)
    True
    """
    differs = set(differing)
    if not differs and HOLDING.isdisjoint(graph.op_classes):
        return graph
    whole = expanded(graph, has_function)
    masks = SliceMasks(graph.inputs)
    new_of: dict[Variable, Any] = {}
    for v in whole.order:
        inputs = tuple([new_of.get(i, i) for i in v.inputs])
        op = _with_steady_graphs(v, differs)
        new = None
        if isinstance(op, SizedSubscript):
            part, own = op.op, inputs[: -op.sized]
            new = _of_one_length(part, own, differs, sequences)
            new = masks.subscript(part, own, differs) if new is None else new
        elif isinstance(op, BroadcastTo) and not differs.isdisjoint(inputs[1:]):
            new = masks.stretched(*inputs)
        elif isinstance(op, SumTo) and not differs.isdisjoint(inputs[1:]):
            new = _summed(op, inputs, differs)
        elif isinstance(op, Matmul):
            inputs = masks.together(inputs)
        elif isinstance(kind_of(v), Pointwise):
            inputs = masks.together(inputs)
            new = _with_unstretched(v, inputs, differs)
        if new is None:
            new = v if inputs == v.inputs and op is v.op else apply(op, inputs, v.place)
        if isinstance(kind_of(v), Pointwise | View) or isinstance(op, Matmul | SumTo):
            masks.combined(new)
        if new is not v:
            new_of[v] = new
        if not differs.isdisjoint(inputs) and not isinstance(op, Length):
            differs.update((v, new))
    if not new_of:
        return graph
    return FunctionGraph(graph.inputs, [new_of.get(v, v) for v in whole.outputs])


def _with_steady_graphs(v: Variable, differs: set[Variable]) -> Op:
    """The Op of `v`, with such graphs in it."""
    op: Op = v.op
    if isinstance(op, Branch):
        rest = [i in differs for i in v.inputs[1:]]
        then, otherwise = _steady(op.on_true, rest), _steady(op.on_false, rest)
        is_same = then is op.on_true and otherwise is op.on_false
        return op if is_same else Branch(then, otherwise, op.types)
    if not isinstance(op, (Map, Recurrence)):
        return op
    around = v.inputs[isinstance(op, Recurrence) :]
    differ = [m or i in differs for m, i in zip(op.moving, around, strict=True)]
    pairs = zip(op.body.graph.inputs, around, strict=True)
    body = _steady(op.body, differ, compress(pairs, op.mapped))
    new: Op = op if body is op.body else op.with_body(body)
    return new


def _steady(
    op: OpFromGraph, differs: Sequence[bool], sequences: Iterable[tuple[Variable, Variable]] = ()
) -> OpFromGraph:
    differing = compress(op.graph.inputs, differs)
    graph = with_steady_slices(op.graph, differing, dict(sequences))
    if graph is op.graph:
        return op
    return OpFromGraph(graph.inputs, graph.outputs, op.name, inline=False)


def _of_one_length(
    op: Any,
    inputs: Sequence[Any],
    differs: set[Variable],
    sequences: Mapping[Variable, Variable],
) -> Variable | None:
    """The subscript, whose slices have lengths that don't differ; None if one has not."""
    lengths, fits, varies = [], [], False
    axes = iter(lengths_of(inputs[0]))
    for e, values in zip(op.entries, by_entry(op, inputs), strict=True):
        n: Any = None if e == NEW else next(axes)
        if not isinstance(e, Slice) or not values:
            continue
        if differs.isdisjoint(values):
            lengths.append(SliceLength(e)(n, *values))
            continue
        if e.step not in (None, 1) or len(values) < 2:
            return None
        begin, end = values
        width = _difference(end, begin, differs, sequences)
        if width is None:
            return None
        varies = True
        lengths.append(width)
        fits += [ge(begin, 0), le(begin + width, n)]
    if not varies:
        return None
    x = CheckAndRaise(DynamicShapeInLoopError, _BEYOND)(inputs[0], *fits)
    return SizedSubscript(op, len(lengths))(x, *inputs[1:], *lengths)


def _difference(
    x: Any, y: Any, differs: set[Variable], sequences: Mapping[Variable, Variable]
) -> TensorVariable | None:
    """x - y, at least 0, by what does not differ; None if it differs."""
    counts: Counter[tuple[Any, bool]] = Counter()
    for end, sign in ((x, 1), (y, -1)):
        for term, is_outside, times in _terms(end, sign, sequences):
            counts[term, is_outside] += times
    width = as_tensor(0)
    for (term, is_outside), count in counts.items():
        if count and (term in differs or is_outside):
            return None
        if count:
            width = width + count * term
    return maximum(width, 0)


def _terms(
    x: Any, sign: int, sequences: Mapping[Variable, Variable], *, is_outside: bool = False
) -> Iterator[tuple[Any, bool, int]]:
    """What `x` is a sum of, whether that is found outside the loop alone, and 1 or -1.

    An element of a sequence is a sum of elements, if the sequence is a sum.
    """
    if x in sequences:
        x, is_outside = sequences[x], True
    kind = kind_of(x)
    if isinstance(kind, Pointwise) and kind.of in ("add", "sub"):
        signs = sign, sign if kind.of == "add" else -sign
        for part, own in zip(x.inputs, signs, strict=True):
            yield from _terms(part, own, sequences, is_outside=is_outside)
    else:
        yield x, is_outside and not (isinstance(x.op, Constant) and not x.ndim), sign


def _summed(op: SumTo, inputs: Sequence[Any], differs: set[Variable]) -> Variable:
    """The same, along axes whose lengths don't differ.

    A derivative has sums along others for the case that what it is of was stretched along these.
    But then that is refused: it is no function of what one mask chooses.
    """
    x, *sizes = inputs
    own = lengths_of(x)
    return op(x, *[n if size in differs else size for n, size in zip(own, sizes, strict=True)])


def _with_unstretched(v: Any, inputs: Sequence[Any], differs: set[Variable]) -> Variable | None:
    """An elementwise Op, whose arguments it stretches by itself; None if that changes nothing."""
    like = next((x for x in inputs if x.ndim == v.ndim and not isinstance(x.op, BroadcastTo)), None)
    if like is None:
        return None
    new = tuple([unstretched(x, like, differs) for x in inputs])
    return None if new == inputs else apply(v.op, new, v.place)
