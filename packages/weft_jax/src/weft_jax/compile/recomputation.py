"""What XLA computes again for each loop that needs it: cheap functions, as long as chains are."""

from __future__ import annotations

from collections.abc import Set
from typing import Any, Final

from weft_graph import Constant, FunctionGraph, Variable
from weft_jax.analysis.printing import prints
from weft_tensor import Concatenate, Gather, Pointwise, Reduction, View
from weft_tensor.extend import SCALARS, kind_of, kinds_of

__all__ = ["recomputes"]

_FEWEST: Final = 100
"""Shorter functions compile soon, whatever XLA does."""
_TOO_MANY: Final = 1000
"""Of so many nodes more than there are, XLA takes seconds."""
_COSTLY: Final = "arctan2 cbrt exp expm1 log log1p reciprocal sigmoid sqrt tanh true_div"
_STORED: Final = frozenset(_COSTLY.split())
"""What XLA takes for costly; other functions end, in it, with something cheap."""
_FIRST_LONG: Final = 4
"""From this cost on, functions have several steps, unless they are sines, or stored."""
_SHORT: Final = _STORED | {"cast", "cos", "sin"}
_STEPS: Final = 8
_FUSED: Final = (Pointwise, View, Gather)
"""What is part of the loops that read it, as what concatenates is."""


def recomputes(graph: FunctionGraph) -> bool:
    """Whether XLA would compute nodes of `graph` many times over.

    XLA for CPUs never computes a function twice that takes long, as exp, but makes a loop of each
    that several others read, and in this loop computes again all that is cheap before it, as sums,
    products and sines, back to the last result of a loop. In a chain whose every state is cheap,
    `x = tanh(x) + sin(x) * exp(-x * x)`, each loop begins at the start: 80 steps with their
    derivative compile in 60 s in place of 4, and a call takes 7 times as long.

    So does each sum over what is cheap, and each function of several steps, within. A state that
    several read, one of which reads it beside what depends on it through such a loop, is none that
    XLA computes again, if it is of several.

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
    if len(graph.nodes) < _FEWEST or prints(graph):
        return False
    kinds = kinds_of(graph)
    fused = [
        v for v, kind in kinds.items() if isinstance(kind, _FUSED) or type(v.op) is Concatenate
    ]
    places, count = {}, 0
    for v in fused:
        width = _STEPS if _is_long(v) else 1
        places[v] = ((1 << width) - 1) << count
        count += width
    sums = {v for v, kind in kinds.items() if isinstance(kind, Reduction) or _is_long(v)}
    stored = _stored(graph, places, sums)
    most = count + max(_TOO_MANY, count)
    if _computed(places, sums, stored) <= most:
        return False
    return _computed(places, sums, stored | _read_beside(graph, places, stored)) > most


Places = dict[Variable, int]
"""A bit for each step of a node that loops compute."""
Nodes = Set[Variable]


def _computed(places: Places, sums: Nodes, stored: Nodes) -> int:
    """How many steps all loops compute together."""
    within: dict[Variable, int] = {}
    for v in dict.fromkeys((*places, *sums)):
        own = places.get(v, 0)
        for u in v.inputs:
            if u not in stored:
                own |= within.get(u, 0)
        within[v] = own
    return sum(own.bit_count() for v, own in within.items() if v in stored or v in sums)


def _stored(graph: FunctionGraph, places: Places, sums: Nodes) -> Nodes:
    """Which nodes are results of loops, whatever reads them."""
    users, looping = {v: {u for u, _ in graph.users[v]} for v in places}, places.keys() | sums
    stored = {v for v, of in users.items() if len(of) > 1 and _function(v) in _STORED}
    stored |= {v for v, of in users.items() if not of <= looping}
    return stored | (places.keys() & set(graph.outputs))


def _read_beside(graph: FunctionGraph, places: Places, stored: Nodes) -> Nodes:
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


def _function(v: Variable) -> object:
    """The name of the scalar function that an elementwise node is of."""
    kind = kind_of(v)
    return kind.of if isinstance(kind, Pointwise) else ""


def _is_long(v: Variable) -> bool:
    of: Any = _function(v)
    return of in SCALARS and of not in _SHORT and SCALARS[of].cost >= _FIRST_LONG


def _joins(v: Variable) -> bool:
    """Whether it has several inputs of as many elements."""
    ranks = [getattr(u.type, "ndim", 0) for u in v.inputs if not isinstance(u.op, Constant)]
    return ranks.count(getattr(v.type, "ndim", 0)) > 1
