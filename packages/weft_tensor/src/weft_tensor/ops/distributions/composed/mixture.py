"""Mixtures of distributions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from math import inf
from typing import Any

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.distributions.constraints import checked
from weft_tensor.ops.distributions.laws import Law, as_law
from weft_tensor.ops.distributions.multivariate.chosen import SHARES, chosen, sums_to_one
from weft_tensor.ops.distributions.ratios import log_of
from weft_tensor.ops.distributions.tails import completed
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.indexing.take import take_along_axis
from weft_tensor.ops.random.distributions import fold_in
from weft_tensor.ops.random.draws import Draws
from weft_tensor.ops.random.uses import uses_key
from weft_tensor.ops.random.words import Size, given_or_common
from weft_tensor.ops.reduction.logsumexp_softmax import logsumexp
from weft_tensor.ops.shape.broadcast_to import broadcast_arrays
from weft_tensor.ops.shape.concatenate import stack
from weft_tensor.ops.shape.reshape import expand_dims

__all__ = ["mixture"]


def mixture(weights: TensorLike, components: object) -> Law:
    """A draw of one of the components, which are chosen with the probabilities `weights`.

    Parameters
    ----------
    weights
        Probabilities along the last axis, which sum to one: ValueError if not.
    components
        A sequence of distributions, or one whose parameters have the components along their last
        axis. TypeError for what is none.

    Examples
    --------
    >>> from weft_tensor.stats import norm
    >>> both = mixture([0.25, 0.75], [norm(-1.0, 0.5), norm(2.0, 1.0)])
    >>> both.mean().eval().item()
    1.25
    >>> mixture([0.25, 0.75], norm([-1.0, 2.0], [0.5, 1.0])).logpdf(0.0).eval().round(4).item()
    -2.6958
    """
    return _Mixture(weights, components)


class _Mixture(Law):
    def __init__(self, weights: TensorLike, components: object) -> None:
        shares = as_tensor(weights)
        self.weights = checked([shares], sums_to_one(shares), "mixture", "weights", SHARES)
        self._is_batch = not isinstance(components, Sequence)
        self.components = [
            as_law(c) for c in (components if isinstance(components, Sequence) else [components])
        ]
        first = self.components[0]
        for other in self.components:
            if (other.event_rank, other.is_discrete) != (first.event_rank, first.is_discrete):
                raise TypeError(
                    f"mixture: {first.name} and {other.name} have other kinds of values"
                )
        count = self.weights.type.shape[-1]
        if not self._is_batch and isinstance(count, int) and count != len(self.components):
            raise ValueError(f"mixture: {count} weights for {len(self.components)} components")
        self.name = f"mixture of {', '.join(dict.fromkeys(c.name for c in self.components))}"
        self.event_rank, self.is_discrete = first.event_rank, first.is_discrete
        tensors = [v for c in self.components for v in c.parts]
        if self._is_batch:
            tensors = [v[..., 0] for v in tensors if v.ndim]
        self.parts = (self.weights[..., 0], *tensors)

    @uses_key
    def rvs(self, key: TensorLike, size: Size = None) -> TensorVariable:
        sizes = given_or_common(size, self.parts)
        place = chosen(Draws(fold_in(key, 0), sizes, self.kind).uniform(), self.weights)
        axes = tuple(range(-self.event_rank, 0))
        if not self._is_batch:
            drawn = [c.rvs(fold_in(key, 1 + n), size=sizes) for n, c in enumerate(self.components)]
            place = expand_dims(place, axes) if axes else place
            draws = drawn[0]
            for n, other in enumerate(drawn[1:], 1):
                draws = where(eq(place, n), other, draws)
            return draws
        count = self.weights.shape[-1]
        every = self.components[0].rvs(fold_in(key, 1), size=(*sizes, count))
        at = expand_dims(place, tuple(range(-1 - self.event_rank, 0)))
        axis = -1 - self.event_rank
        return take_along_axis(every, at, axis).squeeze(axis)

    def _each(
        self, method: Callable[[Law, TensorVariable], TensorVariable], x: TensorVariable
    ) -> TensorVariable:
        """Of all components, along the last axis."""
        if self._is_batch:
            return method(self.components[0], expand_dims(x, -1 - self.event_rank))
        values = [method(c, x) for c in self.components]
        return stack(broadcast_arrays(*values), axis=-1)

    def _value(self, name: str, x: TensorVariable) -> TensorVariable:
        if name in ("logpdf", "logcdf", "logsf"):
            parts = self._each(lambda c, v: getattr(c, name)(v), x)
            return logsumexp(log_of(self.weights) + parts, axis=-1)
        if name in ("ppf", "isf") and not self.is_discrete and not self.event_rank:
            rows = {n: getattr(self, n) for n in ("logpdf", "logcdf", "logsf")}
            q, *_ = broadcast_arrays(x, *self.parts)
            return as_tensor(completed(rows, (-inf, inf), False)[name](q))
        return super()._value(name, x)

    def _ends(self) -> tuple[TensorLike, TensorLike]:
        """The least and the greatest of those of all components."""
        lows, highs = zip(*[c.ends() for c in self.components], strict=True)
        return self._extreme(minimum, lows, -inf), self._extreme(maximum, highs, inf)

    def _extreme(self, of: Any, ends: Sequence[TensorLike], beyond: float) -> TensorLike:
        if any(isinstance(end, float) and end == beyond for end in ends):
            return beyond
        extreme: TensorVariable = (
            of.reduce(as_tensor(ends[0]), axis=-1)
            if self._is_batch
            else reduce(of, [as_tensor(end) for end in ends])
        )
        return extreme

    def _moment(self, name: str) -> Any:
        if name not in ("mean", "var"):
            raise self.missing(name)
        means = self._moments("mean")
        mean = (self._weights_of(means) * means).sum(axis=self._axis)
        if name == "mean":
            return mean
        if self.event_rank:
            raise self.missing(name)
        squares = self._moments("var") + (means - mean[..., None]) ** 2
        return (self.weights * squares).sum(axis=-1)

    @property
    def _axis(self) -> int:
        return -1 - self.event_rank

    def _weights_of(self, values: TensorVariable) -> TensorVariable:
        axes = tuple(range(-self.event_rank, 0))
        return expand_dims(self.weights, axes) if axes else self.weights

    def _moments(self, name: str) -> TensorVariable:
        moments = [getattr(c, name)() for c in self.components]
        return moments[0] if self._is_batch else stack(broadcast_arrays(*moments), axis=self._axis)
