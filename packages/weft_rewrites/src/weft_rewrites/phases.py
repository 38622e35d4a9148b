"""The books, and the phases that every compilation goes through.

A book holds the rules of one subject. A phase applies several books at once, bottom-up, so
that what one rule makes another can take up: after a phase, no rule of it applies anywhere.
One phase per book would take longer and leave work undone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from weft_graph import FunctionGraph, RuleBook, Variable, rewrite
from weft_graph.extend import changes_by, changing
from weft_rewrites.ops.control import checks
from weft_rewrites.ops.control.loops import drop_unused_results, simplify_loops
from weft_rewrites.ops.control.map import simplify_maps
from weft_rewrites.ops.control.siblings import join_siblings
from weft_rewrites.ops.elementwise import (
    algebra,
    by_facts,
    cancellation,
    differences,
    hyperbolic,
    log_product,
    ordering,
    slopes,
)
from weft_rewrites.ops.elementwise import cast as casts
from weft_rewrites.ops.elementwise import erfc as tails
from weft_rewrites.ops.elementwise import folding as constants
from weft_rewrites.ops.elementwise import power as powers
from weft_rewrites.ops.elementwise import stability as stable
from weft_rewrites.ops.elementwise import where as choices
from weft_rewrites.ops.elementwise.algebra import share_opposites
from weft_rewrites.ops.elementwise.collecting import collect
from weft_rewrites.ops.fft import transforms
from weft_rewrites.ops.linalg import banded, diagonal, identity, inverse, matmul, structured
from weft_rewrites.ops.linalg import by_facts as matrix_facts
from weft_rewrites.ops.linalg import cholesky as factors
from weft_rewrites.ops.linalg import outer as products
from weft_rewrites.ops.linalg import solve as systems
from weft_rewrites.ops.linalg.matrix_chain import order_products
from weft_rewrites.ops.linalg.shared_factors import share_factors
from weft_rewrites.ops.numbers import increments, remainders
from weft_rewrites.ops.reduction import extremes, mixtures, moments, own_shifts, reductions, windows
from weft_rewrites.ops.reduction import logsumexp as softmax
from weft_rewrites.ops.reduction.factor_out import factor_sums
from weft_rewrites.ops.reduction.first_in_order import find_first
from weft_rewrites.ops.shape import axes as layout
from weft_rewrites.ops.shape import broadcasting, halves, known_places, parts, reading
from weft_rewrites.ops.shape import infer_shape as lengths
from weft_rewrites.ops.shape.drop_broadcasts import drop_proven_broadcasts
from weft_rewrites.ops.shape.joined_increments import join_increments
from weft_rewrites.ops.shape.late_sums import sum_late
from weft_rewrites.ops.shape.lift_index import lift_indices, lift_places
from weft_rewrites.ops.special import incomplete
from weft_tensor import ArgSort, Index, Matmul, Max, Min, OrderStatistics, Sort

__all__ = [
    "books",
    "canonical",
    "folding",
    "fusible",
    "save_products",
    "shapes",
    "share_factors",
    "simplify",
    "stability",
    "stabilize",
    "values",
    "wholes",
]

_ROUNDS: Final = 8
"""More are never needed but by rules that undo each other."""

canonical: Final = RuleBook(
    "canonical",
    [
        *algebra.rules,
        *casts.rules,
        *ordering.rules,
        *choices.rules,
        *checks.rules,
        *factors.rules,
        *identity.rules,
        *by_facts.rules,
        *layout.rules,
        *parts.rules,
        *reductions.rules,
        *reading.rules,
        *known_places.rules,
        *halves.rules,
        *extremes.rules,
        *diagonal.rules,
        *inverse.rules,
        *matmul.rules,
        *matrix_facts.rules,
        *structured.rules,
        *banded.rules,
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
        *remainders.rules,
        *increments.rules,
        *stable.rules,
        *tails.rules,
        *incomplete.rules,
        *log_product.rules,
        *own_shifts.rules,
        *softmax.rules,
        *mixtures.rules,
        *moments.rules,
        *cancellation.rules,
    ],
)
"""Functions that keep their digits and don't overflow."""

wholes: Final = RuleBook("wholes", [*diagonal.wholes, *matrix_facts.wholes, *structured.wholes])
"""Inverses and determinants that are wanted whole: neither products nor logarithms take them."""

fusible: Final = RuleBook(
    "fusible",
    [*products.rules, *powers.rules, *reading.sums, *windows.rules, *matmul.stacks],
)
"""What backends fuse, or call once, in place of what they call; updates in place of sums."""

folding: Final = RuleBook("folding", constants.rules)
"""Constants are computed while compiling."""

simplify: Final = RuleBook("simplify", [folding, canonical, shapes])
"""The first phase: folding, canonical form, shapes."""

values: Final = RuleBook("values", [*hyperbolic.tangents, *differences.squares])
"""What keeps its digits as a value, and not its derivative's."""

stabilize: Final = RuleBook(
    "stabilize",
    [values, stability, wholes, fusible, simplify],
    before_derivatives=[
        *remainders.slopes,
        *increments.slopes,
        *slopes.rules,
        *algebra.rules,
        layout.new_axes,
        stability,
        folding,
        *diagonal.rules,
        *matrix_facts.factors,
        *known_places.rules,
        *inverse.rules,
        *structured.rules,
        *banded.rules,
        *windows.sums,
        lengths.of_elementwise,
        *parts.rules,
    ],
)
"""The last phase: stability, and once more all that it may give rise to."""


@changing("rounding", "nan", "inf", "overflow", "error", "zero sign")
def save_products(graph: FunctionGraph) -> FunctionGraph:
    """Of what nobody needs whole, parts; products of matrices in the cheapest order."""
    kinds = graph.op_classes
    if Index in kinds:
        graph = lift_indices(join_increments(graph))
    if not kinds.isdisjoint((Max, Min)):
        graph = extremes.reduce_first(graph)
    if ArgSort in kinds and not kinds.isdisjoint((Sort, OrderStatistics)):
        graph = extremes.sort_once(graph)
    if Index in kinds and not kinds.isdisjoint((ArgSort, Sort)):
        graph = find_first(graph)
    return order_products(graph) if Matmul in kinds else graph


@changing(*{c for part in (join_siblings, simplify_loops, simplify_maps) for c in changes_by(part)})
def simplify_bodies(graph: FunctionGraph) -> FunctionGraph:
    """What is alike joined, now that shapes are known; loops and maps with less in their bodies."""
    return simplify_maps(simplify_loops(join_siblings(graph)))


@changing(*changes_by(collect), *changes_by(share_opposites))
def settle(graph: FunctionGraph) -> FunctionGraph:
    """What the last phase made, collected and without proven broadcasts, until nothing changes.

    Then of opposites one is left; where that changes something, once more.
    """
    normal: dict[Variable, Variable] = {}
    needed: set[Variable] = set()
    collected = collect(graph)
    for _ in range(_ROUNDS):
        shorter = drop_proven_broadcasts(collected, needed)
        normal = normal or {v: v for v in graph.order}
        if shorter is not graph:
            graph = shorter.with_outputs(rewrite(shorter.outputs, stabilize, normal))
            collected = collect(graph)
            if collected is not graph or graph.outputs != shorter.outputs:
                continue
        shared = share_opposites(graph)
        if shared is graph:
            break
        new = shared.with_outputs(rewrite(shared.outputs, stabilize, normal))
        if new.outputs == graph.outputs:
            return shared
        graph, collected = new, collect(new)
    return graph


books: Final[tuple[RuleBook | Callable[[FunctionGraph], FunctionGraph], ...]] = (
    simplify,
    simplify_bodies,
    drop_proven_broadcasts,
    sum_late,
    factor_sums,
    collect,
    save_products,
    lift_places,
    stabilize,
    share_factors,
    settle,
    drop_unused_results,
)
"""The phases, in order."""
