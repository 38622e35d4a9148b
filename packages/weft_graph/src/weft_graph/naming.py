"""Names that users give to variables, Ops, rules and parameters."""

from __future__ import annotations

from weft_graph.hooks import shortened

__all__ = ["as_name"]


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
        raise TypeError(
            f"the name of {of} must be a string, not {shortened.repr(name)} "
            f"({type(name).__name__}){hint}"
        )
    return name if type(name) is str else str.__str__(name)
