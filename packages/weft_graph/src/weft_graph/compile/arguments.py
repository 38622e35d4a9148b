"""What users give to `function`: inputs, updates, givens; and what is wrong with them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from weft_graph.core.argument_checks import as_name
from weft_graph.core.nodes import Variable
from weft_graph.core.pytree import leaves, leaves_like
from weft_graph.core.toposort import toposort
from weft_graph.linking.compiled_function import Parameter
from weft_graph.ops.shared import Shared

__all__ = [
    "In",
    "Replacements",
    "Unused",
    "as_dict",
    "check_updates",
    "check_used",
    "parameters_of",
    "static_inputs",
]

Unused = Literal["ignore", "warn", "raise"]
Replacements = Mapping[Any, Variable] | Iterable[tuple[Any, Any]]
"""Variables and what takes their place: a dict, or pairs as the tradition has them."""


class In(NamedTuple):
    """An input, for `function`, and what else there is to say of it.

    >>> from weft_graph import Type, function
    >>> x = Type()("x")
    >>> f = function([In(x, value=3, name="count")], x, mode="py")
    >>> f(), f(count=4)
    (3, 4)
    """

    variable: Any
    """A variable, or a nested structure of them."""
    value: Any = ...
    """The default value; without one, every call gives a value."""
    name: str | None = None
    """The name of the parameter, by default that of the variable."""
    static: bool = False
    """Whether to compile for each of its values, as JAX does it for static arguments.

    Then whatever depends on it alone is known when the function is compiled. Linkers that do
    not compile for values ignore it.
    """
    allow_downcast: bool | None = None
    """Whether values are converted also where something is lost; by default, as `function` says."""


def parameters_of(inputs: Any, may_lose: bool = False) -> list[Parameter]:
    """The parameters of a function with these inputs, and what they take if they do not say it.

    Raises TypeError if the inputs are neither a sequence nor a dict, or one without a default value
    follows one that has one.
    """
    pairs: list[tuple[str | None, Any]]
    if isinstance(inputs, Mapping):
        pairs = [(as_name(name, "an input"), structure) for name, structure in inputs.items()]
    elif isinstance(inputs, (list, tuple)):
        pairs = [(None, structure) for structure in inputs]
    else:
        hint = f"write function([{inputs}], ...)" if isinstance(inputs, Variable) else repr(inputs)
        raise TypeError(f"inputs must be a sequence or a dict: {hint}")
    parameters = []
    default: tuple[Any, ...]
    for k, (own_name, structure) in enumerate(pairs):
        lossy = may_lose
        if isinstance(structure, In):
            inner = structure.variable
            default = () if structure.value is ... else (structure.value,)
            if structure.allow_downcast is not None:
                lossy = structure.allow_downcast
            if structure.name is not None:
                own_name = own_name or as_name(structure.name, "an input")
        else:
            inner, default = structure, ()
        own = inner.name if isinstance(inner, Variable) else None
        parameters.append(Parameter(own_name or own or f"x{k}", inner, default, lossy))
    for before, after in pairwise(parameters):
        if before.default and not after.default:
            raise TypeError(
                f"the input {after.name!r} has no default value, but {before.name!r} before it "
                "has one: list inputs with default values last"
            )
    return parameters


def static_inputs(inputs: Any) -> list[Variable]:
    """The variables among the inputs that are declared static."""
    items = inputs.values() if isinstance(inputs, Mapping) else inputs
    static = [item for item in items if isinstance(item, In) and item.static]
    return [v for item in static for v in leaves(item.variable, "inputs")] if static else []


def as_dict(argument: str, replacements: Replacements) -> dict[Variable, Variable]:
    """Replacements, of which no variable has two, as a dict; errors name the argument.

    Pairs may be of nested structures, for pairs of what is in them. Raises TypeError for what is
    no dict and no pairs of variables, ValueError if a variable is given two values.
    """
    if isinstance(replacements, Mapping):
        return dict(replacements)
    table: dict[Variable, Variable] = {}
    for variable, new in _pairs(argument, replacements):
        if variable in table:
            origin = f", made at {variable.made_at}" if variable.made_at else ""
            raise ValueError(
                f"{argument} has {variable!r}{origin}, twice: for {table[variable]!r} and for "
                f"{new!r}. Leave one of them out"
            )
        table[variable] = new
    return table


def _pairs(argument: str, replacements: Iterable[Any]) -> Iterator[tuple[Variable, Any]]:
    for pair in replacements:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise TypeError(f"{argument} must be a dict or pairs of variables, not {pair!r}")
        old, new = pair
        yield from zip(leaves(old, argument), leaves_like(new, old, argument), strict=True)


def check_updates(updates: Mapping[Any, Any]) -> None:
    """Raise TypeError unless shared variables get values of their types."""
    for variable, new in updates.items():
        if not isinstance(variable, Variable) or not isinstance(variable.op, Shared):
            raise TypeError(
                f"{variable!r} can't be updated: only shared variables can, made with `shared`"
            )
        if not isinstance(new, Variable) or not variable.type.accepts(new.type):
            raise TypeError(f"the update of {variable!r} must be of its type, not {new!r}")


def check_used(inputs: Sequence[Variable], outputs: Sequence[Variable], policy: Unused) -> None:
    """Do what `policy` says if no output depends on an input.

    Raises ValueError for an unknown policy, and for an unused input where it is 'raise'.
    """
    if policy not in ("ignore", "warn", "raise"):
        raise ValueError(f"on_unused_input must be 'ignore', 'warn' or 'raise', not {policy!r}")
    if policy == "ignore":
        return
    used = set(toposort(outputs, set(inputs)))
    unused = [v for v in inputs if v not in used]
    if not unused:
        return
    text = (
        f"no output depends on {', '.join(map(repr, unused))}: leave it out of the inputs, "
        "or pass on_unused_input='ignore'"
    )
    if policy == "raise":
        raise ValueError(text)
    warnings.warn(text, stacklevel=3)
