"""Forward-mode differentiation, over any Type that has the hooks for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, overload

from weft_graph.autodiff.connections import connected, step_between
from weft_graph.autodiff.dependency_path import made_at
from weft_graph.autodiff.gradient import DisconnectedInputError, meant, variables
from weft_graph.autodiff.reverse_sweep import cotangents_of, gathered, sweep
from weft_graph.core.nodes import Apply, Item, TupleType, Variable
from weft_graph.core.protocols import UndefinedGradientError
from weft_graph.core.source_location import standing
from weft_graph.core.toposort import toposort
from weft_graph.core.traversal import replace

__all__ = ["pushforward", "sweep_forward"]

Tangents = list[Variable | None]


@overload
def pushforward(
    outputs: Variable,
    wrt: Variable | Sequence[Variable],
    tangents: Variable | Sequence[Variable],
    *,
    disconnected_outputs: Literal["raise", "ignore"] = "raise",
) -> Any: ...
@overload
def pushforward(
    outputs: Sequence[Variable],
    wrt: Variable | Sequence[Variable],
    tangents: Variable | Sequence[Variable],
    *,
    disconnected_outputs: Literal["raise", "ignore"] = "raise",
) -> list[Any]: ...
def pushforward(
    outputs: Variable | Sequence[Variable],
    wrt: Variable | Sequence[Variable],
    tangents: Variable | Sequence[Variable],
    *,
    disconnected_outputs: Literal["raise", "ignore"] = "raise",
) -> Any:
    """The Jacobian-vector product: how `outputs` change if `wrt` change by `tangents`.

    Tangents are ordinary directional derivatives, of complex variables too. `wrt` may be
    results in the graph as well as inputs; one that depends on another moves with it, and
    by its own tangent besides.

    Parameters
    ----------
    outputs
        A variable, or several.
    wrt, tangents
        Variables and their tangents, of the same types.
    disconnected_outputs
        What to do if an output does not depend on any of `wrt`: "raise", or give zeros
        ("ignore").

    Returns
    -------
    A variable of the type of `outputs`, or a list of them if `outputs` is a sequence. It is zero
    where an output depends on `wrt` by steps alone, as through comparisons, rounding and integers.

    Raises
    ------
    TypeError
        for a tangent that does not have the type of its variable.
    ValueError
        for another `disconnected_outputs` than these.
    DisconnectedInputError
        if an output does not depend on any of `wrt` at all.
    UndefinedGradientError
        if an Op on the way has no derivative, or if integers are drawn there.
    """
    several = not isinstance(outputs, Variable)
    if disconnected_outputs not in ("raise", "ignore"):
        raise ValueError(
            f"disconnected_outputs must be 'raise' or 'ignore', not {disconnected_outputs!r}"
        )
    results = variables("outputs", outputs)
    moving, directions = variables("wrt", wrt), variables("tangents", tangents)
    for v, t in zip(moving, directions, strict=True):
        if not v.type.accepts(t.type):
            raise TypeError(f"the tangent {t!r} does not have the type of {v!r}")
    step = step_between(results, moving)
    if step:
        raise UndefinedGradientError(step)
    tangents_of = sweep_forward(meant(results, moving), gathered(moving, directions))
    tangents_out = [
        _moved(v, t, moving, disconnected_outputs)
        for v, t in zip(results, tangents_of, strict=True)
    ]
    return tangents_out if several else tangents_out[0]


def _moved(
    output: Variable, tangent: Variable | None, moving: Sequence[Variable], disconnected: str
) -> Variable:
    if tangent is not None:
        return tangent
    if disconnected == "raise" and connected([output]).isdisjoint(moving):
        raise DisconnectedInputError(
            f"the output {output!r}{made_at(output)} does not depend differentiably on any of "
            "`wrt`. `disconnected_outputs='ignore'` gives zeros instead."
        )
    return output.type.zeros_like(output)


def sweep_forward(outputs: Sequence[Variable], seeds: Mapping[Variable, Variable]) -> Tangents:
    """The tangent of each output, given those of the keys of `seeds`; None for zero."""
    tangents: dict[Variable, Variable] = {}
    several: dict[Variable, Tangents] = {}
    outer = standing.place
    try:
        for v in toposort(outputs):
            tangent = seeds.get(v)
            t: Variable | None = None
            if type(v.op) is Item:
                t = several[v.inputs[0]][v.op.index] if v.inputs[0] in several else None
            elif not tangents.keys().isdisjoint(v.inputs):
                standing.place = v.place
                slopes = _tangents_of(v, [_slope(tangents, i) for i in v.inputs])
                if type(v.type) is TupleType:
                    several[v] = slopes
                else:
                    t = slopes[0]
            if tangent is not None:
                t = tangent if t is None else v.type.add(t, tangent)
            if t is not None:
                tangents[v] = t
    finally:
        standing.place = outer
    return [tangents.get(v) for v in outputs]


def _slope(tangents: Mapping[Variable, Variable], source: Variable) -> Variable | None:
    """The tangent of an input; None for what has no derivatives, as an integer."""
    return tangents.get(source) if source.type.differentiable else None


def _tangents_of(node: Variable, incoming: Tangents) -> Tangents:
    """The tangents of the results of `node`, by the first that its Op has: a pushforward,
    linearity, a pullback."""
    op = node.op
    outputs = [node] if type(node.type) is not TupleType else Apply.of(node).outputs
    is_still = all(t is None for t in incoming)
    if is_still or not any(output.type.differentiable for output in outputs):
        return [None] * len(outputs)
    try:
        tangents: Any = op.pushforward(list(node.inputs), outputs, incoming)
        if tangents is NotImplemented and op.linear is not None:
            tangents = _of_linear(node, len(outputs), incoming, op.linear)
        elif tangents is NotImplemented:
            tangents = _by_pullbacks(node, outputs, incoming)
        return _checked(node, outputs, list(tangents))
    except Exception as error:
        error.add_note(f"while differentiating {node!r}{made_at(node)}")
        raise


def _checked(node: Variable, outputs: Sequence[Variable], tangents: list[Any]) -> Tangents:
    name = type(node.op).__name__
    if len(tangents) != len(outputs):
        raise TypeError(
            f"{name}.pushforward returned {len(tangents)} tangents for {len(outputs)} outputs"
        )
    for position, (output, t) in enumerate(zip(outputs, tangents, strict=True)):
        if t is None or not output.type.differentiable:
            tangents[position] = None
        elif not isinstance(t, Variable) or not output.type.accepts(t.type):
            raise TypeError(
                f"{name}.pushforward returned {t!r} as tangent of output "
                f"{position}, {output!r}: it must be a variable of that type, or None"
            )
    return tangents


def _of_linear(node: Variable, count: int, incoming: Tangents, where: slice) -> list[Any]:
    """The Op itself on the tangents of what it is linear in, zeros where there are none."""
    places = range(len(node.inputs))[where]
    if all(incoming[i] is None for i in places):
        return [None] * count
    inputs = list(node.inputs)
    for i in places:
        t = incoming[i]
        inputs[i] = inputs[i].type.zeros_like(inputs[i]) if t is None else t
    application = node.op(*inputs)
    return list(application) if count > 1 else [application]


def _by_pullbacks(node: Variable, outputs: list[Variable], incoming: Tangents) -> Tangents:
    """The transpose of the pullback, which is linear in the cotangents: its own pullback.

    Both transposes are by the real inner product, in which complex gradients are those of
    steepest ascent; so this is right for complex numbers too.
    """
    dummies = [output.type() if output.type.differentiable else None for output in outputs]
    sources = {v for v, t in zip(node.inputs, incoming, strict=True) if t is not None}
    cotangents = cotangents_of(node, outputs, dummies, sources)
    backs = [g for g in cotangents if g is not None]
    tangents = [
        t for g, t in zip(cotangents, incoming, strict=True) if g is not None and t is not None
    ]
    targets = [d for d in dummies if d is not None]
    around = {*node.inputs, *outputs, *tangents}
    slopes = iter(sweep(gathered(backs, tangents), targets, stop={*around, *targets}))
    result = [None if d is None else next(slopes) for d in dummies]
    stands_for = {d: o for d, o in zip(dummies, outputs, strict=True) if d is not None}
    moving = iter(replace([t for t in result if t is not None], stands_for, around))
    return [None if t is None else next(moving) for t in result]
