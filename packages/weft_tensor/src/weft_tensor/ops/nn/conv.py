"""Convolution of many channels along several axes, as networks have it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft_graph import Variable
from weft_tensor.build.convert import as_tensors
from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, TensorOp, Tensors, Value
from weft_tensor.build.variable import SizeLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import maximum
from weft_tensor.ops.elementwise.complex import conj_of
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.shape.length import lengths_of, static_length
from weft_tensor.ops.shape.reshape import reshape
from weft_tensor.ops.shape.transpose import swapaxes
from weft_tensor.types.dtypes import promote
from weft_tensor.types.symbolic_dims import provably_differ
from weft_tensor.types.tensor_type import TensorType

__all__ = ["Conv", "swapped"]


class Conv(TensorOp):
    """Sums of products of kernels with the parts of x that lie under them.

    x has the axes `(examples, channels, *space)`, the kernels `(results, channels of a group,
    *space)`. Then come, for each axis of space, where its first part begins, which may be before
    x, and how many parts there are. What is not in x is zero. Parts begin `strides` apart, their
    elements lie `dilation` apart; before, `spread` - 1 zeros are put between elements of x. Of
    `groups`, the first kernels belong to the first channels, and so on; of 0 groups, there are as
    many as the channels of x are times those of kernels. The derivatives are such sums again.
    """

    view_of = ()
    strides: tuple[int, ...]
    dilation: tuple[int, ...]
    spread: tuple[int, ...]
    groups: int = 1

    def convert(self, inputs: tuple[Any, ...]) -> tuple[Variable, ...]:
        """Both of one dtype."""
        x, w, *places = as_tensors(inputs)
        if any(getattr(v.type, "absorbs", False) for v in (x, w)):
            return (x, w, *places)
        dtype = promote((x.dtype, w.dtype))
        return (x.astype(dtype), w.astype(dtype), *places)

    def infer_from(self, *inputs: TensorVariable) -> TensorType:
        """As many examples, kernels, and parts along each axis."""
        x, w, *places = inputs
        rank = len(self.strides)
        if x.ndim != rank + 2 or w.ndim != rank + 2 or x.dtype == "bool":
            raise TypeError(
                f"conv along {rank} axes takes numbers with {rank + 2} axes, not {x!r} and {w!r}"
            )
        if any(p.type != TensorType("int64") for p in places) or len(places) != 2 * rank:
            raise TypeError(f"conv takes two int64 scalars for each axis, not {places}")
        channels, own = x.type.shape[1], w.type.shape[1]
        product: Any = None if own is None or not self.groups else own * self.groups
        if provably_differ(channels, product) and type(channels) is type(product):
            raise ValueError(
                f"conv: {x!r} has {channels} channels, and kernels {w!r} are for {product}, in "
                f"{self.groups} groups"
            )
        counts = [static_length(n) for n in places[rank:]]
        return TensorType(x.dtype, (x.type.shape[0], w.type.shape[0], *counts))

    def impl(self, *values: np.ndarray) -> Value:
        """The product of the kernels with a view of all parts."""
        x, w, *places = values
        rank = len(self.strides)
        starts, counts = ([int(p) for p in part] for part in (places[:rank], places[rank:]))
        groups = self.groups_of(x.shape, w.shape)
        windows = self._windows(x, w.shape[2:], starts, counts)
        n = x.shape[0]
        windows = windows.reshape(n, groups, w.shape[1], *windows.shape[2:])
        order = (1, 0, *range(3, 3 + rank), 2, *range(3 + rank, 3 + 2 * rank))
        depth = int(np.prod(w.shape[1:]))
        rows = windows.transpose(order).reshape(groups, n * int(np.prod(counts)), depth)
        kernels = w.reshape(groups, w.shape[0] // groups, depth)
        products = rows @ kernels.transpose(0, 2, 1)
        result = products.reshape(groups, n, *counts, kernels.shape[1])
        back = (1, 0, 2 + rank, *range(2, 2 + rank))
        return np.ascontiguousarray(result.transpose(back)).reshape(n, w.shape[0], *counts)

    def groups_of(self, x: tuple[int, ...], w: tuple[int, ...]) -> int:
        """How many groups there are, for values and kernels of these shapes.

        ValueError for kernels of other channels, or that groups do not part evenly.

        >>> Conv((1,), (1,), (1,), 0).groups_of((2, 6, 5), (9, 2, 3))
        3
        """
        groups = self.groups or x[1] // max(w[1], 1)
        if x[1] != w[1] * groups or w[0] % max(groups, 1):
            raise ValueError(
                f"conv in {groups} groups: kernels of shape {w} do not fit values of shape {x}"
            )
        return groups

    def _windows(
        self, x: np.ndarray, lengths: Sequence[int], starts: list[int], counts: list[int]
    ) -> np.ndarray:
        """A view of all parts: their places along the middle axes, their elements the last."""
        begins, extents, slices = [], [], []
        rows = zip(x.shape[2:], lengths, starts, counts, *self._steps(), strict=True)
        for n, k, start, count, stride, dilation, spread in rows:
            if count < 0:
                raise ValueError("negative dimensions are not allowed")
            whole = max((n - 1) * spread + 1, 0)
            end = start + max(count - 1, 0) * stride + max(k - 1, 0) * dilation + 1
            low = min(start, 0)
            begins.append(start - low)
            extents.append(max(end, whole) - low)
            slices.append(slice(-low, whole - low, spread))
        padded = np.zeros((*x.shape[:2], *extents), x.dtype)
        padded[(slice(None), slice(None), *slices)] = x
        corner = padded[(slice(None), slice(None), *[slice(b, None) for b in begins])]
        own = padded.strides[2:]
        apart = [s * n for s, n in zip(own, self.strides, strict=True)]
        inside = [s * n for s, n in zip(own, self.dilation, strict=True)]
        return np.lib.stride_tricks.as_strided(
            corner, (*x.shape[:2], *counts, *lengths), (*padded.strides[:2], *apart, *inside)
        )

    def _steps(self) -> tuple[tuple[int, ...], ...]:
        return self.strides, self.dilation, self.spread

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """Both by such sums: x's steps and spread change places, the kernels' and the strides."""
        (x, w, *places), (g,) = inputs, cotangents
        rank, groups = len(self.strides), self.groups
        many = groups or lengths_of(x)[1] // maximum(lengths_of(w)[1], 1)
        starts, lengths = places[:rank], lengths_of(w)[2:]
        backwards = (..., *[slice(None, None, -1)] * rank)
        kernels = swapped(conj_of(index(w, backwards)), many)
        rows = zip(starts, lengths, self.dilation, strict=True)
        before = [-start - (k - 1) * step for start, k, step in rows]
        to_x = Conv(self.spread, self.dilation, self.strides, groups)
        of_x = to_x(g, kernels, *before, *lengths_of(x)[2:])
        to_w = Conv(self.dilation, self.strides, self.spread, groups)
        by_channel = _examples_to_channels(conj_of(x), many)
        of_w = to_w(by_channel, _examples_to_kernels(g), *starts, *lengths)
        return [of_x, swapaxes(of_w, 0, 1), *[None] * len(places)]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Cotangents) -> Cotangents:
        """Both with the tangent of the other."""
        (x, w, *places), (tx, tw, *_) = inputs, tangents
        left = None if tx is None else self(tx, w, *places)
        right = None if tw is None else self(x, tw, *places)
        return [right if left is None else left if right is None else left + right]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """As many examples, kernels, and parts."""
        counts = node.inputs[2 + len(self.strides) :]
        return [(input_shapes[0][0], input_shapes[1][0], *counts)]

    @classmethod
    def examples(cls) -> Examples:
        """One to three axes; strides, dilation, spread, groups; before and behind; dtypes; none."""
        rng = np.random.default_rng(1)
        x, w = rng.normal(size=(2, 4, 7)), rng.normal(size=(6, 4, 3))
        flat, small = rng.normal(size=(2, 2, 5, 6)), rng.normal(size=(2, 2, 2, 3))
        cases: list[tuple[Any, ...]] = [
            ((1,), (1,), (1,), 1, x, w, 0, 5),
            ((2,), (1,), (1,), 1, x, w, -1, 4),
            ((1,), (2,), (1,), 1, x, w, 1, 2),
            ((1,), (1,), (3,), 1, x, w, -2, 21),
            ((2,), (3,), (2,), 2, x, w[:, :2], -3, 6),
            ((1,), (1,), (1,), 4, x, rng.normal(size=(4, 1, 2)), -4, 9),
            ((3,), (1,), (1,), 1, x, w, 9, 2),
            ((2,), (1,), (2,), 0, x, w[:, :2], -1, 5),
            ((1, 1), (1, 1), (1, 1), 1, flat, small, 0, -1, 4, 6),
            ((2, 1), (1, 2), (1, 2), 2, flat, small[:, :1], -1, 2, 3, 5),
            ((1,) * 3, (1,) * 3, (1,) * 3, 1, flat[None], small[None], 0, 0, 0, 1, 4, 4),
            ((1,), (1,), (1,), 1, x.astype("float32"), w.astype("float32"), 0, 5),
            ((1,), (1,), (2,), 1, x + 1j, w - 2j, -1, 5),
            ((1,), (1,), (1,), 1, np.arange(8).reshape(1, 2, 4), np.ones((1, 2, 2), int), 0, 3),
            ((1,), (1,), (1,), 1, x[:0], w, 0, 5),
            ((1,), (1,), (1,), 1, x[:, :, :0], w, -2, 2),
            ((1,), (1,), (1,), 1, x[:1, :1, :1], w[:1, :1, :1], 0, 1),
        ]
        return [(cls(*c[:4]), [*c[4:6], *map(np.int64, c[6:])]) for c in cases]

    def __str__(self) -> str:
        return "conv"


def swapped(w: TensorVariable, groups: SizeLike) -> TensorVariable:
    """Kernels from the results to the channels: both change places in each group."""
    if isinstance(groups, int) and groups == 1:
        return swapaxes(w, 0, 1)
    results, channels, *space = lengths_of(w)
    apart = reshape(w, (groups, results // groups, channels, *space))
    return reshape(swapaxes(apart, 1, 2), (groups * channels, results // groups, *space))


def _examples_to_channels(x: TensorVariable, groups: SizeLike) -> TensorVariable:
    """The channels of a group as examples, and the examples of each group as channels."""
    if isinstance(groups, int) and groups == 1:
        return swapaxes(x, 0, 1)
    n, channels, *space = lengths_of(x)
    own = channels // groups
    apart = reshape(x, (n, groups, own, *space)).transpose((2, 1, 0, *range(3, 3 + len(space))))
    return reshape(apart, (own, n * groups, *space))


def _examples_to_kernels(g: TensorVariable) -> TensorVariable:
    return swapaxes(g, 0, 1)
