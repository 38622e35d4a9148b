"""What an implementation must return: a value of the type that its Op promises."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

from weft_graph.core.nodes import TupleType, Type, Variable
from weft_graph.core.protocols import TypeHooks
from weft_graph.linking.program import load_source

__all__ = ["broken_promise", "kept"]


def broken_promise(backend: str, node: Variable, came: str) -> TypeError:
    """The error for an implementation that returns something else than what `node` is.

    >>> from weft_graph import Type
    >>> print(broken_promise("Numba", Type()("x").named("mu"), "None"))
    the Numba implementation of Named(name='mu') returned None, but the Op promises Type
    """
    message = f"the {backend} implementation of {node.op} returned {came}"
    return TypeError(f"{message}, but the Op promises {node.type}")


def kept(compute: Callable[..., Any], node: Variable) -> Callable[..., Any]:
    """`compute`, the Python implementation of `node`, whose results are of the promised type.

    What a function would take for an argument of that type is converted in the same way; all
    else is a TypeError. Values of types without a `guard` are taken as they are.
    """
    checking = _checking(node.type, len(node.inputs))
    return compute if checking is None else checking(compute, partial(_converted, node))


@lru_cache(maxsize=256)
def _checking(kind: Type, count: int) -> Callable[..., Callable[..., Any]] | None:
    """Makes functions of so many values that give one of `kind`; None if that takes long to tell.

    Of a function, and of what converts its result if that is not of `kind` as it is.
    """
    namespace: dict[str, Any] = {}
    if type(kind) is TupleType:
        parts = [f"type(value) is tuple and len(value) == {len(kind.items)}"]
        items = {f"value[{k}]": item for k, item in enumerate(kind.items)}
    else:
        parts, items = [], {"value": kind}
    parts += [item.guard(name, namespace) for name, item in items.items() if _has_guard(item)]
    if not parts:
        return None
    parameters = ", ".join(f"x{k}" for k in range(count))
    lines = [
        "def checking(compute, convert):",
        f"    def checked({parameters}):",
        f"        value = compute({parameters})",
        f"        return value if {' and '.join(parts)} else convert(value)",
        "    return checked",
    ]
    return load_source("checking", "\n".join(lines) + "\n", namespace)


def _has_guard(kind: Type) -> bool:
    return type(kind).guard is not TypeHooks.guard


def _converted(node: Variable, value: Any) -> object:
    kind = node.type
    try:
        if type(kind) is not TupleType:
            return kind.filter(value)
        if not isinstance(value, (tuple, list)):
            raise TypeError(f"{len(kind.items)} results are a tuple")
        return tuple(
            item.filter(part) if _has_guard(item) else part
            for item, part in zip(kind.items, value, strict=True)
        )
    except (TypeError, ValueError) as error:
        raise broken_promise("Python", node, _shown(kind, value)) from error


def _shown(kind: Type, value: Any) -> str:
    if value is None:
        return "None"
    if isinstance(value, (tuple, list)):
        parts = kind.items if type(kind) is TupleType else ()
        texts = [_shown(part, each) for part, each in zip(parts, value, strict=False)]
        return f"a {type(value).__name__} of {len(value)}" + f": {', '.join(texts)}" * bool(texts)
    return kind.summary(value)
