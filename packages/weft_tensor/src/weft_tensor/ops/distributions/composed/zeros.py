"""Distributions of integers with more or fewer zeros than others."""

from __future__ import annotations

from math import inf
from typing import Any, Final

from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.distributions.constraints import PROBABILITY, Relation
from weft_tensor.ops.distributions.discrete import Discrete
from weft_tensor.ops.distributions.discrete_rows import binom, nbinom, poisson
from weft_tensor.ops.distributions.ratios import log_of
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import exp, log1mexp, logaddexp

__all__ = [
    "hurdle",
    "hurdle_nbinom",
    "hurdle_poisson",
    "zero_inflated",
    "zero_inflated_binom",
    "zero_inflated_nbinom",
    "zero_inflated_poisson",
]

Ends = tuple[TensorLike, TensorLike]


class _Base:
    """The formulas of a family, also where it has no values and the one with zeros has some."""

    def __init__(self, family: Discrete) -> None:
        self.family = family
        self.rows: Any = family.formulas
        ends = family.fixed_ends
        self._is_whole = ends == (0.0, inf)
        self.has_negative = ends is None or ends[0] < 0

    def ends(self, psi: TensorVariable, *p: TensorVariable) -> Ends:
        """Those of the family, and 0 between them."""
        low, high = self.family.ends(*p)
        return (
            min(low, 0.0) if isinstance(low, float) else minimum(low, 0.0),
            max(high, 0.0) if isinstance(high, float) else maximum(high, 0.0),
        )

    def logpmf(self, k: TensorVariable, *p: TensorVariable) -> TensorVariable:
        """The logarithm of the probability of k; -inf for what can't occur."""
        return self._at("logpdf", k, p, -inf, -inf)

    def cdf(self, k: TensorVariable, *p: TensorVariable) -> TensorVariable:
        """The probability of at most k."""
        return self._at("cdf", k, p, 0.0, 1.0)

    def sf(self, k: TensorVariable, *p: TensorVariable) -> TensorVariable:
        """The probability of more than k."""
        return self._at("sf", k, p, 1.0, 0.0)

    def from_zero(self, k: TensorVariable) -> TensorVariable | float:
        """1 where k is not negative, else 0."""
        return where(k >= 0, 1.0, 0.0) if self.has_negative else 1.0

    def _at(
        self,
        name: str,
        k: TensorVariable,
        p: tuple[TensorVariable, ...],
        below: float,
        above: float,
    ) -> TensorVariable:
        value: TensorVariable
        if self._is_whole:
            value = self.rows[name](k, *p)
            return value
        low, high = self.family.ends(*p)
        place = 0.0 if isinstance(low, float) and low == -inf else low
        value = self.rows[name](where((k < low) | (k > high), place, k), *p)
        return where(k < low, below, where(k > high, above, value))


def zero_inflated(base: Discrete) -> Discrete:
    """With probability `psi` what `base` gives, else 0: a distribution with one more parameter.

    >>> zero_inflated(poisson).logpmf(0, 0.5, 1.0).eval().round(4).item()
    -0.3799
    """
    of = _Base(base)
    rows = of.rows

    def logpmf(k: TensorVariable, psi: TensorVariable, *p: TensorVariable) -> TensorVariable:
        inner = log_of(psi) + of.logpmf(k, *p)
        return where(eq(k, 0), logaddexp(log_of(1 - psi), inner), inner)

    family = Discrete(
        f"zero_inflated_{base.name}", f"psi times that of {base.name}, and 1 - psi for 0",
        {"psi": PROBABILITY, **base.parameters}, of.ends, scipy=None,
        relations=base.relations, logpmf=logpmf,
        cdf=lambda k, psi, *p: (1 - psi) * of.from_zero(k) + psi * of.cdf(k, *p),
        sf=lambda k, psi, *p: psi * of.sf(k, *p) + (1 - psi) * (1.0 - of.from_zero(k)),
        mean=lambda psi, *p: psi * rows["mean"](*p),
        var=lambda psi, *p: psi * (rows["var"](*p) + (1 - psi) * rows["mean"](*p) ** 2),
    )  # fmt: skip
    family.recipe = zero_inflated, (base,)
    return family


def hurdle(base: Discrete) -> Discrete:
    """0 with probability 1 - `psi`, else what `base` gives if that is not 0.

    So parameters with which `base` gives nothing but 0 are not valid.

    >>> hurdle(poisson).pmf(0, 0.25, 1.0).eval().round(4).item()
    0.75
    """
    of = _Base(base)
    rows = of.rows

    def some(k: TensorVariable, *p: TensorVariable) -> TensorVariable:
        """log(1 - P(0))."""
        return log1mexp(of.logpmf(0 * k, *p))

    some_can_occur = Relation(
        tuple(base.parameters), "such that more than 0 can occur",
        lambda *p: of.logpmf(0 * p[0], *p) < 0,
    )  # fmt: skip

    def logpmf(k: TensorVariable, psi: TensorVariable, *p: TensorVariable) -> TensorVariable:
        return where(eq(k, 0), log_of(1 - psi), log_of(psi) + of.logpmf(k, *p) - some(k, *p))

    def sf(k: TensorVariable, psi: TensorVariable, *p: TensorVariable) -> TensorVariable:
        if not of.has_negative:
            return psi * of.sf(k, *p) * exp(-some(k, *p))
        zero, before = exp(of.logpmf(0 * k, *p)), 1.0 - of.from_zero(k)
        return psi * (of.sf(k, *p) - zero * before) * exp(-some(k, *p)) + (1 - psi) * before

    def mean(psi: TensorVariable, *p: TensorVariable) -> TensorVariable:
        return psi * rows["mean"](*p) * exp(-some(psi, *p))

    def var(psi: TensorVariable, *p: TensorVariable) -> TensorVariable:
        square = rows["var"](*p) + rows["mean"](*p) ** 2
        return psi * square * exp(-some(psi, *p)) - mean(psi, *p) ** 2

    family = Discrete(
        f"hurdle_{base.name}", f"psi times that of {base.name} over 1 - P(0), and 1 - psi for 0",
        {"psi": PROBABILITY, **base.parameters}, of.ends, scipy=None,
        relations=[*base.relations, some_can_occur],
        logpmf=logpmf, cdf=lambda k, psi, *p: 1 - sf(k, psi, *p), sf=sf, mean=mean, var=var,
    )  # fmt: skip
    family.recipe = hurdle, (base,)
    return family


zero_inflated_binom: Final = zero_inflated(binom)
zero_inflated_nbinom: Final = zero_inflated(nbinom)
zero_inflated_poisson: Final = zero_inflated(poisson)
hurdle_nbinom: Final = hurdle(nbinom)
hurdle_poisson: Final = hurdle(poisson)
