"""Values of which equal ones are one object.

Types and Ops are such values: their annotated class fields (or, in the tradition of
Theano, the names in `__props__`) are their parameters. Making the same value twice gives
the same object, so equality, hashing and memoisation are by identity.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Hashable
from typing import Any, ClassVar, Self, dataclass_transform

from weft_graph.core.encoding import encoded, path_of, tagged

__all__ = ["Entries", "Immutable", "Interned", "added", "identifying", "living"]


class _Entry(weakref.ref[Any]):
    """A weak reference that knows where it stands."""

    __slots__ = ("home", "key")
    home: Entries
    key: Hashable


Entries = dict[Any, _Entry]
"""A table from keys to objects, which it does not keep alive; for `added` and `living`."""

_lock = threading.RLock()


def _forget(entry: Any, lock: Any = _lock) -> None:
    """Called when an object has died; at the end of a process, when globals may be gone."""
    home, key = entry.home, entry.key
    with lock:
        if home.get(key) is entry:
            del home[key]


def living(entries: Entries, key: Hashable) -> Any | None:
    """The living object under `key`, or None.

    >>> word = frozenset("ab")
    >>> table = {}
    >>> added(table, "key", word) is word, living(table, "key") is word, living(table, "other")
    (True, True, None)
    """
    entry = entries.get(key)
    return None if entry is None else entry()


def added(entries: Entries, key: Hashable, value: Any) -> Any:
    """The object under `key`: `value`, unless a living one was there first. Any thread may add.

    >>> table, first, second = {}, frozenset("a"), frozenset("b")
    >>> added(table, "key", first) is first, added(table, "key", second) is first
    (True, True)
    """
    mine = _Entry(value, _forget)
    mine.home = entries
    mine.key = key
    entry = entries.setdefault(key, mine)
    if entry is mine:
        return value
    with _lock:
        other = entries[key]() if key in entries else None
        if other is None:
            entries[key] = mine
            return value
        return other


_values: Entries = {}


def identifying(value: Any) -> Hashable:
    """What tells `value` from values that `==` takes for equal: True, 1, 1.0; 0.0, -0.0.

    >>> identifying((1, 0.0)) == identifying((True, -0.0))
    False
    """
    kind = type(value)
    if kind is str or value is None or isinstance(value, Interned):
        return value  # type: ignore[no-any-return]  # it need not be hashable: hashing says so
    if kind is int or kind is bool:
        return kind, value
    if kind is float:
        return kind, repr(value)
    if kind is tuple:
        return tuple(map(identifying, value))
    if isinstance(value, frozenset):
        return kind, frozenset(map(identifying, value))
    if isinstance(value, tuple):
        return kind, *map(identifying, value)
    from numbers import Number  # slow to import, and seldom needed

    if isinstance(value, Number):
        return kind, repr(value)
    by_structure: Callable[[Any], Hashable] | None = getattr(kind, "_structure", None)
    return kind, value if by_structure is None else by_structure(value)


@dataclass_transform(frozen_default=True, eq_default=False)
class _InternedMeta(type):
    """Makes instances through the table; reads the parameters off the annotations."""

    __props__: tuple[str, ...]

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> None:
        super().__init__(name, bases, namespace)
        if "__props__" in namespace:
            cls.__props__ = tuple(namespace["__props__"])
            return
        own = [
            field
            for field, kind in cls.__annotations__.items()
            if "ClassVar" not in str(kind) and not field.startswith("_")
        ]
        inherited = next((b.__props__ for b in cls.__mro__[1:] if hasattr(b, "__props__")), ())
        cls.__props__ = (*inherited, *(field for field in own if field not in inherited))

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        self: Any = cls.__new__(cls)  # type: ignore[call-overload]  # not `type.__new__`
        self.__init__(*args, **kwargs)
        return self._interned()


class Immutable:
    """Base of what never changes: a copy would be the same."""

    __slots__ = ()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self


class Interned(Immutable, metaclass=_InternedMeta):
    """Base of immutable values that are equal exactly when they are identical.

    Parameters are the annotated fields of the class, in order, with class attributes as
    defaults; a class may instead write `__init__` and list its parameters in `__props__`.
    A class with an `__init__` but no parameters has instances that equal only themselves. Raises
    TypeError for parameters that are missing, unknown or given twice.

    >>> class Power(Interned):
    ...     exponent: int
    ...     name: str = "power"
    >>> Power(2)
    Power(exponent=2, name='power')
    >>> Power(2) is Power(exponent=2), Power(2) is Power(2.0)
    (True, False)
    """

    __props__: ClassVar[tuple[str, ...]] = ()
    _remembered: ClassVar[frozenset[str]] = frozenset({"_frozen", "_bytes"})
    _uncounted: ClassVar[frozenset[str]] = frozenset()
    """Parameters that digests leave out: no result of a call depends on them."""
    __slots__ = ("__dict__", "__weakref__")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        fields = self.__props__
        if len(args) == len(fields) and not kwargs:
            self.__dict__.update(zip(fields, args, strict=True))
            return
        name = type(self).__name__
        if len(args) > len(fields):
            raise TypeError(f"{name} takes {len(fields)} parameters {fields}, got {len(args)}")
        values = dict(zip(fields, args, strict=False))
        for field, value in kwargs.items():
            if field not in fields or field in values:
                raise TypeError(f"{name}: unexpected or repeated parameter {field!r}")
            values[field] = value
        for field in fields:
            if field in values:
                self.__dict__[field] = values[field]
            elif field in self.__dict__:  # an `__init__` of its own has set it already
                continue
            elif hasattr(type(self), field):
                self.__dict__[field] = getattr(type(self), field)
            else:
                raise TypeError(f"{name}: missing parameter {field!r}")

    def _identity(self) -> Hashable | None:
        """The key of this value among those of its class; None: equal only to itself."""
        if not self.__props__ and type(self).__init__ is not Interned.__init__:
            return None
        return tuple([identifying(getattr(self, field)) for field in self.__props__])

    def _interned(self) -> Self:
        identity = self._identity()
        if identity is None:
            self._freeze()
            return self
        try:
            twin: Self | None = living(_values, (type(self), identity))
        except TypeError as error:
            culprits = [f for f in self.__props__ if not _is_hashable(getattr(self, f))]
            raise TypeError(
                f"{type(self).__name__}: parameters must be hashable, but "
                + ", ".join(f"{f}={getattr(self, f)!r}" for f in culprits)
                + " is not. Use a tuple instead of a list, a frozenset instead of a set."
            ) from error
        if twin is not None:
            return twin
        self._freeze()
        value: Self = added(_values, (type(self), identity), self)
        return value

    def _freeze(self) -> None:
        """Called once it is clear that there was no such value yet."""
        self.__dict__["_frozen"] = True

    def __setattr__(self, name: str, value: Any) -> None:
        if "_frozen" in self.__dict__:
            raise AttributeError(
                f"{self!r} is an immutable value; make another with the parameter {name!r} changed"
            )
        self.__dict__[name] = value

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{self!r} is an immutable value")

    def _state(self) -> dict[str, Any]:
        """The attributes to pickle: all but what is only remembered for speed."""
        return {k: v for k, v in self.__dict__.items() if k not in self._remembered}

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (type(self), self._state())

    def _digest_bytes(self) -> bytes:
        """Class and parameters as bytes; TypeError, naming the parameter, if one has none."""
        content: bytes | None = self.__dict__.get("_bytes")
        if content is None:
            content = self.__dict__["_bytes"] = self._encoded()
        return content

    def _encoded(self) -> bytes:
        if self._identity() is None:
            raise TypeError(
                f"{self!r} equals only itself, so it has no digest: list the parameters of "
                f"{type(self).__name__} in `__props__`"
            )
        parts = [path_of(type(self)).encode()]
        for field in self.__props__:
            try:
                counts = field not in self._uncounted
                parts.append(encoded(getattr(self, field) if counts else None))
            except TypeError as error:
                raise TypeError(f"{type(self).__name__}: parameter {field!r}: {error}") from error
        return tagged(b"value", *parts)

    def spelling(self) -> str | None:
        """A short text that `from_spelling` reads, for `to_text`; None: class and parameters.

        It counts for the class that defines it, not for classes derived from that.
        """
        return None

    @classmethod
    def from_spelling(cls, text: str) -> Self | None:
        """The value that `spelling` writes as `text`; None if there is none.

        `text` is a name, with dots perhaps, and what follows it in brackets.
        """
        return None

    def __repr__(self) -> str:
        fields = ", ".join(f"{field}={getattr(self, field)!r}" for field in self.__props__)
        return f"{type(self).__name__}({fields})"


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _restore(cls: type[Interned], state: dict[str, Any]) -> Interned:
    value = cls.__new__(cls)
    value.__dict__.update(state)
    return value._interned()
