"""What users give: names that must be strings, and Types that come first."""

from __future__ import annotations

from weft_graph.core.protocols import TypeHooks, shortened

__all__ = ["as_name", "check_type"]


def as_name(name: object, of: str, hint: str = "") -> str:
    """`name` as a plain string; TypeError, which says of what it is the name, for anything else.

    >>> as_name("mu", of="a variable")
    'mu'
    >>> as_name(3, of="a rule")
    Traceback (most recent call last):
    ...
    TypeError: the name of a rule must be a string, not 3 (int)
    """
    if not isinstance(name, str):
        raise TypeError(f"the name of {of} must be a string, not {_shown(name)}{hint}")
    return name if type(name) is str else str.__str__(name)


def check_type(value: object, function: str) -> None:
    """Raise TypeError if what `function` was given as its first argument is no Type.

    >>> check_type("x", "shared")
    Traceback (most recent call last):
    ...
    TypeError: shared(type, value) takes a Type first, not 'x' (str); the `shared(value)` of ...
    """
    if isinstance(value, TypeHooks):
        return
    if isinstance(value, type) and issubclass(value, TypeHooks):
        hint = f"the class {value.__name__}: call it, for one of its Types"
    else:
        hint = f"{_shown(value)}; the `{function}(value)` of weft.tensor makes tensors"
    raise TypeError(f"{function}(type, value) takes a Type first, not {hint}")


def _shown(value: object) -> str:
    return f"{shortened.repr(value)} ({type(value).__name__})"
