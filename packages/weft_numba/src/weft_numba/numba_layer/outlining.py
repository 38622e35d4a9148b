"""What a graph does many times is written once: a function of its own in the same module.

Numba writes out an intrinsic wherever it is called, and LLVM's time grows faster than the length
of a function. So the calls are short, too: arrays are given by where they are in memory, each
written there once, and an exception is left where the caller's own would be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Any, Final

from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils, types
from numba.core.callconv import RETCODE_OK

from weft_numba.llvm.unrolling import keep_loops_short
from weft_numba.lowering.places import known_place, memory, note_place, place_of
from weft_numba.lowering.repetition import is_repeated, leave_as_written, let_optimise

__all__ = ["only_place", "outlined", "result_place"]

Write = Callable[[Any, Any, Any, Any], Any]

_PREFIX: Final = "weft_apart_"
_STATUS: Final = ir.IntType(32)
_FINE: Final = _STATUS(0)


def outlined(
    name: str,
    write: Write,
    *,
    joined: bool = False,
    strided: bool = False,
    repeated: bool = True,
) -> Write:
    """The code of an intrinsic that calls a function with the code that `write` writes.

    Calls with the same name and types are calls of the same function. They can't be where Numba
    would catch exceptions. With `joined`, LLVM puts the code into the place of each call after all.
    With `strided`, `write` goes by strides, and what it writes is that of arrays of any layout.
    What `write` itself puts into `result_place`, it need not give.
    Without `repeated`, the code of loops has it in place: a call would take as long as it does.

    >>> import numba
    >>> from numba.extending import intrinsic
    >>> def write(context, builder, sig, args):
    ...     return builder.fadd(args[0], args[0])
    >>> twice = intrinsic(lambda context, x: (x(x), outlined("twice", write)))
    >>> numba.njit(lambda x: twice(twice(x)))(3.0)
    12.0
    """

    def call(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
        if strided:
            sig = _in_any_layout(sig.return_type)(*map(_in_any_layout, sig.args))
        if not repeated and is_repeated(builder):
            return write(context, builder, sig, args)
        digest = blake2b(f"{name} {sig}".encode(), digest_size=12).hexdigest()
        module, symbol = builder.module, f"{_PREFIX}{digest}"
        function = module.globals.get(symbol)
        once = not (joined or is_repeated(builder) or builder.function.name.startswith(_PREFIX))
        if function is None:
            function = _written(context, module, symbol, sig, write)
            function.attributes.add("alwaysinline" if joined else "noinline")
            if once:
                leave_as_written(function)
        elif not once:
            let_optimise(function)
        result = memory(builder, context.get_value_type(sig.return_type))
        values = [place_of(builder, x) if _is_wide(x.type) else x for x in args]
        status = builder.call(function, [result, builder.function.args[1], *values])
        with cgutils.if_unlikely(builder, builder.icmp_signed("!=", status, _FINE)):
            builder.ret(status)
        value = builder.load(result)
        note_place(builder, value, result)
        return value

    return call


def result_place(builder: IRBuilder, k: int, count: int) -> Value:
    """Where the function that is being written puts the `k`-th of so many results."""
    place = builder.function.args[0]
    return builder.gep(place, [_STATUS(0), _STATUS(k)], inbounds=True) if count > 1 else place


def only_place(builder: IRBuilder) -> Value | None:
    """Where the only result goes, if the code is not in place of a call: it is not copied then."""
    return builder.function.args[0] if builder.function.name.startswith(_PREFIX) else None


def _written(context: Any, module: Any, symbol: str, sig: Any, write: Write) -> Value:
    """The function: Numba's place for the result and that for an exception come first."""
    kinds = [context.get_value_type(kind) for kind in sig.args]
    places = context.call_conv.get_function_type(sig.return_type, ()).args
    result = context.get_value_type(sig.return_type).as_pointer()
    parameters = [kind.as_pointer() if _is_wide(kind) else kind for kind in kinds]
    function = ir.Function(
        module, ir.FunctionType(_STATUS, [result, places[1], *parameters]), symbol
    )
    function.linkage = "internal"
    builder = IRBuilder(function.append_basic_block("entry"))
    values = []
    for x, kind in zip(function.args[2:], kinds, strict=True):
        values.append(builder.load(x) if _is_wide(kind) else x)
        if _is_wide(kind):
            x.attributes.add("noalias")
            note_place(builder, values[-1], x)
    value = write(context, builder, sig, values)
    if value is None or known_place(builder, value) is function.args[0]:
        builder.ret(RETCODE_OK)
    else:
        context.call_conv.return_value(builder, value)
    keep_loops_short(function)
    return function


def _in_any_layout(kind: Any) -> Any:
    return kind.copy(layout="A") if isinstance(kind, types.Array) else kind


def _is_wide(kind: Any) -> bool:
    """Whether values take several registers, as arrays and complex numbers do."""
    return isinstance(kind, ir.Aggregate)
