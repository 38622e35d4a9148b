"""Where elements at computed indices are: addresses, and what becomes of indices out of bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from weft_numba.ir.kernel import Kernel
from weft_numba.ir.llvm_writer import Code, Value

__all__ = ["INDICES", "OUT_OF_BOUNDS", "checked", "element", "is_certain", "leave"]

OUT_OF_BOUNDS: Final = "index is out of bounds"

INDICES: Final = ("axis", "run", "roll")
"""Statements that are within bounds."""


def element(code: Code, pointer: str, strides: str, indices: Sequence[str]) -> str:
    """The address of the element of an array at these indices; its strides have numbers.

    >>> code = Code()
    >>> element(code, "%p0", "%s0_", ["%i"]), code.lines[0]
    ('%v1', '%v0 = mul i64 %i, %s0_0')
    """
    for a, index in enumerate(indices):
        offset = code("mul i64 {}, {}", index, f"{strides}{a}")
        pointer = code("getelementptr i8, ptr {}, i64 {}", pointer, offset)
    return pointer


def checked(
    code: Code, kernel: Kernel, values: Mapping[int, Value], which: Sequence[int], lengths: str
) -> tuple[list[str], str]:
    """Indices counted from 0, and whether one of them is out of bounds ("false" if none can be).

    They are the values of the numbers `which`; the lengths have numbers too.

    >>> checked(Code(), Kernel((), (), (), ()), {}, [], "%l0_")
    ([], 'false')
    """
    bad = "false"
    places = []
    for a, k in enumerate(which):
        index = str(values[k])
        if not is_certain(kernel, k):
            length = f"{lengths}{a}"
            below = code("icmp slt i64 {}, 0", index)
            wrapped = code("add i64 {}, {}", index, length)
            index = code("select i1 {}, i64 {}, i64 {}", below, wrapped, index)
            bad = code("or i1 {}, {}", bad, code("icmp uge i64 {}, {}", index, length))
        places.append(index)
    return places, bad


def is_certain(kernel: Kernel, value: int) -> bool:
    """Whether a value is within bounds wherever it is an index."""
    place = value - len(kernel.operands)
    return place >= 0 and kernel.statements[place].name in INDICES


def leave(code: Code, bad: str) -> None:
    """Return at once if an index is out of bounds.

    A branch that is never taken costs next to nothing, in loops that can't be vectorised.

    >>> code = Code()
    >>> leave(code, "%bad")
    >>> code.lines[0], code.faults
    ('br i1 %bad, label %bad_v0, label %good_v0', ['index is out of bounds'])
    """
    name = code.new()[1:]
    code.lines += [f"br i1 {bad}, label %bad_{name}, label %good_{name}", f"bad_{name}:"]
    code.fail("true", OUT_OF_BOUNDS)
    code.lines += [f"ret i8 {code('load i8, ptr %faults')}", f"good_{name}:"]
