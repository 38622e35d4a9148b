"""Distributions between bounds: truncated, which have no mass outside, and censored ones."""

from __future__ import annotations

from math import inf, log
from typing import Any, Final

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.distributions.constraints import checked
from weft_tensor.ops.distributions.laws import Law, as_law
from weft_tensor.ops.elementwise.arithmetic import ceil, floor
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import exp, log1mexp, log1p
from weft_tensor.ops.numbers.limits import clip
from weft_tensor.ops.random.draws import Draws
from weft_tensor.ops.random.uses import uses_key
from weft_tensor.ops.random.words import Size, given_or_common

__all__ = ["censor", "truncate"]

_LOG_HALF: Final = log(0.5)


def truncate(
    distribution: object, lower: TensorLike | None = -inf, upper: TensorLike | None = inf
) -> Law:
    """The distribution of what lies from `lower` to `upper`, both included; None for no bound.

    Raises ValueError unless `lower` is below `upper` (of integers, at most `upper`), TypeError for
    what is no distribution of numbers.

    >>> from weft_tensor.stats import norm
    >>> truncate(norm(0.0, 1.0), 0.0).pdf([-1.0, 0.0]).eval().round(4)
    array([0.    , 0.7979])
    """
    return _Truncated("truncated", distribution, lower, upper)


def censor(
    distribution: object, lower: TensorLike | None = -inf, upper: TensorLike | None = inf
) -> Law:
    """The distribution of what is seen of values that a device cuts off at `lower` and `upper`.

    None is no bound. A bound has the probability of all that lies beyond it, between them the
    density is that of `distribution`. Raises ValueError unless `lower` is below `upper` (of
    integers, at most `upper`), TypeError for what is no distribution of numbers.

    >>> from weft_tensor.stats import expon
    >>> censor(expon(), upper=1.0).pdf([0.5, 1.0, 2.0]).eval().round(4)
    array([0.6065, 0.3679, 0.    ])
    """
    return _Censored("censored", distribution, lower, upper)


class _Bounded(Law):
    def __init__(
        self,
        what: str,
        distribution: object,
        lower: TensorLike | None,
        upper: TensorLike | None,
    ) -> None:
        self.base = as_law(distribution)
        if self.base.event_rank:
            raise TypeError(f"{what}: {self.base.name} is no distribution of numbers")
        self.name = f"{what} {self.base.name}"
        self.is_discrete = self.base.is_discrete
        self.lower = as_tensor(-inf if lower is None else lower)
        self.upper = as_tensor(inf if upper is None else upper)
        if self.is_discrete:
            self.lower, self.upper = ceil(self.lower), floor(self.upper)
        ordered = self.lower <= self.upper if self.is_discrete else self.lower < self.upper
        says = "at least lower" if self.is_discrete else "above lower"
        self.upper = checked([self.lower, self.upper], ordered, self.name, "upper", says)
        self.parts = (*self.base.parts, self.lower, self.upper)

    def _moment(self, name: str) -> Any:
        if name != "support":
            raise self.missing(name)
        low, high = self.base.support()
        return clip(low, self.lower, self.upper), clip(high, self.lower, self.upper)

    def _ends(self) -> tuple[TensorLike, TensorLike]:
        (low, high), (first, last) = self.base.ends(), (self.lower, self.upper)
        return (
            first if low == -inf else clip(low, first, last),
            last if high == inf else clip(high, first, last),
        )

    def _sides(self, bound: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
        """Logarithms of the probabilities of less than the bound, and of the rest."""
        before = bound - 1 if self.is_discrete else bound
        return self.base.logcdf(before), self.base.logsf(before)


class _Truncated(_Bounded):
    @uses_key
    def rvs(self, key: TensorLike, size: Size = None) -> TensorVariable:
        drawn = self.ppf(Draws(key, given_or_common(size, self.parts), self.kind).uniform())
        return drawn.astype("int64") if self.is_discrete else drawn

    def _value(self, name: str, x: TensorVariable) -> TensorVariable:
        if name in ("ppf", "isf"):
            return self._point(name, x)
        below, above = x < self.lower, x > self.upper
        if name == "logpdf":
            return where(below | above, -inf, self.base.logpdf(x) - self._log_mass())
        if name not in ("logcdf", "logsf"):
            return super()._value(name, x)
        z = clip(x, self.lower, self.upper)
        here = self.base.logcdf(z), self.base.logsf(z)
        start, stop = self._sides(self.lower), self._end()
        lower = name == "logcdf"
        logarithm = _log_between(start, here) if lower else _log_between(here, stop)
        logarithm = logarithm - self._log_mass()
        ends = (-inf, 0.0) if lower else (0.0, -inf)
        return where(below, ends[0], where(x >= self.upper, ends[1], logarithm))

    def _end(self) -> tuple[TensorVariable, TensorVariable]:
        return self.base.logcdf(self.upper), self.base.logsf(self.upper)

    def _log_mass(self) -> TensorVariable:
        return _log_between(self._sides(self.lower), self._end())

    def _point(self, name: str, q: TensorVariable) -> TensorVariable:
        """By the tail of `distribution` in which it lies."""
        share, rest = (q, 1 - q) if name == "ppf" else (1 - q, q)
        mass = exp(self._log_mass())
        below = exp(self._sides(self.lower)[0]) + share * mass
        above = exp(self._end()[1]) + rest * mass
        low = below < 0.5
        quantile = where(
            low, self.base.ppf(where(low, below, 0.5)), self.base.isf(where(low, 0.5, above))
        )
        quantile = clip(quantile, self.lower, self.upper)
        return where((q >= 0) & (q <= 1), quantile, float("nan"))


def _log_between(
    start: tuple[TensorVariable, TensorVariable], stop: tuple[TensorVariable, TensorVariable]
) -> TensorVariable:
    """The logarithm of the probability between two places, of which both tails are known."""
    left, right = stop[0] < _LOG_HALF, start[1] < _LOG_HALF
    low = _difference(where(left, stop[0], 0.0), where(left, start[0], -1.0))
    high = _difference(where(right, start[1], 0.0), where(right, stop[1], -1.0))
    apart = left | right
    outside = exp(where(apart, -1.0, start[0])) + exp(where(apart, -1.0, stop[1]))
    return where(left, low, where(right, high, log1p(-outside)))


def _difference(larger: TensorVariable, smaller: TensorVariable) -> TensorVariable:
    """log(exp(larger) - exp(smaller))."""
    some = larger > smaller
    gap = where(some, smaller - where(some, larger, 0.0), -1.0)
    return where(some, larger + log1mexp(gap), -inf)


class _Censored(_Bounded):
    @uses_key
    def rvs(self, key: TensorLike, size: Size = None) -> TensorVariable:
        sizes = given_or_common(size, self.parts)
        drawn = self.base.rvs(key, size=sizes)
        return clip(drawn.astype(self.kind), self.lower, self.upper)

    def _value(self, name: str, x: TensorVariable) -> TensorVariable:
        below, above = x < self.lower, x >= self.upper
        if name == "logpdf":
            at_lower = self.base.logcdf(self.lower)
            at_upper = self._sides(self.upper)[1]
            value = where(eq(x, self.lower), at_lower, self.base.logpdf(x))
            value = where(eq(x, self.upper), at_upper, value)
            return where(below | (x > self.upper), -inf, value)
        if name == "logcdf":
            return where(below, -inf, where(above, 0.0, self.base.logcdf(x)))
        if name == "logsf":
            return where(below, 0.0, where(above, -inf, self.base.logsf(x)))
        if name in ("ppf", "isf"):
            value = self.base.ppf(x) if name == "ppf" else self.base.isf(x)
            return clip(value, self.lower, self.upper)
        return super()._value(name, x)
