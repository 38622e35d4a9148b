"""What must hold where code goes on: else the function that is being written raises."""

from __future__ import annotations

from typing import Any

from llvmlite.ir import IRBuilder, Value
from numba.core.callconv import RETCODE_USEREXC

__all__ = ["raises", "require"]


def raises(context: Any, builder: IRBuilder, kind: type[Exception], *arguments: str) -> None:
    """Write the end of a block that raises an error.

    Numba's own looks whether it is caught here, and makes nothing of it.
    """
    context.call_conv.set_static_user_exc(builder, kind, arguments)
    builder.ret(RETCODE_USEREXC)


def require(
    context: Any, builder: IRBuilder, holds: Value, kind: type[Exception], *arguments: str
) -> None:
    """Write code that raises an error unless `holds`, a bit, is true."""
    with builder.if_then(builder.not_(holds), likely=False):
        raises(context, builder, kind, *arguments)
