"""Distributions whose parameters are given."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Final, Protocol

import numpy as np

from weft_graph import graph_inputs
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.random.words import Size
from weft_tensor.types.dtypes import promote

__all__ = ["Family", "Frozen", "Law", "Recalled", "as_law"]

_STATS: Final = "weft_tensor.stats"


class Law(ABC):
    """A distribution whose parameters are given: its methods take values, probabilities or a key.

    `norm(0.0, 2.0)` is one, and so is what `mixture`, `truncate`, `censor` and `transformed` make
    of others. Methods that a law has no formula of raise NotImplementedError.
    """

    name: str
    is_discrete: bool = False
    event_rank: int = 0
    """How many axes one value has."""
    parts: tuple[TensorVariable, ...] = ()
    """Tensors whose shapes broadcast to that of its moments."""

    def __repr__(self) -> str:
        return f"wt.stats.{self.name}"

    @property
    def kind(self) -> str:
        """The dtype of its moments."""
        dtype = promote([v.dtype for v in self.parts]) if self.parts else "float64"
        return dtype if dtype in ("float32", "float64") else "float64"

    def logpdf(self, x: TensorLike) -> TensorVariable:
        """The logarithm of the density at x, of discrete ones of the probability of x."""
        return self._value("logpdf", as_tensor(x))

    def pdf(self, x: TensorLike) -> TensorVariable:
        """The density at x, of discrete ones the probability of x."""
        return self._value("pdf", as_tensor(x))

    def logpmf(self, k: TensorLike) -> TensorVariable:
        """The logarithm of the probability of k; TypeError if values are continuous."""
        return self._value("logpdf", self._integer(k))

    def pmf(self, k: TensorLike) -> TensorVariable:
        """The probability of k; TypeError if values are continuous."""
        return self._value("pdf", self._integer(k))

    def cdf(self, x: TensorLike) -> TensorVariable:
        """The probability of at most x."""
        return self._value("cdf", as_tensor(x))

    def logcdf(self, x: TensorLike) -> TensorVariable:
        """Its logarithm."""
        return self._value("logcdf", as_tensor(x))

    def sf(self, x: TensorLike) -> TensorVariable:
        """The probability of more than x."""
        return self._value("sf", as_tensor(x))

    def logsf(self, x: TensorLike) -> TensorVariable:
        """Its logarithm."""
        return self._value("logsf", as_tensor(x))

    def ppf(self, q: TensorLike) -> TensorVariable:
        """The x whose `cdf` is q; of discrete ones the least whose `cdf` is at least q."""
        return self._value("ppf", as_tensor(q))

    def isf(self, q: TensorLike) -> TensorVariable:
        """The x whose `sf` is q; of discrete ones the least whose `sf` is at most q."""
        return self._value("isf", as_tensor(q))

    def mean(self) -> TensorVariable:
        """The expectation."""
        return self._moment("mean")

    def var(self) -> TensorVariable:
        """The variance."""
        return self._moment("var")

    def std(self) -> TensorVariable:
        """The standard deviation."""
        return sqrt(self.var())

    def cov(self) -> TensorVariable:
        """The covariance matrix of a vector."""
        return self._moment("cov")

    def mode(self) -> TensorVariable:
        """The likeliest matrix."""
        return self._moment("mode")

    def entropy(self) -> TensorVariable:
        """The entropy, in nats."""
        return self._moment("entropy")

    def median(self) -> TensorVariable:
        """The value that `ppf` has at one half."""
        return self.ppf(0.5)

    def interval(self, confidence: TensorLike) -> tuple[TensorVariable, TensorVariable]:
        """The ends of what has that probability, with as much below as above."""
        rest = 0.5 * (1 - as_tensor(confidence))
        return self.ppf(rest), self.isf(rest)

    def moment(self, order: int) -> TensorVariable:
        """The expectation of the value to the power `order`, which is an integer from 1 on."""
        return self._summary("moment", order)

    def stats(self, moments: str = "mv") -> tuple[TensorVariable, ...]:
        """Mean "m", variance "v", skewness "s" and excess kurtosis "k", those asked for."""
        return self._summary("stats", moments=moments)

    def expect(self, func: Callable[[TensorVariable], TensorLike]) -> TensorVariable:
        """The expectation of a function of the value."""
        return self._summary("expect", func)

    def support(self) -> Any:
        """Both ends of the values that can occur."""
        return self._moment("support")

    def ends(self) -> tuple[TensorLike, TensorLike]:
        """The same, as numbers where there is no least, or no greatest, for any parameters.

        >>> from weft_tensor import scalar
        >>> from weft_tensor.stats import pareto
        >>> pareto(2.0, 0.0, scalar("scale")).ends()
        (<... : float64>, inf)
        """
        low, high = self._ends()
        return _known(low), _known(high)

    def _ends(self) -> tuple[TensorLike, TensorLike]:
        ends: tuple[TensorLike, TensorLike] = self.support()
        return ends

    @abstractmethod
    def rvs(self, key: TensorLike, size: Size = None) -> TensorVariable:
        """Draws: the same for a key on all backends. `size` has lengths, not those of one value."""

    def _value(self, name: str, x: TensorVariable) -> TensorVariable:
        """A method of a value; those without `log` follow from those with it."""
        if name in ("pdf", "cdf", "sf"):
            return exp(self._value(f"log{name}", x))
        raise self.missing(name)

    def _moment(self, name: str) -> Any:
        raise self.missing(name)

    def _summary(self, name: str, *first: Any, **named: Any) -> Any:
        raise self.missing(name)

    def missing(self, name: str) -> NotImplementedError:
        """The error for what there is no formula of."""
        return NotImplementedError(f"{self.name} has no formula of its {name}")

    def _integer(self, k: TensorLike) -> TensorVariable:
        if not self.is_discrete:
            raise TypeError(f"{self.name} is continuous: it has logpdf and pdf")
        return as_tensor(k)


class Recalled:
    """What has a name in `wt.stats`, or was made by a function there, and is pickled so.

    >>> import pickle
    >>> from weft_tensor.stats import norm, zero_inflated, geom
    >>> pickle.loads(pickle.dumps(norm)) is norm
    True
    >>> pickle.loads(pickle.dumps(zero_inflated(geom)))
    wt.stats.zero_inflated_geom
    """

    name: str
    recipe: tuple[Callable[..., Any], tuple[Any, ...]] | None = None
    """The function that made it, and its arguments."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        if getattr(import_module(_STATS), self.name, None) is self:
            return lazy_import, (f"{_STATS}.{self.name}",)
        return self.recipe or super().__reduce_ex__(protocol)


class Family(Protocol):
    """What a family of distributions must have, so that its parameters can be given first."""

    name: str
    is_discrete: bool
    event_rank: int

    def tensors(
        self, args: Sequence[TensorLike], kwargs: Mapping[str, TensorLike], check: bool = True
    ) -> tuple[TensorVariable, ...]:
        """Tensors whose shapes broadcast to that of the moments."""
        ...

    def rvs(
        self,
        key: TensorLike,
        *args: TensorLike,
        size: Size = None,
        dtype: Any = None,
        check: bool = True,
        **kwargs: TensorLike,
    ) -> TensorVariable:
        """Draws."""
        ...


class Frozen(Law):
    """A family with its parameters, checked or not: then results may be NaN."""

    def __init__(
        self,
        family: Family,
        args: Sequence[TensorLike],
        kwargs: Mapping[str, TensorLike],
        check: bool = True,
    ) -> None:
        self.family = family
        self.args = tuple(args)
        self.kwargs: dict[str, Any] = dict(kwargs) if check else {**kwargs, "check": False}
        self.name = family.name
        self.is_discrete = family.is_discrete
        self.event_rank = family.event_rank
        self.parts = family.tensors(args, kwargs, check)

    def rvs(self, key: TensorLike, size: Size = None) -> TensorVariable:
        """Draws: the same for a key on all backends."""
        return self.family.rvs(key, *self.args, size=size, **self.kwargs)

    def _ends(self) -> tuple[TensorLike, TensorLike]:
        placed = getattr(self.family, "placed_ends", None)
        if placed is None:
            return super()._ends()
        ends: tuple[TensorLike, TensorLike] = placed(*self.args, **self.kwargs)
        return ends

    def _value(self, name: str, x: TensorVariable) -> TensorVariable:
        own = {"logpdf": "logpmf", "pdf": "pmf"}.get(name, name) if self.is_discrete else name
        method = getattr(self.family, own, None)
        if method is None:
            raise self.missing(own)
        value: TensorVariable = method(x, *self.args, **self.kwargs)
        return value

    def _moment(self, name: str) -> Any:
        return self._summary(name)

    def _summary(self, name: str, *first: Any, **named: Any) -> Any:
        method = getattr(self.family, name, None)
        if method is None:
            raise self.missing(name)
        return method(*first, *self.args, **self.kwargs, **named)


def _known(end: TensorLike) -> TensorLike:
    """An end, computed where it depends on no input; a number if it is infinite then."""
    if isinstance(end, float) or graph_inputs(place := as_tensor(end)):
        return end
    value = place.eval()
    return float(value.flat[0]) if value.size and np.isinf(value).all() else as_tensor(value)


def as_law(distribution: object) -> Law:
    """A law: itself, or a family that needs no parameters; TypeError for what is none.

    Raises TypeError, too, for a family whose parameters are missing.
    """
    law = distribution() if callable(distribution) else distribution
    if not isinstance(law, Law):
        raise TypeError(
            f"a distribution is needed, such as wt.stats.norm(0.0, 1.0), not {distribution!r}"
        )
    return law
