"""Numba's compiler, whose functions have names of their own in all processes.

Numba counts from one in each process. Machine code from another process, beside which such names
stand, would be taken for that of this one.
"""

from __future__ import annotations

import os
from typing import Any

from numba.core.compiler import Compiler

__all__ = ["UniqueNames"]


class UniqueNames(Compiler):
    """For `numba.njit(..., pipeline_class=UniqueNames)`.

    >>> import numba
    >>> numba.njit(lambda x: x + 1, pipeline_class=UniqueNames)(2)
    3
    """

    def _compile_bytecode(self) -> Any:
        self.state.func_id.unique_id = int.from_bytes(os.urandom(8))
        return super()._compile_bytecode()  # type: ignore[no-untyped-call]  # Numba's
