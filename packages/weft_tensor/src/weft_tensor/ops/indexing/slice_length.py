"""How long `x[1:]` is: the length of a slice that variables say, or of an axis of such."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, reduce
from operator import add
from typing import Final

import numpy as np

from weft_graph import Constant
from weft_tensor.build.convert import constant
from weft_tensor.build.kinds import Cut, Pointwise
from weft_tensor.build.op import (
    Cotangents,
    Examples,
    Shapes,
    TensorApply,
    TensorOp,
    Tensors,
    Value,
    kind_of,
)
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.indexing.slices import SCALAR, Slice
from weft_tensor.ops.indexing.subscript import build_key
from weft_tensor.types.tensor_type import TensorType

__all__ = ["SliceLength", "length_of_part"]

_ONE: Final = constant(1, "int64")
_LONGEST: Final = 16
"""Sums of more lengths are left as they are."""


class SliceLength(TensorOp):
    """How many elements a slice takes of an axis: from its length and the slice's variables."""

    view_of = ()
    facts = "any nonnegative finite integer no_negative_zero"
    part: Slice
    primitive = True

    def infer_from(self, *inputs: TensorVariable) -> TensorType:
        """An int64 scalar."""
        return TensorType("int64")

    def impl(self, *values: np.ndarray) -> Value:
        """As Python's `slice.indices` says."""
        n, *rest = values
        (key,) = build_key([self.part], rest, int)
        return np.int64(len(range(*key.indices(int(n)))))

    def kind(self, *inputs: TensorVariable) -> Cut:
        """By arithmetic, where the step is known."""
        return _cut(self.part)

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """No dependence."""
        return [None] * len(inputs)

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """A scalar."""
        return [()]

    @classmethod
    def examples(cls) -> Examples:
        """From both ends, with negative steps, beyond the ends."""
        cases = [((SCALAR, None, None), [2]), ((None, SCALAR, -1), [-3]), ((9, None, SCALAR), [2])]
        return [(cls(Slice(*p)), [np.int64(5), *map(np.int64, v)]) for p, v in cases]

    def __str__(self) -> str:
        return "slice_length"


@cache
def _cut(part: Slice) -> Cut:
    return Cut(part, lambda n, *numbers: part.length(n, numbers))


def length_of_part(
    part: Slice, sizes: Sequence[TensorVariable], is_length: Callable[[TensorVariable], bool]
) -> TensorVariable | None:
    """How long a slice of an axis is that is as long as several others together.

    `sizes` are the axis's length and the slice's variables; `is_length` says of a scalar that it is
    never negative. None where it does not take all of some of these lengths, and of others nothing.

    >>> from weft_tensor import matrix
    >>> n, m = matrix("x").shape
    >>> length_of_part(Slice(SCALAR, None, None), (n + m, n), lambda size: True) is m
    True
    """
    every, *ends = [_summed(size, is_length) for size in sizes]
    if part.step not in (None, 1) or not ends or every is None or None in ends:
        return None
    variables = iter(ends)
    skipped, taken = (
        next(variables) if end == SCALAR else _summed(constant(end or 0, "int64"), is_length)
        for end in part[:2]
    )
    taken = every if part.stop is None else taken
    if skipped is None or taken is None or not skipped <= taken <= every:
        return None
    terms = [n if count == 1 else n * count for n, count in (taken - skipped).items()]
    return reduce(add, terms) if terms else constant(0, "int64")


def _summed(
    size: TensorVariable, is_length: Callable[[TensorVariable], bool]
) -> Counter[TensorVariable] | None:
    """How often each length is in a sum of such, and 1 for a number; None if it is none."""
    terms, open_ = Counter[TensorVariable](), [(size, 1)]
    for _ in range(_LONGEST):
        if not open_:
            return terms
        n, count = open_.pop()
        kind = kind_of(n)
        name = kind.of if isinstance(kind, Pointwise) else ""
        numbers = [int(i.op.value) for i in n.inputs if isinstance(i.op, Constant)]
        if isinstance(n.op, Constant) and n.op.value >= 0:
            terms[_ONE] += count * int(n.op.value)
        elif name == "add":
            open_ += [(i, count) for i in reversed(n.inputs)]
        elif name == "mul" and len(numbers) == 1 and numbers[0] > 0:
            (other,) = [i for i in n.inputs if not isinstance(i.op, Constant)]
            open_.append((other, count * numbers[0]))
        elif is_length(n) and not isinstance(n.op, Constant):
            terms[n] += count
        else:
            return None
    return None
