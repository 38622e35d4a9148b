"""Sums of updates, as one update after the other: they can be done in one pass, without a sum."""

from __future__ import annotations

from typing import Any

from weft_graph import Constant, Variable
from weft_numba.analysis.access import fused_kind, iteration_space
from weft_numba.ir.axis_sizes import AxisEqualities
from weft_tensor import Kind, Pointwise, Scatter, View
from weft_tensor.extend import kind_of

__all__ = ["Updates", "is_number_repeated"]


class Updates:
    """The tensors of a graph that are zeros to which something was added at some indices.

    It is told of nodes in order, inputs first.

    >>> import weft_tensor as wt
    >>> x = wt.vector("x", shape=(5,))
    >>> zeros, found = wt.zeros(5), Updates(AxisEqualities([x]))
    >>> one, other = zeros[1:].inc(x[1:]), zeros[:4].inc(x[1:])
    >>> spaces = [found.spaces.of(v) for v in (zeros, x[1:], one, other)]
    >>> [found.simpler(v, kind_of(v)) for v in (one, other)]
    [None, None]
    >>> total = one + other
    >>> found.simpler(total, kind_of(total)) is one[:4].inc(x[1:])
    True
    """

    def __init__(self, spaces: AxisEqualities) -> None:
        self.spaces = spaces
        self._of_zeros: set[Variable] = set()

    def simpler(self, v: Any, kind: Kind | None) -> Variable | None:
        """The same as `v`, a sum of two such tensors, without the sum; or None."""
        if isinstance(kind, Scatter):
            if kind.how != "inc" or not v.ndim or fused_kind(v) is None:
                return None
            x = v.inputs[0]
            if x in self._of_zeros or _is_zeros(x):
                self._of_zeros.add(v)
            return None
        if not isinstance(kind, Pointwise) or kind.of != "add":
            return None
        for x, y in (v.inputs, v.inputs[::-1]):
            if x in self._of_zeros and y in self._of_zeros and self._go_together(v, x, y):
                _, *change = y.inputs
                update: Variable = y.op(x, *change)
                self._of_zeros.add(update)
                return update
        return None

    def _go_together(self, v: Any, x: Any, y: Any) -> bool:
        """Whether `y` is one update, done for the points for which `x` is, of an equal tensor."""
        return (
            _is_zeros(y.inputs[0])
            and x.type is y.type is v.type
            and self.spaces.of(x) == self.spaces.of(y) == self.spaces.of(v)
            and iteration_space(x, kind_of(x), self.spaces)
            == iteration_space(y, kind_of(y), self.spaces)
        )


def is_number_repeated(v: Any) -> bool:
    """Whether `v` is one number, everywhere."""
    kind = kind_of(v)
    return isinstance(kind, View) and kind.stretched and not v.inputs[0].ndim


def _is_zeros(x: Any) -> bool:
    if not is_number_repeated(x):
        return False
    number = x.inputs[0]
    kind = kind_of(number)
    is_cast = isinstance(kind, Pointwise) and kind.of == "cast"
    value = (number.inputs[0] if is_cast else number).op
    return isinstance(value, Constant) and not any(value.value.tobytes())  # -0.0 has a bit set
