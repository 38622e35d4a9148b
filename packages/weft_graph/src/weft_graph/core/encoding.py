"""Values as bytes that are the same in every process: what digests are made of."""

from __future__ import annotations

import copyreg
import enum
import pickle
import types
from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["encoded", "path_of"]


def encoded(value: Any) -> bytes:
    """Bytes that tell `value` from every other value, in this process and any other.

    Plain Python values, tuples, sets, enums, classes, functions (by module and name), Types,
    Ops and function graphs can be encoded; other values by what they give to `pickle`.
    Raises TypeError for functions that no other process could find by name.

    >>> encoded((1, "a")) == encoded((1, "a")), encoded(1) == encoded(True)
    (True, False)
    >>> encoded(lambda x: x)
    Traceback (most recent call last):
    ...
    TypeError: <function <lambda> at ...> can't be found by name in another process: ...
    """
    encode = _PLAIN.get(type(value))
    if encode is not None:
        return encode(value)
    hook: Callable[[Any], bytes] | None = getattr(type(value), "_digest_bytes", None)
    if hook is not None:
        return hook(value)
    if isinstance(value, type | types.FunctionType | types.BuiltinFunctionType):
        return tagged(b"named", path_of(value).encode())
    if isinstance(value, enum.Enum):
        return tagged(b"enum", encoded(type(value)), value.name.encode())
    return _by_reduction(value)


def tagged(tag: bytes, *parts: bytes) -> bytes:
    """`parts` after a tag, each with its length, so that no two lists of parts look alike."""
    return b"%b%d:" % (tag, len(parts)) + b"".join([b"%d:%b" % (len(p), p) for p in parts])


def path_of(named: Any) -> str:
    """Module and name of a class or function; TypeError if that does not lead to it."""
    name = named.__qualname__
    bound = getattr(named, "__self__", None)
    if "<" in name or not (bound is None or isinstance(bound, types.ModuleType)):
        raise TypeError(
            f"{named!r} can't be found by name in another process: define it with `def` or "
            "`class` at the top of a module"
        )
    return f"{named.__module__}.{name}"


def _float(value: float) -> bytes:
    return tagged(b"float", value.hex().encode())


def _complex(value: complex) -> bytes:
    return tagged(b"complex", _float(value.real), _float(value.imag))


def _sorted(tag: bytes) -> Callable[[Iterable[Any]], bytes]:
    return lambda values: tagged(tag, *sorted(map(encoded, values)))


def _listed(tag: bytes) -> Callable[[Iterable[Any]], bytes]:
    return lambda values: tagged(tag, *map(encoded, values))


def _dict(value: dict[Any, Any]) -> bytes:
    return tagged(b"dict", *sorted([_listed(b"item")(item) for item in value.items()]))


def _module(value: types.ModuleType) -> bytes:
    return tagged(b"module", value.__name__.encode())


def _range(value: range | slice) -> bytes:
    bounds = (value.start, value.stop, value.step)
    return tagged(type(value).__name__.encode(), *map(encoded, bounds))


_PLAIN: dict[type, Callable[[Any], bytes]] = {
    type(None): lambda value: b"None",
    type(...): lambda value: b"...",
    bool: lambda value: b"True" if value else b"False",
    int: lambda value: tagged(b"int", b"%x" % value),
    float: _float,
    complex: _complex,
    str: lambda value: tagged(b"str", value.encode("utf-8", "surrogatepass")),
    bytes: lambda value: tagged(b"bytes", value),
    tuple: _listed(b"tuple"),
    list: _listed(b"list"),
    frozenset: _sorted(b"frozenset"),
    set: _sorted(b"set"),
    dict: _dict,
    range: _range,
    slice: _range,
    types.ModuleType: _module,
}


def _by_reduction(value: Any) -> bytes:
    """By what `pickle` would keep of `value`."""
    registered = copyreg.dispatch_table.get(type(value))
    try:
        reduction = value.__reduce_ex__(2) if registered is None else registered(value)
    except (TypeError, pickle.PicklingError) as error:
        raise TypeError(f"{value!r}, a {type(value).__name__}, has no digest: {error}") from error
    if isinstance(reduction, str):
        module = getattr(value, "__module__", None) or type(value).__module__
        return tagged(b"named", f"{module}.{reduction}".encode())
    parts = [list(p) if i > 2 and p is not None else p for i, p in enumerate(reduction)]
    try:
        return tagged(b"reduced", *map(encoded, parts))
    except RecursionError:
        raise TypeError(f"a {type(value).__name__} has no digest: it refers to itself") from None
