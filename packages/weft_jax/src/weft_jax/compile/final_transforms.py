"""Fourier transforms that are results and nothing else: XLA chooses how they lie in memory."""

from __future__ import annotations

from typing import Any

from weft_graph import FunctionGraph
from weft_jax.analysis.static_values import static_positions
from weft_jax.lowering.dispatch import uses_builtin_lowering
from weft_tensor import FFT, IRFFT, RFFT, TensorOp, TensorType

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
    """`graph`, in which transforms that are results alone are known as such.

    >>> import weft_tensor as wt
    >>> z = wt.zmatrix("z")
    >>> graph = FunctionGraph([z], [wt.fft.fft(z), wt.fft.ifft(z).sum()])
    >>> sum(isinstance(v.op, FinalTransform) for v in with_final_transforms(graph).nodes)
    1
    """
    if graph.op_classes.isdisjoint((FFT, RFFT, IRFFT)):
        return graph
    outputs: list[Any] = [
        FinalTransform(v.op)(*v.inputs)
        if isinstance(v.op, Transform) and not graph.users[v] and uses_builtin_lowering(v.op)
        else v
        for v in graph.outputs
    ]
    return FunctionGraph(graph.inputs, outputs)
