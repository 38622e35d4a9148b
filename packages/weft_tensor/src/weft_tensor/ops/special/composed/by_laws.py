"""Distribution functions with the names of Cephes and CDFLIB that `wt.stats` has under others."""

from __future__ import annotations

from math import nan
from typing import Any

from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.special.composed.formula import formula

__all__ = [
    "chndtr",
    "chndtrix",
    "ncfdtr",
    "ncfdtri",
    "nctdtr",
    "nctdtrit",
    "smirnov",
    "smirnovi",
    "tklmbda",
]

_ROWS = {
    "ksone": "distance", "ncf": "noncentral", "nct": "mixed_normal", "ncx2": "noncentral",
    "tukeylambda": "quantile",
}  # fmt: skip
"""Where the laws stand: a whole `wt.stats` takes long to import."""


def _of(law: str, method: str, *arguments: Any) -> TensorVariable:
    """NaN for parameters that the distribution does not have."""
    rows = f"weft_tensor.ops.distributions.rows.{_ROWS[law]}_rows"
    result: TensorVariable = getattr(lazy_import(f"{rows}.{law}"), method)(*arguments, check=False)
    return result


# fmt: off
chndtr = formula(
    "chndtr", "The probability of less than x, by the noncentral chi-square distribution.",
    (3.0, 2.0, 1.0, 0.620644), lambda x, df, nc: _of("ncx2", "cdf", x, df, nc),
)
chndtrix = formula(
    "chndtrix", "The x for which `chndtr` is p.", (0.3, 2.0, 1.0, 1.144032),
    lambda p, df, nc: _of("ncx2", "ppf", p, df, nc),
)
ncfdtr = formula(
    "ncfdtr", "The probability of less than f, by the noncentral F distribution.",
    (2.0, 3.0, 1.0, 1.5, 0.525671), lambda dfn, dfd, nc, f: _of("ncf", "cdf", f, dfn, dfd, nc),
)
ncfdtri = formula(
    "ncfdtri", "The f for which `ncfdtr` is p.", (2.0, 3.0, 1.0, 0.3, 0.639465),
    lambda dfn, dfd, nc, p: _of("ncf", "ppf", p, dfn, dfd, nc),
)
nctdtr = formula(
    "nctdtr", "The probability of less than t, by the noncentral t distribution.",
    (3.0, 1.0, 1.5, 0.625756), lambda df, nc, t: _of("nct", "cdf", t, df, nc),
)
nctdtrit = formula(
    "nctdtrit", "The t for which `nctdtr` is p.", (3.0, 1.0, 0.3, 0.505791),
    lambda df, nc, p: _of("nct", "ppf", p, df, nc),
)
smirnov = formula(
    "smirnov", "The probability that a distribution of n numbers is more than d above its own.",
    (8.0, 0.3, 0.196033),
    lambda n, d: where((d >= 0) & (d <= 1), _of("ksone", "sf", d, n), nan),
)
smirnovi = formula(
    "smirnovi", "The d for which `smirnov` is p.", (8.0, 0.05, 0.409623),
    lambda n, p: _of("ksone", "isf", p, n),
)
tklmbda = formula(
    "tklmbda", "The probability of less than x, by Tukey's lambda distribution.",
    (0.5, 0.3, 0.651028), lambda x, lmbda: _of("tukeylambda", "cdf", x, lmbda),
)
# fmt: on
