"""Counts of what is drawn without putting it back, by class, and tables of two such classes."""

from __future__ import annotations

from math import inf
from typing import Any, Final

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.creation.creation import eye
from weft_tensor.ops.distributions.constraints import Constraint, Relation
from weft_tensor.ops.distributions.discrete_rows import hypergeom
from weft_tensor.ops.distributions.multivariate.conditions import COUNTED, vector
from weft_tensor.ops.distributions.multivariate.multivariate import Multivariate
from weft_tensor.ops.elementwise.arithmetic import floor, maximum
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.random.draws import Draws
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.concatenate import stack
from weft_tensor.ops.special.gamma import gammaln

__all__ = ["multivariate_hypergeom", "random_table"]

_COUNTS: Final = Constraint(
    "integers, 0 or positive", lambda v: ((v >= 0) & eq(floor(v), v)).all(axis=-1)
)


def _total(x: TensorVariable) -> TensorVariable:
    return x.sum(axis=-1)


def _log_factorials(x: TensorVariable) -> TensorVariable:
    return _total(gammaln(x + 1))


def _hypergeometric(x: TensorVariable, m: TensorVariable, n: TensorVariable) -> TensorVariable:
    fits = (x >= 0) & (x <= m) & eq(floor(x), x)
    inside = fits.all(axis=-1) & eq(_total(x), n)
    k = where(inside[..., None], x, 0.0)
    whole = gammaln(_total(m) + 1) - gammaln(n + 1) - gammaln(_total(m) - n + 1)
    ways = _log_factorials(m) - _log_factorials(k) - _log_factorials(m - k)
    return where(inside, ways - whole, -inf)


def _classes(v: TensorVariable, name: str) -> int:
    classes = v.type.shape[-1]
    if not isinstance(classes, int):
        raise TypeError(f"{name} draws need a known number of classes, not {v!r}")
    return classes


def _taken(draws: Draws, m: TensorVariable, n: TensorVariable, name: str) -> TensorVariable:
    """Class by class: how many of those that are left, a hypergeometric number."""
    wide = broadcast_to(m, (*draws.sizes, m.shape[-1]))
    left, rest = broadcast_to(n, draws.sizes), _total(wide)
    counts: list[Any] = []
    for k in range(_classes(m, name) - 1):
        count = hypergeom.sampled(draws, rest, wide[..., k], left).astype(m.dtype)
        counts.append(count)
        left, rest = left - count, rest - wide[..., k]
    return stack([*counts, left], axis=-1)


def _hypergeometric_cov(m: TensorVariable, n: TensorVariable) -> TensorVariable:
    total = _total(m)
    factor = n * (total - n) / (total * total * maximum(total - 1, 1.0))
    own = eye(m.shape[-1]).astype(m.dtype) * (total[..., None] * m)[..., None]
    return factor[..., None, None] * (own - m[..., :, None] * m[..., None, :])


multivariate_hypergeom: Final = Multivariate(
    "multivariate_hypergeom", "Π (m over x) / (Σ m over n)",
    {"m": vector(_COUNTS), "n": COUNTED}, 1, is_discrete=True,
    relations=[Relation(("m", "n"), "at most the sum of m", lambda m, n: n <= _total(m))],
    logpdf=_hypergeometric,
    sample=lambda draws, m, n: _taken(draws, m, n, "multivariate_hypergeom").astype("int64"),
    mean=lambda m, n: n[..., None] * m / _total(m)[..., None], cov=_hypergeometric_cov,
)  # fmt: skip


def _table(x: TensorVariable, row: TensorVariable, col: TensorVariable) -> TensorVariable:
    fits = ((x >= 0) & eq(floor(x), x)).all(axis=(-2, -1))
    sums = eq(_total(x), row).all(axis=-1) & eq(x.sum(axis=-2), col).all(axis=-1)
    inside = fits & sums
    cells = _total(_log_factorials(where(inside[..., None, None], x, 0.0)))
    whole = gammaln(_total(row) + 1)
    return where(inside, _log_factorials(row) + _log_factorials(col) - whole - cells, -inf)


def _table_draws(draws: Draws, row: TensorVariable, col: TensorVariable) -> TensorVariable:
    """Row by row: which of those that are left."""
    left = broadcast_to(col, (*draws.sizes, col.shape[-1]))
    rows: list[Any] = []
    for k in range(_classes(row, "random_table") - 1):
        rows.append(_taken(draws, left, row[..., k], "random_table"))
        left = left - rows[-1]
    return stack([*rows, left], axis=-2).astype("int64")


random_table: Final = Multivariate(
    "random_table", "Π row! Π col! / ((Σ row)! Π x!)",
    {"row": vector(_COUNTS), "col": vector(_COUNTS)}, 2, is_discrete=True,
    relations=[
        Relation(("row", "col"), "of the same sum as row", lambda r, c: eq(_total(r), _total(c)))
    ],
    logpdf=_table, sample=_table_draws,
    mean=lambda row, col: (
        row[..., :, None] * col[..., None, :] / _total(row)[..., None, None]
    ),
)  # fmt: skip
