"""What XLA computes again for each loop that needs it: cheap functions, as long as chains are."""

from __future__ import annotations

from collections.abc import Set
from typing import Final

from weft_graph import Constant, FunctionGraph, Variable
from weft_jax.analysis.printing import prints
from weft_tensor import Pointwise
from weft_tensor.extend import SCALARS, kind_of

__all__ = ["recomputes"]

_FEWEST: Final = 100
"""Shorter functions compile soon, whatever XLA does."""
_TOO_MANY: Final = 1000
"""Of so many nodes more than there are, XLA takes seconds."""
_CHEAP: Final = frozenset(["cast", "cos", "sin"])
"""What XLA takes for cheap, apart from arithmetic."""
_FIRST_COSTLY: Final = 4
"""The cost of divisions and square roots."""


def recomputes(graph: FunctionGraph) -> bool:
    """Whether XLA would compute the elementwise nodes of `graph` many times over.

    XLA for CPUs never computes a function twice that takes long, as exp, but makes a loop of each
    that several others read, and in this loop computes again all that is cheap before it, as sums,
    products and sines, back to the last result of a loop. In a chain whose every state is cheap,
    `x = tanh(x) + sin(x) * exp(-x * x)`, each loop begins at the start: 80 steps with their
    derivative compile in 60 s in place of 4, and a call takes 7 times as long.

    A state that several read, one of which reads it beside what depends on it through such a
    loop, is none that XLA computes again.

    >>> import weft_tensor as wt
    >>> def judged(step):
    ...     x = total = wt.vector("x")
    ...     for _ in range(40):
    ...         found = wt.tanh(x)
    ...         x, total = step(x, found), total + found
    ...     return recomputes(FunctionGraph(outputs=[total]))
    >>> judged(lambda x, found: wt.sin(x) + found), judged(lambda x, found: wt.sin(found))
    (True, False)
    """
    places = {v: 1 << k for k, v in enumerate(filter(_is_elementwise, graph.nodes))}
    if len(places) < _FEWEST or prints(graph):
        return False
    stored = _stored(graph, places)
    most = len(places) + max(_TOO_MANY, len(places))
    if _computed(places, stored) <= most:
        return False
    return _computed(places, stored | _read_beside(graph, places, stored)) > most


Places = dict[Variable, int]
"""A bit for each elementwise node."""


def _computed(places: Places, stored: Set[Variable]) -> int:
    """How many elementwise nodes all loops compute together."""
    within: dict[Variable, int] = {}
    for v, own in places.items():
        for u in v.inputs:
            if u not in stored:
                own |= within.get(u, 0)
        within[v] = own
    return sum(own.bit_count() for v, own in within.items() if v in stored)


def _stored(graph: FunctionGraph, places: Places) -> Set[Variable]:
    """Which elementwise nodes are results of loops, whatever reads them."""
    users = {v: {u for u, _ in graph.users[v]} for v in places}
    stored = {v for v, of in users.items() if len(of) > 1 and not _is_cheap(v)}
    stored |= {v for v, of in users.items() if not of <= places.keys()}
    return stored | (places.keys() & set(graph.outputs))


def _read_beside(graph: FunctionGraph, places: Places, stored: Set[Variable]) -> Set[Variable]:
    """Which nodes are read beside what depends on them through something stored."""
    before: dict[Variable, int] = {}  # the nodes that each depends on, and itself
    across: dict[Variable, int] = {}  # those that it reaches through what is stored
    found: set[Variable] = set()
    for v in graph.nodes:
        before[v], across[v] = places.get(v, 0), 0
        for u in v.inputs:
            is_loop = u in places and u not in stored
            before[v] |= before.get(u, 0)
            across[v] |= across[u] if is_loop else before.get(u, 0)
        found.update([u for u in v.inputs if places.get(u, 0) & across[v] and _joins(u)])
    return found


def _is_elementwise(v: Variable) -> bool:
    return type(kind_of(v)) is Pointwise


def _is_cheap(v: Variable) -> bool:
    of = getattr(kind_of(v), "of", "")
    return of in _CHEAP or (of in SCALARS and SCALARS[of].cost < _FIRST_COSTLY)


def _joins(v: Variable) -> bool:
    """Whether it has several inputs of as many elements."""
    ranks = [getattr(u.type, "ndim", 0) for u in v.inputs if not isinstance(u.op, Constant)]
    return ranks.count(getattr(v.type, "ndim", 0)) > 1
