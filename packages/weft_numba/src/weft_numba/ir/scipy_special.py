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
_COMPLEX: Final = "__pyx_t_double_complex"
_HOME: Final = "scipy.special.cython_special"


def symbol(name: str, arity: int, *, is_complex: bool = False, results: int = 1) -> str:
    """The name under which machine code calls SciPy's function of so many doubles.

    With `is_complex`, the last one and the result are complex; several results are written where
    pointers say. Raises LookupError if SciPy has none.

    >>> symbol("gamma", 1), symbol("jv", 2, is_complex=True)
    ('weft_special_gamma_1', 'weft_special_jv_2c')
    """
    full = f"{_PREFIX}{name}_{arity}{'c' * is_complex * results}"
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
    last = _COMPLEX if arity.endswith("c") else "double"
    parameters = ", ".join([*["double"] * (int(arity.rstrip("c")) - 1), last])
    signature = f"{last} ({parameters}, int __pyx_skip_dispatch)"
    if arity.endswith("cc"):
        signature = f"void ({parameters}{f', {_COMPLEX} *' * arity.count('c')})"
    for exported, capsule in import_module(_HOME).__pyx_capi__.items():
        fits = exported == name or (exported.startswith("__pyx_fuse_") and _fused(exported) == name)
        if fits and f'"{signature}"' in str(capsule):
            llvm.add_symbol(symbol, get_cython_function_address(_HOME, exported))
            return
    raise LookupError(f"SciPy has no function {name} of {arity} numbers for machine code")


def _fused(exported: str) -> str:
    """The name of a function that Cython has for several types: `__pyx_fuse_1psi` is psi."""
    return exported.removeprefix("__pyx_fuse_").lstrip("0123456789_")
