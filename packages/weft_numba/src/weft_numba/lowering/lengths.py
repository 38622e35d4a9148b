"""Lengths of axes in machine code, of which many are numbers that are there when it is written."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from llvmlite import ir
from llvmlite.ir import IRBuilder, Value

__all__ = ["product"]


def product(builder: IRBuilder, lengths: Iterable[Value]) -> Value:
    """The product of integers of 64 bits; what is a number is multiplied here.

    >>> eight = product(IRBuilder(), [ir.IntType(64)(2), ir.IntType(64)(4)])
    >>> eight.constant
    8
    """
    result, others = 1, []
    for length in lengths:
        if isinstance(length, ir.Constant):
            result *= length.constant
        else:
            others.append(length)
    if not others:
        return ir.IntType(64)(result)
    whole = reduce(builder.mul, others)
    return whole if result == 1 else builder.mul(whole, ir.IntType(64)(result))
