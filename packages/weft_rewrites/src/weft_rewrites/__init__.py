"""Weft's books of rewrite rules: canonical form, shapes, stability, folding."""

from collections.abc import Callable

from weft_graph import FunctionGraph, RuleBook
from weft_rewrites import (
    algebra,
    broadcasting,
    casts,
    choices,
    layout,
    lengths,
    reductions,
    softmax,
)
from weft_rewrites import folding as _folding
from weft_rewrites import stability as _stability
from weft_rewrites.proven import drop_proven_broadcasts

__version__ = "0.1.0"

__all__ = ["books", "canonical", "drop_proven_broadcasts", "folding", "shapes", "stability"]

folding = RuleBook("folding", _folding.rules)
"""Constants are computed while compiling."""

canonical = RuleBook(
    "canonical",
    [
        *folding,
        *algebra.rules,
        *casts.rules,
        *choices.rules,
        *layout.rules,
        *reductions.rules,
    ],
)
"""One way to write what can be written in several."""

shapes = RuleBook("shapes", [*canonical, *lengths.rules, *broadcasting.rules])
"""Nothing is computed for its shape alone, nothing is repeated that broadcasts by itself."""

stability = RuleBook("stability", [*_stability.rules, *softmax.rules, *shapes])
"""Functions that keep their digits, and don't overflow."""

books: tuple[RuleBook | Callable[[FunctionGraph], FunctionGraph], ...] = (
    canonical,
    shapes,
    drop_proven_broadcasts,
    stability,
    folding,
)
"""What every compilation applies, in this order."""
