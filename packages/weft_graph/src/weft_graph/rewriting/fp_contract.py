"""How the two sides of a rule between floating-point expressions may differ."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, TypeVar

__all__ = ["FP_CHANGES", "as_fp_changes", "changes_by", "changing"]

PassT = TypeVar("PassT", bound=Callable[..., Any])

FP_CHANGES: Final = {
    "rounding": "the last digits of a result, all digits of one too small to have many",
    "digits": "digits that the left side loses, and the right side keeps",
    "overflow": "a result that is infinite on the left side alone",
    "domain": "a result that is NaN on one side alone, where the right side is right",
    "smaller domain": "a result that is a number on the left side alone",
    "zero sign": "the sign of a zero",
    "inf": "results for infinite inputs",
    "nan": "results for inputs that are NaN",
    "error": "inputs for which the right side alone raises an error",
    "complex": "of complex numbers: last digits, signs of zeros, where they are infinite or NaN",
}
"""What a rule may declare that it changes, in the words of its `may_change`."""


def as_fp_changes(names: str | Iterable[str]) -> frozenset[str]:
    """One name or several, as a set; ValueError for a name that is not in `FP_CHANGES`.

    >>> sorted(as_fp_changes(("rounding", "inf")))
    ['inf', 'rounding']
    """
    changes = frozenset([names] if isinstance(names, str) else names)
    unknown = sorted(changes - FP_CHANGES.keys())
    if unknown:
        raise ValueError(
            f"no rule can change {', '.join(map(repr, unknown))}; it may change "
            f"{', '.join(map(repr, FP_CHANGES))}"
        )
    return changes


_DECLARED: Final[dict[Callable[..., Any], frozenset[str]]] = {}


def changing(*names: str) -> Callable[[PassT], PassT]:
    """Declare what a pass may change: names of `FP_CHANGES`. A pass that declares nothing is exact.

    >>> @changing("rounding")
    ... def multiply_out(graph):
    ...     return graph
    >>> changes_by(multiply_out)
    frozenset({'rounding'})
    """

    def declared(graph_pass: PassT) -> PassT:
        _DECLARED[graph_pass] = as_fp_changes(names)
        return graph_pass

    return declared


def changes_by(graph_pass: Callable[..., Any]) -> frozenset[str]:
    """What a pass declares that it may change.

    >>> changes_by(print)
    frozenset()
    """
    return _DECLARED.get(graph_pass, frozenset())
