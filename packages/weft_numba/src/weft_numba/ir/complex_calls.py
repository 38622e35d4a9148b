"""How the C library's functions of complex numbers are called, as LLVM code.

On most systems both parts are passed and returned in registers of their own; on Windows
numbers are passed by their address.
"""

from __future__ import annotations

import sys

__all__ = ["complex_function"]

_PAIR = "{double, double}"


def complex_function(name: str, arity: int) -> str:
    """What to declare, so that `@weft_NAME` takes and returns parts of 64 bits.

    >>> "@weft_cpow(double %r0, double %i0, double %r1, double %i1)" in complex_function("cpow", 2)
    True
    """
    parts = [f"double %{side}{k}" for k in range(arity) for side in ("r", "i")]
    body = _by_address(name, arity) if sys.platform == "win32" else _in_registers(name, parts)
    declaration, *lines = body
    inside = "".join(f"  {line}\n" for line in lines)
    head = f"define internal {_PAIR} @weft_{name}({', '.join(parts)}) nounwind willreturn"
    return f"{declaration}\n{head} {{\n{inside}}}"


def _in_registers(name: str, parts: list[str]) -> list[str]:
    types = ", ".join(["double"] * len(parts))
    return [
        f"declare {_PAIR} @{name}({types}) nounwind willreturn memory(none)",
        f"%result = call {_PAIR} @{name}({', '.join(parts)})",
        f"ret {_PAIR} %result",
    ]


def _by_address(name: str, arity: int) -> list[str]:
    result = "ptr sret([2 x double])"
    lines = [f"declare void @{name}({', '.join([result, *['ptr'] * arity])}) nounwind"]
    lines.append("%out = alloca [2 x double], align 8")
    for k in range(arity):
        lines += [
            f"%in{k} = alloca [2 x double], align 8",
            f"%second{k} = getelementptr double, ptr %in{k}, i64 1",
            f"store double %r{k}, ptr %in{k}",
            f"store double %i{k}, ptr %second{k}",
        ]
    parameters = ", ".join([f"{result} %out", *[f"ptr %in{k}" for k in range(arity)]])
    return [
        *lines,
        f"call void @{name}({parameters})",
        f"%result = load {_PAIR}, ptr %out",
        f"ret {_PAIR} %result",
    ]
