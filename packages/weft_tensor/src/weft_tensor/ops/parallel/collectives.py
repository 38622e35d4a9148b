"""What devices tell each other: Ops for functions that `shard_map` runs on every device."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, NoReturn

import numpy as np

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.op import Cotangents, Shapes, TensorApply, TensorOp, Tensors, Value
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.types.axes import as_axis
from weft_tensor.types.tensor_type import TensorType

__all__ = [
    "AllGather",
    "AxisIndex",
    "Collective",
    "PMean",
    "PSum",
    "PSumScatter",
    "all_gather",
    "axis_index",
    "pmean",
    "psum",
    "psum_scatter",
]

AxisNames = str | Sequence[str]


class Collective(TensorOp):
    """An Op whose result on one device depends on the values of others.

    `together` says it for devices that differ along `names` alone.
    """

    view_of = ()
    names: tuple[str, ...]

    @abstractmethod
    def together(self, values: Sequence[np.ndarray]) -> Sequence[Value]:
        """What each of a group of devices gets, in order, for what each has."""

    def impl(self, *values: object) -> NoReturn:
        """Nothing: one device knows only its own value."""
        raise ValueError(
            f"{self} needs devices along {', '.join(map(repr, self.names))}: use it in a "
            "function that you give to shard_map, whose mesh has these axes"
        )

    def do_constant_folding(self, fgraph: object, node: object) -> bool:
        """No: the result depends on the mesh."""
        return False

    def __str__(self) -> str:
        return f"{type(self).__name__.lower()}[{', '.join(self.names)}]"


class _SameShape(Collective):
    linear: ClassVar[slice | None] = slice(None)

    def infer(self, *types: TensorType) -> TensorType:
        """The type of the input."""
        (x,) = types
        return TensorType(x.dtype, x.shape)

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """The same Op, as it is symmetric."""
        return [self(cotangents[0])]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """The shape of the input."""
        return input_shapes


class PSum(_SameShape):
    """The sum over the devices along `names`."""

    def together(self, values: Sequence[np.ndarray]) -> Sequence[Value]:
        """The sum, for each."""
        return [_total(values)] * len(values)


class PMean(_SameShape):
    """The mean over the devices along `names`."""

    def together(self, values: Sequence[np.ndarray]) -> Sequence[Value]:
        """The mean, for each."""
        total = _total(values)
        return [np.asarray(total / len(values), total.dtype)] * len(values)


class _Along(Collective):
    axis: int
    linear: ClassVar[slice | None] = slice(None)

    def infer(self, *types: TensorType) -> TensorType:
        """The type of the input, of another length along `axis`."""
        (x,) = types
        if not 0 <= self.axis < x.ndim:
            raise ValueError(f"{self}: axis {self.axis} is out of range for rank {x.ndim}")
        shape = [None if k == self.axis else n for k, n in enumerate(x.shape)]
        return TensorType(x.dtype, shape)


class AllGather(_Along):
    """What all devices along `names` hold, one behind another along `axis`."""

    def together(self, values: Sequence[np.ndarray]) -> Sequence[Value]:
        """All values, for each."""
        return [np.concatenate(values, self.axis)] * len(values)

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """Every device's own part of the sum of the cotangents."""
        return [PSumScatter(self.names, self.axis)(cotangents[0])]


class PSumScatter(_Along):
    """Each device's own part, along `axis`, of the sum over the devices along `names`."""

    def together(self, values: Sequence[np.ndarray]) -> Sequence[Value]:
        """The parts of the sum."""
        total = _total(values)
        if total.shape[self.axis] % len(values):
            raise ValueError(
                f"{self}: {len(values)} devices can't share axis {self.axis}, of length "
                f"{total.shape[self.axis]}, evenly"
            )
        return np.split(total, len(values), self.axis)

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """The cotangents of all devices."""
        return [AllGather(self.names, self.axis)(cotangents[0])]


class AxisIndex(Collective):
    """The place of the device along `names`, an int64 scalar."""

    def infer(self, *types: TensorType) -> TensorType:
        """An int64 scalar."""
        return TensorType("int64")

    def together(self, values: Sequence[np.ndarray]) -> Sequence[Value]:
        """0, 1, 2, ..."""
        return [np.int64(k) for k in range(len(values))]

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """There are no inputs."""
        return []

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """A scalar."""
        return [()]


def _total(values: Sequence[np.ndarray]) -> np.ndarray:
    return np.sum(np.stack(values), 0, dtype=np.asarray(values[0]).dtype)


def _names(axis_name: AxisNames) -> tuple[str, ...]:
    entries: Any = (axis_name,) if isinstance(axis_name, str) else axis_name
    names = entries if isinstance(entries, (tuple, list)) else ()
    if not names or not all(isinstance(name, str) for name in names):
        raise TypeError(f"the axes of a mesh are given by name, not as {axis_name!r}")
    return tuple(names)


def psum(x: TensorLike, axis_name: AxisNames) -> TensorVariable:
    """The sum of `x` over the devices along an axis of the mesh (or several), for each of them.

    It is for functions that are given to `shard_map`, as are the other collectives.

    >>> from weft_tensor import Mesh, psum, shard_map
    >>> total = shard_map(lambda x: psum(x, "data"), Mesh(data=2), [("data",)], None)
    >>> total([1, 2, 3, 4]).eval()
    array([4, 6])
    """
    tensor = as_tensor(x)
    return PSum(_names(axis_name))(tensor.astype("int64") if tensor.dtype == "bool" else tensor)


def pmean(x: TensorLike, axis_name: AxisNames) -> TensorVariable:
    """The mean of `x`, which is floating or complex, over the devices along `axis_name`.

    Raises TypeError for what is no float.

    >>> from weft_tensor import Mesh, pmean, shard_map
    >>> average = shard_map(lambda x: pmean(x, "data"), Mesh(data=2), [("data",)], None)
    >>> average([1.0, 2.0, 3.0, 4.0]).eval()
    array([2., 3.])
    """
    tensor = as_tensor(x)
    if not tensor.type.differentiable:
        raise TypeError(f"pmean needs floats, not {tensor!r}: convert it with .astype")
    return PMean(_names(axis_name))(tensor)


def all_gather(x: TensorLike, axis_name: AxisNames, axis: int = 0) -> TensorVariable:
    """The parts of all devices along `axis_name`, one behind another along `axis`.

    >>> from weft_tensor import Mesh, all_gather, shard_map
    >>> whole = shard_map(lambda x: all_gather(x, "data")[::-1], Mesh(data=2), [("data",)], None)
    >>> whole([1, 2, 3, 4]).eval()
    array([4, 3, 2, 1])
    """
    tensor = as_tensor(x)
    along = as_axis(axis, tensor.ndim)
    return AllGather(_names(axis_name), along)(tensor)


def psum_scatter(x: TensorLike, axis_name: AxisNames, axis: int = 0) -> TensorVariable:
    """Each device's own part, along `axis`, of `psum(x, axis_name)`.

    >>> from weft_tensor import Mesh, psum_scatter, shard_map
    >>> parts = shard_map(
    ...     lambda x: psum_scatter(x, "data"), Mesh(data=2), [("data",)], ("data",)
    ... )
    >>> parts([1, 2, 3, 4]).eval()
    array([4, 6])
    """
    tensor = as_tensor(x)
    along = as_axis(axis, tensor.ndim)
    return PSumScatter(_names(axis_name), along)(tensor)


def axis_index(axis_name: AxisNames) -> TensorVariable:
    """The place of the device, from 0, along an axis of the mesh (or several).

    >>> from weft_tensor import Mesh, axis_index, shard_map
    >>> numbered = shard_map(
    ...     lambda x: 10 * axis_index("data") + x, Mesh(data=2), [("data",)], ("data",)
    ... )
    >>> numbered([1, 2, 3, 4]).eval()
    array([ 1,  2, 13, 14])
    """
    return AxisIndex(_names(axis_name))()
