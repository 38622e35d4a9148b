"""Fourier transforms and shifts that undo each other."""

from __future__ import annotations

from weft_graph import Each, Rule
from weft_rewrites.dsl.equation import equation, letter, others
from weft_tensor import FFT, IRFFT, RFFT, FFTShift
from weft_tensor.extend import lengths_of, same_size

__all__ = ["rules"]

x, n = letter("x"), others("n")
rules: tuple[Rule, ...] = (
    equation(
        Each(FFT, "back")(Each(FFT, "forth")(x)),
        lambda node, x: x.astype(node.dtype),
        of=None,
        when=lambda back, forth: back.inverse != forth.inverse and back.norm == forth.norm,
        name="ifft(fft(x)) = x",
        may_change="complex",
    ),
    equation(
        Each(IRFFT, "back")(Each(RFFT, "forth")(x), n),
        lambda x: x,
        when=lambda back, forth, x, n: (
            back.norm == forth.norm and same_size(lengths_of(x)[-1], n[0])
        ),
        name="irfft(rfft(x)) = x",
        may_change="rounding, overflow, inf, domain, zero sign",
    ),
    equation(
        Each(FFTShift, "back")(Each(FFTShift, "forth")(x)),
        lambda x: x,
        of=None,
        when=lambda back, forth: back == FFTShift(forth.axis, not forth.inverse),
        name="ifftshift(fftshift(x)) = x",
    ),
)
"""All of them."""
