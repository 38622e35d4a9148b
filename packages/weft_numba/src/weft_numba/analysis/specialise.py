"""A graph for the usual call: unknown lengths that meet are equal, so nothing is stretched.

Sums over stretched axes and the arithmetic of lengths vanish from such a graph. Calls that are
not usual are told by its conditions.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, Final, NamedTuple

from weft_graph import FunctionGraph, Named, Variable, replace
from weft_graph.extend import Assumed, StopGradient
from weft_numba.analysis import lists, products, rolls
from weft_numba.analysis.masks import Masks
from weft_numba.analysis.updates import Updates
from weft_numba.analysis.uses import Plan
from weft_numba.ir.axis_sizes import NOTHING, AxisEqualities, Same
from weft_numba.lowering.dispatch import has_function
from weft_tensor import (
    Concatenate,
    Gather,
    Kind,
    Length,
    Matmul,
    Pointwise,
    Recurrence,
    Reduction,
    Reshape,
    Scatter,
    SumOver,
    TensorType,
    constant,
    expanded,
)
from weft_tensor.extend import SCALAR, Slice, Stack, kind_of, lengths_of

__all__ = ["Narrowed", "narrowed"]

_PASSED_ON: Final = (Assumed, Named, StopGradient)
_OTHERS: Final[Mapping[type, Callable[[Any, AxisEqualities], Variable | None]]] = {
    Concatenate: rolls.rolled,
    Reshape: rolls.rolled,
    Matmul: products.summed,
    Stack: lists.listed,
}
"""What may be other Ops for this package, by what it is."""

_SIZE: Final = TensorType("int64")


class Narrowed(NamedTuple):
    """A graph, and what must hold of the inputs for it to compute the right thing."""

    graph: FunctionGraph
    conditions: tuple[str, ...]
    """Python expressions over the inputs, written {0}, {1}, ..."""


def narrowed(graph: FunctionGraph, *, assume: bool, same: Same = NOTHING) -> Narrowed:
    """`graph` without Ops that do nothing, as far as types (with `assume`, conditions) tell.

    `same` says what is known of the inputs, as `AxisEqualities` takes it.

    Ops without machine code stand there by their expansions.

    >>> import weft_tensor as wt
    >>> x, y = wt.vector("x"), wt.vector("y")
    >>> narrowed(FunctionGraph([x, y], [x + y]), assume=True).conditions
    ('{0}.shape[0] == {1}.shape[0]',)
    """
    graph = expanded(graph, has_function)
    spaces = AxisEqualities(graph.inputs, assume=assume, same=same)
    for v in graph.inputs:
        if isinstance(v.type, TensorType):
            spaces.of(v)

    masks, updates = Masks(spaces), Updates(spaces)

    def simpler(v: Variable) -> Variable | None:
        if type(v.op) in _PASSED_ON:
            return v.inputs[0]
        if not isinstance(v.type, TensorType):
            return None
        spaces.of(v)
        kind = kind_of(v)
        if isinstance(kind, SumOver):
            x, *lengths = v.inputs
            return x if spaces.of(x) == tuple(map(spaces.size, lengths)) else None
        if _is_length(v, kind):
            key: Any = spaces.size(v)
            length = _read_from_input(spaces.at_inputs(key), v)
            return key if length is None and _is_sum(key) else length
        new = masks.simpler(v, kind)
        new = updates.simpler(v, kind) if new is None else new
        other = _OTHERS.get(type(v.op)) if new is None else None
        return new if other is None else other(v, spaces)

    outputs = replace(graph.outputs, simpler, graph.inputs)
    usual = FunctionGraph(graph.inputs, outputs)
    seen = [spaces]
    if assume and any(map(_meets_more, usual.order)):
        seen.append(Plan(usual, assume=True, same=same).spaces)  # which may know more lengths
    place = {v: f"{{{k}}}" for k, v in enumerate(graph.inputs)}
    conditions = [f"{_text(a, place)} == {_text(b, place)}" for s in seen for a, b in s.conditions]
    least = {a: max(s.least.get(a, 0) for s in seen) for one in seen for a in one.least}
    conditions += [f"{_text(a, place)} >= {n}" for a, n in least.items()]
    return Narrowed(usual, tuple(dict.fromkeys(conditions)))


def _meets_more(v: Variable) -> bool:
    """Whether more may be taken for equal where all nodes are simple: slices, bodies of loops."""
    if isinstance(v.op, Recurrence):
        return True
    kind = kind_of(v)
    entries = kind.at if isinstance(kind, Gather | Scatter) and not callable(kind.at) else ()
    return any(isinstance(e, Slice) and SCALAR in e for e in entries)


def _is_length(v: Variable, kind: Kind | None) -> bool:
    stretched = isinstance(kind, Pointwise) and kind.of == "broadcast_length"
    return isinstance(v.op, Length) or (stretched and all(i.type is _SIZE for i in v.inputs))


def _is_sum(key: Any) -> bool:
    """Whether a length is computed as the number of elements that a mask chooses."""
    kind = kind_of(key) if isinstance(key, Variable) else None
    return isinstance(kind, Reduction) and kind.combine == "add"


def _read_from_input(where: Any, v: Variable) -> Variable | None:
    """The length that is found there; None if that is what `v` says already."""
    if where is None:
        return None
    if isinstance(where, int):
        return constant(where, "int64")
    length = lengths_of(where[0])[where[1]] if isinstance(where, tuple) else where
    return None if length is v else length


def _text(where: Hashable, place: dict[Variable, str]) -> str:
    if isinstance(where, tuple):
        return f"{place[where[0]]}.shape[{where[1]}]"
    return place[where] if isinstance(where, Variable) else str(where)
