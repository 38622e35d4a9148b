"""Signals, such as that of a user who presses Ctrl-C, in loops that may never end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils, types

from weft_numba.lowering.intrinsics import intrinsic

__all__ = ["heed_signals"]

_POINTER: Final = ir.IntType(8).as_pointer()
_THREAD: Final = ir.FunctionType(_POINTER, [])
_CHECK: Final = ir.FunctionType(ir.IntType(32), [])


@intrinsic
def heed_signals(typing_context: Any) -> Any:
    """Run Python's handlers of signals that came meanwhile; what they raise ends the function.

    In threads that Python knows nothing of, as Numba's, nothing happens: waiting for Python's lock
    there, they would wait for who waits for them.

    >>> import numba
    >>> numba.njit(lambda: heed_signals())()
    """

    def write(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
        module = builder.module
        thread = cgutils.get_or_insert_function(module, _THREAD, "PyGILState_GetThisThreadState")
        check = cgutils.get_or_insert_function(module, _CHECK, "PyErr_CheckSignals")
        with builder.if_then(cgutils.is_not_null(builder, builder.call(thread, [])), likely=True):
            python = context.get_python_api(builder)
            lock = python.gil_ensure()
            status = builder.call(check, [])
            python.gil_release(lock)
            with builder.if_then(cgutils.is_not_null(builder, status), likely=False):
                context.call_conv.return_exc(builder)
        return context.get_dummy_value()

    return types.none(), write
