"""Functions of numbers for which Numba has no machine code: an error that says what to do."""

from __future__ import annotations

from typing import Any

from weft_graph import MissingLoweringError, Variable
from weft_numba.lowering.dispatch import BY_ROW, numba_funcify
from weft_tensor import Elemwise

__all__ = ["numba_funcify_elemwise"]

BY_ROW[Elemwise] = "Add a row to weft_numba.scalars.TABLE"


@numba_funcify.register(Elemwise)
def numba_funcify_elemwise(op: Elemwise, *, node: Variable, **kwargs: Any) -> Any:
    """Raise MissingLoweringError: what has a row of the table is part of a loop."""
    raise MissingLoweringError(
        f"{op.name} has no machine code for {', '.join(str(v.type) for v in node.inputs)}: "
        f"add a row to weft_numba.scalars.TABLE, or compile with mode='py'"
    )
