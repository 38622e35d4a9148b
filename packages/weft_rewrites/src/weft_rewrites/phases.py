"""The books, and the phases that every compilation goes through.

A book holds the rules of one subject. A phase applies several books at once, bottom-up, so
that what one rule makes another can take up: after a phase, no rule of it applies anywhere.
One phase per book would take longer and leave work undone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from weft_graph import FunctionGraph, RuleBook
from weft_rewrites.ops.control.loops import drop_unused_results, simplify_loops
from weft_rewrites.ops.control.map import simplify_maps
from weft_rewrites.ops.elementwise import (
    algebra,
    cancellation,
    differences,
    hyperbolic,
    log_product,
    slopes,
)
from weft_rewrites.ops.elementwise import by_facts as known
from weft_rewrites.ops.elementwise import cast as casts
from weft_rewrites.ops.elementwise import erfc as tails
from weft_rewrites.ops.elementwise import folding as constants
from weft_rewrites.ops.elementwise import power as powers
from weft_rewrites.ops.elementwise import stability as stable
from weft_rewrites.ops.elementwise import where as choices
from weft_rewrites.ops.fft import transforms
from weft_rewrites.ops.linalg import cholesky as factors
from weft_rewrites.ops.linalg import identity
from weft_rewrites.ops.linalg import outer as products
from weft_rewrites.ops.linalg import solve as systems
from weft_rewrites.ops.reduction import logsumexp as softmax
from weft_rewrites.ops.reduction import moments, reductions
from weft_rewrites.ops.reduction.factor_out import factor_sums
from weft_rewrites.ops.shape import axes as layout
from weft_rewrites.ops.shape import broadcasting
from weft_rewrites.ops.shape import infer_shape as lengths
from weft_rewrites.ops.shape.drop_broadcasts import drop_proven_broadcasts

__all__ = [
    "books",
    "canonical",
    "folding",
    "fusible",
    "shapes",
    "simplify",
    "stability",
    "stabilize",
    "values",
]

canonical: Final = RuleBook(
    "canonical",
    [
        *algebra.rules,
        *casts.rules,
        *choices.rules,
        *factors.rules,
        *identity.rules,
        *known.rules,
        *layout.rules,
        *reductions.rules,
        *systems.rules,
        *transforms.rules,
    ],
)
"""One way to write what can be written in several."""

shapes: Final = RuleBook("shapes", [*lengths.rules, *broadcasting.rules])
"""Nothing is computed for its shape alone, nothing is repeated that broadcasts by itself."""

stability: Final = RuleBook(
    "stability",
    [
        *hyperbolic.rules,
        *differences.rules,
        *stable.rules,
        *tails.rules,
        *log_product.rules,
        *softmax.rules,
        *moments.rules,
        *cancellation.rules,
    ],
)
"""Functions that keep their digits and don't overflow."""

fusible: Final = RuleBook("fusible", [*products.rules, *powers.rules])
"""What backends fuse in place of what they call."""

folding: Final = RuleBook("folding", constants.rules)
"""Constants are computed while compiling."""

simplify: Final = RuleBook("simplify", [folding, canonical, shapes])
"""The first phase: folding, canonical form, shapes."""

values: Final = RuleBook("values", [*hyperbolic.tangents, *differences.squares])
"""What keeps its digits as a value, and not its derivative's."""

stabilize: Final = RuleBook(
    "stabilize",
    [values, stability, fusible, simplify],
    before_derivatives=[*slopes.rules, stability, folding, *algebra.rules],
)
"""The last phase: stability, and once more all that it may give rise to."""

books: Final[tuple[RuleBook | Callable[[FunctionGraph], FunctionGraph], ...]] = (
    simplify,
    simplify_loops,
    simplify_maps,
    drop_proven_broadcasts,
    factor_sums,
    stabilize,
    drop_proven_broadcasts,
    drop_unused_results,
)
"""The phases, in order."""
