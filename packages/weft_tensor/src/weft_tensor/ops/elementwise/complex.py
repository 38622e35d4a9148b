"""Parts of complex numbers, elementwise."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft_tensor.ops.elementwise.op import Binary, Unary, binary, unary
from weft_tensor.ops.elementwise.table import ANY, Signature
from weft_tensor.types.dtypes import promote

__all__ = [
    "conj",
    "conj_of",
    "imag",
    "of_parts",
    "real",
]

# fmt: off

def _real_part(dtypes: tuple[str, ...]) -> Signature:
    return dtypes, {"complex64": "float32", "complex128": "float64"}.get(dtypes[0], dtypes[0])


def _of_parts(x: Any, y: Any) -> Any:
    shape = np.broadcast_shapes(np.shape(x), np.shape(y))
    joined = np.empty(shape, promote([x.dtype, "complex64"]))
    joined.real, joined.imag = x, y
    return joined


def _joined(dtypes: tuple[str, ...]) -> Signature:
    part = promote([*dtypes, "float32"])
    if part.startswith("complex"):
        raise TypeError(f"of_parts takes two real numbers, not {' and '.join(dtypes)}")
    return (part, part), promote([part, "complex64"])


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
of_parts: Binary = binary(
    "of_parts", _of_parts,
    "Complex numbers of two parts, each as it is: in a sum with a multiple of 1j, infinite "
    "imaginary parts make real ones NaN, and -0.0 is 0.0.",
    (ANY, ANY), (1.0, 2.0, 1 + 2j),
    pullback=lambda x, y, r, g: [real(g), imag(g)],
    pushforward=lambda x, y, r, t, u: of_parts(t, u), dtypes=_joined,
)
# fmt: on


def conj_of(x: Any) -> Any:
    """The conjugate of complex numbers; real ones as they are, without a step.

    >>> from weft_tensor import vector
    >>> x = vector("x")
    >>> conj_of(x) is x
    True
    """
    return conj(x) if x.is_complex else x
