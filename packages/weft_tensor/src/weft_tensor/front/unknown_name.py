"""Names that are not there: what may have been meant, and what NumPy or SciPy alone has."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from weft_graph.extend import no_such_name
from weft_tensor.front.absences.reasons import absences

__all__ = ["unknown_name"]


def unknown_name(
    module: str, name: str, offered: Mapping[str, str], *places: str
) -> AttributeError:
    """The error for a `name` that `module` has not; see `no_such_name`.

    `places` are parts of NumPy and SciPy that may have it.

    >>> unknown_name("m", "multiply", {"multiply": "mul"}, "numpy")
    AttributeError("module 'm' has no attribute 'multiply': did you mean mul?")
    >>> unknown_name("m", "roots", {"multiply": "mul"}, "numpy")
    AttributeError("module 'm' has no attribute 'roots': numpy.roots is not in Weft yet...")
    """
    libraries = () if name.startswith("_") else places  # tools ask for __wrapped__ and the like
    homes = [path for path in libraries if callable(getattr(import_module(path), name, None))]
    reason = _absence(homes[0], name) if homes else ""
    return no_such_name(f"module {module!r}", name, offered, reason)


def _absence(path: str, name: str) -> str:
    group = absences(path).get(name)
    if group is None:
        return f"{path}.{name} is not in Weft yet"
    return f"{path}.{name} is not in Weft{' yet' if group.later else ''}: {group.reason}"
