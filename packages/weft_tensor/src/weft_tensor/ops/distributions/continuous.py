"""Continuous distributions of numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf, nan
from typing import Any, ClassVar, Unpack

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.distributions.constraints import Constraint, Relation
from weft_tensor.ops.distributions.distribution import (
    Arguments,
    Distribution,
    Formula,
    Rows,
    Support,
    valid_only,
)
from weft_tensor.ops.distributions.integrals import mean_by_quantiles
from weft_tensor.ops.distributions.tails import completed
from weft_tensor.ops.elementwise.arithmetic import reciprocal
from weft_tensor.ops.elementwise.comparison import eq, isnan, where
from weft_tensor.ops.elementwise.exponential import log
from weft_tensor.ops.random.draws import Draws

__all__ = ["Continuous"]

_VALUES = ("logpdf", "pdf", "cdf", "logcdf", "sf", "logsf")


class Continuous(Distribution):
    """A family of continuous distributions, as a row of formulas of its standard form.

    The formulas take what is inside the support, and the shape parameters; `loc` and `scale`,
    what lies outside, and the formulas that follow from others are added here. A row has

    * `logpdf`, or that without the terms of the shape parameters alone, and `norming`, which is
      taken from it: together with the logarithm of the scale, one number for many values;
    * `cdf` and `sf`, or their logarithms, each right in its own tail, or all four;
    * `ppf` and `isf`, or `quantile`, of log(q) and log(1 - q), or neither, which halves;
    * `mean`, `var` and `entropy`, as far as there are formulas, and `sample`, of `Draws` and the
      parameters; without it, draws are made by the inverse of the distribution function.
    """

    places: ClassVar[tuple[str, ...]] = ("loc", "scale")
    values: ClassVar[tuple[str, ...]] = (*_VALUES, "ppf", "isf")

    def __init__(
        self,
        name: str,
        density: str,
        parameters: Mapping[str, Constraint],
        support: Support = (-inf, inf),
        *,
        middle: Formula | None = None,
        open_ends: bool = False,
        holds_at_infinity: bool = False,
        symmetric: bool = False,
        relations: Sequence[Relation] = (),
        scipy: str | None = "",
        **rows: Unpack[Rows],
    ) -> None:
        super().__init__(
            name, density, parameters, support, relations=relations, scipy=scipy, **rows
        )
        ends = support if isinstance(support, tuple) else None
        whole = {**self.rows, "logpdf": self._logpdf}
        whole.pop("norming", None)
        self.formulas = completed(whole, ends, symmetric)
        self._is_open = open_ends
        self.holds_at_infinity = holds_at_infinity
        """Whether the formula of the log-density does, and its slopes are no NaN there."""
        self._middle = middle or (lambda *p: _between(ends or (-inf, inf)))

    def logpdf(
        self, x: TensorLike, *args: TensorLike, check: bool = True, **kwargs: TensorLike
    ) -> TensorVariable:
        """The logarithm of the density at x; -inf outside the support."""
        arguments, z, outside, _ = self._standard(x, args, kwargs, check)
        if self.holds_at_infinity:
            z = _standardised(arguments.value, arguments)
        density = self._logpdf(z, *arguments.shapes, scale=arguments.scale)
        if not self.holds_at_infinity:
            density = where(outside, -inf, density)
        return valid_only(density, arguments)

    def _logpdf(
        self, z: TensorVariable, *shapes: TensorVariable, scale: TensorVariable | None = None
    ) -> TensorVariable:
        """The formula, and what belongs to all values taken from it at once."""
        taken = [self.rows["norming"](*shapes)] if "norming" in self.rows else []
        taken += [] if scale is None else [log(scale)]
        density = as_tensor(self.rows["logpdf"](z, *shapes))
        return density - sum(taken[1:], taken[0]) if taken else density

    def pdf(
        self, x: TensorLike, *args: TensorLike, check: bool = True, **kwargs: TensorLike
    ) -> TensorVariable:
        """The density at x; 0 outside the support."""
        arguments, z, outside, _ = self._standard(x, args, kwargs, check)
        density = as_tensor(self.formulas["pdf"](z, *arguments.shapes))
        if arguments.scale is not None:
            density = density / arguments.scale
        return valid_only(where(outside, 0, density), arguments)

    def ppf(
        self, q: TensorLike, *args: TensorLike, check: bool = True, **kwargs: TensorLike
    ) -> TensorVariable:
        """The x whose `cdf` is q; NaN unless q is from 0 to 1."""
        return self._point("ppf", q, args, kwargs, check)

    def isf(
        self, q: TensorLike, *args: TensorLike, check: bool = True, **kwargs: TensorLike
    ) -> TensorVariable:
        """The x whose `sf` is q; NaN unless q is from 0 to 1."""
        return self._point("isf", q, args, kwargs, check)

    def fit(
        self, data: TensorLike, *shapes: TensorLike, **named: TensorLike
    ) -> tuple[TensorVariable, ...]:
        """The shape parameters, `loc` and `scale` with which the data are likeliest, as scalars.

        See `scipy.stats.rv_continuous.fit`. Where there is no formula, `wt.optimize.minimize`
        descends from where quartiles agree, to a maximum near there; NaN if it ends at none: where
        data are outside the support, the likelihood has no bounds or is largest at a kink, but the
        peak of triang's, or at an end of the support that shape parameters move. Derivatives by the
        data, and by what is fixed, are those of the maximum. For many samples at once, see `vmap`.

        Parameters
        ----------
        data
            Observations, of any shape.
        *shapes
            Where to begin for the shape parameters; so may `loc` and `scale`, by name.
        **named
            What is fixed: `floc`, `fscale`, and `f0`, `f1`, ... or `f` and the name of a shape.

        Examples
        --------
        >>> from weft_tensor.stats import gamma
        >>> a, loc, scale = gamma.fit([1.0, 2.0, 2.5, 4.0, 7.0], floc=0.0)
        >>> a.eval().round(4).item(), scale.eval().round(4).item()
        (2.5865, 1.2759)
        """
        fit = lazy_import("weft_tensor.ops.distributions.composed.fit.fit")
        estimates: tuple[TensorVariable, ...] = fit(self, data, shapes, named)
        return estimates

    def _mean_of(
        self, of: Callable[..., TensorLike], shapes: Sequence[TensorVariable]
    ) -> TensorVariable:
        return mean_by_quantiles(of, self.formulas["ppf"], self.formulas["isf"], *shapes)

    def _tail(
        self,
        name: str,
        beyond: tuple[float, float],
        x: TensorLike,
        args: Sequence[TensorLike],
        kwargs: Mapping[str, TensorLike],
        check: bool,
    ) -> TensorVariable:
        """A formula inside; what it is below and above the support."""
        arguments, z, below, above = self._standard(x, args, kwargs, check, at_ends=True)
        value = where(isnan(z), nan, self.formulas[name](z, *arguments.shapes))
        return valid_only(where(below, beyond[0], where(above, beyond[1], value)), arguments)

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
        low, high = self._ends(arguments) if name == "ppf" else self._ends(arguments)[::-1]
        quantile = self.formulas[name](where(inside, share, 0.5), *arguments.shapes)
        end = where(eq(share, 0), low, where(eq(share, 1), high, nan))
        return valid_only(self._moved(where(inside, quantile, end), arguments), arguments)

    def _standard(
        self,
        x: TensorLike,
        args: Sequence[TensorLike],
        kwargs: Mapping[str, TensorLike],
        check: bool,
        at_ends: bool = False,
    ) -> tuple[Arguments, TensorVariable, TensorVariable, TensorVariable]:
        """The arguments, x in the standard form, and where it is outside: at all, or below, above.

        Outside, x is replaced by a point inside, so that no derivative there is NaN.
        """
        arguments = self._arguments(x, args, kwargs, check)
        low, high = self._ends(arguments)
        is_unscaled = _is(low, -inf, 0.0) and _is(high, inf)
        place = (_centered if is_unscaled else _standardised)(arguments.value, arguments)
        if at_ends or self._is_open:
            below, above = place <= low, place >= high
        elif _is(low, -inf) and _is(high, inf):
            below = above = eq(abs(place), inf)
        else:
            below = place <= -inf if _is(low, -inf) else place < low
            above = place >= inf if _is(high, inf) else place > high
            if not isinstance(high, float):
                above = above | (place >= inf)
            if not isinstance(low, float):
                below = below | (place <= -inf)
        outside = below if below is above else below | above
        finite = _standardised(where(outside, 0, arguments.value), arguments)
        z = where(outside, self._middle(*arguments.shapes), finite)
        return arguments, z, below if at_ends else outside, above

    def _drawn(self, draws: Draws, arguments: Arguments) -> TensorVariable:
        if "sample" in self.rows:
            sample = self.rows["sample"](draws, *arguments.shapes)
        else:
            sample = self.formulas["ppf"](draws.uniform(), *arguments.shapes)
        return valid_only(self._moved(sample, arguments), arguments)


def _centered(x: TensorVariable, arguments: Arguments) -> TensorVariable:
    return x if arguments.loc is None else x - arguments.loc


def _standardised(x: TensorVariable, arguments: Arguments) -> TensorVariable:
    place = _centered(x, arguments)
    return place if arguments.scale is None else place * reciprocal(arguments.scale)


def _is(end: Any, *values: float) -> bool:
    return isinstance(end, float) and end in values


def _between(ends: tuple[float, float]) -> float:
    low, high = ends
    if low == -inf:
        return 0.5 if high == inf else high - 1
    return low + 1 if high == inf else 0.5 * (low + high)
