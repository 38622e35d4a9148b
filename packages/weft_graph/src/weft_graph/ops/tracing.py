"""A user's function of variables as a graph: what `custom_pullback` and `checkpoint` begin with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple
from weakref import WeakSet

from weft_graph.core.nodes import Input, Variable
from weft_graph.core.toposort import toposort
from weft_graph.ops.doubts import tell_doubts

__all__ = ["Traced", "closed_over", "name_of_function", "traced"]

_past: Final = WeakSet[Variable]()
"""What stood for arguments of functions whose graphs are made: it has a value there alone."""


class Traced(NamedTuple):
    """What a function gives for inputs that stand for the variables among its arguments."""

    given: list[Variable]
    """The variables among the arguments."""
    inputs: list[Variable]
    """The inputs that stand for them."""
    outputs: list[Variable]
    """The results, by these inputs."""
    pack: Callable[[Sequence[Any]], Any]
    """From a list of results to what the function would have returned."""


def traced(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Traced:
    """Call `function` with inputs in place of variables, and other arguments as they are.

    Raises TypeError if the function returns anything but variables.

    >>> from weft_graph import Op, Type
    >>> class Power(Op):
    ...     exponent: int
    ...     def infer(self, x):
    ...         return x
    >>> x = Type()("x")
    >>> call = traced(lambda x, k: Power(k)(x), [x], {"k": 3})
    >>> call.given == [x], call.inputs == [x], call.outputs == [Power(3)(call.inputs[0])]
    (True, False, True)
    """
    parameters: list[Variable] = []
    inputs: list[Variable] = []

    def stand_in(value: Any) -> Any:
        if not isinstance(value, Variable):
            return value
        parameters.append(value)
        inputs.append(value.type(value.name))
        return inputs[-1]

    positional = [stand_in(value) for value in args]
    result = function(*positional, **{key: stand_in(value) for key, value in kwargs.items()})
    if isinstance(result, Variable):
        return Traced(parameters, inputs, [result], lambda results: results[0])
    kind = type(result)
    if kind not in (list, tuple) or not result or not all(isinstance(v, Variable) for v in result):
        raise TypeError(
            f"{name_of_function(function)} must return a Variable, or a list or tuple of them, "
            f"not {result!r}"
        )
    return Traced(parameters, inputs, list(result), kind)


def name_of_function(function: Callable[..., Any]) -> str:
    """How to call `function` in graphs and messages."""
    return getattr(function, "__name__", type(function).__name__)


def closed_over(outputs: Iterable[Variable], inputs: Iterable[Variable]) -> list[Variable]:
    """What `outputs` take from elsewhere than from `inputs`: the last variables on the way that
    depend on none of these. What depends on constants alone is none of them.

    `inputs` have stood for the arguments of a function, and after this stand for nothing. Raises
    ValueError if what did so for another function is among what is used.

    >>> from weft_graph import Op, Type
    >>> class Join(Op):
    ...     def infer(self, *types):
    ...         return types[0]
    >>> x, y = Type()("x"), Type()("y")
    >>> outer = Join()(y, y)
    >>> closed_over([Join()(Join()(x, outer), outer)], [x]) == [outer]
    True
    """
    roots, parameters = list(outputs), set(inputs)
    inside, outside = set(parameters), set[Variable]()
    sources: dict[Variable, None] = {}
    order = toposort(roots, inside)
    for v in order:
        if v in inside:
            continue
        if not inside.isdisjoint(v.inputs):
            inside.add(v)
            sources.update((i, None) for i in v.inputs if i in outside)
        elif isinstance(v.op, Input) or not outside.isdisjoint(v.inputs):
            if v in _past:
                raise ValueError(_escaped(v, roots))
            outside.add(v)
    sources.update((v, None) for v in roots if v in outside)
    _past.update(parameters)
    tell_doubts([v for v in order if v in inside], roots)
    return list(sources)


def _escaped(v: Variable, roots: Sequence[Variable]) -> str:
    user = next((u for u in toposort(roots) if v in u.inputs), v)
    used = f", used at {user.made_at}," if user.made_at else ""
    origin = f" ({v.made_at})" if v.made_at else ""
    return (
        f"{v!r}{used} is an argument of another function that a graph was made of{origin}: it has "
        "a value in that function's steps alone. Let that function return what is needed of it"
    )
