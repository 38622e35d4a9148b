"""The choices of a kernel between values that take long."""

from __future__ import annotations

from functools import cache
from typing import Final

from weft_numba.ir.kernel import Kernel
from weft_numba.ir.llvm_writer import number
from weft_numba.llvm.scalar.choices import Choices, Step
from weft_numba.llvm.scalar.table import takes_long
from weft_numba.llvm.scatter_address import INDICES

__all__ = ["choices_of"]

_NO_FUNCTIONS: Final = {"literal", "cast", "gather", *INDICES}
_REFUSED: Final = "gather"
"""What may be out of bounds wherever it is not used."""


@cache
def choices_of(kernel: Kernel) -> Choices[int]:
    """Its statements by their numbers."""
    results = {k for r in kernel.results for value, places in r.updates for k in (value, *places)}
    return Choices(
        {
            k: Step(
                s.arguments,
                number(s.dtype).register,
                chooses=s.name == "where",
                takes_long=s.name not in _NO_FUNCTIONS
                and takes_long(s.name, s.computed, len(s.arguments)),
                stays=k in results or s.name == _REFUSED,
            )
            for k, s in enumerate(kernel.statements, len(kernel.operands))
        }
    )
