"""What counts for programs on disk, beside the graph: what JAX compiles with, and for."""

from __future__ import annotations

import platform
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Final

import jax
import jaxlib
import numpy
import scipy

from weft_graph.extend import Compiler
from weft_jax.lowering.dispatch import jax_funcify

__all__ = ["JAX"]

_CHANGING: Final = ("MHz", "bogomips")


@cache
def _machine() -> str:
    """The processor that the code is for: its name, and what it can do."""
    try:
        with Path("/proc/cpuinfo").open() as file:
            first = list(takewhile(str.strip, file))
    except OSError:
        first = []
    same = [line for line in first if not any(word in line for word in _CHANGING)]
    return f"{platform.machine()} {platform.processor()} {same} {numpy.show_config(mode='dicts')}"


JAX: Final = Compiler(
    packages=("weft_graph", "weft_tensor", "weft_jax"),
    versions={m.__name__: m.__version__ for m in (jax, jaxlib, numpy, scipy)},
    table=jax_funcify,
    machine=_machine,
    prefixes=("XLA_",),
)
