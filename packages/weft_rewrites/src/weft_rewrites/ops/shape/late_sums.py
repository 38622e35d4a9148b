"""Sums over stretched axes: not taken where a later sum takes in the terms.

A derivative is summed to the shape that its input had before broadcasting. Where no type knows
whether there was any, the call decides; what comes after is most often linear, and summed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from weft_graph import FunctionGraph, Variable
from weft_graph.extend import Changes, changing, remake, renewed
from weft_rewrites.ops.shape.drop_broadcasts import shapes_of
from weft_tensor import BroadcastTo, Elemwise, Sum, SumTo, TensorVariable
from weft_tensor.extend import applied, static_length

__all__ = ["sum_late"]

_BROADCAST: Final = Elemwise("broadcast_length")
_MUL: Final = Elemwise("mul")
_TERMS: Final = frozenset(map(Elemwise, ("add", "sub")))
_SCALED: Final = {_MUL: (0, 1), Elemwise("true_div"): (0,), Elemwise("neg"): (0,)}
"""The places of the inputs in which functions are linear while the others are factors."""

Leaves = tuple[frozenset[Any], ...]
"""Per axis, the lengths of what is broadcast along it, but for 1."""


class _Late(NamedTuple):
    """What is summed late: its lengths, and leaves of them and of those of the terms."""

    sizes: tuple[TensorVariable, ...]
    narrow: Leaves
    wide: Leaves


Lates = Mapping[Variable, _Late]
New = Mapping[Variable, Any]
Users = dict[Any, list[Any]]
"""What takes a variable; None stands for the caller, if it is a result."""


@changing("rounding", "zero sign", "nan", "inf", "overflow")
def sum_late(graph: FunctionGraph) -> FunctionGraph:
    """`graph` without sum_to where all that is made of it is linear, and summed later.

    Where something was stretched, factors come in before the sum, not after.

    >>> from weft_tensor import SumTo, vector
    >>> a, b = vector("a"), vector("b")
    >>> total = (SumTo()(a * b, *a.shape) * a).sum()
    >>> sum_late(FunctionGraph([a, b], [total])).outputs[0] is (a * b * a).sum()
    True
    """
    if SumTo not in graph.op_classes:
        return graph
    near = _near(graph)
    users = _users(graph, near)
    if not any(type(v.op) is SumTo and all(_waits(u, near) for u in users[v]) for v in near):
        return graph
    tensors = {i: None for v in near for i in _read(v) if i.ndim}
    shapes = shapes_of(graph, tensors)
    of_sizes = {sizes: _leaves(sizes) for sizes in {*shapes.values()}}
    leaves = {v: of_sizes[sizes] for v, sizes in shapes.items()}
    barred: set[Variable] = set()
    late = _lates(near, leaves, barred)
    for v in users.keys() & {*graph.outputs}:
        users[v].append(None)
    while wrong := {v for v in late if v.op not in _TERMS and not _is_taken_in(v, late, users)}:
        barred |= wrong
        late = _lates(near, leaves, barred)
    if not late:
        return graph
    new = _written(graph, late, leaves, users)
    return new if len(new.nodes) < len(graph.nodes) else graph


def _waits(user: Any, near: Collection[Variable]) -> bool:
    """Whether what is made by `user` of a sum may be made of its terms."""
    return user in near or type(user.op) is Sum


def _users(graph: FunctionGraph, near: Collection[Any]) -> Users:
    """The nodes that take one of `near`."""
    users: Users = {v: [] for v in near}
    wanted = set(near)
    for node in graph.nodes:
        if not wanted.isdisjoint(node.inputs):
            for v in wanted.intersection(node.inputs):
                users[v].append(node)
    return users


def _near(graph: FunctionGraph) -> dict[Any, None]:
    """What is a sum_to, or linear in one."""
    near: dict[Any, None] = {}
    nodes: Sequence[Any] = graph.nodes
    for v in nodes:
        op = v.op
        if type(op) is SumTo or (
            (op in _SCALED or op in _TERMS) and not near.keys().isdisjoint(v.inputs)
        ):
            near[v] = None
    return near


def _read(v: Any) -> tuple[Any, ...]:
    """What `v` is made of, and with it the factors of what is summed."""
    return (v, *v.inputs, *(v.inputs[0].inputs if v.inputs[0].op is _MUL else ()))


def _leaves(sizes: Sequence[TensorVariable]) -> Leaves:
    return tuple([frozenset(_leaves_of(n)) for n in sizes])


def _leaves_of(size: TensorVariable) -> Iterator[Any]:
    """Each once: lengths share parts, so that there are far more ways to a leaf than nodes."""
    sizes: list[Any] = [size]
    seen: set[Any] = {size}
    for n in sizes:
        if n.op is _BROADCAST:
            sizes += [i for i in n.inputs if i not in seen]
            seen.update(n.inputs)
        elif (length := static_length(n)) != 1:
            yield n if length is None else length


def _fits(own: Leaves, whole: Leaves) -> bool:
    """Whether what has the leaves `own` broadcasts to what has those of `whole`."""
    return len(own) <= len(whole) and all(
        map(frozenset.issubset, own, whole[len(whole) - len(own) :])
    )


def _lates(
    near: Collection[Any], leaves: Mapping[Any, Leaves], barred: Collection[Variable]
) -> dict[Any, _Late]:
    """What may be summed late, if what is `barred` is not."""
    late: dict[Any, _Late] = {}
    for v in near:
        if v in barred:
            continue
        parts = [late[i] for i in v.inputs if i in late]
        if type(v.op) is SumTo:
            wide = parts[0].wide if parts else leaves[v.inputs[0]]
            late[v] = _Late(tuple(v.inputs[1:]), leaves[v], wide)
        elif any(i.type.dtype != v.type.dtype for i in v.inputs):
            continue
        elif v.op in _TERMS:
            if len(parts) == 2 and parts[0][1:] == parts[1][1:]:
                late[v] = parts[0]
        elif len(parts) == 1:
            (place,) = [k for k, i in enumerate(v.inputs) if i in late]
            rest = [leaves[i] for i in v.inputs if i not in late and i.ndim]
            if place in _SCALED[v.op] and all(_fits(own, parts[0].narrow) for own in rest):
                late[v] = parts[0]
    return late


def _is_taken_in(v: Variable, late: Lates, users: Users) -> bool:
    """Whether all that is made of `v` can be made of its terms, and it is no result."""
    _, narrow, wide = late[v]
    summed = {k for k, (a, b) in enumerate(zip(narrow, wide, strict=True)) if a != b}
    return all(
        user is not None
        and (
            user in late
            or type(user.op) is SumTo
            or (type(user.op) is Sum and summed.issubset(user.op.axis))
        )
        for user in users[v]
    )


class _Terms(NamedTuple):
    """What is summed late: a product of the leaves `own`, and a repeated number, or one of them."""

    product: TensorVariable | None
    own: Leaves
    repeated: TensorVariable | None = None

    def whole(self, wide: Leaves) -> TensorVariable:
        """All of it, of the leaves `wide`: what has them need not be repeated."""
        product, own, repeated = self
        if product is None or repeated is None:
            (whole,) = [v for v in (product, repeated) if v is not None]
            return whole
        number = repeated.inputs[0] if own == wide else repeated
        return applied(_MUL, (number, product), product.place)


def _written(
    graph: FunctionGraph, late: Lates, leaves: Mapping[Any, Leaves], users: Users
) -> FunctionGraph:
    new_of = Changes()
    terms: dict[Any, _Terms] = {}
    for v in graph.above(late):
        if v not in late:
            new_of[v] = _remade(v, new_of, terms, late)
            continue
        terms[v] = _terms(v, new_of, terms, late, leaves)
        if not _is_taken_in(v, late, users):
            whole = terms.pop(v).whole(late[v].wide)
            new_of[v] = SumTo()(whole, *[new_of[n] for n in late[v].sizes])
    return FunctionGraph(graph.inputs, [new_of[v] for v in graph.outputs])


def _remade(v: Any, new_of: New, terms: Mapping[Any, _Terms], late: Lates) -> Any:
    """`v` of new inputs, all of what is summed late."""
    if terms.keys().isdisjoint(v.inputs):
        return renewed(v, new_of)
    inputs = [terms[i].whole(late[i].wide) if i in terms else new_of[i] for i in v.inputs]
    return remake(v, tuple(inputs))


def _terms(
    v: Any,
    new_of: New,
    terms: Mapping[Any, _Terms],
    late: Lates,
    leaves: Mapping[Any, Leaves],
) -> _Terms:
    x = v.inputs[0]
    if type(v.op) is SumTo:
        if x in terms:
            return terms[x]
        if _is_number(x):
            return _Terms(None, (frozenset(),) * x.ndim, new_of[x])
        for c, y in (x.inputs, x.inputs[::-1]) if x.op is _MUL else ():
            if _is_number(c) and y.ndim == x.ndim:
                return _Terms(new_of[y], leaves[y], new_of[c])
        return _Terms(new_of[x], leaves[x])
    for i, u in (v.inputs, v.inputs[::-1]) if v.op is _MUL else ():
        if i in terms:
            product, own, repeated = terms[i]
            if product is not None:
                whole = applied(_MUL, (product, new_of[u]), v.place)
                return _Terms(whole, _joined(own, leaves.get(u, ())), repeated)
            if u.ndim == v.ndim:
                return _Terms(new_of[u], leaves[u], repeated)
    return _Terms(_remade(v, new_of, terms, late), late[v].wide)


def _is_number(v: Any) -> bool:
    return type(v.op) is BroadcastTo and not v.inputs[0].ndim


def _joined(a: Leaves, b: Leaves) -> Leaves:
    """The leaves of what is made of both; `b` may have fewer axes."""
    front = len(a) - len(b)
    return (*a[:front], *map(frozenset.union, a[front:], b))
