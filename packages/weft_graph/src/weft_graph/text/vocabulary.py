"""What the words in a graph's text stand for: Ops, Types and the values they hold."""

from __future__ import annotations

import enum
import sys
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from weft_graph.core.interned import Interned
from weft_graph.text.late_names import import_all

__all__ = ["Names", "Vocabulary", "built"]

Names = ModuleType | Mapping[str, Any] | Iterable[type]


class Vocabulary:
    """The classes that there are; those in `names` go before others.

    >>> from weft_graph import Op, Type
    >>> Vocabulary().named("Type", Op) is Type
    True
    """

    def __init__(self, names: Names = ()) -> None:
        import_all()
        self._first = _classes_in(names)
        self._all = _imported()

    def named(self, name: str, home: type) -> Any:
        """The class, function or member of an enum that `name` leads to, else None.

        What is no Op or Type is looked up in the module of `home`. Raises LookupError if
        several classes have the name.
        """
        if ":" in name:
            module, _, path = name.partition(":")
            member = self._all.get(path.rpartition(".")[2], {}).get(name)
            return member or _reached(sys.modules.get(module), path)
        if name in self._first:
            return self._first[name]
        classes = self._all.get(name, {})
        if len(classes) > 1:
            raise LookupError(
                f"several classes are called {name}: {' and '.join(sorted(classes))}. Give the "
                "one that is meant in names=[...]"
            )
        for kind in classes.values():
            return kind
        return _reached(sys.modules.get(home.__module__), name)

    def spelled(self, text: str) -> Interned:
        """The value for which a class has the short text `text`; LookupError if none has."""
        kinds = [kind for kinds in self._all.values() for kind in kinds.values()]
        values = {k.from_spelling(text) for k in kinds if "from_spelling" in vars(k)} - {None}
        if len(values) > 1:
            raise LookupError(f"{text} may be {' or '.join(sorted(map(repr, values)))}")
        for value in values:
            if value is not None:
                return value
        near = get_close_matches(text, [*self._first, *self._all], 1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise LookupError(
            f"no Op or Type that is imported is written {text}.{hint} Import the module that "
            "defines it, or give its class in names=[...]"
        )


def _imported() -> dict[str, dict[str, type[Interned]]]:
    """All Ops, Types and the like, by name and module: of several at one place the newest."""
    table: dict[str, dict[str, type[Interned]]] = {}
    todo: list[type[Interned]] = [Interned]
    visits = set(todo)
    while todo:
        for kind in todo.pop().__subclasses__():
            if kind not in visits:
                visits.add(kind)
                todo.append(kind)
                path = f"{kind.__module__}:{kind.__qualname__}"
                table.setdefault(kind.__name__, {})[path] = kind
    return table


def built(kind: Any, fields: dict[str, Any]) -> Any:
    """A value of class `kind`, which must be one of those that `to_text` writes.

    Raises TypeError for a class of another kind, or for parameters that it does not have.
    """
    if not isinstance(kind, type):
        raise TypeError(f"{kind!r} is no class")
    if issubclass(kind, Interned):
        unknown = fields.keys() - set(kind.__props__)
        if unknown:
            raise TypeError(
                f"{kind.__name__} has the parameters {kind.__props__}, not {min(unknown)!r}"
            )
        if kind.__init__ is Interned.__init__ or _takes(kind, fields):
            return kind(**fields)
        return _restored(kind, fields)
    named_tuple = issubclass(kind, tuple) and hasattr(kind, "_fields")
    if named_tuple or hasattr(kind, "__dataclass_fields__"):
        return kind(**fields)
    raise TypeError(f"{kind.__name__} is neither an Op, a Type, a named tuple nor a dataclass")


def _takes(kind: type, fields: dict[str, Any]) -> bool:
    from inspect import signature  # slow to import, and seldom needed

    try:
        signature(kind.__init__).bind(None, **fields)  # type: ignore[misc]  # of any class
    except TypeError:
        return False
    return True


def _restored(kind: type[Interned], fields: dict[str, Any]) -> Interned:
    """A value by its parameters, where the class is called with something else."""
    missing = [field for field in kind.__props__ if field not in fields]
    if missing:
        raise TypeError(f"{kind.__name__}: missing parameter {missing[0]!r}")
    value = kind.__new__(kind)
    value.__dict__.update(fields)
    return value._interned()


def _reached(module: ModuleType | None, path: str) -> Any:
    """What stands in `module` under `path`, if it is of a kind that `to_text` writes."""
    value: Any = module
    for name in path.split("."):
        value = getattr(value, name, None)
    kinds = type | FunctionType | BuiltinFunctionType | enum.Enum
    return value if isinstance(value, kinds) else None


def _classes_in(names: Any) -> dict[str, type]:
    """The classes in what a user gave as `names`."""
    if isinstance(names, ModuleType):
        names = vars(names)
    if isinstance(names, Mapping):
        return {name: value for name, value in names.items() if isinstance(value, type)}
    return {kind.__name__: kind for kind in names}
