"""Series of polynomials, the constant first: `wt.polynomial`, as `numpy.polynomial` has them.

The functions of NumPy's `polynomial` (`polyval`, ...), `chebyshev` (`chebval`), `legendre`
(`legval`), `hermite` (`hermval`), `hermite_e` (`hermeval`) and `laguerre` (`lagval`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from weft_tensor.front.unknown_name import unknown_name
from weft_tensor.ops.polynomials.families import FAMILIES
from weft_tensor.ops.polynomials.series import functions

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...

else:
    globals().update(functions())

    def __getattr__(name: str) -> NoReturn:
        places = [f"numpy.polynomial.{family.place}" for family in FAMILIES]
        raise unknown_name(__name__, name, {n: n for n in __all__}, *places)


__all__ = sorted(functions())
