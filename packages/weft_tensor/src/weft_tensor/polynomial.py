"""Series of polynomials, the constant first: `wt.polynomial`, as `numpy.polynomial` has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from weft_tensor.front.unknown_name import unknown_name
from weft_tensor.ops.polynomials.series import chebval, polyval

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        places = "numpy.polynomial.polynomial", "numpy.polynomial.chebyshev"
        raise unknown_name(__name__, name, {n: n for n in __all__}, *places)


__all__ = ["chebval", "polyval"]
