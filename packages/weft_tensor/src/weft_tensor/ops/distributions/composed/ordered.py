"""The distribution of one of several draws in order."""

from __future__ import annotations

from typing import Any

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.distributions.constraints import POSITIVE_COUNT, checked
from weft_tensor.ops.distributions.gamma_rows import beta
from weft_tensor.ops.distributions.laws import Law, as_law
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.random.uses import uses_key
from weft_tensor.ops.random.words import Size
from weft_tensor.ops.special.gamma import betaln

__all__ = ["order_statistic"]


def order_statistic(X: object, /, *, r: TensorLike, n: TensorLike) -> Law:
    """The distribution of the r-th smallest of n independent draws from a continuous one.

    r and n broadcast with its parameters. See `scipy.stats.order_statistic`. Raises TypeError for
    what is no distribution, or is of integers or vectors, and ValueError for an r or n that is no
    positive integer, or an r above n: where they are known at once, else when they are computed.

    >>> from weft_tensor.stats import uniform
    >>> largest = order_statistic(uniform(0.0, 1.0), r=3, n=3)
    >>> largest.cdf(0.5).eval().round(6).item(), largest.median().eval().round(4).item()
    (0.125, 0.7937)
    """
    return _Ordered(as_law(X), r, n)


class _Ordered(Law):
    def __init__(self, base: Law, r: TensorLike, n: TensorLike) -> None:
        if base.is_discrete or base.event_rank:
            raise TypeError(
                "order_statistic takes a continuous distribution of numbers, not "
                f"{base!r}{called()}"
            )
        self.base, self.name = base, f"order statistic of {base.name}"
        place, count = (_counted(name, v) for name, v in (("r", r), ("n", n)))
        count = checked([place, count], place <= count, "order_statistic", "n", "at least r")
        self.below, self.above = place, count - place + 1
        self.parts = (*base.parts, place, count)

    @uses_key
    def rvs(self, key: TensorLike, size: Size = None) -> TensorVariable:
        share = beta.rvs(key, self.below, self.above, size=size)
        return self._placed(share, 1 - share)

    def _placed(self, share: TensorVariable, rest: TensorVariable) -> TensorVariable:
        """Where the probability below is `share`, and that above `rest`, each right if small."""
        low = share < 0.5
        return where(
            low, self.base.ppf(where(low, share, 0.5)), self.base.isf(where(low, 0.5, rest))
        )

    def _value(self, name: str, x: TensorVariable) -> TensorVariable:
        ends = self.below, self.above
        if name == "logpdf":
            return (
                self.base.logpdf(x)
                + _power(self.below, self.base.logcdf(x))
                + _power(self.above, self.base.logsf(x))
                - betaln(*ends)
            )
        if name in ("ppf", "isf"):
            other = "isf" if name == "ppf" else "ppf"
            return self._placed(getattr(beta, name)(x, *ends), getattr(beta, other)(x, *ends[::-1]))
        if name not in ("logcdf", "logsf"):
            return super()._value(name, x)
        other = "logsf" if name == "logcdf" else "logcdf"
        share, rest = self.base.cdf(x), self.base.sf(x)
        low = share < 0.5
        lower = getattr(beta, name)(where(low, share, 0.5), *ends)
        return where(low, lower, getattr(beta, other)(where(low, 0.5, rest), *ends[::-1]))

    def _ends(self) -> tuple[TensorLike, TensorLike]:
        return self.base.ends()

    def _moment(self, name: str) -> Any:
        if name != "support":
            raise self.missing(name)
        return self.base.support()


def _counted(name: str, count: TensorLike) -> TensorVariable:
    v = as_floating(count).astype("float64")
    return checked([v], POSITIVE_COUNT.holds(v), "order_statistic", name, POSITIVE_COUNT.says)


def _power(count: TensorVariable, logarithm: TensorVariable) -> TensorVariable:
    """(count - 1) times a logarithm, which is 0 for 1."""
    none = count <= 1
    return where(none, 0.0, (count - 1) * where(none, 0.0, logarithm))
