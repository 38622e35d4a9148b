"""What all curves of pieces have in common: values, what is outside, integrals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from operator import index as whole
from typing import Any, Literal

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import floor
from weft_tensor.ops.elementwise.comparison import isnan, where
from weft_tensor.ops.interpolate.conditions import of_one_dtype
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.ops.shape.transpose import transpose

__all__ = ["Curve", "Extrapolation", "beside", "extrapolation", "within"]

Extrapolation = bool | Literal["periodic"]


class Curve(ABC):
    """A function of one number, by pieces; its values may be tensors.

    Results have the axes of the places where `axis` says, among those of a value.
    """

    extrapolate: Extrapolation
    axis: int

    def __call__(
        self, x: TensorLike, nu: int = 0, extrapolate: Extrapolation | None = None
    ) -> TensorVariable:
        """The values at `x`, or the derivatives of order `nu` there.

        `extrapolate` says what is outside: the first and last piece go on (True), NaN (False), or
        the same again ("periodic"); by default as for the curve. Raises ValueError for a negative
        order, TypeError for complex places.
        """
        order = whole(nu)
        if order < 0:
            raise ValueError(f"the order of a derivative must be 0 or more, not {nu}{called()}")
        how = self.extrapolate if extrapolate is None else extrapolation(extrapolate)
        low, high = self._ends()
        at, low, high = of_one_dtype(x, low, high)
        if at.is_complex:
            raise TypeError(f"a curve is evaluated at real places, not at {at!r}{called()}")
        if how == "periodic":
            at = within(at, low, high)
        values = self._values(at, order)
        absent = isnan(at) if how else ~((at >= low) & (at <= high))
        rank = values.ndim - at.ndim
        values = where(beside(absent, rank), float("nan"), values)
        axes = range(values.ndim)
        trailing = axes[at.ndim :]
        order_of_axes = [*trailing[: self.axis], *axes[: at.ndim], *trailing[self.axis :]]
        return transpose(values, order_of_axes) if self.axis else values

    def integrate(
        self, a: TensorLike, b: TensorLike, extrapolate: Extrapolation | None = None
    ) -> TensorVariable:
        """The integral from `a` to `b`, which are tensors of one shape.

        `extrapolate` is as for values.
        """
        how = self.extrapolate if extrapolate is None else extrapolation(extrapolate)
        area = self.antiderivative()
        if how != "periodic":
            return area(b, extrapolate=how) - area(a, extrapolate=how)
        low, high = self._ends()
        cycle = area(high) - area(low)

        def up_to(end: TensorLike) -> TensorVariable:
            at, first, period = of_one_dtype(end, low, high - low)
            turns = floor((at - first) / period)
            rest = area(at - turns * period, extrapolate=True)
            return beside(turns, cycle.ndim) * cycle + rest

        return up_to(b) - up_to(a)

    @abstractmethod
    def antiderivative(self, nu: int = 1) -> Curve:
        """The curve whose derivative of order `nu` this is."""

    @abstractmethod
    def _ends(self) -> tuple[TensorVariable, TensorVariable]:
        """Between which places the curve is defined."""

    @abstractmethod
    def _values(self, at: TensorVariable, order: int) -> TensorVariable:
        """Derivatives at places, whose axes come first; the outer pieces go on."""


def extrapolation(value: Any) -> Extrapolation:
    """What a user wants outside; ValueError for a word other than "periodic"."""
    if isinstance(value, str):
        if value != "periodic":
            allowed = "extrapolate must be True, False or 'periodic'"
            raise ValueError(f"{allowed}, not {value!r}{called()}")
        return "periodic"
    return bool(value)


def within(x: TensorVariable, low: TensorVariable, high: TensorVariable) -> TensorVariable:
    """`x` less so many periods that it lies from `low` to before `high`."""
    return low + (x - low) % (high - low)


def beside(x: TensorLike, rank: int) -> TensorVariable:
    """`x` with so many axes of length 1 behind, as values have further axes."""
    tensor = as_tensor(x)
    return expand_dims(tensor, range(tensor.ndim, tensor.ndim + rank)) if rank else tensor
