"""Printing and checks in Numba: prints by Python, exceptions of the user's own class."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba.core.dispatcher import Dispatcher

from weft_graph import CheckAndRaise, Print, Variable
from weft_graph.extend import load_source
from weft_numba.fusion.nest_function import nest_of
from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.njit_source import compiled, njit
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
def numba_funcify_check(op: CheckAndRaise, *, node: Variable, **kwargs: object) -> Dispatcher:
    """One test per condition."""
    names = [f"c{k}" for k in range(len(node.inputs) - 1)]
    lines = [f"def lowered(x, {', '.join(names)}):"]
    namespace: dict[str, Any] = {"exc_type": op.exc_type}
    for name, v in zip(names, node.inputs[1:], strict=True):
        holds = name
        if isinstance(v.type, TensorType) and v.type.ndim:
            condition: Any = v.type()
            namespace[f"all_{name}"] = nest_of([condition], all(condition))
            holds = f"all_{name}({name})"
        lines += [f"    if not {holds}:", f"        raise exc_type({op.msg!r})"]
    return compiled("\n".join([*lines, "    return x"]) + "\n", **namespace)
