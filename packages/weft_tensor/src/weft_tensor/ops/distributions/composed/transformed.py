"""The distribution of what a transform makes of draws."""

from __future__ import annotations

from math import inf
from typing import Any, Final

from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.distributions.composed.transforms import Transform
from weft_tensor.ops.distributions.laws import Law, as_law
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.random.uses import uses_key
from weft_tensor.ops.random.words import Size
from weft_tensor.ops.shape.reshape import expand_dims

__all__ = ["transformed"]


def transformed(distribution: object, transform: Transform) -> Law:
    """The distribution of `transform.forward(x)`, where x is drawn from `distribution`.

    Where `distribution` is of single numbers and the transform of vectors, the numbers of a vector
    are independent. Raises TypeError for what is no distribution or no transform.

    >>> from weft_tensor.stats import norm, transforms
    >>> transformed(norm(), transforms.log.inverse).pdf([-1.0, 1.0]).eval().round(4)
    array([0.    , 0.3989])
    """
    return _Transformed(distribution, transform)


class _Transformed(Law):
    def __init__(self, distribution: object, transform: Transform) -> None:
        self.base = as_law(distribution)
        if not isinstance(transform, Transform):
            raise TypeError(
                f"a transform is needed, such as wt.stats.transforms.log, not {transform!r}"
            )
        if self.base.is_discrete:
            raise TypeError(f"transformed: {self.base.name} is of integers, and has no density")
        self.transform = transform
        self.name = f"{transform.name} of {self.base.name}"
        before, after = transform.domain.rank, transform.codomain.rank
        self._extra = tuple(range(self.base.event_rank - before, 0))
        self._shared = tuple(range(before - self.base.event_rank, 0))
        self.event_rank = after + len(self._shared)
        self.parts = self.base.parts

    @uses_key
    def rvs(self, key: TensorLike, size: Size = None) -> TensorVariable:
        return self.transform.forward(self.base.rvs(key, size=size))

    def _value(self, name: str, x: TensorVariable) -> TensorVariable:
        if name == "logpdf":
            return self._logpdf(x)
        rises = self.transform.increases
        if rises is None or self.base.event_rank or name not in _OTHER:
            return super()._value(name, x)
        method = getattr(self.base, name if rises else _OTHER[name])
        if name in ("ppf", "isf"):
            return self.transform.forward(method(x))
        _, safe = self._inside(x)
        low, high = self.transform.codomain.ends
        beyond = (-inf, 0.0) if name == "logcdf" else (0.0, -inf)
        tail = method(self.transform.backward(safe))
        return where(x <= low, beyond[0], where(x >= high, beyond[1], tail))

    def _moment(self, name: str) -> Any:
        if name != "support" or self.transform.increases is None:
            raise self.missing(name)
        ends = [self.transform.forward(end) for end in self.base.ends()]
        return tuple(ends if self.transform.increases else ends[::-1])

    def _inside(self, y: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
        """Where there are values, and these, with a value in the place of others."""
        reached = self.transform.codomain
        inside = reached.holds(y)
        axes = tuple(range(-reached.rank, 0))
        return inside, where(expand_dims(inside, axes) if axes else inside, y, reached.point(y))

    def _logpdf(self, y: TensorVariable) -> TensorVariable:
        inside, safe = self._inside(y)
        x = self.transform.backward(safe)
        density, slope = self.base.logpdf(x), self.transform.slope(x, safe)
        if self._extra:
            density = density.sum(axis=self._extra)
        if self._shared:
            slope, inside = slope.sum(axis=self._shared), inside.all(axis=self._shared)
        return where(inside, density - slope, -inf)


_OTHER: Final = {"logcdf": "logsf", "logsf": "logcdf", "ppf": "isf", "isf": "ppf"}
"""The same of what falls."""
