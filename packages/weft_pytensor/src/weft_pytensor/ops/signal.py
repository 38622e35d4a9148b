"""Fourier transforms, convolutions and windows."""

from __future__ import annotations

from pytensor.graph.op import Op

import weft_tensor as wt
from weft_graph import Constant
from weft_pytensor.convert.table import register_names
from weft_pytensor.ops.linalg import BATCHED
from weft_pytensor.ops.shape import axis_of, sizes_of
from weft_tensor import TensorVariable


@register_names("Fourier")
def fourier(op: Op, a: TensorVariable, n: TensorVariable, axis: TensorVariable) -> TensorVariable:
    """The transform along one axis."""
    return wt.fft.fft(a, n, axis_of(axis))


@register_names("RFFTOp")
def rfft(op: Op, a: TensorVariable, lengths: TensorVariable) -> TensorVariable:
    """That of real numbers along all axes but the first; real and imaginary parts are an axis."""
    transform = wt.fft.rfftn(a, sizes_of(lengths, a.ndim - 1), axes=range(1, a.ndim))
    return wt.stack([wt.real(transform), wt.imag(transform)], axis=-1)


@register_names("IRFFTOp")
def irfft(op: Op, a: TensorVariable, lengths: TensorVariable) -> TensorVariable:
    """Its inverse, which is not divided by the number of elements."""
    axes = range(1, a.ndim - 1)
    sizes = sizes_of(lengths, a.ndim - 2)
    return wt.fft.irfftn(a[..., 0] + 1j * a[..., 1], sizes, axes=axes, norm="forward")


@register_names("Convolve1d", "Convolve2d")
def convolve(op: Op, a: TensorVariable, b: TensorVariable, full: TensorVariable) -> TensorVariable:
    """Sums of products where both overlap somewhere, or everywhere."""
    rank, full = op.ndim, wt.any(full) if full.ndim else full  # the same for all of a batch
    mode = "valid" if isinstance(full.op, Constant) and not full.op.value else "full"
    sums = wt.vectorize(
        lambda x, y: wt.signal.convolve(x, y, mode, getattr(op, "method", "direct")),
        op.gufunc_signature.replace(",()", ""),
    )(a, b)
    if isinstance(full.op, Constant):
        return sums
    for axis in range(-rank, 0):  # a part of it, as derivatives know only then which one they want
        n, k = a.shape[axis], b.shape[axis]
        less = wt.where(full, 0, wt.minimum(n, k) - 1)
        sums = wt.moveaxis(wt.moveaxis(sums, axis, 0)[less : n + k - 1 - less], 0, axis)
    return sums


BATCHED.update(Convolve1d=convolve, Convolve2d=convolve)


@register_names("Bartlett")
def bartlett(op: Op, n: TensorVariable) -> TensorVariable:
    """A window that rises and falls in straight lines."""
    return wt.bartlett(n)
