"""The table of scalar functions in machine code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

from weft_graph import MissingLoweringError, Variable
from weft_numba.ir.llvm_writer import Code, Value, number
from weft_numba.llvm.scalar.complex_rows import COMPLEX_ROWS
from weft_numba.llvm.scalar.erf_rows import ERROR_ROWS
from weft_numba.llvm.scalar.random_rows import threefry2x32
from weft_numba.llvm.scalar.real_rows import ROWS
from weft_numba.lowering.dispatch import numba_funcify
from weft_tensor import Elemwise, loop_dtypes

__all__ = ["TABLE", "argument_dtypes", "calls_of_vectors", "row"]

Row = Callable[..., Value]

TABLE: Final[dict[str, Mapping[str, Row]]] = {
    **ROWS,
    "f": {**ROWS["f"], **ERROR_ROWS},
    "u": {**ROWS["u"], "threefry2x32": threefry2x32},
    "c": COMPLEX_ROWS,
}
"""By the kind of number that a function computes with (f, i, u, b or c), and its name."""


def row(name: str, kind: str) -> Row | None:
    """The machine code of a function for numbers of a kind; None if it has none.

    >>> row("sin", "f") is None, row("sin", "i") is None
    (False, True)
    """
    return TABLE[kind].get(name)


@cache
def calls_of_vectors(name: str, dtype: str, count: int) -> bool:
    """Whether a function of so many numbers calls functions of whole vectors in good loops.

    >>> calls_of_vectors("add", "float64", 2), calls_of_vectors("add", "complex64", 2)
    (False, False)
    """
    n = number(dtype)
    compute = row(name, n.kind)
    if compute is None or n.kind != "f":
        return False
    code = Code()
    compute(code, n, *["%x"] * count)
    return bool(code.vector_names)


def argument_dtypes(name: str, dtypes: tuple[str, ...]) -> tuple[str, ...]:
    """The dtypes that a row takes its arguments in; logic is about truth values.

    >>> argument_dtypes("add", ("int8", "float64")), argument_dtypes("logical_not", ("int8",))
    (('float64', 'float64'), ('bool',))
    """
    if name.startswith("logical_"):
        return ("bool",) * len(dtypes)
    return loop_dtypes(name, dtypes)[0]


@numba_funcify.register(Elemwise)
def _no_row(op: Elemwise, *, node: Variable, **kwargs: Any) -> Any:
    raise MissingLoweringError(
        f"{op.name} has no machine code for {', '.join(str(v.type) for v in node.inputs)}: "
        f"add a row to weft_numba.scalars.TABLE, or compile with mode='py'"
    )
