"""The backward pass: from cotangents of results to cotangents of what they depend on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from weft_graph.autodiff.dependency_path import made_at, route, show_route
from weft_graph.core.nodes import Apply, Item, TupleType, Type, Variable
from weft_graph.core.protocols import UndefinedGradientError
from weft_graph.core.source_location import standing
from weft_graph.core.toposort import toposort

__all__ = [
    "DisconnectedType",
    "UndefinedType",
    "cotangents_of",
    "gathered",
    "grad_not_implemented",
    "grad_undefined",
    "sweep",
]


class DisconnectedType(Type):
    """The type of no cotangent: what the tradition's `grad` returns where we return None."""


class UndefinedType(Type):
    """The type of a cotangent that there is not, because of `reason`.

    An error is raised only if that cotangent is needed.
    """

    reason: str


def grad_undefined(op: Any, position: int, x: Variable, comment: str = "") -> Any:
    """For use in a `pullback`: there is no derivative by input number `position`.

    >>> from weft_graph import Type
    >>> grad_undefined("argmax", 0, Type()("x"), "it is a step").type.reason
    'argmax has no derivative by input 0, <x : Type>: it is a step'
    """
    reason = f"{op} has no derivative by input {position}, {x!r}"
    return UndefinedType(f"{reason}: {comment}" if comment else reason)()


def grad_not_implemented(op: Any, position: int, x: Variable, comment: str = "") -> Any:
    """For use in a `pullback`: nobody has written the derivative by input `position` yet.

    >>> from weft_graph import Type
    >>> grad_not_implemented("beta", 1, Type()("b")).type.reason
    'the derivative of beta by input 1, <b : Type>, is not implemented'
    """
    reason = f"the derivative of {op} by input {position}, {x!r}, is not implemented"
    return UndefinedType(f"{reason}: {comment}" if comment else reason)()


def gathered(variables: Iterable[Variable], values: Iterable[Variable]) -> dict[Variable, Variable]:
    """A dict of the derivatives `values` of `variables`; those of one variable are added up."""
    total: dict[Variable, Variable] = {}
    for v, g in zip(variables, values, strict=True):
        total[v] = v.type.add(total[v], g) if v in total else g
    return total


def sweep(
    seeds: Mapping[Variable, Variable],
    targets: Sequence[Variable],
    *,
    cotangent_of: Mapping[Variable, Variable] | None = None,
    constants: Iterable[Variable] = (),
    stop: Collection[Variable] = frozenset(),
) -> list[Variable | None]:
    """The cotangent of each of `targets`, given those of the keys of `seeds`; None for zero.

    Cotangents of the keys of `cotangent_of` are taken as they are. Nothing goes past `constants`,
    and the walk ends at the variables in `stop`. New nodes stand where the nodes stand that
    they differentiate.
    """
    cotangent_of = cotangent_of or {}
    fixed = set(constants)
    ends = set(targets)
    order = toposort([*seeds, *cotangent_of], stop)
    depends: set[Variable] = set()
    for v in order:
        if not (v.type.differentiable or type(v.type) is TupleType):
            continue
        if v in ends or not (depends.isdisjoint(v.inputs) or v in fixed):
            depends.add(v)
    cotangents: dict[Variable, Variable] = {**seeds, **cotangent_of}
    several: set[Variable] = set()  # the tuples of which some item has a cotangent
    outer = standing.place
    try:
        for v in reversed(order):
            if not v.inputs or v not in depends or v in fixed or v in stop:
                continue
            if type(v.op) is Item:
                if v in cotangents:
                    several.add(v.inputs[0])
                continue
            if v not in cotangents and v not in several:
                continue
            standing.place = v.place
            try:
                contributions = _needed(v, cotangents, depends)
            except Exception as error:
                _explain(error, v, seeds or cotangent_of, targets)
                raise
            for source, g in zip(v.inputs, contributions, strict=True):
                if g is None or source in cotangent_of:
                    continue
                old = cotangents.get(source)
                cotangents[source] = g if old is None else source.type.add(old, g)
    finally:
        standing.place = outer
    return [cotangents.get(target) for target in targets]


def _needed(
    node: Variable, cotangents: Mapping[Variable, Variable], depends: Collection[Variable]
) -> Sequence[Variable | None]:
    """The cotangents of those inputs of `node` that matter."""
    outputs = [node] if type(node.type) is not TupleType else Apply.of(node).outputs
    incoming: list[Variable | None] = []
    for output in outputs:
        g = cotangents.get(output)
        if g is None and output.type.differentiable and not node.op.none_for_zero:
            g = output.type.zeros_like(output)
        incoming.append(g)
    return cotangents_of(node, outputs, incoming, depends)


def cotangents_of(
    node: Variable,
    outputs: list[Variable],
    incoming: Sequence[Variable | None],
    depends: Collection[Variable],
) -> list[Variable | None]:
    """What the Op's pullback gives for the inputs in `depends`: None, or of the input's type.

    Raises TypeError unless the pullback gives one for each input.
    """
    name = type(node.op).__name__
    answer: object = node.op.pullback(list(node.inputs), outputs, incoming)
    if not isinstance(answer, Sequence):
        raise TypeError(f"{name}.pullback must return a list of cotangents, not {answer!r}")
    cotangents = list(answer)
    if len(cotangents) != len(node.inputs):
        raise TypeError(
            f"{name}.pullback returned {len(cotangents)} cotangents for {len(node.inputs)} inputs"
        )
    for position, (source, g) in enumerate(zip(node.inputs, cotangents, strict=True)):
        if g is None:
            continue
        if source not in depends or not source.type.differentiable:
            cotangents[position] = None
        elif not isinstance(g, Variable) or not source.type.accepts(g.type):
            cotangents[position] = None
            _refuse(g, name, position, source)
    return cotangents


def _refuse(g: Any, name: str, position: int, source: Variable) -> None:
    """Raise what fits, unless `g` says that there is no dependence."""
    kind = getattr(g, "type", None)
    if isinstance(kind, DisconnectedType):
        return
    if isinstance(kind, UndefinedType):
        raise UndefinedGradientError(kind.reason)
    raise TypeError(
        f"{name}.pullback returned {g!r} as cotangent of input "
        f"{position}, {source!r}: it must be a variable of that type, or None"
    )


def _explain(
    error: Exception, node: Variable, starts: Iterable[Variable], targets: Sequence[Variable]
) -> None:
    """Say in notes on `error` which node could not be differentiated, and what led to it."""
    error.add_note(f"while differentiating {node!r}{made_at(node)}")
    for target in targets:
        for start in starts:
            above, below = route(start, node), route(node, target)
            if above and below:
                error.add_note(f"the way from the cost: {show_route([*above, *below[1:]])}")
                return
