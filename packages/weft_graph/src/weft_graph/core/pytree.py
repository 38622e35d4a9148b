"""Nested structures of variables: dicts, lists, tuples, dataclasses and None.

A dataclass whose values may be given otherwise has a class method `__weft_argument__`: of what
stands in its place, an argument of a function or the next state of a loop, it makes one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from weft_graph.core.nodes import Variable

__all__ = [
    "NUMBERS",
    "assembly",
    "described",
    "field_names",
    "leaves",
    "leaves_like",
    "paths",
    "rebuilt",
    "tree_leaves",
    "tree_map",
    "unpacking",
]


def field_names(value: Any) -> list[str] | None:
    """The names of the fields, if `value` is an instance of a dataclass.

    >>> print(field_names(3))
    None
    """
    if not hasattr(type(value), "__dataclass_fields__"):
        return None
    from dataclasses import fields  # slow to import, and here long since imported

    return [field.name for field in fields(value)]


def _parts(structure: Any) -> list[tuple[Any, str, Any]] | None:
    """(key, text to read the part, part) of a structure; None for a leaf.

    In the text, `{}` stands for the structure.
    """
    if isinstance(structure, Mapping):
        return [(key, f"{{}}[{key!r}]", part) for key, part in structure.items()]
    names = field_names(structure)
    if names is not None:
        return [(name, f"{{}}.{name}", getattr(structure, name)) for name in names]
    if isinstance(structure, (list, tuple)):
        return [(k, f"{{}}[{k}]", part) for k, part in enumerate(structure)]
    return [] if structure is None else None


_ARGUMENT: Final = "__weft_argument__"
NUMBERS: Final = (int, float, complex)
"""What stands for itself among results."""


def leaves(structure: Any, where: str, literals: tuple[type, ...] = ()) -> list[Variable]:
    """The variables in a nested structure, in order.

    Raises TypeError for anything else in it but None and `literals`; `where` names the structure.

    >>> from weft_graph import Type
    >>> x = Type()("x")
    >>> leaves({"a": x, "b": [x, None]}, "outputs") == [x, x]
    True
    """
    variables: list[Variable] = []
    stack = [(structure, where)]
    while stack:
        part, path = stack.pop()
        if isinstance(part, Variable):
            variables.append(part)
            continue
        if isinstance(part, literals):
            continue
        parts = _parts(part)
        if parts is None:
            raise TypeError(
                f"{path} is {part!r}, a {type(part).__name__}: it must be a Variable, or a dict, "
                "list, tuple or dataclass of Variables"
            )
        for _, text, inner in reversed(parts):
            stack.append((inner, text.format(path)))
    return variables


def rebuilt(
    structure: Any,
    change: Callable[[Any], Any],
    is_leaf: Callable[[Any], bool] = lambda part: False,
) -> Any:
    """`structure` with `change` of each leaf in its place, from the first to the last.

    Leaves are what is no structure, or said to be one; None stands for itself.

    >>> rebuilt({"a": 1, "b": [2, (3, None)]}, lambda leaf: leaf * 10)
    {'a': 10, 'b': [20, (30, None)]}
    """
    parts = None if is_leaf(structure) else _parts(structure)
    if structure is None or parts is None:
        return None if structure is None else change(structure)
    inner = [(key, rebuilt(part, change, is_leaf)) for key, _, part in parts]
    if isinstance(structure, Mapping):
        return dict(inner)
    kind = type(structure)
    if field_names(structure) is not None:
        return kind(**dict(inner))
    values = [value for _, value in inner]
    return kind(values) if kind in (list, tuple) else kind(*values)


def leaves_like(structure: Any, like: Any, where: str) -> list[Any]:
    """The parts of `structure` in the places of the leaves of `like`, in the order of those.

    Raises TypeError for another structure; `where` names it.

    >>> leaves_like({"b": [3], "a": 1}, {"a": 0, "b": [0]}, "state")
    [1, 3]
    """
    parts = _parts(like)
    if parts is None:
        return [structure]
    if like is None:
        if structure is not None:
            _structure_differs(where, "None", structure)
        return []
    keys = [key for key, _, _ in parts]
    convert = getattr(type(like), _ARGUMENT, None)
    structure = structure if convert is None else convert(structure)
    if not _matcher(like, keys)(structure):
        _structure_differs(where, f"{type(like).__name__} of {keys}", structure)
    matches = []
    by_name = field_names(like) is not None
    for key, text, part in parts:
        own = getattr(structure, key) if by_name else structure[key]
        matches += leaves_like(own, part, text.format(where))
    return matches


def tree_map(function: Callable[..., Any], tree: Any, *rest: Any) -> Any:
    """`function` of each leaf of `tree`, and of those of `rest` in its place, nested as `tree` is.

    Structures are dicts, lists, tuples, dataclasses and None; all else is a leaf. Raises TypeError
    if one of `rest` has another structure.

    >>> tree_map(lambda w, slope: w - slope, {"a": 5, "b": [7]}, {"a": 1, "b": [2]})
    {'a': 4, 'b': [5]}
    """
    columns = [iter(leaves_like(r, tree, f"rest[{k}]")) for k, r in enumerate(rest)]
    return rebuilt(tree, lambda leaf: function(leaf, *map(next, columns)))


def tree_leaves(tree: Any) -> list[Any]:
    """The leaves of nested dicts, lists, tuples and dataclasses, in order, without None.

    >>> tree_leaves({"a": 1, "b": [2, (3, None)]})
    [1, 2, 3]
    """
    return leaves_like(tree, tree, "tree")


def paths(structure: Any, where: str) -> list[str]:
    """How Python reads each leaf of a nested structure, which is called `where`.

    >>> paths({"a": 1, "b": [2, None]}, "init")
    ["init['a']", "init['b'][0]"]
    """
    parts = _parts(structure)
    if parts is None:
        return [where]
    return [path for _, text, part in parts for path in paths(part, text.format(where))]


def described(structure: Any) -> str:
    """A nested structure with the types of its leaves, for messages.

    >>> from weft_graph import Type
    >>> x = Type()("x")
    >>> described({"a": x, "b": [x, None]})
    '{a: Type, b: [Type, None]}'
    """
    if isinstance(structure, Variable):
        return str(structure.type)
    parts = _parts(structure)
    if structure is None or parts is None:
        return str(structure)
    if isinstance(structure, (list, tuple)) and field_names(structure) is None:
        inner = ", ".join(described(part) for _, _, part in parts)
        return f"[{inner}]" if isinstance(structure, list) else f"({inner})"
    inner = ", ".join(f"{key}: {described(part)}" for key, _, part in parts)
    return (
        f"{{{inner}}}" if isinstance(structure, Mapping) else f"{type(structure).__name__}({inner})"
    )


def assembly(structure: Any, values: Iterator[str], namespace: dict[str, Any]) -> str:
    """The Python expression that puts `values` (expressions) in the places of the leaves.

    >>> from weft_graph import Type
    >>> x = Type()("x")
    >>> assembly({"a": x, "b": [x, None]}, iter(["r0", "r1"]), {})
    "{'a': r0, 'b': [r1, None]}"
    """
    if isinstance(structure, Variable):
        return next(values)
    if structure is None or isinstance(structure, NUMBERS):
        return _named(structure, namespace)
    inner = [assembly(part, values, namespace) for _, _, part in _parts(structure) or ()]
    if isinstance(structure, Mapping):
        keys = [_named(key, namespace) for key in structure]
        return "{" + ", ".join(f"{k}: {v}" for k, v in zip(keys, inner, strict=True)) + "}"
    fields = field_names(structure)
    if fields is not None:
        items = ", ".join(f"{f}={v}" for f, v in zip(fields, inner, strict=True))
        return f"{_named(type(structure), namespace)}({items})"
    if isinstance(structure, list):
        return f"[{', '.join(inner)}]"
    if type(structure) is tuple:
        return f"({''.join(v + ', ' for v in inner)})"
    return f"{_named(type(structure), namespace)}({', '.join(inner)})"


def _named(value: Any, namespace: dict[str, Any]) -> str:
    """An expression for `value`: itself if it can be written, else a name for it."""
    if value is None or type(value) in (str, int, bool):
        return repr(value)
    name = f"_named{len(namespace)}"
    namespace[name] = value
    return name


def unpacking(
    structure: Any, place: str, shown: str, names: Iterator[str], namespace: dict[str, Any]
) -> list[str]:
    """Statements that read the leaves of the argument `place` into variables called `names`.

    An argument of another structure raises TypeError with the path, which starts at `shown`.
    """
    namespace["_structure_differs"] = _structure_differs
    lines: list[str] = []
    stack = [(structure, place, shown)]
    while stack:
        part, here, path = stack.pop()
        if isinstance(part, Variable):
            name = next(names)
            if name != here:
                lines.append(f"{name} = {here}")
            continue
        if part is None:
            lines.append(
                f"if {here} is not None: _structure_differs({f'argument {path}'!r}, 'None', {here})"
            )
            continue
        parts = _parts(part) or []
        if convert := getattr(type(part), _ARGUMENT, None):
            made = f"_made{len(namespace)}"
            namespace[f"{made}_by"] = convert
            lines.append(f"{made} = {made}_by({here})")
            here = made
        fits = f"_expected{len(namespace)}"
        namespace[fits] = _matcher(part, [key for key, _, _ in parts])
        texts = f"argument {path}", f"{type(part).__name__} of {[key for key, _, _ in parts]}"
        lines.append(
            f"if not {fits}({here}): _structure_differs({texts[0]!r}, {texts[1]!r}, {here})"
        )
        for _, text, inner in reversed(parts):
            stack.append((inner, text.format(here), text.format(path)))
    return lines


def _matcher(structure: Any, keys: list[Any]) -> Callable[[Any], bool]:
    """Whether a value has the kind and the keys of `structure`; of dataclasses, the fields."""
    if isinstance(structure, Mapping):
        names = set(keys)
        return lambda value: isinstance(value, Mapping) and value.keys() == names
    if isinstance(structure, (list, tuple)):
        count = len(keys)
        return lambda value: isinstance(value, (list, tuple)) and len(value) == count
    return lambda value: all(hasattr(value, key) for key in keys)


def _structure_differs(path: str, template: str, value: Any) -> None:
    description = f"{type(value).__name__}"
    if isinstance(value, Mapping):
        description += f" of {list(value)}"
    elif isinstance(value, (list, tuple)):
        description += f" of {len(value)}"
    raise TypeError(f"{path} must be a {template}, but it is a {description}")
