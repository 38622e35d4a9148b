"""Fourier transforms that nothing asks for columns: XLA chooses how they lie in memory."""

from __future__ import annotations

from typing import Any, Final

from weft_graph import Constant, FunctionGraph, Item, Variable, replace
from weft_graph.extend import Loop, apply, nodes_inside, with_bodies
from weft_jax.analysis.static_values import static_positions
from weft_jax.lowering.dispatch import uses_builtin_lowering
from weft_tensor import (
    FFT,
    IRFFT,
    RFFT,
    Concatenate,
    Length,
    Matmul,
    Reshape,
    TensorOp,
    TensorType,
)
from weft_tensor.extend import kind_of

__all__ = ["FinalTransform", "Transform", "with_final_transforms"]

Transform = FFT | RFFT | IRFFT


class FinalTransform(TensorOp):
    """A transform that nothing takes which could ask for columns.

    >>> import weft_tensor as wt
    >>> FinalTransform(wt.fft.rfft([1.0, 2.0]).owner.op)([1.0, 2.0]).type.dtype
    'complex128'
    """

    transform: Transform

    def infer_from(self, *inputs: Any) -> TensorType:
        """The transform's type."""
        return self.transform(*inputs).type

    def __str__(self) -> str:
        return str(self.transform)


@static_positions.register(FinalTransform)
def _(op: FinalTransform, node: Any) -> frozenset[int]:
    return static_positions(op.transform, node)


def with_final_transforms(graph: FunctionGraph) -> FunctionGraph:
    """`graph`, in which transforms that nothing asks for columns are known as such.

    Those are what is a result alone; and all, those in loops too, where there is nothing that may
    call LAPACK, as of solutions of differential equations by spectra: a loop takes half the time.

    >>> import weft_tensor as wt
    >>> z = wt.zmatrix("z")
    >>> def final(*outputs):
    ...     nodes = with_final_transforms(FunctionGraph([z], outputs)).nodes
    ...     return sum(isinstance(v.op, FinalTransform) for v in nodes)
    >>> final(wt.fft.fft(z), wt.fft.ifft(z).sum()), final(wt.fft.fft(z), wt.inv(wt.fft.ifft(z)))
    (2, 1)
    """
    if _TRANSFORMS.isdisjoint(graph.op_classes) and Loop not in graph.op_classes:
        return graph
    nodes = [w for v in graph.nodes for w in (v, *nodes_inside(v.op))]
    if not any(isinstance(v.op, Transform) for v in nodes):
        return graph
    if all(map(_takes_rows, nodes)):
        return _with_all_final(graph)
    alone = {v for v in graph.outputs if not graph.users[v]}
    outputs = replace(graph.outputs, lambda v: _final(v) if v in alone else None)
    return graph.with_outputs(outputs)


_TRANSFORMS: Final = frozenset((FFT, RFFT, IRFFT))
_TAKING_ROWS: Final = (Concatenate, Item, Length, Loop, Matmul, Reshape, Transform)


def _takes_rows(v: Variable) -> bool:
    is_one = isinstance(v.op, _TAKING_ROWS) or kind_of(v) is not None
    return (is_one and uses_builtin_lowering(v.op)) or isinstance(v.op, Constant)


def _final(v: Variable) -> Variable | None:
    """The same transform, which may be in columns."""
    op: Any = v.op
    if isinstance(op, Transform) and uses_builtin_lowering(op):
        return apply(FinalTransform(op), v.inputs, v.place)
    return None


def _with_all_final(graph: FunctionGraph) -> FunctionGraph:
    return with_bodies(graph.with_outputs(replace(graph.outputs, _final)), _with_all_final)
