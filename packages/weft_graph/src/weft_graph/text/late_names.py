"""Names that a module offers, and imports from where they stand when someone asks for them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from weft_graph.text.did_you_mean import no_such_name

__all__ = ["import_all", "imported_late"]

_faces: dict[str, tuple[Mapping[str, str], str | None]] = {}
"""What modules offer so: where the names stand, and what has all others."""


def imported_late(
    owner: str,
    homes: Mapping[str, str],
    rest: str | None = None,
    otherwise: Callable[[str], Any] | None = None,
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """A `__getattr__` and a `__dir__` for a module that imports others when it is asked for theirs.

    Parameters
    ----------
    owner
        Its name.
    homes
        For names that it offers so, the modules that have them; or, of its own modules and those
        that have no such name, the modules themselves, which are called so.
    rest
        A module of which it offers all that that one does. Then its `__all__` is made of both when
        it is asked for.
    otherwise
        What gives, or raises, what is right for other names.

    Examples
    --------
    >>> late, names = imported_late("weft_graph", {"to_dot": "weft_graph.pictures.dot_mermaid"})
    >>> late("to_dot").__name__, "to_dot" in names()
    ('to_dot', True)
    """
    _faces[owner] = homes, rest

    def get(name: str) -> Any:
        within = sys.modules[owner]
        if name in homes:
            home = _imported(homes[name])
            is_own = homes[name] == f"{owner}.{name}"
            value = home if is_own else getattr(home, name, home)
        elif rest and name == "__all__":
            value = list(dict.fromkeys([*homes, *_imported(rest).__all__]))
        elif rest and _offers(rest, name):
            value = getattr(_imported(rest), name)
        elif otherwise:
            return otherwise(name)
        else:
            names = {n: n for n in getattr(within, "__all__", homes)}
            raise no_such_name(f"module {owner!r}", name, names)
        setattr(within, name, value)
        return value

    def names() -> list[str]:
        within = sys.modules[owner]
        return sorted({*vars(within), *(within.__all__ if rest else homes)})

    return get, names


def _offers(module: str, name: str) -> bool:
    """Whether `module` offers `name`; it is imported only if that is not known without it."""
    if module not in _faces:
        return name in _imported(module).__all__
    homes, rest = _faces[module]
    return name in homes or (rest is not None and _offers(rest, name))


def _imported(module: str) -> ModuleType:
    __import__(module)
    return sys.modules[module]


def import_all() -> None:
    """Import all modules that wait until they are asked for.

    After it, what looks through subclasses or `sys.modules` finds all that there is.

    >>> import_all()
    >>> "weft_graph.pictures.dot_mermaid" in sys.modules
    True
    """
    for homes, rest in list(_faces.values()):
        for home in dict.fromkeys([*homes.values(), *([rest] if rest else [])]):
            __import__(home)
