"""Reverse-mode differentiation, over any Type that has the hooks for it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal, overload

from weft_graph.nodes import (
    Apply,
    Item,
    Op,
    Type,
    UndefinedGradientError,
    Variable,
    apply,
)
from weft_graph.order import toposort

__all__ = ["DisconnectedInputError", "grad", "pullback", "stop_gradient"]

Disconnected = Literal["raise", "warn", "ignore"]


class DisconnectedInputError(ValueError):
    """A derivative was asked with respect to something that the cost doesn't depend on."""


class StopGradient(Op):
    """The identity, whose derivative is zero."""

    view_of = (0,)

    def infer(self, *types: Type) -> Type:
        """The same type."""
        return types[0]

    def impl(self, *values: Any) -> Any:
        """The same value."""
        return values[0]

    def pullback(
        self, inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        """No dependence."""
        return [None]

    def infer_shape(self, fgraph: Any, node: Apply, input_shapes: Sequence[Any]) -> Sequence[Any]:
        """The same shape."""
        return input_shapes


def stop_gradient(x: Variable) -> Any:
    """`x`, taken for a constant by differentiation.

    >>> from weft_graph import Type
    >>> str(stop_gradient(Type()("x")))
    'StopGradient'
    """
    return apply(StopGradient(), (x,))


@overload
def grad(
    cost: Variable | None,
    wrt: Variable,
    *,
    known_grads: Mapping[Variable, Variable] | None = None,
    disconnected_inputs: Disconnected = "raise",
) -> Any: ...
@overload
def grad(
    cost: Variable | None,
    wrt: Sequence[Variable],
    *,
    known_grads: Mapping[Variable, Variable] | None = None,
    disconnected_inputs: Disconnected = "raise",
) -> list[Any]: ...
def grad(
    cost: Variable | None,
    wrt: Variable | Sequence[Variable],
    *,
    known_grads: Mapping[Variable, Variable] | None = None,
    disconnected_inputs: Disconnected = "raise",
) -> Any:
    """The gradient of a scalar `cost` with respect to `wrt`, as new variables of the graph.

    Parameters
    ----------
    cost
        A scalar of a differentiable type; None if `known_grads` says all there is.
    wrt
        A variable, or several; they may be results in the graph as well as inputs.
    known_grads
        Gradients of the cost that are known already; they are taken as they are and
        carried on to what these variables depend on.
    disconnected_inputs
        What to do if `cost` does not depend on one of `wrt`: "raise", or give zeros
        ("ignore"), or give zeros with a warning ("warn").

    Returns
    -------
    A variable of the type of `wrt`, or a list of them if `wrt` is a sequence.

    Raises
    ------
    TypeError
        if the cost is not a scalar, or not differentiable.
    DisconnectedInputError
        if the cost does not depend on one of `wrt`.
    UndefinedGradientError
        if an Op on the way has no derivative.
    """
    several = not isinstance(wrt, Variable)
    targets: list[Variable] = list(wrt) if not isinstance(wrt, Variable) else [wrt]
    if cost is not None and not isinstance(cost, Variable):
        raise TypeError(f"the cost must be a Variable, not {cost!r}")
    if cost is None and not known_grads:
        raise TypeError("grad needs a cost, or known_grads")
    seeds = {} if cost is None else {cost: cost.type.seed(cost)}
    found = _sweep(seeds, targets, known_grads or {})
    what = "what `known_grads` lists" if cost is None else f"the cost {cost!r}"
    gradients = _with_zeros(targets, found, what, disconnected_inputs)
    return gradients if several else gradients[0]


def pullback(
    outputs: Variable | Sequence[Variable],
    wrt: Sequence[Variable],
    cotangents: Variable | Sequence[Variable],
    *,
    disconnected_inputs: Disconnected = "raise",
) -> list[Any]:
    """The vector-Jacobian product: cotangents of `wrt` from `cotangents` of `outputs`.

    Raises what `grad` raises, and TypeError for a cotangent whose type is not its output's.
    """
    if isinstance(outputs, Variable):
        outputs = [outputs]
    if isinstance(cotangents, Variable):
        cotangents = [cotangents]
    seeds: dict[Variable, Variable] = {}
    for output, g in zip(outputs, cotangents, strict=True):
        if not output.type.accepts(g.type):
            raise TypeError(f"the cotangent {g!r} does not have the type of {output!r}")
        seeds[output] = output.type.add(seeds[output], g) if output in seeds else g
    found = _sweep(seeds, wrt, {})
    what = f"the outputs {', '.join(map(repr, outputs))}"
    return _with_zeros(wrt, found, what, disconnected_inputs)


def _with_zeros(
    targets: Sequence[Variable],
    found: Sequence[Variable | None],
    what: str,
    disconnected: Disconnected,
) -> list[Variable]:
    result = []  # no comprehension: before Python 3.12 it is a frame that `stacklevel` counts
    for target, g in zip(targets, found, strict=True):
        result.append(_zeros(target, what, disconnected) if g is None else g)
    return result


def _zeros(target: Variable, what: str, disconnected: Disconnected) -> Variable:
    text = (
        f"{what} does not depend differentiably on {target!r}. "
        "`disconnected_inputs='ignore'` gives zeros instead."
    )
    if disconnected == "raise":
        raise DisconnectedInputError(text)
    if disconnected == "warn":
        warnings.warn(text, stacklevel=4)
    elif disconnected != "ignore":
        raise ValueError(
            f"disconnected_inputs must be 'raise', 'warn' or 'ignore', not {disconnected!r}"
        )
    return target.type.zeros_like(target)


def _sweep(
    seeds: dict[Variable, Variable],
    targets: Sequence[Variable],
    known: Mapping[Variable, Variable],
) -> list[Variable | None]:
    """One pass from the seeds back: the cotangent of each target, None if there is none."""
    wanted = set(targets)
    order = toposort([*seeds, *known])
    depends: set[Variable] = set()
    for v in order:
        if v in wanted or any(i in depends for i in v.inputs):
            depends.add(v)
    gathered: dict[Variable, Variable] = {**seeds, **known}
    several: set[Variable] = set()  # the tuples of which some item has a cotangent
    for v in reversed(order):
        if v not in depends or not v.inputs:
            continue
        if type(v.op) is Item:
            if v in gathered:
                several.add(v.inputs[0])
            continue
        if v not in gathered and v not in several:
            continue
        for source, g in zip(v.inputs, _cotangents(v, gathered), strict=True):
            if g is None or source not in depends or source in known:
                continue
            old = gathered.get(source)
            gathered[source] = g if old is None else source.type.add(old, g)
    return [gathered.get(target) for target in targets]


def _cotangents(node: Variable, gathered: Mapping[Variable, Variable]) -> list[Variable | None]:
    """What the Op's pullback gives, checked: one per input, of the input's type."""
    op = node.op
    view = Apply.of(node)
    incoming = [
        gathered[o] if o in gathered else o.type.zeros_like(o) if o.type.differentiable else None
        for o in view.outputs
    ]
    try:
        given = list(op.pullback(view.inputs, view.outputs, incoming))
    except (UndefinedGradientError, TypeError, ValueError) as error:
        made = f", made at {node.made_at}" if node.made_at else ""
        error.add_note(f"while differentiating {node!r}{made}")
        raise
    if len(given) != len(node.inputs):
        raise TypeError(
            f"{type(op).__name__}.pullback returned {len(given)} cotangents "
            f"for {len(node.inputs)} inputs"
        )
    result: list[Variable | None] = []
    for position, (source, g) in enumerate(zip(node.inputs, given, strict=True)):
        if g is None or not source.type.differentiable:
            result.append(None)
        elif not isinstance(g, Variable) or not source.type.accepts(g.type):
            raise TypeError(
                f"{type(op).__name__}.pullback returned {g!r} as cotangent of input "
                f"{position}, {source!r}: it must be a variable of that type, or None"
            )
        else:
            result.append(g)
    return result
