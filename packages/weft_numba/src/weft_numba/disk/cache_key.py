"""What counts for machine code on disk, beside the graph: what Numba compiles with, and for."""

from __future__ import annotations

from functools import cache
from typing import Final

import llvmlite
import llvmlite.binding as llvm
import numba
import numpy
import scipy

from weft_graph.extend import Compiler, note_sources
from weft_numba.lowering.dispatch import numba_funcify

__all__ = ["NUMBA"]


@cache
def _machine() -> str:
    """The processor that the code is for."""
    return f"{llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"


NUMBA: Final = Compiler(
    packages=("weft_graph", "weft_tensor", "weft_numba"),
    versions={m.__name__: m.__version__ for m in (numba, llvmlite, numpy, scipy)},
    table=numba_funcify,
    machine=_machine,
    prefixes=("NUMBA_",),
)

note_sources(NUMBA.packages)
