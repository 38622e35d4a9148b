"""Series of polynomials, the constant first: `wt.polynomial`, as `numpy.polynomial` has them.

The functions of NumPy's `polynomial` (`polyval`, ...), `chebyshev` (`chebval`), `legendre`
(`legval`), `hermite` (`hermval`), `hermite_e` (`hermeval`) and `laguerre` (`lagval`), and the
classes `Polynomial`, `Chebyshev`, `Legendre`, `Hermite`, `HermiteE` and `Laguerre`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from weft_tensor.front.unknown_name import unknown_name
from weft_tensor.ops.polynomials.families import FAMILIES
from weft_tensor.ops.polynomials.series_classes import CLASSES
from weft_tensor.ops.polynomials.series_functions import functions

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...

else:
    globals().update(functions() | CLASSES)

    def __getattr__(name: str) -> NoReturn:
        if name in {f"{family.prefix}trim" for family in FAMILIES}:
            raise AttributeError(
                f"module {__name__!r} has no {name}: how many terms are left would depend on "
                "values; write c[:n] for so many"
            )
        places = [f"numpy.polynomial.{family.place}" for family in FAMILIES]
        raise unknown_name(__name__, name, {n: n for n in __all__}, *places)


__all__ = sorted(functions() | CLASSES)
