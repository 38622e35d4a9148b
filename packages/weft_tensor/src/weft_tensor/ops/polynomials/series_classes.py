"""Polynomials as values: series of six families over a domain, as `numpy.polynomial` has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Final, Self

import numpy as np

from weft_graph import Constant
from weft_tensor.build.convert import as_floating, as_tensor, constant
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import linspace
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.polynomials import series, series_products
from weft_tensor.ops.polynomials.families import FAMILIES, Family, clenshaw, coefficients_of
from weft_tensor.ops.reduction.standard import max as largest
from weft_tensor.ops.reduction.standard import min as smallest
from weft_tensor.ops.shape.concatenate import stack

__all__ = ["CLASSES", "Series"]

_KINDS: Final = {**series.KINDS, **series_products.KINDS}
_Ends = TensorVariable


class Series:
    """A series of polynomials in places that are mapped from `domain` to `window`.

    Coefficients are a vector of a known length, the constant first. Arithmetic, calls, `deriv`,
    `integ`, `roots`, `convert` and `fit` are those of `numpy.polynomial`; with other series they
    ask for the same class, domain and window, TypeError else. Zeros at the end stay: how many
    terms there are never depends on values.

    >>> p = CLASSES["Polynomial"]([1.0, 0.0, 3.0])
    >>> p(2.0).eval(), p.deriv().coef.eval(), (p * p).degree()
    (array(13.), array([0., 6.]), 4)
    """

    family: ClassVar[Family]
    _ends: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    __array_ufunc__ = None  # arrays and tensors leave operators to this class

    def __init__(
        self,
        coef: TensorLike,
        domain: TensorLike | None = None,
        window: TensorLike | None = None,
        symbol: str = "x",
    ) -> None:
        self.coef, self._count = coefficients_of(coef, type(self).__name__)
        if self.coef.ndim != 1:
            raise ValueError(f"{type(self).__name__} takes a vector, not {self.coef!r}")
        self.domain, self.window = self._pair(domain), self._pair(window)
        self.symbol = symbol

    @classmethod
    def _pair(cls, ends: TensorLike | None) -> _Ends:
        return as_floating(as_tensor(np.array(cls._ends) if ends is None else ends))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.coef!r}, {self.domain!r}, {self.window!r})"

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[TensorVariable]:
        return (self.coef[k] for k in range(self._count))

    def degree(self) -> int:
        """How many terms there are, less one."""
        return self._count - 1

    def mapparms(self) -> tuple[TensorVariable, TensorVariable]:
        """The offset and the scale by which places of the domain are mapped to the window."""
        return _line(self.domain, self.window)

    def __call__(self, arg: Any) -> Any:
        """The values at places, or the series that another one goes into."""
        if not isinstance(arg, Series):
            at = _mapped(as_tensor(arg), self.domain, self.window)
            return _KINDS["val"](self.family, at, self.coef)
        at = _mapped(arg, self.domain, self.window)
        terms = list(self)
        return clenshaw(self.family, terms, at, at._with(stack(terms[-1:])))

    def _with(self, coef: TensorLike) -> Self:
        return type(self)(coef, self.domain, self.window, self.symbol)

    def _coefficients(self, other: Any) -> TensorLike:
        if not isinstance(other, Series):
            numbers = as_tensor(other)
            return numbers.expand_dims(0) if not numbers.ndim else numbers
        if type(other) is not type(self):
            raise TypeError(f"a {type(self).__name__} with a {type(other).__name__}: convert one")
        if not (_same(self.domain, other.domain) and _same(self.window, other.window)):
            raise TypeError("the series have other domains or windows: convert one")
        return other.coef

    def _by(self, name: str, other: Any, *, swapped: bool = False) -> Self:
        pair = (self.coef, self._coefficients(other))
        return self._with(_KINDS[name](self.family, *(pair[::-1] if swapped else pair)))

    def __neg__(self) -> Self:
        return self._with(-self.coef)

    def __pos__(self) -> Self:
        return self

    def __add__(self, other: Any) -> Self:
        return self._by("add", other)

    def __sub__(self, other: Any) -> Self:
        return self._by("sub", other)

    def __mul__(self, other: Any) -> Self:
        return self._by("mul", other)

    def __radd__(self, other: Any) -> Self:
        return self._by("add", other, swapped=True)

    def __rsub__(self, other: Any) -> Self:
        return self._by("sub", other, swapped=True)

    def __rmul__(self, other: Any) -> Self:
        return self._by("mul", other, swapped=True)

    def __truediv__(self, other: TensorLike) -> Self:
        if isinstance(other, Series) or as_tensor(other).ndim:
            raise TypeError("a series is divided by a number: for another series write p // q")
        return self._with(self.coef / other)

    def __divmod__(self, other: Any) -> tuple[Self, Self]:
        quotient, rest = _KINDS["div"](self.family, self.coef, self._coefficients(other))
        return self._with(quotient), self._with(rest)

    def __floordiv__(self, other: Any) -> Self:
        return divmod(self, other)[0]

    def __mod__(self, other: Any) -> Self:
        return divmod(self, other)[1]

    def __pow__(self, power: int) -> Self:
        return self._with(_KINDS["pow"](self.family, self.coef, power))

    def deriv(self, m: int = 1) -> Self:
        """The derivative of order `m`."""
        return self._with(_KINDS["der"](self.family, self.coef, m, self.mapparms()[1]))

    def integ(self, m: int = 1, k: Any = (), lbnd: TensorLike | None = None) -> Self:
        """The integral of order `m`, which is `k` at `lbnd`, or at 0 of the window."""
        offset, scale = self.mapparms()
        start = 0 if lbnd is None else offset + scale * lbnd
        return self._with(_KINDS["int"](self.family, self.coef, m, k, start, 1 / scale))

    def roots(self) -> TensorVariable:
        """The zeros: complex, in order."""
        found: TensorVariable = _KINDS["roots"](self.family, self.coef)
        return _mapped(found, self.window, self.domain)

    def cutdeg(self, deg: int) -> Self:
        """Without terms above a degree."""
        return self.truncate(deg + 1)

    def truncate(self, size: int) -> Self:
        """The first `size` terms; ValueError for none."""
        if size < 1:
            raise ValueError(f"a series has one term at least, not {size}")
        return self._with(self.coef[:size])

    def copy(self) -> Self:
        """The series itself, which never changes."""
        return self

    def linspace(
        self, n: SizeLike = 100, domain: TensorLike | None = None
    ) -> tuple[TensorVariable, TensorVariable]:
        """So many places, from one end of the domain to the other, and the values there."""
        ends = self.domain if domain is None else as_tensor(domain)
        places = linspace(ends[0], ends[1], n)
        return places, self(places)

    def convert(
        self,
        domain: TensorLike | None = None,
        kind: type[Series] | None = None,
        window: TensorLike | None = None,
    ) -> Any:
        """The same polynomial as a series of another class, domain or window."""
        return self((kind or type(self)).identity(domain, window, self.symbol))

    @classmethod
    def cast(
        cls, series: Series, domain: TensorLike | None = None, window: TensorLike | None = None
    ) -> Self:
        """Another series as one of this class."""
        made: Self = series.convert(domain, cls, window)
        return made

    @classmethod
    def identity(
        cls, domain: TensorLike | None = None, window: TensorLike | None = None, symbol: str = "x"
    ) -> Self:
        """The series whose value at each place is the place."""
        ends, inner = cls._pair(domain), cls._pair(window)
        offset, scale = _line(inner, ends)
        return cls(_KINDS["line"](cls.family, offset, scale), ends, inner, symbol)

    @classmethod
    def basis(
        cls,
        deg: int,
        domain: TensorLike | None = None,
        window: TensorLike | None = None,
        symbol: str = "x",
    ) -> Self:
        """The polynomial of a degree of which series are sums."""
        return cls(constant(np.eye(deg + 1)[-1]), domain, window, symbol)

    @classmethod
    def fromroots(
        cls,
        roots: TensorLike,
        domain: Any = (),
        window: TensorLike | None = None,
        symbol: str = "x",
    ) -> Self:
        """The series of 1 times the highest power that is zero at the roots.

        The domain is that of the class, or for None from the least to the largest root.
        """
        places, n = coefficients_of(roots, "fromroots")
        ends, inner = cls._reach(domain, places), cls._pair(window)
        scale = _line(ends, inner)[1]
        coef = _KINDS["fromroots"](cls.family, _mapped(places, ends, inner))
        return cls(coef / scale**n, ends, inner, symbol)

    @classmethod
    def fit(
        cls,
        x: TensorLike,
        y: TensorLike,
        deg: int | Sequence[int],
        domain: Any = None,
        rcond: TensorLike | None = None,
        full: bool = False,
        w: TensorLike | None = None,
        window: TensorLike | None = None,
        symbol: str = "x",
    ) -> Any:
        """The series up to a degree, or of some, that is nearest to points by least squares.

        The domain is from the least to the largest `x`, or for () that of the class. With `full`,
        followed by what `polyfit` tells besides.
        """
        places = as_floating(x)
        ends, inner = cls._reach(domain, places), cls._pair(window)
        at = _mapped(places, ends, inner)
        coef, rest = _KINDS["fit"](cls.family, at, y, deg, rcond, True, w)
        fitted = cls(coef, ends, inner, symbol)
        return (fitted, rest) if full else fitted

    @classmethod
    def _reach(cls, domain: Any, places: TensorVariable) -> _Ends:
        """The domain that is given, or that of the class, or that of the places."""
        if domain is None:
            low, high = smallest(places), largest(places)
            one = where(eq(low, high), 1.0, 0.0)
            return stack([low - one, high + one])
        return cls._pair(None if isinstance(domain, (tuple, list)) and not domain else domain)


def _same(first: _Ends, second: _Ends) -> bool:
    if isinstance(first.op, Constant) and isinstance(second.op, Constant):
        return np.array_equal(first.op.value, second.op.value)
    return first is second


def _line(old: _Ends, new: _Ends) -> tuple[TensorVariable, TensorVariable]:
    """The offset and scale of the line that maps the ends of one stretch to those of another."""
    length = old[1] - old[0]
    return (old[1] * new[0] - old[0] * new[1]) / length, (new[1] - new[0]) / length


def _mapped(x: Any, old: _Ends, new: _Ends) -> Any:
    if _same(old, new):
        return x
    offset, scale = _line(old, new)
    return offset + scale * x


_NAMES: Final = ("Polynomial", "Chebyshev", "Legendre", "Hermite", "HermiteE", "Laguerre")


def _class_of(name: str, family: Family) -> type[Series]:
    words = {"family": family, "__module__": "weft_tensor.polynomial", "__doc__": Series.__doc__}
    ends = {"_ends": (0.0, 1.0)} if name == "Laguerre" else {}
    return type(name, (Series,), {**words, **ends})


CLASSES: Final = {n: _class_of(n, family) for n, family in zip(_NAMES, FAMILIES, strict=True)}
"""By NumPy's names, series of each family."""
