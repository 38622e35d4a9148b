"""Parts of complex numbers, elementwise."""

from __future__ import annotations

from weft_tensor.ops.elementwise.op import Unary, unary
from weft_tensor.ops.elementwise.table import ANY, Signature

__all__ = [
    "conj",
    "imag",
    "real",
]

# fmt: off

def _real_part(dtypes: tuple[str, ...]) -> Signature:
    return dtypes, {"complex64": "float32", "complex128": "float64"}.get(dtypes[0], dtypes[0])


real: Unary = unary(
    "real", "numpy.real", "Real part.", ANY, (2.0, 2.0),
    pullback=lambda x, r, g: [g], pushforward=lambda x, r, t: real(t), dtypes=_real_part,
    is_view=True,
)
imag: Unary = unary(
    "imag", "numpy.imag", "Imaginary part.", ANY, (2.0, 0.0),
    pullback=lambda x, r, g: [g * 1j if x.is_complex else None],
    pushforward=lambda x, r, t: imag(t), dtypes=_real_part,
    is_view=True,
)
conj: Unary = unary(
    "conj", "numpy.conjugate", "Complex conjugate.", ANY, (2.0, 2.0),
    pullback=lambda x, r, g: [conj(g)], pushforward=lambda x, r, t: conj(t),
)
