"""Reductions: what they start from, and how two values become one."""

from __future__ import annotations

from typing import Final

from weft_numba.ir.llvm_writer import Code, Number, Pair, Value
from weft_numba.llvm.scalar.table import row

__all__ = ["accumulator", "combined", "extreme", "fill", "is_extreme", "start"]

_START: Final[dict[str, float]] = {"sum": 0, "prod": 1, "any": 0, "all": 1, "inc": -0.0}


def accumulator(n: Number) -> Number:
    """The number as it is kept while a loop runs: a bool as one bit.

    >>> from weft_numba.ir.llvm_writer import number
    >>> accumulator(number("bool")).memory
    'i1'
    """
    return n._replace(memory="i1") if n.kind == "b" else n


def start(how: str, n: Number) -> Value:
    """What a reduction of nothing is; for extremes, what every number replaces.

    For "inc", it is what changes nothing, not even the sign of a zero.

    >>> from weft_numba.ir.llvm_writer import number
    >>> start("prod", number("int8")), start("max", number("int8"))
    ('1', '-128')
    """
    if n.kind == "c":
        if how in ("max", "min"):
            part = str(start(how, n.part))
            return Pair(part, part)
        nothing = -0.0 if how == "inc" else 0.0
        return Pair(str(start(how, n.part)), Code().literal(nothing, n.part))
    if how in _START:
        return Code().literal(_START[how], n)
    if n.kind == "f":
        return Code().literal(float("-inf") if how == "max" else float("inf"), n)
    if n.kind == "b":
        return "false" if how == "max" else "true"
    low, high = (-(2 ** (n.bits - 1)), 2 ** (n.bits - 1) - 1) if n.kind == "i" else (0, -1)
    return str(low if how == "max" else high)


def fill(code: Code, name: str, place: str, n: Number, value: Value, count: str) -> None:
    """Put `value` into `count` elements of memory; the loop is called `name`.

    >>> from weft_numba.ir.llvm_writer import number
    >>> code = Code()
    >>> fill(code, "f", "%r0", number("float64"), "%x", "%n0")
    >>> "store double %x, ptr %v1" in code.lines
    True
    """
    with code.loop(name, count) as i:
        code.store(n, value, code("getelementptr {}, ptr {}, i64 {}", n.memory, place, i))


def is_extreme(how: str, n: Number) -> bool:
    """Whether it is the largest or smallest of floating-point numbers.

    >>> from weft_numba.ir.llvm_writer import number
    >>> is_extreme("max", number("float32")), is_extreme("max", number("int8"))
    (True, False)
    """
    return how in ("max", "min") and n.kind == "f"


def extreme(code: Code, n: Number, how: str, so_far: str, value: str, *, flags: str = "") -> str:
    """The larger or smaller of two floating-point numbers; NaN if either is.

    With the flags "nnan nsz" it is one instruction: what NaNs give is left open then, and the sign
    of a zero.

    >>> from weft_numba.ir.llvm_writer import number
    >>> code = Code()
    >>> extreme(code, number("float64"), "max", "%x", "%y"), code.lines
    ('%v0', ['%v0 = call double @llvm.maximum.f64(double %x, double %y) #0'])
    """
    name = "maximum" if how == "max" else "minimum"
    return code.intrinsic(name, n, so_far, value, flags=flags)


def combined(code: Code, n: Number, how: str, so_far: Value, value: Value) -> Value:
    """The reduction of two values.

    >>> from weft_numba.ir.llvm_writer import number
    >>> code = Code()
    >>> combined(code, number("float64"), "sum", "%x", "%y"), code.lines
    ('%v0', ['%v0 = fadd reassoc contract double %x, %y'])
    """
    if n.kind == "c":
        if how in ("sum", "inc"):
            pairs = zip(so_far, value, strict=True)
            return Pair(*[str(combined(code, n.part, how, x, y)) for x, y in pairs])
        compute = row({"prod": "mul", "max": "maximum", "min": "minimum"}[how], "c")
        assert compute is not None
        return compute(code, n, so_far, value)
    assert isinstance(so_far, str)
    assert isinstance(value, str)
    if how in ("any", "all"):
        return code("{} i1 {}, {}", "or" if how == "any" else "and", so_far, value)
    if n.kind == "f":
        if is_extreme(how, n):
            return extreme(code, n, how, so_far, value)
        word = "fmul" if how == "prod" else "fadd"
        return code(f"{word} reassoc contract {n.register} {so_far}, {value}")
    if how in ("sum", "prod", "inc"):
        bits = {"prod": "and"} if n.kind == "b" else {"prod": "mul"}
        word = bits.get(how, "or" if n.kind == "b" else "add")
        return code(f"{word} {n.register} {so_far}, {value}")
    compare = row("ge" if how == "max" else "le", n.kind)
    assert compare is not None
    better = str(compare(code, n, value, so_far))
    return code("select i1 {}, {} {}, {} {}", better, n.register, value, n.register, so_far)
