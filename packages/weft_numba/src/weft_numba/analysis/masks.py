"""What is done to the elements that a mask chooses, done to all, where the others don't count.

`sum(x[x < 0])` is `sum(where(x < 0, x, 0))`: one pass, without the chosen elements in memory.
Where these are needed, as by `x[x < 0]` alone, they are found without their positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from weft_graph import Variable
from weft_numba.analysis.compress import Compress, counted
from weft_numba.analysis.updates import is_number_repeated
from weft_numba.ir.axis_sizes import AxisEqualities
from weft_tensor import Compress as Chosen
from weft_tensor import Gather, Kind, Pointwise, Reduction, Scatter, constant, expand, where
from weft_tensor.extend import ARRAY, changed, kind_of

__all__ = ["Masks"]

_NEUTRAL: Final[dict[str, int]] = {"add": 0, "mul": 1, "logical_or": 0, "logical_and": 1}


class Masks:
    """The chosen elements of a graph, each with what they are chosen from.

    It is told of nodes in order, inputs first.
    """

    def __init__(self, spaces: AxisEqualities) -> None:
        self._spaces = spaces
        self._whole: dict[Variable, tuple[Any, Variable]] = {}
        """For a vector of chosen elements, what all of them are, and the mask."""

    def simpler(self, v: Any, kind: Kind | None) -> Variable | None:
        """The same as `v` without choosing, or None."""
        choice = self._chosen(v, kind)
        if choice is not None:
            new = self._compressed(v, *choice) if isinstance(kind, Gather) else None
            self._whole[v if new is None else new] = choice
            return new
        if isinstance(kind, Reduction) and kind.combine in _NEUTRAL:
            return self._reduced(v, kind)
        return self._updated(v, kind) if isinstance(kind, Scatter) else None

    def _chosen(self, v: Any, kind: Kind | None) -> tuple[Any, Variable] | None:
        """What the elements of `v` are chosen from, if they are."""
        if isinstance(kind, Gather):
            x, *values = v.inputs
            mask = _mask(kind.at, values)
            return None if mask is None or not self._fit(x, mask) else (x, mask)
        if v.ndim == 1 and is_number_repeated(v):
            mask = counted(v.inputs[1])
            return None if mask is None else (v.inputs[0], mask)
        if not isinstance(kind, Pointwise) or kind.positions or v.ndim != 1:
            return None
        if v.dtype[0] in "iu" and kind.of == "pow":
            return None  # may be refused for elements that are not chosen
        wholes = [self._whole.get(i) for i in v.inputs if i.ndim]
        masks = {whole[1] for whole in wholes if whole is not None}
        if None in wholes or len(masks) != 1:
            return None
        table = v.op(*[self._whole[i][0] if i.ndim else i for i in v.inputs])
        self._spaces.of(table)
        return table, masks.pop()

    def _compressed(self, v: Any, x: Any, mask: Any) -> Variable:
        """The elements that an index chooses, without their positions."""
        result = Compress(v.type)(x, mask)
        self._spaces.of(result)
        return result

    def _reduced(self, v: Any, kind: Reduction) -> Variable | None:
        """A reduction of chosen elements as one of all."""
        choice = self._whole.get(v.inputs[0])
        if choice is None:
            return None
        whole, mask = choice
        elements = where(mask, whole, constant(_NEUTRAL[kind.combine], v.inputs[0].dtype))
        if not self._fit(elements, mask):
            return None
        result: Variable = expand(kind._replace(axis=None), v.op, (elements,))
        return result if result.type is v.type else None

    def _updated(self, v: Any, kind: Scatter) -> Variable | None:
        """An update of chosen elements as a choice between old and new ones."""
        x, y, *values = v.inputs
        mask = _mask(kind.at, values)
        if mask is None or not self._fit(x, mask):
            return None
        if y.ndim:
            choice = self._whole.get(y)
            if choice is None or choice[1] is not mask:
                return None
            y = choice[0]
        new = where(mask, changed(kind.how, x, y.astype(v.dtype)), x)
        return new if new.type is v.type and self._fit(new, mask) else None

    def _fit(self, x: Any, mask: Any) -> bool:
        """Whether `x` is as large as `mask`, or is taken to be."""
        if x.ndim != mask.ndim:
            return False
        together = self._spaces.of(where(mask, x, x))
        return self._spaces.of(x) == self._spaces.of(mask) == together


def _mask(entries: Any, values: Sequence[Any]) -> Any:
    """The mask behind the indices of all elements that it chooses, if they are that."""
    if not values or any(e != ARRAY for e in entries):
        return None
    kinds = [kind_of(value) for value in values]
    mask = values[0].inputs[0] if isinstance(kinds[0], Chosen) else None
    for axis, (value, kind) in enumerate(zip(values, kinds, strict=True)):
        if not isinstance(kind, Chosen) or kind.axis != axis:
            return None
        if value.inputs[0] is not mask or counted(value.inputs[1]) is not mask:
            return None
    return mask if mask is not None and len(entries) == mask.ndim else None
