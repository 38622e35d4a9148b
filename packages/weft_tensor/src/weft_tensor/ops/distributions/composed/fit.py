"""Parameters of a continuous distribution with which observations are likeliest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from weft_graph import stop_gradient
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.distributions.constraints import by_names
from weft_tensor.ops.distributions.continuous import Continuous
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, expm1, log, log1p, sigmoid
from weft_tensor.ops.elementwise.trigonometric import arctanh, tanh
from weft_tensor.ops.indexing.argmax import argmax
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.sort import sort
from weft_tensor.ops.optimize.downhill.minimum import minimize
from weft_tensor.ops.optimize.problem import resolution, size_of
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.reduction.standard import max as largest
from weft_tensor.ops.reduction.standard import mean
from weft_tensor.ops.reduction.standard import min as smallest
from weft_tensor.ops.shape.concatenate import stack
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import reshape
from weft_tensor.ops.special.entropies import logit
from weft_tensor.ops.statistics.quantiles import quantile

__all__ = ["fit"]

Tensors = dict[str, TensorVariable]
Change = Callable[[Any], Any]
Bound = TensorVariable | None


def _same(v: Any) -> Any:
    return v


_CHANGES: Final[Mapping[str, tuple[Change, Change]]] = {
    "a number": (_same, _same),
    "a number other than 0": (_same, _same),
    "positive": (log, exp),
    "0 or positive": (log, exp),
    "above 1": (lambda v: log(v - 1), lambda u: 1 + exp(u)),
    "above -1": (log1p, expm1),
    "above -1 and below 1": (arctanh, tanh),
    "above 0 and below 1": (logit, sigmoid),
    "from 0 to 1": (logit, sigmoid),
}
"""From what a parameter must be to numbers without bounds, and back."""
_SHARES: Final = (0.25, 0.5, 0.75)
_MARGIN: Final = 0.02
"""How far observations are from the ends of the support at first, as a part of their spread."""


def _deviation(x: TensorVariable) -> TensorVariable:
    return sqrt(mean(x * x))


def _lowest(x: TensorVariable, scale: TensorVariable | None) -> TensorVariable:
    return smallest(x)


def _lowest_of_level(x: TensorVariable, scale: TensorVariable | None) -> TensorVariable:
    return smallest(x) if scale is None else 0.5 * (smallest(x) + largest(x) - scale)


_FORMULAS: Final[Mapping[str, tuple[Callable[..., TensorVariable], Change]]] = {
    "expon": (_lowest, mean),
    "halfnorm": (_lowest, _deviation),
    "laplace": (lambda x, _: quantile(x, 0.5), lambda x: mean(absolute(x))),
    "norm": (lambda x, _: mean(x), _deviation),
    "uniform": (_lowest_of_level, largest),
}
"""The place, of observations and of the scale if that is fixed; the scale, of distances to it."""


def _top(z: TensorVariable) -> TensorVariable:
    """The peak of a triangle over (0, 1) in which these are likeliest, which is one of them.

    E. Oliver, A maximum likelihood oddity, 1972. From one to the next the peak only gets likelier,
    then less so, and less: all of them are looked at.
    """
    z = sort(z)
    n = lengths_of(z)[0]
    below = arange(1, n + 1)
    costs = below * log(z) + (n - below) * log1p(-z)
    rising, falling = cumsum(log(z)), cumsum(log1p(-z))
    return index(z, argmax(stop_gradient(rising - falling - costs)))


def _bottom(z: TensorVariable) -> TensorVariable:
    return smallest(z) - _rounding(z)


def _end(z: TensorVariable) -> TensorVariable:
    return largest(z) + _rounding(z)


def _rounding(z: TensorVariable) -> TensorVariable:
    """By how much observations may be others where they are computed once more."""
    return 4 * resolution(z) * largest(absolute(z))


_BY_OTHERS: Final[Mapping[str, Mapping[str, Change]]] = {
    "loguniform": {"a": _bottom, "b": _end},
    "triang": {"c": _top},
    "truncnorm": {"a": _bottom, "b": _end},
}
"""Shape parameters that are likeliest, of observations in units of the scale: at a kink, or where
the support ends as the observations do."""
_FIXED: Final = {"loguniform": {"scale": 1.0}, "vonmises": {"scale": 1.0}}
"""What is fixed unless it is given, as other parameters do the same."""
_FIRST: Final[Mapping[str, Mapping[str, TensorLike]]] = {"truncnorm": {"a": -2.0, "b": 2.0}}
"""Shape parameters to begin with, if not the same as for all."""


def fit(
    family: Continuous,
    data: TensorLike,
    shapes: Sequence[TensorLike],
    named: Mapping[str, TensorLike],
) -> tuple[TensorVariable, ...]:
    """The shape parameters, the place and the scale: see `Continuous.fit`."""
    x = reshape(as_tensor(data), (-1,))
    x = x if x.dtype in ("float32", "float64") else x.astype("float64")
    starts, fixed = _assigned(family, shapes, named, x.dtype)
    for name, value in _FIXED.get(family.name, {}).items():
        if name not in {**starts, **fixed}:
            fixed[name] = as_tensor(value).astype(x.dtype)
    if family.name not in _FORMULAS:
        return _Search(family, x, fixed).likeliest(starts)
    place, size = _FORMULAS[family.name]
    loc, scale = fixed.get("loc"), fixed.get("scale")
    loc = place(x, scale) if loc is None else loc
    likeliest = loc, size(x - loc) if scale is None else scale
    can_be = (family.logpdf(x, *likeliest, check=False) > -np.inf).all()
    names = ("loc", "scale")
    pairs = zip(names, likeliest, strict=True)
    return tuple([v if name in fixed else where(can_be, v, np.nan) for name, v in pairs])


def _assigned(
    family: Continuous, shapes: Sequence[TensorLike], named: Mapping[str, TensorLike], dtype: str
) -> tuple[Tensors, Tensors]:
    """Where to begin, and what is fixed, by the names of the parameters."""
    names = (*family.parameters, "loc", "scale")
    words = {f"f{name}": name for name in names} | {f"fix_{name}": name for name in names}
    words |= {f"f{k}": name for k, name in enumerate(family.parameters)}
    bound = by_names(f"{family.name}.fit", (*names, *words), (), shapes, named)
    values = {word: as_tensor(v).astype(dtype) for word, v in bound.items()}
    fixed: Tensors = {}
    for word in filter(words.get, values):
        if words[word] in fixed:
            raise TypeError(f"{family.name}.fit: {words[word]} is fixed twice{called()}")
        fixed[words[word]] = values[word]
    if len(fixed) == len(names):
        raise TypeError(f"{family.name}.fit: all parameters are fixed{called()}")
    for name, constraint in family.parameters.items():
        if name not in fixed and constraint.says not in _CHANGES:
            raise TypeError(
                f"{family.name}.fit: {name} must be fixed, as f{name}=..., for it is "
                f"{constraint.says}{called()}"
            )
    return {name: v for name, v in values.items() if name in names}, fixed


class _Search:
    """The likelihood as a function of numbers without bounds, in units of the data's spread."""

    def __init__(self, family: Continuous, x: TensorVariable, fixed: Tensors) -> None:
        self.family, self.x, self.fixed = family, x, fixed
        self.first, self.last = smallest(x), largest(x)
        self.quartiles = quantile(x, np.array(_SHARES))
        spread = self.quartiles[2] - self.quartiles[0]
        self.spread = where(spread > 0, spread, sqrt(mean((x - mean(x)) ** 2)))

    def likeliest(self, starts: Tensors) -> tuple[TensorVariable, ...]:
        """All parameters; NaN where the search does not end at a maximum."""
        names = (*self.family.parameters, "loc", "scale")
        begin = self._begin(starts)
        formulas = {
            name: formula
            for name, formula in _BY_OTHERS.get(self.family.name, {}).items()
            if name not in self.fixed
        }
        free = [name for name in names if name not in self.fixed and name not in formulas]

        def values(v: TensorVariable) -> Tensors:
            of = self._restored({**begin, **{name: v[k] for k, name in enumerate(free)}})
            z = (self.x - of["loc"]) / of["scale"]
            return of | {name: formula(z) for name, formula in formulas.items()}

        def cost(of: Tensors) -> TensorVariable:
            return -mean(self.family.logpdf(self.x, *[of[n] for n in names], check=False))

        if free:
            end = minimize(lambda v: cost(values(v)), stack([begin[name] for name in free]))
            best = values(end.x)
            is_best = size_of(end.jac) <= resolution(self.x) ** 0.25
        else:
            best, is_best = values(self.x), True
        is_best = is_best & (cost(best) < np.inf)
        return tuple(
            [
                best[name] if name in self.fixed else where(is_best, best[name], np.nan)
                for name in names
            ]
        )

    def _begin(self, starts: Tensors) -> Tensors:
        """Shape parameters that rise, as some must; quartiles at their places; all data inside."""
        chosen, changed = {**starts, **self.fixed}, {}
        for k, (name, constraint) in enumerate(self.family.parameters.items()):
            if name not in self.fixed:
                change, restore = _CHANGES[constraint.says]
                usual = restore(as_tensor(0.25 * (k + 1)).astype(self.x.dtype))
                own = _FIRST.get(self.family.name, {}).get(name, usual)
                begin = as_tensor(own).astype(self.x.dtype)
                changed[name] = change(chosen.setdefault(name, begin))
        shapes = [chosen[name] for name in self.family.parameters]
        places = self.family.ppf(np.array(_SHARES).astype(self.x.dtype), *shapes, check=False)
        ends = self.family.ends(*shapes)
        chosen.setdefault("scale", self.spread / (places[2] - places[0]))
        if "scale" not in self.fixed:
            chosen["scale"] = self._inside(chosen["scale"], *self._range("scale", ends, chosen))
        chosen.setdefault("loc", self.quartiles[1] - places[1] * chosen["scale"])
        if "loc" not in self.fixed:
            chosen["loc"] = self._inside(chosen["loc"], *self._range("loc", ends, chosen))
        for name in ("loc", "scale"):
            low, high = self._range(name, self._constant(ends), chosen)
            changed[name] = self._unbounded(chosen[name], low, high)
        return changed

    def _restored(self, changed: Tensors) -> Tensors:
        """The parameters, from numbers without bounds."""
        values = dict(self.fixed)
        for name, constraint in self.family.parameters.items():
            if name not in self.fixed:
                values[name] = _CHANGES[constraint.says][1](changed[name])
        ends = self.family.ends(*[values[name] for name in self.family.parameters])
        for name in ("scale", "loc"):
            if name not in self.fixed:
                low, high = self._range(name, self._constant(ends), values)
                values[name] = self._bounded(changed[name], low, high)
        return values

    def _constant(self, ends: Sequence[Any]) -> list[float | None]:
        """Those ends of the support that do not depend on parameters: others hinder no step."""
        return [end if isinstance(end, float) else None for end in ends]

    def _range(self, name: str, ends: Sequence[Any], values: Tensors) -> tuple[Bound, Bound]:
        """Between which places, or scales, all data are inside the support."""
        low, high = [None if isinstance(v, float) and abs(v) == np.inf else v for v in ends]
        if name == "loc":
            scale = values["scale"]
            return (
                None if high is None else self.last - high * scale,
                None if low is None else self.first - low * scale,
            )
        least, most = 0 * self.spread, None
        if "loc" not in self.fixed:
            if low is None or high is None:
                return least, most
            return (self.last - self.first) / (high - low), most
        for end, edge, widens in ((low, self.first, -1), (high, self.last, 1)):
            if isinstance(end, float) and end:
                bound = (edge - self.fixed["loc"]) / end
                least, most = (maximum(least, bound), most) if end * widens > 0 else (least, bound)
        return least, most

    def _inside(self, v: TensorVariable, low: Bound, high: Bound) -> TensorVariable:
        """v, or what is nearer to it than to the bounds."""
        room = self.spread if low is None or high is None else minimum(self.spread, high - low)
        v = v if low is None else maximum(v, low + _MARGIN * room)
        return v if high is None else minimum(v, high - _MARGIN * room)

    def _unbounded(self, v: TensorVariable, low: Bound, high: Bound) -> TensorVariable:
        if high is None:
            if low is None:
                return (v - self.quartiles[1]) / self.spread
            return log((v - low) / self.spread)
        if low is None:
            return log((high - v) / self.spread)
        return logit((v - low) / (high - low))

    def _bounded(self, u: TensorVariable, low: Bound, high: Bound) -> TensorVariable:
        if high is None:
            if low is None:
                return self.quartiles[1] + self.spread * u
            return low + self.spread * exp(u)
        if low is None:
            return high - self.spread * exp(u)
        return low + (high - low) * sigmoid(u)
