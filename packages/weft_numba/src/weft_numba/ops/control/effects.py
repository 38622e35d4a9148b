"""Printing and checks in Numba: prints by Python, exceptions of the user's own class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numba
import numpy as np
from llvmlite.ir import IRBuilder, Value
from numba.core import types
from numba.core.dispatcher import Dispatcher
from numba.core.imputils import impl_ret_borrowed

from weft_graph import CheckAndRaise, Print, Variable
from weft_graph.extend import load_source
from weft_numba.fusion.nest_function import nest_of
from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.intrinsics import intrinsic
from weft_numba.lowering.njit_source import njit
from weft_numba.lowering.parameters import one_by_one
from weft_numba.lowering.requirements import require
from weft_tensor import TensorType, all

__all__ = ["numba_funcify_check", "numba_funcify_print"]


@numba_funcify.register(Print)
def numba_funcify_print(op: Print, *, node: Variable, **kwargs: object) -> Dispatcher:
    """A call of Python's `print` from machine code, for which Numba takes the lock itself."""

    def show(*values: Any) -> None:
        op.show(*map(np.asarray, values))

    names = "x, step" if len(node.inputs) > 1 else "x"
    source = f"def lowered({names}):\n    with objmode():\n        show({names})\n    return x\n"
    return njit(load_source("lowered", source, {"objmode": numba.objmode, "show": show}))


@numba_funcify.register(CheckAndRaise)
def numba_funcify_check(op: CheckAndRaise, *, node: Variable, **kwargs: object) -> Any:
    """One test per condition, where it is called: a function for each takes long to compile."""
    nests: list[Any] = []
    for v in node.inputs[1:]:
        condition: Any = v.type()
        is_array = isinstance(v.type, TensorType) and v.type.ndim
        nests.append(nest_of([condition], all(condition)) if is_array else None)

    def typed(typing_context: Any, x: Any, *kinds: Any) -> tuple[Any, Any]:
        tests = [
            nest._defn(typing_context, kind) if nest else (types.boolean(types.boolean), _same)
            for nest, kind in zip(nests, kinds, strict=True)
        ]

        def write(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
            for (own, test), condition in zip(tests, args[1:], strict=True):
                holds = test(context, builder, own, [condition])
                require(context, builder, holds, op.exc_type, op.msg)
            return impl_ret_borrowed(context, builder, sig.return_type, args[0])

        return x(x, *[own.args[0] for own, _ in tests]), write

    return intrinsic(one_by_one(len(node.inputs), typed))


def _same(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
    return args[0]
