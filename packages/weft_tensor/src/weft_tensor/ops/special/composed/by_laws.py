"""Distribution functions with the names of Cephes and CDFLIB that `wt.stats` has under others."""

from __future__ import annotations

from math import nan
from typing import Any, Final

from weft_graph import grad
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import exp, log
from weft_tensor.ops.elementwise.table import ANY, POSITIVE, Interval
from weft_tensor.ops.special.composed.formula import formula
from weft_tensor.ops.special.slope_rows import doubled, root_row

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
    result: TensorVariable = getattr(_law(law), method)(*arguments, check=False)
    return result


def _law(name: str) -> Any:
    return lazy_import(f"weft_tensor.ops.distributions.rows.{_ROWS[name]}_rows.{name}")


def _quantile(name: str, law: str, method: str, domain: Any, example: tuple[float, ...]) -> Any:
    """The function of a probability and parameters, of one number: see `parameters`."""
    tail_name, way = ("logcdf", 1) if method == "ppf" else ("logsf", -1)

    def slopes(x: TensorVariable, q: TensorVariable, *p: TensorVariable) -> list[Any]:
        """Of the tail that is q alone: a share that is a number is not so near to 1."""
        formulas, inside = _law(law).formulas, (q > 0) & (q < 1)
        log_density, tail = formulas["logpdf"](x, *p), formulas[tail_name](x, *p)
        less = -way * exp(log(where(inside, q, 0.5)) - log_density)
        moved = [less * v for v in grad(tail.sum(), p)]
        return [where(inside, v, 0) for v in (way * exp(-log_density), *moved)]

    def found(q: TensorVariable, *p: TensorVariable) -> TensorVariable:
        of = _law(law)
        inside: Any = (q > 0) & (q < 1)
        valid: Any = q >= 0
        for v, constraint in zip(p, of.parameters.values(), strict=True):
            valid = valid & constraint.holds(v)
        ends = of.fixed_ends if method == "ppf" else of.fixed_ends[::-1]
        outside = where(eq(q, 0), ends[0], where(eq(q, 1), ends[1], nan))
        place = of.formulas[method].search(where(inside, q, 0.5), *p)
        return where(valid, where(inside, place, outside), nan)

    summary = f"What `{method}` of `{law}` is."
    return root_row(name, summary, (_SHARE, *domain), example, found, slopes)


_SHARE: Final[Interval] = (0.1, 0.9)
chndtrix_root: Final = _quantile(
    "chndtrix_root", "ncx2", "ppf", (POSITIVE, POSITIVE), (0.3, 2.0, 1.0, 1.144032)
)
ncfdtri_root: Final = _quantile(
    "ncfdtri_root", "ncf", "ppf", (POSITIVE, POSITIVE, POSITIVE), (0.3, 2.0, 3.0, 1.0, 0.639465)
)
nctdtrit_root: Final = _quantile(
    "nctdtrit_root", "nct", "ppf", (POSITIVE, ANY), (0.3, 3.0, 1.0, 0.505791)
)
smirnovi_root: Final = _quantile(
    "smirnovi_root", "ksone", "isf", ((1.0, 30.0),), (0.05, 8.0, 0.409623)
)


# fmt: off
chndtr = formula(
    "chndtr", "The probability of less than x, by the noncentral chi-square distribution.",
    (3.0, 2.0, 1.0, 0.620644), lambda x, df, nc: _of("ncx2", "cdf", x, df, nc),
)
chndtrix = formula(
    "chndtrix", "The x for which `chndtr` is p.", (0.3, 2.0, 1.0, 1.144032),
    doubled(lambda p, df, nc: chndtrix_root(p, df, nc)),
)
ncfdtr = formula(
    "ncfdtr", "The probability of less than f, by the noncentral F distribution.",
    (2.0, 3.0, 1.0, 1.5, 0.525671), lambda dfn, dfd, nc, f: _of("ncf", "cdf", f, dfn, dfd, nc),
)
ncfdtri = formula(
    "ncfdtri", "The f for which `ncfdtr` is p.", (2.0, 3.0, 1.0, 0.3, 0.639465),
    doubled(lambda dfn, dfd, nc, p: ncfdtri_root(p, dfn, dfd, nc)),
)
nctdtr = formula(
    "nctdtr", "The probability of less than t, by the noncentral t distribution.",
    (3.0, 1.0, 1.5, 0.625756), lambda df, nc, t: _of("nct", "cdf", t, df, nc),
)
nctdtrit = formula(
    "nctdtrit", "The t for which `nctdtr` is p.", (3.0, 1.0, 0.3, 0.505791),
    doubled(lambda df, nc, p: nctdtrit_root(p, df, nc)),
)
smirnov = formula(
    "smirnov", "The probability that a distribution of n numbers is more than d above its own.",
    (8.0, 0.3, 0.196033),
    lambda n, d: where((d >= 0) & (d <= 1), _of("ksone", "sf", d, n), nan),
)
smirnovi = formula(
    "smirnovi", "The d for which `smirnov` is p.", (8.0, 0.05, 0.409623),
    doubled(lambda n, p: smirnovi_root(p, n)),
)
tklmbda = formula(
    "tklmbda", "The probability of less than x, by Tukey's lambda distribution.",
    (0.5, 0.3, 0.651028), lambda x, lmbda: _of("tukeylambda", "cdf", x, lmbda),
)
# fmt: on
