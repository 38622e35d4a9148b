"""BLAS and LAPACK as machine code calls them: SciPy's functions, by names of our own.

Machine code that is kept on disk mentions only names, `weft_dgemm` and so on; importing this
module says where the functions are in this process.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from typing import Final

import llvmlite.binding as llvm
import scipy
from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils
from numba.extending import get_cython_function_address

__all__ = ["I32", "I64", "LONGEST", "POINTER", "call", "letter"]

I32: Final = ir.IntType(32)
I64: Final = ir.IntType(64)
POINTER: Final = ir.IntType(8).as_pointer()
LONGEST: Final = 2**31 - 1
"""Lengths and distances have 32 bits there."""

_LETTERS: Final[dict[str, str]] = {
    "float32": "s",
    "float64": "d",
    "complex64": "c",
    "complex128": "z",
}
_REAL: Final = "sd"
_COMPLEX: Final = "cz"
_FUNCTIONS: Final = (
    ("cython_blas", _REAL + _COMPLEX, "gemm gemv syrk trmm trsm trsv"),
    ("cython_lapack", _REAL + _COMPLEX, "potrf lauum trtri getrf getri gesdd gelqf"),
    ("cython_lapack", _REAL + _COMPLEX, "gees gges geev gehrd trsyl getrs gbsv pbtrf sytrf"),
    ("cython_lapack", _REAL, "syevd orglq orghr"),
    ("cython_lapack", _COMPLEX, "heevd hetrf unglq unghr"),
)
"""By module, the letters of dtypes and the names of what there is for these."""


def _load(name: str) -> None:
    """Import a module of `scipy.linalg` alone: all of that package would take 0.2 seconds."""
    if name in sys.modules or "scipy.linalg" in sys.modules:
        return
    folders = [os.path.join(folder, "linalg") for folder in scipy.__path__]
    spec = PathFinder.find_spec(name, folders)
    if spec is None or spec.loader is None:
        return
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)


def _register() -> None:
    """Tell LLVM where SciPy's functions are."""
    for module, kinds, names in _FUNCTIONS:
        path = f"scipy.linalg.{module}"
        _load(path)
        for full in [kind + name for name in names.split() for kind in kinds]:
            llvm.add_symbol(f"weft_{full}", get_cython_function_address(path, full))


_register()


def letter(dtype: str) -> str | None:
    """How BLAS calls a dtype; None for those that it does not have.

    >>> letter("float32"), letter("int64")
    ('s', None)
    """
    return _LETTERS.get(dtype)


def call(builder: IRBuilder, dtype: str, name: str, *arguments: Value | str) -> None:
    """Write a call of a function of BLAS or LAPACK, for matrices of this dtype.

    Pointers are passed as they are. Everything else is passed by its address, as Fortran wants
    it: letters, and lengths in 64 bits, which become 32.
    """
    places = [a if getattr(a, "type", None) == POINTER else _address(builder, a) for a in arguments]
    kind = ir.FunctionType(ir.VoidType(), [POINTER] * len(places))
    full = f"weft_{_LETTERS[dtype]}{name}"
    builder.call(cgutils.get_or_insert_function(builder.module, kind, full), places)


def _address(builder: IRBuilder, value: Value) -> Value:
    """Where `value` lies on the stack."""
    if isinstance(value, str):
        value = ir.IntType(8)(ord(value))
    elif value.type == I64:
        value = builder.trunc(value, I32)
    slot = cgutils.alloca_once(builder, value.type)
    builder.store(value, slot)
    return builder.bitcast(slot, POINTER)
