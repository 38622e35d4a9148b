"""NumPy's loops over vectors, as machine code calls them, by names of our own.

Every dtype of NumPy's has a table of C functions, a part of its C interface that all releases of
NumPy 2 share. Fourier transforms are generalised ufuncs there, which have the addresses of their
loops; these keep nothing between calls. None needs a lock. Machine code that is kept on disk
mentions only names, `weft_sort_float64` and so on; importing this module says where they are.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from importlib import import_module
from typing import Final

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

__all__ = ["call", "transform"]

_I8: Final = ir.IntType(8)
_I32: Final = ir.IntType(32)
_I64: Final = ir.IntType(64)
_POINTER: Final = _I8.as_pointer()
_GET_FUNCTIONS: Final = 365
"""The number of `PyDataType_GetArrFuncs` in the table of NumPy's C functions."""
_PLACES: Final = {"argmax": 26, "sort": 33, "argsort": 36, "stable_argsort": 38, "argmin": 46}
"""Which pointer of a dtype's table it is."""
_DTYPES: Final = tuple(map(np.dtype, "?bhiqBHIQfdFD"))
_TRANSFORMS: Final = ("fft", "rfft_n_even", "rfft_n_odd", "irfft")
_LOOPS: Final = object.__basicsize__ + 16
"""How far the address of the loops is from the beginning of a ufunc: behind four integers."""


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
        table = ctypes.cast(table_of(dtype), pointers)
        for name, place in _PLACES.items():
            symbol, address = f"weft_{name}_{dtype}", table[place]
            if address is None:
                missing.add(symbol)
            else:
                llvm.add_symbol(symbol, address)
    return frozenset(missing)


def _register_transforms() -> frozenset[str]:
    """Tell LLVM where the loops of transforms are; gives their names."""
    symbols = set()
    module = import_module("numpy.fft._pocketfft_umath")
    for name in _TRANSFORMS:
        ufunc = getattr(module, name, None)
        if not isinstance(ufunc, np.ufunc):
            continue
        loops = ctypes.POINTER(ctypes.c_void_p).from_address(id(ufunc) + _LOOPS)
        for place, kinds in enumerate(ufunc.types):
            address = loops[place]
            if address is not None and kinds[1] in "fd":
                symbol = f"weft_{name}_{np.dtype(kinds[1])}"
                llvm.add_symbol(symbol, address)
                symbols.add(symbol)
    return frozenset(symbols)


_MISSING: Final = _register()
_FOUND: Final = _register_transforms()


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
    nothing = ir.Constant(_POINTER, None)
    parameters = [*arguments, nothing]
    kind = ir.FunctionType(_I32, [a.type for a in parameters])
    function = cgutils.get_or_insert_function(builder.module, kind, symbol)
    return builder.call(function, parameters)


def transform(
    builder: IRBuilder,
    name: str,
    real: str,
    data: Sequence[Value],
    lengths: Sequence[Value],
    steps: Sequence[Value],
    inverse: bool = False,
) -> None:
    """Write a call of the loop of a Fourier transform.

    `data` are the addresses of input, factor and result; `lengths` how many vectors there are, and
    the points of one of the input and of the result; `steps` the bytes between vectors, and
    between points.
    """
    symbol = f"weft_{name}_{real}"
    if symbol not in _FOUND:
        raise NotImplementedError(
            f"NumPy {np.__version__} offers no loop {name!r} of {real} vectors: compile with "
            "mode='py', or install another release of NumPy 2"
        )
    of_input, of_result, inside, within = steps
    tables = (
        _table(builder, _POINTER, [builder.bitcast(d, _POINTER) for d in data]),
        _table(builder, _I64, lengths),
        _table(builder, _I64, [of_input, _I64(0), of_result, inside, within]),
    )
    forward = cgutils.alloca_once_value(builder, _I8(0 if inverse else 1))
    kind = ir.FunctionType(ir.VoidType(), [*(t.type for t in tables), _POINTER])
    function = cgutils.get_or_insert_function(builder.module, kind, symbol)
    builder.call(function, [*tables, forward])


def _table(builder: IRBuilder, kind: ir.Type, values: Sequence[Value]) -> Value:
    """The address of values one behind another."""
    start = cgutils.alloca_once(builder, kind, _I64(len(values)))
    for place, value in enumerate(values):
        builder.store(value, builder.gep(start, [_I64(place)]))
    return start
