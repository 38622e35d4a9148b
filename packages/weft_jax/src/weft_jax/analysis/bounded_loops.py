"""Loops in bodies of loops whose number of steps depends on values: as long as they ever get.

The reverse derivative of a `while_loop` runs through the steps that were made, which in the body
of another loop are others each time. Where there is a limit to them, as many steps are made as
that, those behind change no state, and what comes of them is left out by a mask.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import Any, NamedTuple

from weft_graph import CheckAndRaise, FunctionGraph, Item, Op, OpFromGraph, Print, Variable, replace
from weft_graph.extend import apply, nodes_inside, remake
from weft_tensor import (
    Compress,
    Gather,
    Length,
    Pointwise,
    Recurrence,
    Reduction,
    Scatter,
    SumOver,
    TensorType,
    View,
    arange,
    as_tensor,
    broadcast_to,
    expand_dims,
    ge,
    gt,
    logical_or,
    lt,
    where,
    zeros_like,
)
from weft_tensor.extend import (
    ARRAY,
    ENDLESS,
    SCALAR,
    Slice,
    as_axes,
    kind_of,
    lengths_of,
    static_length,
)

__all__ = ["bounded_loops", "is_by_rows"]

_WITHOUT_AN_END = (Slice(1, None, None), Slice(None, -1, None))


class Beginning(NamedTuple):
    """The first elements of `whole`: `count` of them, or one more of a state that is kept."""

    whole: Any
    count: Any
    most: Any
    """Of how many: a number, or an int64 scalar."""
    more: bool

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for as many elements."""
        return self.count, self.most, self.more

    @property
    def length(self) -> Any:
        """How many these are."""
        return self.count + 1 if self.more else self.count

    @property
    def length_of_whole(self) -> Any:
        """How many elements that has."""
        return self.most + int(self.more)

    @property
    def last(self) -> Any:
        """The place of the last one; none may be an IndexError."""
        if self.more:
            return self.count
        check = CheckAndRaise(IndexError, "there is no last step of a loop that makes none")
        return check(self.count, gt(self.count, 0)) - 1

    @property
    def mask(self) -> Any:
        """Which elements of the whole they are."""
        return lt(arange(self.length_of_whole), self.length)

    def among(self, others: Any) -> Any:
        """They in their places, `others` behind."""
        behind = tuple(range(1, self.whole.ndim))
        return where(expand_dims(self.mask, behind) if behind else self.mask, self.whole, others)


def bounded_loops(graph: FunctionGraph) -> FunctionGraph:
    """`graph`, in which loops with a known limit make as many steps.

    >>> from weft_graph import grad
    >>> from weft_tensor import scalar, while_loop
    >>> x = scalar("x")
    >>> last = while_loop(lambda s: s < 9.0, lambda s: s * s, x, max_steps=5)
    >>> made = bounded_loops(FunctionGraph([x], [grad(last, x)]))
    >>> [str(v.inputs[0]) for v in made.nodes if isinstance(v.op, Recurrence)]
    ['where', '5', '5']
    """
    limits = {v: most for v in graph.nodes if (most := _limit(v)) is not None}
    if not limits:
        return graph
    counts = {v.inputs[0]: most for v, most in limits.items()}
    new_of: dict[Variable, Any] = {}
    lengths: dict[Any, Beginning] = {}
    begun: dict[Variable, Beginning] = {}
    padded: dict[Variable, Any] = {}
    for v in graph.order:
        inputs = tuple([new_of[i] for i in v.inputs])
        below = [begun.get(i) for i in v.inputs]
        if v in limits:
            most = new_of.get(limits[v], limits[v])
            longer = _padded(v, most, inputs, below)
            if longer is not None:
                padded[v], new_of[v] = most, longer
        source = v.inputs[0] if type(v.op) is Item else v
        if source in padded and isinstance(v.type, TensorType):
            place = v.op.index if type(v.op) is Item else 0
            new = _result(source, place, new_of[source], new_of[source.inputs[0]], padded[source])
        elif len(inputs) > 1 and inputs[1] in lengths and _stretches(v):
            new = _stretched(lengths[inputs[1]], inputs)
        else:
            new = _beginning(v, inputs, below) if any(below) else None
        if isinstance(new, Beginning):
            begun[v] = new
            new_of[v] = new.whole[new.mask]
        elif new is not None:
            new_of[v] = new
        elif v not in new_of:
            new_of[v] = remake(v, inputs)
        if v in counts:
            for more in (False, True):
                beginning = Beginning(None, new_of[v], new_of.get(counts[v], counts[v]), more)
                lengths[beginning.length] = beginning
    return graph.with_outputs([new_of[v] for v in graph.outputs])


def _limit(v: Variable) -> Any:
    """How many steps a loop makes at most, if they can be made in vain: nothing in it fails.

    But for checks in the body itself, which need not hold then. A number, or a scalar; else None.
    """
    op = v.op
    if not isinstance(op, Recurrence) or op.conditional:
        return None
    most = _most_counted(v.inputs[0]) if op.most is None else op.most
    if most is None:
        return None
    own = {u for u in op.body.graph.nodes if isinstance(u.op, CheckAndRaise)}
    fails = any(u not in own and _may_fail(u) for u in nodes_inside(op))
    return None if fails else most


def _most_counted(count: Variable) -> Variable | None:
    """The most steps of the loop that gives `count`, how many it made; None if that has no end."""
    loop = count.inputs[0] if type(count.op) is Item else count
    if not isinstance(loop.op, Recurrence) or not loop.op.conditional:
        return None
    steps: Any = loop.inputs[0]
    kind = kind_of(steps)
    if isinstance(kind, Pointwise) and kind.of == "where":
        steps = steps.inputs[1]  # or none, if the condition does not hold at first
    return None if static_length(steps) == ENDLESS else steps


def _may_fail(v: Variable) -> bool:
    if isinstance(v.op, CheckAndRaise | Print):
        return True
    kind = kind_of(v)
    if isinstance(kind, Gather | Scatter):
        return callable(kind.at) or not {SCALAR, ARRAY}.isdisjoint(kind.at)
    return isinstance(kind, Compress)


def _padded(v: Any, most: Any, inputs: Sequence[Any], below: Sequence[Beginning | None]) -> Any:
    """The loop `v` of as many steps as there may be; None if it has other sequences."""
    op, count = v.op, inputs[0]
    if any(b is None or b.key != (count, most, False) for b in below[1 : 1 + op.length]):
        return None
    fresh = [u.type() for u in op.body.graph.inputs]
    inner = op.parts(fresh)
    place, limit = as_tensor(0).type(), count.type()
    counts, behind = lt(place, limit), ge(place, limit)

    def unless_behind(u: Any) -> Any:
        if not isinstance(u.op, CheckAndRaise):
            return None
        x, *conditions = u.inputs
        return apply(u.op, (x, *[logical_or(c, behind) for c in conditions]), u.place)

    outputs = list(replace(op.body.body(fresh), unless_behind))
    for k, old in enumerate(inner.states):
        outputs[k] = where(counts, outputs[k], old)
    body = OpFromGraph(
        [*inner.sequences, place, *inner.states, *inner.others, limit],
        outputs,
        op.body.name,
        inline=False,
    )
    longer = Recurrence(body, op.length + 1, op.kept, op.backwards, False, None)
    parts = op.parts(inputs[1:])
    return apply(
        longer,
        (
            as_tensor(most),
            *[b.whole for b in below[1 : 1 + op.length] if b is not None],
            *[arange(most), *parts.states, *parts.others, count],
        ),
        v.place,
    )


def _result(v: Any, k: int, longer: Any, count: Any, most: Any) -> Any:
    """A result of the padded loop: the last of a state, or what has elements behind others."""
    op = v.op
    whole = longer if len(op.body.graph.outputs) == 1 else apply(Item(k), (longer,))
    is_state = k < len(op.kept)
    if is_state and not op.kept[k]:
        return whole
    return Beginning(whole, count, most, is_state)


def _beginning(v: Any, inputs: Sequence[Any], below: Sequence[Beginning | None]) -> Any:
    """What `v` is of the wholes; None if it is of the elements alone that are wanted."""
    lead = next(b for b in below if b is not None)
    kind = kind_of(v)
    if isinstance(kind, Scatter):
        return _updated(v, kind, inputs, below)
    if any(b is not None and b.key != lead.key for b in below):
        return None
    wholes = [i if b is None else b.whole for i, b in zip(inputs, below, strict=True)]
    if isinstance(v.op, Length):
        return lengths_of(lead.whole)[v.op.axis] if v.op.axis else lead.length
    if isinstance(kind, Pointwise) and not kind.positions:
        if any(b is None and i.ndim == v.ndim for i, b in zip(inputs, below, strict=True)):
            return None
        return lead._replace(whole=remake(v, tuple(wholes)))
    if below[0] is None or any(b is not None for b in below[1:]):
        return None
    if isinstance(kind, SumOver) and inputs[1] is lead.length:
        wholes[1] = as_tensor(lead.length_of_whole)
        return lead._replace(whole=remake(v, tuple(wholes)))
    if is_by_rows(v.op, v):
        return lead._replace(whole=remake(v, tuple(wholes)))
    return _part(v, kind, lead, inputs) if isinstance(kind, Gather) and len(inputs) == 1 else None


@singledispatch
def is_by_rows(op: Op, v: Any) -> bool:
    """Whether each row of `v` is of one row of its first input, and there are as many.

    Register here what no kind says.
    """
    kind = kind_of(v)
    if isinstance(kind, View):
        return not kind.stretched and kind.axes[:1] == (0,)
    if isinstance(kind, Reduction):
        return 0 not in as_axes(kind.axis, v.inputs[0].ndim)
    return isinstance(op, CheckAndRaise)


def _stretches(v: Any) -> bool:
    kind = kind_of(v)
    return isinstance(kind, View) and kind.stretched


def _stretched(like: Beginning, inputs: Sequence[Any]) -> Any:
    """What has fewer axes, again and again."""
    x, _, *sizes = inputs
    if x.ndim > len(sizes):
        return None
    return like._replace(whole=broadcast_to(x, (like.length_of_whole, *sizes)))


def _part(v: Any, kind: Gather, x: Beginning, inputs: Sequence[Any]) -> Any:
    """All but an end of all values of a state, or an end."""
    if callable(kind.at):
        return None
    first, *rest = kind.at
    if not all(isinstance(e, Slice) for e in rest):
        return None
    if first == -1:
        return x.whole[(x.last, *[slice(*e) for e in rest])]
    if not x.more:
        return None
    if first in _WITHOUT_AN_END:
        return x._replace(whole=remake(v, (x.whole,)), more=False)
    return remake(v, (x.whole,)) if first == 0 else None


def _updated(v: Any, kind: Scatter, inputs: Sequence[Any], below: Sequence[Any]) -> Any:
    """All values of a state, of which all but an end are changed, or an end."""
    x, y = below
    if x is None or callable(kind.at) or kind.how not in ("set", "inc"):
        return None
    first, *rest = kind.at
    if not all(isinstance(e, Slice) for e in rest):
        return None
    if first in _WITHOUT_AN_END and x.more:
        part = x._replace(whole=x.whole[slice(*first)], more=False)
        if y is None or y.key != part.key or not all(e.is_full for e in rest):
            return None
        neutral = part.whole if kind.how == "set" else zeros_like(y.whole)
        return x._replace(whole=remake(v, (x.whole, y.among(neutral))))
    if y is not None or not (first == -1 or (first == 0 and x.more)):
        return None
    place = x.whole[(x.last if first == -1 else 0, *[slice(*e) for e in rest])]
    whole = place.set(inputs[1]) if kind.how == "set" else place.inc(inputs[1])
    return x._replace(whole=whole)
