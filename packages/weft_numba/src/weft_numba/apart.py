"""What a graph does many times is written once: a function of its own in the same module.

Numba writes out an intrinsic wherever it is called, and LLVM's time grows faster than the length
of a function.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import Any

from llvmlite import ir
from numba.core import cgutils

__all__ = ["apart"]

Write = Callable[[Any, Any, Any, Any], Any]


def apart(name: str, write: Write) -> Write:
    """The code of an intrinsic that calls a function with the code that `write` writes.

    Calls with the same name and types are calls of the same function.

    >>> import numba
    >>> from numba.extending import intrinsic
    >>> def write(context, builder, sig, args):
    ...     return builder.fadd(args[0], args[0])
    >>> twice = intrinsic(lambda context, x: (x(x), apart("twice", write)))
    >>> numba.njit(lambda x: twice(twice(x)))(3.0)
    12.0
    """

    def call(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        convention, module = context.call_conv, builder.module
        digest = blake2b(f"{name} {sig}".encode(), digest_size=12).hexdigest()
        function = module.globals.get(f"weft_apart_{digest}")
        if function is None:
            kind = convention.get_function_type(sig.return_type, sig.args)
            function = ir.Function(module, kind, f"weft_apart_{digest}")
            function.linkage = "internal"
            function.attributes.add("noinline")
            inside = ir.IRBuilder(function.append_basic_block("entry"))
            given = convention.decode_arguments(inside, sig.args, function)
            value = write(context, inside, sig, given)
            returned = context.get_return_value(inside, sig.return_type, value)
            convention.return_value(inside, returned)
        status, result = convention.call_function(
            builder, function, sig.return_type, sig.args, args
        )
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return result

    return call
