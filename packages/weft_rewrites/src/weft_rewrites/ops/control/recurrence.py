"""What can be taken out of the body of a loop, and what is left of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from weft_graph import Apply, Constant, Item, OpFromGraph, TupleType, ancestors, replace
from weft_graph.extend import toposort
from weft_rewrites.ops.control.map import is_whole
from weft_rewrites.ops.control.recurrence_parts import Place, State, Taken
from weft_rewrites.ops.linalg.shared_factors import is_worth_factors, solved_by_factors
from weft_tensor import (
    BroadcastTo,
    Elemwise,
    Length,
    Map,
    Matmul,
    Recurrence,
    Solve,
    Sum,
    concatenate,
    expand_dims,
)
from weft_tensor.extend import applied, batched, lengths_of, repeated

__all__ = [
    "finished",
    "take_out_sums",
    "take_out_what_comes_before",
    "take_out_what_never_changes",
    "together",
]


def take_out_what_never_changes(taken: Taken) -> None:
    """What depends on nothing that changes from step to step is computed before the loop.

    So are the factors of a matrix, where right sides change.
    """
    for e, x in list(taken.sequences.items()):
        if isinstance(x.op, BroadcastTo) and x.inputs[0].ndim <= e.ndim:
            value, _, *sizes = x.inputs
            taken.others[e] = value.broadcast_to(sizes) if sizes else value
            del taken.sequences[e]
    _take_out_lengths(taken)
    order, same = _what_stays(taken)
    factored = {
        v: solved_by_factors(v)
        for v in order
        if v not in same and type(v.op) is Solve
        if v.inputs[0] in same and is_worth_factors(v.inputs[0])
    }
    if factored:
        taken.change(factored)
        order, same = _what_stays(taken)
    border = [
        v
        for v in taken.border(order, same)
        if v not in taken.others and not isinstance(v.op, Constant)
    ]
    taken.put_in(border, replace(border, taken.others))


def _what_stays(taken: Taken) -> tuple[list[Any], set[Any]]:
    """What is computed in a step, in order, and what of it is the same in each."""
    order: list[Any] = toposort(taken.steps_and_results())
    same: set[Any] = set(taken.others)
    moving = {*taken.sequences, *[s.inner for s in taken.states]}
    for v in order:
        if (
            v not in moving
            and v not in same
            and same.issuperset([i for i in v.inputs if not isinstance(i.op, Constant)])
        ):
            same.add(v)
    return order, same


def _take_out_lengths(taken: Taken) -> None:
    """Elements and states are as long in each step as in the first."""
    sources = {e: (x, 1) for e, x in taken.sequences.items()}
    sources |= {s.inner: (s.first, 0) for s in taken.states}
    new_of: dict[Any, Any] = {}
    for v in toposort(taken.steps_and_results()):
        if isinstance(v.op, Length) and v.inputs[0] in sources:
            x, more = sources[v.inputs[0]]
            new_of[v] = v.type()
            taken.others[new_of[v]] = lengths_of(x)[v.op.axis + more]
    if new_of:
        taken.change(new_of)


def take_out_what_comes_before(taken: Taken) -> None:
    """What depends on elements of sequences only is computed of whole sequences, before.

    Not so if it has more axes than these: of all elements it may not fit into memory. Nor if each
    element may give another shape, nor numbers of steps, in which limits are to be seen.
    """
    order: Sequence[Any] = toposort(taken.steps_and_results())
    steady = taken.of_one_shape(order)
    steady -= {v.inputs[0] for v in order if type(v.op) is Recurrence and v.op.conditional}
    rank = {e: e.type.ndim for e in taken.sequences}
    free = {*taken.others, *taken.sequences}
    for v in order:
        if v in free or isinstance(v.op, Constant):
            free.add(v)
            continue
        ranks = [rank[i] for i in v.inputs if i in rank]
        if not ranks or not free.issuperset(v.inputs) or not is_whole(v):
            continue
        if v in steady and v.type.ndim <= max(ranks):
            free.add(v)
            rank[v] = max(ranks)
    border = [v for v in taken.border(order, free) if v in rank and v not in taken.sequences]
    if not border:
        return
    try:
        sequences = batched(border, {**taken.sequences, **taken.others})
    except ValueError:  # a length depends on values
        return
    taken.put_in(border, sequences)


def _batched(taken: Taken, outputs: Sequence[Any], values: Mapping[Any, Any]) -> list[Any]:
    rows = batched(outputs, values)
    return [repeated(v, old, taken.steps) for v, old in zip(rows, outputs, strict=True)]


def take_out_sums(taken: Taken) -> None:
    """A state to which each step adds what does not depend on it is a sum.

    That is, of numbers and of sums: others, of all steps, may not fit into memory. The sum of
    products of matrices is one product, of what lies side by side, if all have one shape.
    """
    results = taken.results()
    users = Counter(results)
    for v in toposort([*[s.after for s in taken.states], *results]):
        users.update(v.inputs)
    for s in list(taken.states):
        places = [p for p, (what, _) in taken.wanted.items() if what is s]
        whole = any(taken.wanted[p][1] for p in places)
        added = _added(s)
        if added is None or whole or users[s.inner] > 1 or s.after in users:
            continue
        if isinstance(added.op, Matmul) and not taken.of_one_shape(added.inputs).issuperset(
            added.inputs
        ):
            continue
        taken.states.remove(s)
        for place in places:
            del taken.wanted[place]
            if isinstance(added.op, Matmul):
                taken.products[place] = (s.first, *added.inputs)
            else:
                taken.sums[place] = s.first, added


def finished(taken: Taken) -> dict[Place, Any]:
    """What is wanted, by a loop of what must be in it, and whole arrays after it."""
    try:
        return _with(taken, _after(taken))
    except ValueError:  # a length depends on values
        return _with(taken, {})


def _with(taken: Taken, after: dict[Any, None]) -> dict[Place, Any]:
    """What is wanted, of which `after` are made after the loop."""
    inner = [y for y in dict.fromkeys(taken.results()) if y not in after]
    core = _with_items(toposort([*[s.after for s in taken.states], *inner]), toposort(list(after)))
    begun = {s.inner: s for s in taken.states}
    core |= {*taken.sequences, *taken.others, *begun}
    order = toposort(list(after), core)
    border = [v for v in order if v in core and not isinstance(v.type, TupleType)]
    ended = {s.after: s for s in taken.states}
    whole: set[Any] = {what for what, w in taken.wanted.values() if w}
    whole |= {begun[v] for v in border if v in begun}
    whole |= {ended[v] for v in border if v in ended}
    stacked = [
        v
        for v in border
        if not (v in taken.sequences or v in taken.others or v in begun or v in ended)
        and not isinstance(v.op, Constant)
    ]
    inner = list(dict.fromkeys([*inner, *stacked]))
    followed = _followed(taken)
    kept = {followed[s][-1] for s in whole}
    loop_results = _loop(taken, kept, inner)
    traces = {s: loop_results[taken.states.index(s)] for s in kept}
    for s in whole:
        _add_delayed(taken, followed[s], traces)
    rows = dict(zip(inner, loop_results[len(taken.states) :], strict=False))
    early, late = slice(None, -1), slice(1, None)
    if taken.backwards:
        early, late = late, early
    values = {**taken.sequences, **taken.others}
    values |= {v: traces[begun[v]][early] for v in border if v in begun}
    values |= {v: traces[ended[v]][late] for v in border if v in ended and v not in begun}
    values |= {v: rows[v] for v in stacked}
    lifted = list(after)
    rows |= dict(zip(lifted, _batched(taken, lifted, values), strict=True)) if lifted else {}
    results: dict[Place, Any] = {}
    for place, (what, w) in taken.wanted.items():
        if not isinstance(what, State):
            results[place] = rows[what]
        elif w:
            results[place] = traces[what]
        elif what in kept:
            results[place] = traces[what][0 if taken.backwards else -1]
        else:
            results[place] = loop_results[taken.states.index(what)]
    for place, (first, y) in taken.sums.items():
        total = applied(Sum((0,)), (rows[y],), taken.place).astype(first.dtype)
        results[place] = _sum_from(first, total)
    for place, (first, left, right) in taken.products.items():
        results[place] = _sum_from(first, _product(rows[left], rows[right]))
    results.update({place: loop_results[len(taken.states)] for place in taken.counts})
    return results


def _followed(taken: Taken) -> dict[State, list[State]]:
    """By state, those that it follows, each a step behind the next; itself at first."""
    state_of = {s.inner: s for s in taken.states}
    paths: dict[State, list[State]] = {}
    for s in taken.states:
        path = [s]
        while (ahead := state_of.get(path[-1].after)) is not None and ahead not in path:
            path.append(ahead)
        paths[s] = [s] if ahead is not None else path  # in a circle none is ahead
    return paths


def _add_delayed(taken: Taken, path: Sequence[State], traces: dict[State, Any]) -> None:
    """All values of states that follow others: the first, and then those of the other."""
    for s, ahead in reversed(list(pairwise(path))):
        if s not in traces:
            first, others = expand_dims(s.first, 0), traces[ahead]
            both = [others[1:], first] if taken.backwards else [first, others[:-1]]
            traces[s] = concatenate(both)


def _sum_from(first: Any, total: Any) -> Any:
    """What is added to a state besides its first value, which has the same shape."""
    x = first.inputs[0] if isinstance(first.op, BroadcastTo) else first
    return total if isinstance(x.op, Constant) and not x.op.value.any() else first + total


def together(taken: Taken) -> dict[Place, Any]:
    """What is wanted, by one loop."""
    inner = list(dict.fromkeys(taken.results()))
    whole = {what for what, w in taken.wanted.values() if w}
    loop_results = _loop(taken, whole, inner)
    values = dict(zip([*taken.states, *inner], loop_results, strict=True))
    return {
        place: values[what][0 if taken.backwards else -1]
        if what in whole and not w
        else values[what]
        for place, (what, w) in taken.wanted.items()
    }


def _after(taken: Taken) -> dict[Any, None]:
    """The results that need not be in the loop: Ops of whole arrays make them after it.

    What is kept of each step for this has no more axes than the result, and one shape; and no
    more than twice the bytes, as of two arrays of which the result tells what is larger.
    """
    if taken.conditional:
        return {}
    results: Sequence[Any] = toposort(taken.results())
    steady = taken.of_one_shape(results)
    core = _with_items(toposort([s.after for s in taken.states]), results)
    core |= {*taken.sequences, *taken.others, *[s.inner for s in taken.states]}
    whole = [what for what, w in taken.wanted.values() if w]
    there = {*taken.sequences, *[v for s in whole for v in (s.inner, s.after)]}
    late: dict[Any, None] = {}
    for y in dict.fromkeys(taken.results()):
        nodes: Sequence[Any] = toposort([y], core)
        own = [v for v in nodes if v not in core and not isinstance(v.op, Constant)]
        border = [v for v in nodes if v in core and v not in taken.others]
        rank = max([y.type.ndim, *[v.type.ndim for v in border if v in taken.sequences]])
        if all(v in steady and v.type.ndim <= rank for v in (*own, *border)) and all(
            map(is_whole, own)
        ):
            stacked = [v for v in border if v not in there and v.type.ndim == y.type.ndim]
            if sum(map(_bytes, stacked)) <= 2 * _bytes(y):
                late[y] = None
    return late


def _bytes(v: Any) -> int:
    """Those of an element."""
    return np.dtype(v.type.dtype).itemsize


def _loop(taken: Taken, whole: set[Any], results: Sequence[Any]) -> Sequence[Any]:
    """The loop of what is left; none if nothing is."""
    if not taken.states and not results:
        return []
    exprs = [*[s.after for s in taken.states], *results]
    used = set(ancestors(exprs))
    sequences = [e for e in taken.sequences if e in used]
    others = [e for e in taken.others if e in used]
    inner = [*sequences, *[s.inner for s in taken.states], *others]
    body = OpFromGraph(inner, exprs, taken.name, inline=False)
    arguments = [
        *[taken.sequences[e] for e in sequences],
        *[s.first for s in taken.states],
        *[taken.others[e] for e in others],
    ]
    if not taken.states and sequences and not taken.conditional:
        mapped = tuple([e in taken.sequences for e in inner])
        op: Any = Map(body, mapped, (False,) * len(results))
    else:
        kept = tuple([s in whole for s in taken.states])
        op = Recurrence(body, len(sequences), kept, taken.backwards, taken.conditional, taken.most)
        arguments = [taken.steps, *arguments]
    return Apply.of(applied(op, tuple(arguments), taken.place)).outputs


def _with_items(inside: Sequence[Any], order: Sequence[Any]) -> set[Any]:
    """What is `inside`, and, in `order`, each of several results of an Op that is."""
    nodes = set(inside)
    nodes.update(v for v in order if type(v.op) is Item and v.inputs[0] in nodes)
    return nodes


def _product(left: Any, right: Any) -> Any:
    """The sum of the products of matrices, along the first axis of both."""
    n, rows, inner = lengths_of(left)
    columns = lengths_of(right)[2]
    beside = left.transpose((1, 0, 2)).reshape((rows, n * inner))
    return Matmul()(beside, right.reshape((n * inner, columns)))


def _added(s: State) -> Any:
    """What is added to a state, if that is all that happens to it, and if it can be summed."""
    v = s.after
    if not isinstance(v.op, Elemwise) or v.op.name != "add" or s.inner not in v.inputs:
        return None
    left, right = v.inputs
    other = right if left is s.inner else left
    is_product = isinstance(other.op, Matmul) and all(i.type.ndim == 2 for i in other.inputs)
    if v.type.ndim and (other.type != v.type or not (is_product or isinstance(other.op, Sum))):
        return None
    return None if s.inner in ancestors([other]) else other
