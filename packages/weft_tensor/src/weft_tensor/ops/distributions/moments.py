"""Moments, entropies and other means of a distribution: its formulas, else sums and integrals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from operator import index
from typing import Any, Final

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import isnan, where
from weft_tensor.ops.elementwise.exponential import log
from weft_tensor.ops.special.quadrature import along

__all__ = ["Moments"]

_KINDS: Final = "mvsk"
_MOST: Final = 2000.0
"""Log-densities are no further from 0, but where places are rounded to the end of the support."""


class Moments(ABC):
    """What all distributions of numbers tell of themselves, but for values and draws.

    What a row has no formula of is computed in 64 bits: of continuous distributions by 208 places
    where the probability below or above is down to 1e-300; of discrete ones by 4,096 integers
    from about the least that occurs. That is NaN where what lies further still counts.
    """

    rows: dict[str, Any]
    formulas: dict[str, Any]

    def mean(self, *args: TensorLike, check: bool = True, **kwargs: TensorLike) -> TensorVariable:
        """The expectation; infinite or NaN where there is none."""
        arguments = self._arguments(None, args, kwargs, check)
        return self._full(self._moved(self._moment("mean", arguments), arguments), arguments)

    def var(self, *args: TensorLike, check: bool = True, **kwargs: TensorLike) -> TensorVariable:
        """The variance; infinite or NaN where there is none."""
        arguments = self._arguments(None, args, kwargs, check)
        variance = self._moment("var", arguments)
        scale = arguments.scale
        return self._full(variance if scale is None else variance * scale**2, arguments)

    def std(self, *args: TensorLike, check: bool = True, **kwargs: TensorLike) -> TensorVariable:
        """The standard deviation."""
        return sqrt(self.var(*args, check=check, **kwargs))

    def entropy(
        self, *args: TensorLike, check: bool = True, **kwargs: TensorLike
    ) -> TensorVariable:
        """The (differential) entropy, in nats."""
        arguments = self._arguments(None, args, kwargs, check)
        entropy = self._moment("entropy", arguments)
        scale = arguments.scale
        return self._full(entropy if scale is None else entropy + log(scale), arguments)

    def median(self, *args: TensorLike, check: bool = True, **kwargs: TensorLike) -> TensorVariable:
        """The value that `ppf` has at one half."""
        return self.ppf(0.5, *args, check=check, **kwargs)

    def interval(
        self, confidence: TensorLike, *args: TensorLike, check: bool = True, **kwargs: TensorLike
    ) -> tuple[TensorVariable, TensorVariable]:
        """The ends of what has that probability, with as much below as above."""
        rest = 0.5 * (1 - as_tensor(confidence))
        ends = [call(rest, *args, check=check, **kwargs) for call in (self.ppf, self.isf)]
        return ends[0], ends[1]

    def expect(
        self,
        func: Callable[[TensorVariable], TensorLike],
        *args: TensorLike,
        check: bool = True,
        **kwargs: TensorLike,
    ) -> TensorVariable:
        """The expectation of a function of the value, which takes and gives arrays.

        The sum or integral that `Moments` describes: right to about 1e-9 for functions that are
        smooth but at the median, NaN where there is no expectation, or extremes count too much.

        >>> from weft_tensor.stats import gamma
        >>> from weft_tensor import log
        >>> gamma.expect(log, 2.5).eval().round(6).item()  # digamma(2.5)
        0.703157
        """
        arguments = self._arguments(None, args, kwargs, check)
        places = [None if v is None else along(v) for v in (arguments.loc, arguments.scale)]
        wide = arguments._replace(loc=places[0], scale=places[1])
        mean = self._mean_of(lambda x, *_: func(self._moved(x, wide)), arguments.shapes)
        return self._full(mean, arguments)

    def moment(
        self, order: int, *args: TensorLike, check: bool = True, **kwargs: TensorLike
    ) -> TensorVariable:
        """The expectation of the value to the power `order`, which is an integer from 1 on.

        >>> from weft_tensor.stats import norm
        >>> norm.moment(4, 0.0, 2.0).eval().round(6).item()
        48.0
        """
        if index(order) < 1:
            raise ValueError(f"moment: order must be an integer from 1 on, got {order!r}")
        if order == 1:
            return self.mean(*args, check=check, **kwargs)
        if order == 2:
            mean = self.mean(*args, check=check, **kwargs)
            return self.var(*args, check=check, **kwargs) + mean**2
        return self.expect(lambda x: x**order, *args, check=check, **kwargs)

    def stats(
        self, *args: TensorLike, moments: str = "mv", check: bool = True, **kwargs: TensorLike
    ) -> tuple[TensorVariable, ...]:
        """Mean "m", variance "v", skewness "s" and excess kurtosis "k", those that are asked for.

        >>> from weft_tensor.stats import expon
        >>> [v.eval().round(6).item() for v in expon.stats(moments="mvsk")]
        [1.0, 1.0, 2.0, 6.0]
        """
        if not moments or set(moments) - set(_KINDS):
            raise ValueError(f'stats: moments are letters of "{_KINDS}", got {moments!r}')
        mean = self.mean(*args, check=check, **kwargs)
        variance = self.var(*args, check=check, **kwargs)
        center, spread = along(mean), sqrt(along(variance))

        def shape(power: int) -> TensorVariable:
            return self.expect(
                lambda x: ((x - center) / spread) ** power, *args, check=check, **kwargs
            )

        results = {"m": lambda: mean, "v": lambda: variance, "s": lambda: shape(3)}
        results["k"] = lambda: shape(4) - 3
        return tuple([results[kind]() for kind in moments])

    def _moment(self, name: str, arguments: Any) -> TensorVariable:
        """Of the standard form."""
        if name in self.rows:
            return as_tensor(self.rows[name](*arguments.shapes))
        logarithm = self.formulas["logpdf"]
        if name == "entropy":

            def surprise(x: TensorVariable, *p: TensorVariable) -> TensorVariable:
                value = maximum(minimum(-as_tensor(logarithm(x, *p)), _MOST), -_MOST)
                return where(isnan(value), 0.0, value)  # at an end of the support, by rounding

            return self._mean_of(surprise, arguments.shapes)
        if name == "mean":
            return self._mean_of(lambda x, *_: x, arguments.shapes)
        center = along(self._moment("mean", arguments))
        return self._mean_of(lambda x, *_: (x - center) ** 2, arguments.shapes)

    @abstractmethod
    def _mean_of(
        self, of: Callable[..., TensorLike], shapes: Sequence[TensorVariable]
    ) -> TensorVariable:
        """The mean of a function of values of the standard form, and of the parameters."""

    @abstractmethod
    def ppf(
        self, q: TensorLike, *args: TensorLike, check: bool = True, **kwargs: TensorLike
    ) -> TensorVariable:
        """The quantile."""

    @abstractmethod
    def isf(
        self, q: TensorLike, *args: TensorLike, check: bool = True, **kwargs: TensorLike
    ) -> TensorVariable:
        """The quantile from above."""

    @abstractmethod
    def _arguments(
        self,
        x: TensorLike | None,
        args: Sequence[TensorLike],
        kwargs: Mapping[str, TensorLike],
        check: bool,
        dtype: Any = None,
    ) -> Any: ...

    @abstractmethod
    def _moved(self, value: TensorLike, arguments: Any) -> TensorVariable: ...

    @abstractmethod
    def _full(self, value: TensorLike, arguments: Any) -> TensorVariable: ...
