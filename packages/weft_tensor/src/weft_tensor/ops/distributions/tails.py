"""Each of cdf, sf, their logarithms and inverses from those that a row has, right in both tails."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf, nan
from typing import Final

from weft_graph import grad, pushforward
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import full_like, ones_like
from weft_tensor.ops.distributions.ratios import log_of
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, log1p, sigmoid
from weft_tensor.ops.elementwise.exponential import log as logarithm
from weft_tensor.ops.elementwise.trigonometric import cosh, sinh
from weft_tensor.ops.implicit.following import following
from weft_tensor.ops.implicit.search import stepped_to

__all__ = ["Inverse", "completed", "inverse"]

Formula = Callable[..., TensorLike]
Place = Callable[[TensorVariable], TensorVariable]
_SPANS: Final = {"float64": (705.0, 340.0), "float32": (85.0, 43.0)}
"""Logarithms: of 1 over the least numbers, and of the largest that can be squared."""
_APART: Final = 1e-3
"""Logarithms of probabilities that differ by more are no rounding."""
_HIGHEST: Final = 37.0
"""Above it, the sigmoid function is 1."""


def completed(
    rows: Mapping[str, Formula], ends: tuple[float, float] | None, symmetric: bool
) -> dict[str, Formula]:
    """The formulas of a row, with those that follow from them."""
    formulas: dict[str, Formula] = {**rows}
    if symmetric:
        _mirror(formulas)
    if "quantile" in formulas:
        quantile = formulas.pop("quantile")
        formulas["ppf"] = lambda q, *p: quantile(logarithm(q), log1p(-q), *p)
        formulas["isf"] = lambda q, *p: quantile(log1p(-q), logarithm(q), *p)
    for plain, tail in (("cdf", "logcdf"), ("sf", "logsf")):
        if plain not in formulas:
            formulas[plain] = _exponential(formulas[tail])
    for tail, this, other in (("logcdf", "cdf", "sf"), ("logsf", "sf", "cdf")):
        if tail not in formulas:
            formulas[tail] = _logarithm(formulas[this], formulas[other])
    if "pdf" not in formulas:
        formulas["pdf"] = _exponential(formulas["logpdf"])
    for way, name, other in (("ppf", "logcdf", "logsf"), ("isf", "logsf", "logcdf")):
        if way not in formulas:
            tails = formulas[name], formulas[other]
            formulas[way] = inverse(formulas["logpdf"], *tails, name, ends)
    return formulas


def _mirror(rows: dict[str, Formula]) -> None:
    """The upper tail is the lower one, the other way round."""
    for lower, upper in (("cdf", "sf"), ("logcdf", "logsf")):
        if lower in rows:
            rows[upper] = _reflected(rows[lower])
    if "ppf" in rows:
        below = rows["ppf"]
        rows["isf"] = lambda q, *p: -as_tensor(below(q, *p))


def _reflected(formula: Formula) -> Formula:
    return lambda x, *p: formula(-x, *p)


def _exponential(formula: Formula) -> Formula:
    return lambda x, *p: exp(formula(x, *p))


def _logarithm(this: Formula, other: Formula) -> Formula:
    """Of a probability: above one half, by what it lacks of 1."""

    def formula(x: TensorVariable, *p: TensorVariable) -> TensorVariable:
        share = as_tensor(this(x, *p))
        low = share < 0.5
        return where(low, log_of(share), log1p(-where(low, 0, other(x, *p))))

    return formula


@dataclass(frozen=True)
class Inverse:
    """A function that a search computes, of a probability and parameters."""

    search: Callable[..., TensorVariable]
    slopes: Callable[..., list[TensorVariable]]
    """Of a result, and what it was found for."""

    def __call__(self, q: TensorVariable, *p: TensorVariable) -> TensorVariable:
        """The result, with its slopes."""
        return where(q >= 0, following(self.search(q, *p), self.slopes, q, *p), nan)


def inverse(
    logpdf: Formula, tail: Formula, other: Formula, name: str, ends: tuple[float, float] | None
) -> Inverse:
    """By a search, and a step along a line; with the derivatives of an implicit function.

    The search alone computes `tail` and `other`: at the result they are log(q) and log(1 - q).
    """
    way = -1 if name == "logsf" else 1
    start, stop = ends or (-inf, inf)

    def side(x: TensorVariable, q: TensorVariable, *p: TensorVariable) -> TensorVariable:
        """The logarithm of the smaller tail."""
        return where(q > 0.5, other(x, *p), tail(x, *p))

    def excess(value: TensorVariable, q: TensorVariable) -> TensorVariable:
        """Positive where x is too large."""
        return way * where(q > 0.5, log1p(-q) - value, value - logarithm(q))

    def slopes(x: TensorVariable, q: TensorVariable, *p: TensorVariable) -> list[TensorVariable]:
        log_density = as_tensor(logpdf(x, *p))
        less = -exp(where(q > 0.5, log1p(-q), logarithm(q)) - log_density)
        by_q = way * exp(-log_density)
        if not p:
            return [by_q]
        each = excess(side(x, q, *p), q)
        if len(p) == 1:  # forward mode keeps nothing of loops
            ahead = pushforward(each, p[0], ones_like(p[0]), disconnected_outputs="ignore")
            return [by_q, less * ahead]
        return [by_q, *[less * v for v in grad(each.sum(), p, disconnected_inputs="ignore")]]

    def search(q: TensorVariable, *p: TensorVariable) -> TensorVariable:
        whole = q
        for v in p:
            whole = whole + 0 * v
        first, place, slope = _scale(start, stop, *_SPANS[q.dtype])
        begin, end = full_like(whole, first[0]), full_like(whole, first[1])

        def rising(u: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
            x = place(u)
            value = side(x, q, *p)
            return excess(value, q), exp(as_tensor(logpdf(x, *p)) - value) * slope(u)

        found = stepped_to(rising, begin, end, 0.0)
        # Tails are about powers where the search ends without a root: straight in u.
        beyond = abs(found.value) > _APART
        near = place(found.at) + slope(found.at) * where(beyond, 0.0, found.step)
        return where(beyond, place(where(beyond, found.at + found.step, 0.0)), near)

    return Inverse(search, slopes)


def _scale(
    start: float, stop: float, low: float, high: float
) -> tuple[tuple[float, float], Place, Place]:
    """Where to search, what belongs to a place there, and its slope."""
    if start == -inf and stop == inf:
        return (-high, high), sinh, cosh
    if stop == inf:
        return (-low, high), lambda u: start + exp(u), exp
    size = stop - start
    return (
        (-low, _HIGHEST),
        lambda u: start + size * sigmoid(u),
        lambda u: size * sigmoid(u) * sigmoid(-u),
    )
