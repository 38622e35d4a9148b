"""Weft's books of rewrite rules: canonical form, shapes, stability, fusion, folding."""

from weft_rewrites.dsl.equation import Equation
from weft_rewrites.ops.reduction.factor_out import factor_sums
from weft_rewrites.ops.shape.drop_broadcasts import drop_proven_broadcasts
from weft_rewrites.phases import (
    books,
    canonical,
    folding,
    fusible,
    save_products,
    shapes,
    share_factors,
    simplify,
    stability,
    stabilize,
    values,
    wholes,
)

__version__ = "0.1.0"

__all__ = [
    "Equation",
    "books",
    "canonical",
    "drop_proven_broadcasts",
    "factor_sums",
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
