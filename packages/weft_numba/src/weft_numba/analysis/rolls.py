"""What was rolled, as an Op of this package's own graphs: it is read where it lies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from weft_graph import Variable
from weft_numba.analysis.access import ROLLED
from weft_numba.ir.axis_sizes import AxisEqualities
from weft_tensor import Gather, Index, Reshape, TensorOp, as_tensor
from weft_tensor.extend import SCALAR, Slice

__all__ = ["Rolled", "rolled"]

_FULL: Final = Slice(None, None, None)


class Rolled(TensorOp):
    """`x` from a place on along each of `axes`, and behind that what comes before the place.

    Axes are in order: the places follow them, as those of an index do.

    >>> import weft_tensor as wt
    >>> Rolled((0,))(wt.arange(4), wt.constant(1)).eval()
    array([1, 2, 3, 0])
    """

    axes: tuple[int, ...]
    primitive = True

    def infer(self, *types: Any) -> Any:
        """That of `x`."""
        return types[0]

    def impl(self, *values: Any) -> Any:
        """`numpy.roll`, by as much as slices of that begin have."""
        x, *begins = values
        lengths = [x.shape[a] for a in self.axes]
        shifts = [
            -slice(int(begin), None).indices(n)[0] for begin, n in zip(begins, lengths, strict=True)
        ]
        return np.roll(x, shifts, self.axes)

    def kind(self, *inputs: Any) -> Gather:
        """Elements found by counting on from the place."""
        return Gather(tuple([ROLLED if a in self.axes else _FULL for a in range(inputs[0].ndim)]))

    def infer_shape(self, fgraph: Any, node: Any, input_shapes: Sequence[Any]) -> Sequence[Any]:
        """As long as `x`."""
        return [input_shapes[0]]

    def __str__(self) -> str:
        return f"rolled{list(self.axes)}"


def rolled(v: Any, spaces: AxisEqualities) -> Variable | None:
    """`v`, a `Concatenate` or `Reshape`, as what was rolled, if two parts have changed places.

    >>> import weft_tensor as wt
    >>> x = wt.vector("x")
    >>> str(rolled(wt.concatenate([x[2:], x[:2]]), AxisEqualities([x])).op)
    'rolled[0]'
    """
    if type(v.op) is Reshape:
        x = v.inputs[0]
        return x if type(x.op) is Rolled and spaces.of(x) == spaces.of(v) else None
    if len(v.inputs) != 2:
        return None
    (x, *later), (same, *sooner) = (_parts(part, v.op.axis, spaces) for part in v.inputs)
    if x is None or x is not same or later[1] is not None or sooner != [None, later[0]]:
        return None
    begins = {v.op.axis: as_tensor(later[0])}
    if type(x.op) is Rolled and v.op.axis not in x.op.axes:
        begins |= dict(zip(x.op.axes, x.inputs[1:], strict=True))
        x = x.inputs[0]
    axes = tuple(sorted(begins))
    result: Variable = Rolled(axes)(x, *[begins[axis] for axis in axes])
    spaces.of(result)
    return result


def _parts(v: Any, axis: int, spaces: AxisEqualities) -> tuple[Any, Any, Any]:
    """What `v` is a slice of along `axis`, from where and to where; None if it is no slice.

    None for either end of the axis, too.
    """
    if type(v.op) is not Index or v.op.lifted:
        return None, None, None
    part, others = v.op.entries[axis], {*v.op.entries[:axis], *v.op.entries[axis + 1 :]}
    if not isinstance(part, Slice) or part.step not in (None, 1) or others - {_FULL}:
        return None, None, None
    x, *ends = v.inputs
    begin, end = (ends.pop(0) if e == SCALAR else e for e in part[:2])
    to_the_end = isinstance(end, Variable) and spaces.size(end) == spaces.of(x)[axis]
    return x, None if part.start == 0 else begin, None if to_the_end else end
