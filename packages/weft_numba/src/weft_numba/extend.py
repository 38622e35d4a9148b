"""What authors of implementations for Numba write them with.

`numba_funcify` registers one for a class of Ops. `compiled` makes a function of source, `nest_of`
one loop nest of an expression. `c_function` is `numba.cfunc` for what calls a function of
`as_njit`, kept on disk as that. A row of `TABLE`, of scalar functions, is written with `Code`.
"""

from weft_numba.disk.callables import c_function
from weft_numba.fusion.nest_function import nest_of
from weft_numba.ir.llvm_writer import Code, Number, Pair, Value, number
from weft_numba.llvm.scalar.table import TABLE, row
from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.njit_source import compiled

__all__ = [
    "TABLE",
    "Code",
    "Number",
    "Pair",
    "Value",
    "c_function",
    "compiled",
    "nest_of",
    "numba_funcify",
    "number",
    "row",
]
