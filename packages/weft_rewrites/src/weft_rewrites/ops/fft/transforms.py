"""Fourier transforms and shifts that undo each other."""

from __future__ import annotations

from weft_graph import Rule, rule
from weft_rewrites.dsl.result import Result
from weft_tensor import FFT, IRFFT, RFFT, FFTShift, TensorVariable
from weft_tensor.extend import lengths_of, same_size

__all__ = ["rules"]


@rule(FFT, over=FFT, name="ifft(fft(x)) = x", may_change="complex")
def _there_and_back(node: Result[FFT]) -> TensorVariable | None:
    """What is transformed forth and back, of one scale, as complex numbers."""
    (inner,) = node.inputs
    op = inner.op
    if type(op) is not FFT or op.inverse == node.op.inverse or op.norm != node.op.norm:
        return None
    return inner.inputs[0].astype(node.type.dtype)


@rule(
    IRFFT,
    over=RFFT,
    name="irfft(rfft(x)) = x",
    may_change=("rounding", "overflow", "inf", "domain", "zero sign"),
)
def _half_and_back(node: Result[IRFFT]) -> TensorVariable | None:
    """The real vectors, if there are as many points again."""
    half, n = node.inputs
    if type(half.op) is not RFFT or half.op.norm != node.op.norm:
        return None
    (x,) = half.inputs
    return x if same_size(lengths_of(x)[-1], n) else None


@rule(FFTShift, over=FFTShift, name="ifftshift(fftshift(x)) = x")
def _turned_back(node: Result[FFTShift]) -> TensorVariable | None:
    (inner,) = node.inputs
    is_back = inner.op == FFTShift(node.op.axis, not node.op.inverse)
    return inner.inputs[0] if is_back else None


rules: tuple[Rule, ...] = (_there_and_back, _half_and_back, _turned_back)
"""All of them."""
