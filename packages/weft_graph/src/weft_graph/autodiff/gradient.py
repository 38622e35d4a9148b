"""Reverse-mode differentiation, over any Type that has the hooks for it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, Literal, overload

from weft_graph.autodiff.connections import connected, has_zeros, step_between
from weft_graph.autodiff.dependency_path import made_at, route, show_route
from weft_graph.autodiff.reverse_sweep import gathered, sweep
from weft_graph.core.nodes import Apply, Identity, TupleType, Variable, apply
from weft_graph.core.protocols import UndefinedGradientError
from weft_graph.core.pytree import field_names, leaves, rebuilt
from weft_graph.text.late_names import imported_late

__all__ = [
    "DisconnectedInputError",
    "grad",
    "meant",
    "pullback",
    "stop_gradient",
    "value_and_grad",
    "variables",
]

Disconnected = Literal["raise", "warn", "ignore"]
_late, _ = imported_late(
    "weft_graph.autodiff", {"stabilised": "weft_graph.compile.before_derivatives"}
)


class DisconnectedInputError(ValueError):
    """A derivative was asked with respect to something that the cost doesn't depend on."""

    __module__ = "weft_graph"


class StopGradient(Identity):
    """The identity, taken for a constant by differentiation."""

    def pullback(
        self, inputs: Sequence[Variable], outputs: Sequence[Variable], cotangents: Sequence[Any]
    ) -> Sequence[Variable | None]:
        """No dependence."""
        return [None]

    def pushforward(
        self, inputs: Sequence[Variable], outputs: Sequence[Variable], tangents: Sequence[Any]
    ) -> Sequence[Variable | None]:
        """No dependence."""
        return [None]

    def connection_pattern(self, node: Apply) -> Sequence[Sequence[bool]]:
        """No dependence."""
        return [[False]]


_STOP: Final = StopGradient()


def stop_gradient(x: Variable) -> Any:
    """`x`, taken for a constant by differentiation.

    >>> from weft_graph import Type
    >>> str(stop_gradient(Type()("x")))
    'StopGradient'
    """
    return apply(_STOP, (x,))


@overload
def grad(
    cost: Variable | None,
    wrt: Variable,
    *,
    known_grads: Mapping[Variable, Variable] | None = None,
    consider_constant: Iterable[Variable] = (),
    disconnected_inputs: Disconnected = "raise",
) -> Any: ...
@overload
def grad(
    cost: Variable | None,
    wrt: Sequence[Variable],
    *,
    known_grads: Mapping[Variable, Variable] | None = None,
    consider_constant: Iterable[Variable] = (),
    disconnected_inputs: Disconnected = "raise",
) -> list[Any]: ...
@overload
def grad(
    cost: Variable | None,
    wrt: Any,
    *,
    known_grads: Mapping[Variable, Variable] | None = None,
    consider_constant: Iterable[Variable] = (),
    disconnected_inputs: Disconnected = "raise",
) -> Any: ...
def grad(
    cost: Variable | None,
    wrt: Any = None,
    *,
    known_grads: Mapping[Variable, Variable] | None = None,
    consider_constant: Iterable[Variable] = (),
    disconnected_inputs: Disconnected = "raise",
) -> Any:
    """The gradient of a scalar `cost` with respect to `wrt`, as new variables of the graph.

    Parameters
    ----------
    cost
        A scalar of a differentiable type; None if `known_grads` says all there is.
    wrt
        A variable, or several, also in nested dicts, lists, tuples and dataclasses; they may be
        results in the graph as well as inputs.
    known_grads
        Gradients of the cost that are known already; they are taken as they are and
        carried on to what these variables depend on.
    consider_constant
        Variables past which nothing is carried on.
    disconnected_inputs
        What to do if `cost` does not depend on one of `wrt`: "raise", or give zeros
        ("ignore"), or give zeros with a warning ("warn").

    Returns
    -------
    A variable of the type of `wrt`, a list of them if `wrt` is a sequence, or else what `wrt` is
    nested in. It is zero where the cost depends on `wrt` by steps alone, as through comparisons,
    rounding and integers.

    Raises
    ------
    TypeError
        if the cost is not a scalar, or not differentiable, or `wrt` is not given.
    DisconnectedInputError
        if the cost does not depend on one of `wrt` at all.
    UndefinedGradientError
        if an Op on the way has no derivative, or if integers are drawn there.
    """
    _check_cost("grad", cost)
    if wrt is None:
        raise TypeError("with respect to what is not said: write grad(cost, x)")
    is_structure = isinstance(wrt, (Variable, Mapping, list)) or field_names(wrt) is not None
    structure = wrt if is_structure else list(wrt) if isinstance(wrt, Iterable) else [wrt]
    targets = leaves(structure, "wrt")
    if cost is None and not known_grads:
        raise TypeError("grad needs a cost, or known_grads")
    cotangent_of = dict(known_grads or {})
    for v, g in cotangent_of.items():
        if not v.type.accepts(g.type):
            raise TypeError(f"the known gradient {g!r} does not have the type of {v!r}")
    seeds = {} if cost is None else {cost: cost.type.seed(cost)}
    constants = variables("consider_constant", consider_constant)

    equivalents = _meant(seeds, {*targets, *cotangent_of, *constants})
    cotangents = sweep(equivalents, targets, cotangent_of=cotangent_of, constants=constants)
    what = "what `known_grads` lists" if cost is None else f"the cost {cost!r}"
    starts = [*seeds, *cotangent_of]
    gradients = _filled(cotangents, targets, starts, what, disconnected_inputs, constants)
    each = iter(gradients)
    return rebuilt(structure, lambda v: next(each))


@overload
def value_and_grad(cost: Variable, wrt: Variable, **options: Any) -> tuple[Any, Any]: ...
@overload
def value_and_grad(
    cost: Variable, wrt: Sequence[Variable], **options: Any
) -> tuple[Any, list[Any]]: ...
@overload
def value_and_grad(cost: Variable, wrt: Any, **options: Any) -> tuple[Any, Any]: ...
def value_and_grad(cost: Variable, wrt: Any = None, **options: Any) -> tuple[Any, Any]:
    """`cost` and its gradient, as a pair; takes the options of `grad`.

    A function compiled from both computes what they share once.
    """
    _check_cost("value_and_grad", cost)
    return cost, grad(cost, wrt, **options)


def _check_cost(name: str, cost: Any) -> None:
    if cost is not None and not isinstance(cost, Variable):
        advice = f": call it, as in {name}(f(x), x)" if callable(cost) else ""
        raise TypeError(f"the cost must be a Variable, not {cost!r}{advice}")


def pullback(
    outputs: Variable | Sequence[Variable],
    wrt: Variable | Sequence[Variable],
    cotangents: Variable | Sequence[Variable],
    *,
    disconnected_inputs: Disconnected = "raise",
) -> list[Any]:
    """The vector-Jacobian product: cotangents of `wrt` from `cotangents` of `outputs`.

    Raises what `grad` raises, and TypeError for a cotangent whose type is not its output's.
    """
    outputs, cotangents = variables("outputs", outputs), variables("cotangents", cotangents)
    for output, g in zip(outputs, cotangents, strict=True):
        if not output.type.accepts(g.type):
            raise TypeError(f"the cotangent {g!r} does not have the type of {output!r}")
    seeds = gathered(outputs, cotangents)
    targets = variables("wrt", wrt)
    what = f"the outputs {', '.join(map(repr, outputs))}"
    results = sweep(_meant(seeds, set(targets)), targets)
    return _filled(results, targets, list(seeds), what, disconnected_inputs)


def _meant(
    seeds: Mapping[Variable, Variable], boundary: Collection[Variable]
) -> Mapping[Variable, Variable]:
    """The same derivatives, of what is differentiated in place of the keys."""
    return gathered(meant(list(seeds), boundary), seeds.values())


def meant(outputs: Sequence[Variable], kept: Collection[Variable]) -> Sequence[Variable]:
    """What is differentiated in place of `outputs`; `kept` stay as they are.

    >>> from weft_graph import Type
    >>> x = Type()("x")
    >>> meant([x], [x])
    [<x : Type>]
    """
    stabilised: Callable[..., Sequence[Variable]] = _late("stabilised")
    return stabilised(outputs, kept)


def variables(what: str, value: Any) -> list[Variable]:
    """One variable or several as a list; TypeError, naming `what` they are, for other things."""
    if isinstance(value, Variable):
        return [value]
    sequence = list(value) if isinstance(value, Iterable) else [value]
    for v in sequence:
        if not isinstance(v, Variable):
            raise TypeError(f"{what} must be variables, not {v!r}")
    return sequence


def _filled(
    cotangents: Sequence[Variable | None],
    targets: Sequence[Variable],
    starts: Sequence[Variable],
    what: str,
    disconnected: Disconnected,
    constants: Sequence[Variable] = (),
) -> list[Variable]:
    """The cotangents that were found; where there are none, zeros, or what `disconnected` says."""
    if disconnected not in ("raise", "warn", "ignore"):
        raise ValueError(
            f"disconnected_inputs must be 'raise', 'warn' or 'ignore', not {disconnected!r}"
        )
    asks = disconnected != "ignore" and None in cotangents
    step = step_between(starts, targets, constants)
    if step:
        raise UndefinedGradientError(step)
    below = connected(starts, constants) if asks else set(targets)
    result = []
    for target, g in zip(targets, cotangents, strict=True):
        if g is None and target not in below:
            text = (
                f"{what} does not depend differentiably on {target!r}{made_at(target)}: "
                f"{_reason(starts, target, below)}.\n"
                "`disconnected_inputs='ignore'` gives zeros instead."
            )
            if disconnected == "raise":
                raise DisconnectedInputError(text)
            warnings.warn(text, stacklevel=3)
        result.append(target.type.zeros_like(target) if g is None else g)
    return result


def _reason(starts: Sequence[Variable], target: Variable, below: Collection[Variable]) -> str:
    """Where the way from one of `starts` to `target` is cut; `below` is all that is reached."""
    for start in starts:
        way = [v for v in route(start, target) if type(v.type) is not TupleType]
        for above, v in pairwise(way):
            if not has_zeros(v.type):
                ends = f"the way {show_route(way)} ends at {v!r}{made_at(v)}"
                return f"{ends}: its type, {v.type}, has no derivatives"
            if v not in below:
                return f"the way {show_route(way)} is cut at {above!r}{made_at(above)}"
    return f"{target} is no part of it"
