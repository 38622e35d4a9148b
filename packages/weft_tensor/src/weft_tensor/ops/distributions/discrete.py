"""Distributions of integers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf, nan
from typing import Any, ClassVar, Final, Unpack

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.creation.creation import full_like
from weft_tensor.ops.distributions.constraints import Constraint, Relation
from weft_tensor.ops.distributions.distribution import (
    Arguments,
    Distribution,
    Rows,
    Support,
    valid_only,
)
from weft_tensor.ops.distributions.integrals import mean_over_integers
from weft_tensor.ops.distributions.samplers.tables import by_table, is_worth_a_table
from weft_tensor.ops.distributions.tails import completed
from weft_tensor.ops.elementwise.arithmetic import ceil, floor, maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import eq, isnan, neq, where
from weft_tensor.ops.random.draws import Draws
from weft_tensor.ops.shape.broadcast_to import broadcast_arrays

__all__ = ["Discrete"]

_RARE: Final = 1e-17
"""Sums of integers begin where so little is below."""
_MOST: Final = 9e18
"""About the largest int64: quantiles end there, and are its neighbours of their dtype before."""
_HALVINGS: Final = 66


class Discrete(Distribution):
    """A family of distributions of integers, as a row of formulas of its standard form.

    The formulas take integers inside the support, as floating-point numbers, and the shape
    parameters; `loc`, and what lies outside, are added here. A row has `logpmf`; `cdf` and `sf`,
    or their logarithms, each right in its own tail; `mean`, `var`, `entropy` and `sample` as
    `Continuous` has them. `ppf` and `isf` halve the support, in 55 steps.
    """

    is_discrete = True
    values: ClassVar[tuple[str, ...]] = (
        "logpmf", "pmf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        density: str,
        parameters: Mapping[str, Constraint],
        support: Support,
        *,
        relations: Sequence[Relation] = (),
        scipy: str | None = "",
        **rows: Unpack[Rows],
    ) -> None:
        super().__init__(
            name, density, parameters, support, relations=relations, scipy=scipy, **rows
        )
        formulas = {n: v for n, v in self.rows.items() if n != "logpmf"}
        self.formulas = completed({**formulas, "logpdf": self.rows["logpmf"]}, (0, 1), False)

    def logpmf(
        self, k: TensorLike, *args: TensorLike, check: bool = True, **kwargs: TensorLike
    ) -> TensorVariable:
        """The logarithm of the probability of k; -inf for what can't occur."""
        return self._at("logpdf", -inf, k, args, kwargs, check)

    def pmf(
        self, k: TensorLike, *args: TensorLike, check: bool = True, **kwargs: TensorLike
    ) -> TensorVariable:
        """The probability of k; 0 for what can't occur."""
        return self._at("pdf", 0, k, args, kwargs, check)

    def ppf(
        self, q: TensorLike, *args: TensorLike, check: bool = True, **kwargs: TensorLike
    ) -> TensorVariable:
        """The least k whose `cdf` is at least q, as a float; NaN unless q is from 0 to 1."""
        return self._point("cdf", q, args, kwargs, check)

    def isf(
        self, q: TensorLike, *args: TensorLike, check: bool = True, **kwargs: TensorLike
    ) -> TensorVariable:
        """The least k whose `sf` is at most q, as a float; NaN unless q is from 0 to 1."""
        return self._point("sf", q, args, kwargs, check)

    def _at(
        self,
        name: str,
        beyond: float,
        k: TensorLike,
        args: Sequence[TensorLike],
        kwargs: Mapping[str, TensorLike],
        check: bool,
    ) -> TensorVariable:
        arguments = self._arguments(k, args, kwargs, check)
        z = self._shifted(arguments)
        low, high = self._ends(arguments)
        outside = (z < low) | (z > high) | eq(abs(z), inf) | (neq(floor(z), z) & ~isnan(z))
        value = self.formulas[name](where(outside, _finite(low), z), *arguments.shapes)
        return valid_only(where(outside, beyond, where(isnan(z), nan, value)), arguments)

    def _tail(
        self,
        name: str,
        beyond: tuple[float, float],
        k: TensorLike,
        args: Sequence[TensorLike],
        kwargs: Mapping[str, TensorLike],
        check: bool,
    ) -> TensorVariable:
        arguments = self._arguments(k, args, kwargs, check)
        z = self._shifted(arguments)
        low, high = self._ends(arguments)
        below, above, none = z < low, z >= high, isnan(z)
        inner = where(below | above | none, _finite(low), floor(z))
        value = self.formulas[name](inner, *arguments.shapes)
        value = where(none, nan, where(above, beyond[1], value))
        return valid_only(where(below, beyond[0], value), arguments)

    def _point(
        self,
        name: str,
        q: TensorLike,
        args: Sequence[TensorLike],
        kwargs: Mapping[str, TensorLike],
        check: bool,
    ) -> TensorVariable:
        arguments = self._arguments(q, args, kwargs, check)
        share = arguments.value
        inside = (share > 0) & (share < 1)
        low, high = self._ends(arguments)
        quantile = self._least(name, where(inside, share, 0.5), arguments.shapes)
        first, last = (as_tensor(low) - 1, high) if name == "cdf" else (high, as_tensor(low) - 1)
        end = where(eq(share, 0), first, where(eq(share, 1), last, nan))
        place = where(inside, quantile, end)
        return valid_only(place if arguments.loc is None else place + arguments.loc, arguments)

    def _mean_of(
        self, of: Callable[..., TensorLike], shapes: Sequence[TensorVariable]
    ) -> TensorVariable:
        wide = [v.astype("float64") for v in shapes]
        low, high = self.ends(*wide)
        first = maximum(self._least("cdf", as_tensor(_RARE), wide), low)
        return mean_over_integers(of, self.formulas["logpdf"], first, high, *wide)

    def sampled(self, draws: Draws, *shapes: TensorVariable) -> TensorVariable:
        """Draws of the standard form, as floating-point numbers."""
        if "sample" in self.rows:
            return as_tensor(self.rows["sample"](draws, *shapes))
        share = draws.uniform()

        def by_halves() -> TensorVariable:
            return self._least("cdf", share, shapes)

        if "mean" not in self.rows or not is_worth_a_table(draws.sizes, shapes):
            return by_halves()
        mean, ends = self.rows["mean"](*shapes), self.ends(*shapes)
        return by_table(share, self.formulas["cdf"], mean, ends, shapes, by_halves)

    def _least(
        self, name: str, q: TensorVariable, shapes: Sequence[TensorVariable]
    ) -> TensorVariable:
        """By halving: the least k for which the tail is as far as q.

        That is not farther from the mean than Cantelli's inequality lets it be.
        """
        formula: Callable[..., Any] = self.formulas[name]
        low, high = self.ends(*shapes)
        start, stop, *_ = broadcast_arrays(
            maximum(full_like(q, -_MOST), low), minimum(high, _MOST), q, *shapes
        )
        odds = q / (1 - q) if name == "cdf" else (1 - q) / q
        start, stop = self._narrowed(start.astype(q.dtype), stop.astype(q.dtype), odds, shapes)

        def is_open(state: tuple[TensorVariable, TensorVariable]) -> TensorVariable:
            return (state[0] < state[1]).any()

        def halve(
            state: tuple[TensorVariable, TensorVariable],
        ) -> tuple[TensorVariable, TensorVariable]:
            first, last = state
            middle = floor(0.5 * (first + last))
            value = formula(middle, *shapes)
            enough = value >= q if name == "cdf" else value <= q
            enough = enough | (middle >= high)
            return where(enough, first, minimum(middle + 1, last)), where(enough, middle, last)

        quantile: TensorVariable
        _, quantile = while_loop(is_open, halve, (start, stop), _HALVINGS)
        return quantile

    def _narrowed(
        self,
        start: TensorVariable,
        stop: TensorVariable,
        odds: TensorVariable,
        shapes: Sequence[TensorVariable],
    ) -> tuple[TensorVariable, TensorVariable]:
        """The part of an interval where the quantile is below which numbers are with these odds."""
        if "mean" not in self.rows or "var" not in self.rows:
            return start, stop
        mean, spread = self.rows["mean"](*shapes), 1.01 * sqrt(self.rows["var"](*shapes))
        deviations, slack = sqrt(odds), 1 + 1e-6 * abs(mean)
        low = floor(mean - spread / deviations - slack)
        high = ceil(mean + spread * deviations + slack)
        is_known = (low > start) & (low < stop)
        first = where(is_known, low, start)
        is_known = (high < stop) & (high > first)
        return first, where(is_known, high, stop)

    def _shifted(self, arguments: Arguments) -> TensorVariable:
        return arguments.value if arguments.loc is None else arguments.value - arguments.loc

    def _drawn(self, draws: Draws, arguments: Arguments) -> TensorVariable:
        """Integers; where parameters are not valid, the least of int64."""
        sample = self.sampled(draws, *arguments.shapes)
        whole = sample.astype("int64")
        if arguments.loc is not None:
            whole = whole + arguments.loc.astype("int64")
        return whole if arguments.valid is None else where(arguments.valid, whole, -(2**63))


def _finite(low: TensorLike) -> TensorLike:
    """The least integer that can occur, or one of those."""
    return 0.0 if isinstance(low, float) and low == -inf else low
