"""Walks over graphs, none of them recursive."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat
from operator import is_
from typing import Any, TypeAlias, TypeVar, overload

from weft_graph.core.nodes import Input, Op, Variable, apply
from weft_graph.core.pytree import field_names, leaves, rebuilt
from weft_graph.core.source_location import standing
from weft_graph.core.toposort import toposort

__all__ = ["Changes", "ancestors", "graph_inputs", "remade", "remake", "renewed", "replace"]

V = TypeVar("V", bound=Variable)
Replacements: TypeAlias = Mapping[Any, Variable] | Callable[[Any], Variable | None]
"""From old to new, or a function from a variable to its replacement or None."""


def ancestors(outputs: Variable | Iterable[Variable]) -> list[Variable]:
    """All variables that `outputs`, one or several, depend on, themselves included."""
    return toposort([outputs] if isinstance(outputs, Variable) else outputs)


def graph_inputs(outputs: Variable | Iterable[Variable]) -> list[Variable]:
    """The inputs (not the constants) that `outputs` depend on, in order of appearance.

    >>> from weft_graph.core.nodes import Named, Type
    >>> x = Type()("x")
    >>> graph_inputs(Named("y")(x)) == graph_inputs([x, Named("y")(x)]) == [x]
    True
    """
    return [v for v in ancestors(outputs) if isinstance(v.op, Input)]


@overload
def replace(outputs: V, replacements: Replacements, stop: Iterable[Variable] = ()) -> V: ...
@overload
def replace(
    outputs: Iterable[V], replacements: Replacements, stop: Iterable[Variable] = ()
) -> list[V]: ...
@overload
def replace(outputs: Any, replacements: Replacements, stop: Iterable[Variable] = ()) -> Any: ...
def replace(outputs: Any, replacements: Replacements, stop: Iterable[Variable] = ()) -> Any:
    """`outputs` with every variable that has a replacement replaced, in one pass.

    `outputs` are one variable, for one, an iterable, for a list, or nested in dicts, lists,
    tuples and dataclasses, for the same. `replacements` maps old to new, or is a function from a
    variable (whose inputs are replaced already) to its replacement or None. What a replacement
    itself contains is not replaced, nor is what the variables in `stop` depend on. Raises
    TypeError where a new variable's type does not fit the old one's.

    >>> from weft_graph.core.nodes import Named, Type
    >>> x, y = Type()("x"), Type()("y")
    >>> replace(Named("z")(x), {x: y}) is Named("z")(y)
    True
    >>> replace({"a": x, "b": [y]}, {x: y})
    {'a': <y : Type>, 'b': [<y : Type>]}
    """
    if isinstance(outputs, Variable):
        return _replaced([outputs], replacements, stop)[0]
    if type(outputs) in (list, tuple) and all(map(isinstance, outputs, repeat(Variable))):
        return _replaced(outputs, replacements, stop)
    structure = (
        outputs if isinstance(outputs, Mapping) or field_names(outputs) is not None else [*outputs]
    )
    variables = leaves(structure, "what to replace in")
    found = iter(_replaced(variables, replacements, stop))
    return rebuilt(structure, lambda leaf: next(found))


def _replaced(
    outputs: Sequence[Variable], replacements: Replacements, stop: Iterable[Variable]
) -> list[Variable]:
    new_of: dict[Variable, Variable] = {v: v for v in stop}
    find: Callable[[Variable], Variable | None] | None = None
    if callable(replacements):
        find = replacements
    else:
        for old, new in replacements.items():
            _check_type(old, new)
        new_of.update(replacements)
    for variable in toposort(outputs, new_of):
        if variable in new_of:
            continue
        copy = renewed(variable, new_of)
        new_of[variable] = copy
        replacement = None if find is None else find(copy)
        if replacement is not None:
            _check_type(variable, replacement)
            new_of[variable] = replacement
    return [new_of[v] for v in outputs]


def _check_type(old: Variable, new: Variable) -> None:
    for v in (old, new):
        if not isinstance(v, Variable):
            raise TypeError(
                f"can't replace {old!r} by {new!r}: {v!r} is not a Variable: "
                "make it one, as with `constant`"
            )
    if not old.type.accepts(new.type):
        raise TypeError(
            f"can't replace {old!r} by {new!r}: the types differ"
            + (f"\n  {old} was made at {old.made_at}" if old.made_at else "")
        )


def renewed(node: Variable, new_of: Mapping[Any, Any]) -> Any:
    """`node` of what has come into the place of its inputs; itself, if nothing has.

    >>> from weft_graph.core.nodes import Named, Type
    >>> x, y = Type()("x"), Type()("y")
    >>> renewed(Named("z")(x), {x: y}) is Named("z")(y)
    True
    """
    new = new_of.get
    for v in node.inputs:
        if new(v, v) is not v:
            return remade(node, tuple([new(i, i) for i in node.inputs]))
    return node


class Changes(dict[Any, Any]):
    """What has come into the place of variables; of others, themselves.

    >>> Changes({1: 2})[1], Changes({1: 2})[3]
    (2, 3)
    """

    def __missing__(self, v: Any) -> Any:
        return v


def remake(node: Variable, inputs: tuple[Variable, ...]) -> Variable:
    """The Op of `node` on other inputs, for errors made where `node` was."""
    if len(inputs) == len(node.inputs) and all(map(is_, inputs, node.inputs)):
        return node
    return remade(node, inputs)


def remade(node: Variable, inputs: tuple[Variable, ...]) -> Variable:
    """The same where an input, at least, is another one."""
    op = node.op
    if type(op).make_node is Op.make_node or any(v.type.absorbs for v in inputs):
        return apply(op, inputs, node.place)
    outer, standing.place = standing.place, node.place
    try:
        return op.make_node(*inputs).node
    finally:
        standing.place = outer
