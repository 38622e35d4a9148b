"""NumPy's loops over one vector, as machine code calls them, by names of our own.

Every dtype of NumPy's has a table of C functions, a part of its C interface that all releases of
NumPy 2 share. They need no lock. Machine code that is kept on disk mentions only names,
`weft_sort_float64` and so on; importing this module says where the functions are.
"""

from __future__ import annotations

import ctypes
from importlib import import_module
from typing import Final

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

__all__ = ["call"]

_I32: Final = ir.IntType(32)
_GET_FUNCTIONS: Final = 365
"""The number of `PyDataType_GetArrFuncs` in the table of NumPy's C functions."""
_PLACES: Final = {"argmax": 26, "sort": 33, "stable_argsort": 38, "argmin": 46}
"""Which pointer of a dtype's table it is."""
_DTYPES: Final = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float32", "float64", "complex64", "complex128"),
)


def _register() -> frozenset[str]:
    """Tell LLVM where NumPy's functions are; gives the names of those that are missing."""
    missing = set()
    opened = ctypes.pythonapi.PyCapsule_GetPointer
    opened.restype, opened.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    pointers = ctypes.POINTER(ctypes.c_void_p)
    capsule = import_module("numpy._core._multiarray_umath")._ARRAY_API
    interface = ctypes.cast(opened(capsule, None), pointers)
    table_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object)(interface[_GET_FUNCTIONS])
    for dtype in _DTYPES:
        table = ctypes.cast(table_of(np.dtype(dtype)), pointers)
        for name, place in _PLACES.items():
            symbol, address = f"weft_{name}_{dtype}", table[place]
            if address is None:
                missing.add(symbol)
            else:
                llvm.add_symbol(symbol, address)
    return frozenset(missing)


_MISSING: Final = _register()


def call(builder: IRBuilder, name: str, dtype: str, *arguments: Value) -> Value:
    """Write a call of a function for vectors of this dtype; gives 0 for success.

    The last of NumPy's arguments, an array that says more about the dtype, is not needed.
    """
    symbol = f"weft_{name}_{dtype}"
    if symbol in _MISSING:
        raise NotImplementedError(
            f"NumPy {np.__version__} offers no C function {name!r} of {dtype} vectors: "
            "compile with mode='py', or install another release of NumPy 2"
        )
    nothing = ir.Constant(ir.IntType(8).as_pointer(), None)
    given = [*arguments, nothing]
    kind = ir.FunctionType(_I32, [a.type for a in given])
    function = cgutils.get_or_insert_function(builder.module, kind, symbol)
    return builder.call(function, given)
