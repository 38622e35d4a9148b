"""Stacks of matrices in memory: where one matrix of each is, for what goes over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from llvmlite.ir import IRBuilder, Value

from weft_numba.numba_layer.linalg.blas import I64
from weft_numba.numba_layer.linalg.matrices import Matrix

__all__ = ["Part", "Stack", "Stacks", "unraveled"]


class Part(NamedTuple):
    """An operand or result: the letters of its lengths, as in "mk", and its dtype.

    The length "s" of results is the shorter one of "m" and "n".
    """

    letters: str
    dtype: str

    def own(self, missing: str) -> str:
        """The letters of the axes that the part really has, if it lacks some."""
        return "".join(x for x in self.letters if x not in missing)


class Stack(NamedTuple):
    """An operand as it comes."""

    data: Any
    shape: list[Any]
    strides: list[Any]


class Stacks(NamedTuple):
    """What a loop over all matrices reads and writes."""

    parts: tuple[Part, ...]
    """Of the operands; then those of the results."""
    missing: str
    operands: Sequence[Stack]
    lengths: dict[str, Value]
    batch: Sequence[Value]
    places: Sequence[Value]
    """Those of the results; behind them are flags."""

    def values(self) -> list[Value]:
        """All that another function needs."""
        stacks = [x for s in self.operands for x in (s.data, *s.shape, *s.strides)]
        return [*self.lengths.values(), *self.batch, *self.places, *stacks]

    def like(self, values: Sequence[Value]) -> Stacks:
        """The same within the function that is given these."""
        left = iter(values)
        lengths = {x: next(left) for x in self.lengths}
        batch, places = [next(left) for _ in self.batch], [next(left) for _ in self.places]
        operands = [
            Stack(next(left), [next(left) for _ in s.shape], [next(left) for _ in s.strides])
            for s in self.operands
        ]
        return self._replace(operands=operands, lengths=lengths, batch=batch, places=places)

    def ranks(self) -> str:
        """What functions of such stacks differ in, besides the dtypes."""
        return "_".join(str(len(s.shape)) for s in self.operands)

    def matrices(self, builder: IRBuilder, indices: Sequence[Value]) -> list[Matrix]:
        """One matrix of each stack of operands."""
        matrices = []
        for stack, part in zip(self.operands, self.parts, strict=False):
            offset = I64(0)
            outer = len(stack.shape) - len(part.own(self.missing))
            for axis, index in enumerate(indices[len(self.batch) - outer :]):
                repeated = builder.icmp_signed("==", stack.shape[axis], I64(1))
                stride = builder.select(repeated, I64(0), stack.strides[axis])
                offset = builder.add(offset, builder.mul(index, stride))
            data = builder.gep(stack.data, [offset], source_etype=ir.IntType(8))
            inner = iter(stack.strides[outer:])
            strides = [I64(0) if x in self.missing else next(inner) for x in part.letters]
            lengths = [self.lengths[x] for x in part.letters]
            matrices.append(Matrix(part.dtype, data, *lengths, *strides))
        return matrices

    def results(self, builder: IRBuilder, place: Value) -> list[Value]:
        """The addresses of what the matrices at a place become."""
        addresses = []
        for part, start in zip(self.parts[len(self.operands) :], self.places, strict=False):
            size = I64(np.dtype(part.dtype).itemsize)
            for name in part.letters:
                size = builder.mul(size, self.lengths[name])
            offset = builder.mul(place, size)
            addresses.append(builder.gep(start, [offset], source_etype=ir.IntType(8)))
        return addresses


def unraveled(builder: IRBuilder, place: Value, shape: Sequence[Value]) -> list[Value]:
    """The index along each axis of what is at a place of an array."""
    indices = []
    for n in reversed(shape[1:]):
        indices.append(builder.urem(place, n))
        place = builder.udiv(place, n)
    return [place, *reversed(indices)][: len(shape)]
