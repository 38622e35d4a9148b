"""What rows of scalar functions are written with."""

from weft_numba.ir.llvm_writer import Code, Number, Pair, Value, number

__all__ = ["Code", "Number", "Pair", "Value", "number"]
