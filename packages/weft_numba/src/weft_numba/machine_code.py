"""LLVM's words for tensor values, and a writer of straight-line LLVM code."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from weft_numba.vector_math import variants

__all__ = ["Code", "Number", "number"]

_PURE = "nounwind willreturn memory(none)"


class Number(NamedTuple):
    """A dtype as machine code has it: in registers, where a bool is one bit, and in memory."""

    dtype: str
    kind: str
    """f for floating point, i for signed and u for unsigned integers, b for bool."""
    bits: int
    register: str
    memory: str

    @property
    def bytes(self) -> int:
        """What one takes in memory."""
        return self.bits // 8


@cache
def number(dtype: str) -> Number | None:
    """The dtype's machine number; None for complex ones, of which machines have none.

    >>> number("float32").register, number("bool").memory, number("complex64")
    ('float', 'i8', None)
    """
    kind = np.dtype(dtype).kind
    bits = 8 * np.dtype(dtype).itemsize
    if kind == "f":
        name = {32: "float", 64: "double"}[bits]
        return Number(dtype, kind, bits, name, name)
    if kind == "b":
        return Number(dtype, kind, bits, "i1", "i8")
    return Number(dtype, kind, bits, f"i{bits}", f"i{bits}") if kind in "iu" else None


class Code:
    """Instructions, each giving a new register, and what they need declared.

    >>> code = Code()
    >>> code("fadd double {}, {}", "%x", code.literal(1.0, number("float64")))
    '%v0'
    >>> code.lines
    ['%v0 = fadd double %x, 0x3FF0000000000000']
    """

    def __init__(self, *, exact: bool = False) -> None:
        self.lines: list[str] = []
        self.declarations: dict[str, str] = {}
        self.attributes: dict[str, int] = {_PURE: 0}
        self.vector_names: dict[str, None] = {}
        self.exact = exact
        self._count = 0

    def __call__(self, instruction: str, *operands: str) -> str:
        """Add an instruction; `{}` in it stand for the operands. Returns its register."""
        register = self.new()
        self.lines.append(f"{register} = {instruction.format(*operands)}")
        return register

    def new(self) -> str:
        """A register that is not used yet."""
        self._count += 1
        return f"%v{self._count - 1}"

    def literal(self, value: float, n: Number) -> str:
        """A Python number as an operand."""
        if n.kind == "f":
            if n.bits == 32:  # LLVM writes a float as the double that equals it
                with np.errstate(over="ignore"):
                    value = float(np.float32(value))
            return f"0x{np.float64(value).view(np.uint64):016X}"
        if n.kind == "b":
            return "true" if value else "false"
        return str(int(value))

    def intrinsic(self, name: str, n: Number, *operands: str) -> str:
        """A call of LLVM's own function, for floating point: `llvm.fabs` and its kind."""
        full = f"llvm.{name}.f{n.bits}"
        return self._called(full, n, operands, 0)

    def function(self, name: str, n: Number, *operands: str) -> str:
        """A call of the C library's function, of vectors where loops are vectorised."""
        full = name if n.bits == 64 else name + "f"
        text = _PURE
        if not self.exact:
            found = variants(full, len(operands))
            if found:
                mappings = ",".join(f"{v.name}({v.name})" for v in found)
                text = f'{_PURE} "vector-function-abi-variant"="{mappings}"'
                for v in found:
                    vector = f"<{v.lanes} x {n.register}>"
                    parameters = ", ".join([vector] * len(operands))
                    self.declarations[v.name] = f"declare {vector} @{v.name}({parameters})"
                    self.vector_names[v.name] = None
        group = self.attributes.setdefault(text, len(self.attributes))
        return self._called(full, n, operands, group)

    def _called(self, name: str, n: Number, operands: tuple[str, ...], group: int) -> str:
        parameters = ", ".join([n.register] * len(operands))
        self.declarations[name] = f"declare {n.register} @{name}({parameters})"
        given = ", ".join(f"{n.register} {o}" for o in operands)
        return self(f"call {n.register} @{name}({given}) #{group}")

    def module(self, functions: str) -> str:
        """A module's text: `functions` with everything that the code mentions."""
        parts = [*self.declarations.values()]
        if self.vector_names:  # the vectoriser only uses what is there before it starts
            kept = ", ".join(f"ptr @{name}" for name in self.vector_names)
            parts.append(
                f"@llvm.compiler.used = appending global [{len(self.vector_names)} x ptr] "
                f'[{kept}], section "llvm.metadata"'
            )
        parts.append(functions)
        parts += [f"attributes #{k} = {{ {text} }}" for text, k in self.attributes.items()]
        return "\n".join(parts) + "\n"
