"""SciPy's special functions as machine code calls them, by names of our own.

Machine code that is kept on disk mentions only names, `weft_special_gamma_1` and so on: `load` says
where the function is in this process. SciPy's module is imported with the first of them.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Final

import llvmlite.binding as llvm
from numba.extending import get_cython_function_address

__all__ = ["load", "symbol"]

_PREFIX: Final = "weft_special_"
_HOME: Final = "scipy.special.cython_special"


def symbol(name: str, arity: int) -> str:
    """The name under which machine code calls SciPy's function of so many doubles.

    Raises LookupError if SciPy has none.

    >>> symbol("gamma", 1)
    'weft_special_gamma_1'
    """
    full = f"{_PREFIX}{name}_{arity}"
    load(full)
    return full


@cache
def load(symbol: str) -> None:
    """Make a function known to LLVM, if the symbol is that of one.

    >>> load("weft_special_gamma_1")
    """
    if not symbol.startswith(_PREFIX):
        return
    name, _, arity = symbol.removeprefix(_PREFIX).rpartition("_")
    signature = f"double ({', '.join(['double'] * int(arity))}, int __pyx_skip_dispatch)"
    for exported, capsule in import_module(_HOME).__pyx_capi__.items():
        fits = exported == name or (exported.startswith("__pyx_fuse_") and _fused(exported) == name)
        if fits and f'"{signature}"' in str(capsule):
            llvm.add_symbol(symbol, get_cython_function_address(_HOME, exported))
            return
    raise LookupError(f"SciPy has no function {name} of {arity} doubles for machine code")


def _fused(exported: str) -> str:
    """The name of a function that Cython has for several types: `__pyx_fuse_1psi` is psi."""
    return exported.removeprefix("__pyx_fuse_").lstrip("0123456789_")
