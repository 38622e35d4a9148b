"""LLVM's words for tensor values, and a writer of straight-line LLVM code."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from struct import Struct
from typing import Final, NamedTuple

import numpy as np

from weft_numba.ir.complex_calls import complex_function
from weft_numba.ir.vector_math import variants

__all__ = ["ONCE", "Code", "Number", "Pair", "Value", "number"]

ONCE: Final = ('!{!"llvm.loop.unroll.disable"}',)
"""Metadata of a loop that stays one, where LLVM would write each of a known number of steps."""
_PURE = "nounwind willreturn memory(none)"
_DOUBLE: Final = Struct("<d")
_BITS: Final = Struct("<Q")


class Pair(NamedTuple):
    """The registers of a complex number."""

    real: str
    imag: str


Value = str | Pair
"""The register of a number, or those of a complex one."""


class Number(NamedTuple):
    """A dtype as machine code has it: in registers, where a bool is one bit, and in memory."""

    dtype: str
    kind: str
    """f for floating point, i (signed) and u for integers, b for bool, c for complex numbers."""
    bits: int
    register: str
    """For complex numbers, the type of each of two."""
    memory: str

    @property
    def bytes(self) -> int:
        """What one takes in memory."""
        return self.bits // 8

    @property
    def part(self) -> Number:
        """What the parts of a complex number are; other numbers have one part."""
        return number(f"float{self.bits // 2}") if self.kind == "c" else self


@cache
def number(dtype: str) -> Number:
    """The dtype's machine number.

    >>> number("float32").register, number("bool").memory, number("complex64").memory
    ('float', 'i8', '[2 x float]')
    """
    kind = np.dtype(dtype).kind
    bits = 8 * np.dtype(dtype).itemsize
    if kind in "fc":
        name = {32: "float", 64: "double"}[bits if kind == "f" else bits // 2]
        return Number(dtype, kind, bits, name, name if kind == "f" else f"[2 x {name}]")
    if kind == "b":
        return Number(dtype, kind, bits, "i1", "i8")
    if kind in "iu":
        return Number(dtype, kind, bits, f"i{bits}", f"i{bits}")
    raise TypeError(f"machine code has no numbers of dtype {dtype}")


class Code:
    """Instructions, each giving a new register, and what they need declared.

    >>> code = Code()
    >>> code("fadd double {}, {}", "%x", code.literal(1.0, number("float64")))
    '%v0'
    >>> code.lines
    ['%v0 = fadd double %x, 0x3FF0000000000000']
    """

    def __init__(
        self,
        *,
        exact: bool = False,
        alone: bool = False,
        apart: Collection[str] = (),
        by_number: bool = False,
    ) -> None:
        """`exact`: by the C library's functions of one number; `alone`: in no loop; `apart`: what
        is a function, of vectors, too, where it is instructions otherwise; `by_number`: in no loop
        that is made of vectors, so that functions of these are not written."""
        self.lines: list[str] = []
        self.declarations: dict[str, str] = {}
        self.attributes: dict[str, int] = {_PURE: 0}
        self.vector_names: dict[str, None] = {}
        self.faults: list[str] = []
        self.definitions: list[str] = []
        self.exact = exact
        self.alone = alone
        self.apart = apart
        self.by_number = by_number
        self.joint: Mapping[str, tuple[str, ...]] = {}
        """For functions with loops the group of which they are computed as one."""
        self._count = 0
        self._loops: list[Sequence[str]] = []

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
            return f"0x{_BITS.unpack(_DOUBLE.pack(value))[0]:016X}"
        if n.kind == "b":
            return "true" if value else "false"
        return str(int(value))

    def intrinsic(self, name: str, n: Number, *operands: str, flags: str = "") -> str:
        """A call of LLVM's own function, for floating point: `llvm.fabs` and its kind.

        `flags` are what may be taken for granted, in LLVM's words.
        """
        full = f"llvm.{name}.f{n.bits}"
        return self._called(full, n, operands, 0, flags)

    def function(self, name: str, n: Number, *operands: str) -> str:
        """A call of the C library's function, of vectors where loops are vectorised."""
        text = _PURE
        loops = () if self.exact else variants(name, len(operands), n.bits)
        if loops:
            text = f'{_PURE} "vector-function-abi-variant"="{",".join(v.mapping for v in loops)}"'
        for v in loops:
            vector = f"<{v.lanes} x {n.register}>"
            parameters = ", ".join([vector] * len(operands))
            head = f"declare {v.convention} {vector}" if v.convention else f"declare {vector}"
            self.declarations[v.name] = f"{head} @{v.name}({parameters})"
            self.vector_names[v.name] = None
        group = self.attributes.setdefault(text, len(self.attributes))
        full = name if n.bits == 64 else name + "f"
        result = self._called(full, n, operands, group)
        self.declarations[full] += f" #{group}"  # LLVM makes cos(-x) a new call of cos(x)
        if all(v.keeps_zero for v in loops):
            return result
        is_zero = self("fcmp oeq {} {}, {}", n.register, operands[0], self.literal(0.0, n))
        operand = f"{n.register} {operands[0]}"
        return self("select i1 {}, {}, {} {}", is_zero, operand, n.register, result)

    def external(self, symbol: str, *operands: Value) -> str:
        """A call of one of SciPy's functions of doubles; Cython adds a flag, which is 0."""
        types = ", ".join(["double"] * len(operands))
        self.declarations[symbol] = f"declare double @{symbol}({types}, i32)"
        arguments = ", ".join(f"double {o}" for o in operands)
        return self(f"call double @{symbol}({arguments}, i32 0) #0")

    def complex_external(self, symbol: str, *operands: Value) -> Pair:
        """The same for a function of which the last operand and the result are complex.

        Their parts are in registers of their own, as on all systems but Windows.
        """
        parts = [part for o in operands for part in (o if isinstance(o, Pair) else (o,))]
        pair, types = "{double, double}", ", ".join(["double"] * len(parts))
        self.declarations[symbol] = f"declare {pair} @{symbol}({types}, i32)"
        arguments = ", ".join(f"double {part}" for part in parts)
        result = self("call {} @{}({}, i32 0) #0", pair, symbol, arguments)
        return Pair(*[self("extractvalue {} {}, {}", pair, result, k) for k in ("0", "1")])

    def product(self, factors: Iterable[str]) -> str:
        """The product of lengths."""
        result = "1"
        for factor in factors:
            result = self("mul i64 {}, {}", result, factor)
        return result

    def label(self, name: str) -> None:
        """Begin a block, into which the one before runs."""
        self.lines += [f"br label %{name}", f"{name}:"]

    @contextmanager
    def loop(
        self, name: str, end: str, begin: str = "0", *, marks: Sequence[str] = ()
    ) -> Iterator[str]:
        """A loop around what is written inside; gives the index, from `begin` to before `end`.

        `marks` are metadata that say what LLVM makes of it, as `ONCE`.
        """
        before, index, following = f"pre_{name}", f"%i_{name}", f"%j_{name}"
        self.label(before)
        some = self("icmp slt i64 {}, {}", begin, end)
        self.lines.append(f"br i1 {some}, label %loop_{name}, label %exit_{name}")
        self.lines.append(f"loop_{name}:")
        self.lines.append(f"{index} = phi i64 [{begin}, %{before}], [{following}, %latch_{name}]")
        yield index
        self.label(f"latch_{name}")
        self.lines.append(f"{following} = add nuw nsw i64 {index}, 1")
        more = self("icmp slt i64 {}, {}", following, end)
        if marks:
            self._loops.append(marks)
        mark = f", !llvm.loop !{len(self._loops)}" if marks else ""
        self.lines.append(f"br i1 {more}, label %loop_{name}, label %exit_{name}{mark}")
        self.lines.append(f"exit_{name}:")

    @contextmanager
    def numbers(self, *, one_by_one: bool) -> Iterator[None]:
        """What is written inside is in no loop that is made of vectors, or may be in one."""
        outside, self.by_number = self.by_number, one_by_one
        yield
        self.by_number = outside

    @contextmanager
    def calling(self, *names: str) -> Iterator[None]:
        """What is written inside has these as functions, others as instructions where it may."""
        outside, self.apart = self.apart, names
        yield
        self.apart = outside

    @contextmanager
    def joined(self, *groups: tuple[str, ...]) -> Iterator[None]:
        """What is written inside calls functions with loops one by one, but those of a group."""
        outside, self.joint = self.joint, {name: group for group in groups for name in group}
        yield
        self.joint = outside

    @contextmanager
    def definition(self, head: str) -> Iterator[None]:
        """A function of what is written inside: its text is added to `definitions`."""
        outside, self.lines = self.lines, []
        yield
        lines = "\n".join(x if x.endswith(":") else "  " + x for x in self.lines)
        self.definitions.append(f"{head} {{\nentry:\n{lines}\n}}")
        self.lines = outside

    def fail(self, condition: str, message: str) -> None:
        """Note in %faults, a bit for each message, that the inputs are not allowed."""
        if message not in self.faults:
            self.faults.append(message)
        bit = 1 << self.faults.index(message)
        mark = self("select i1 {}, i8 {}, i8 0", condition, str(bit))
        noted = self("or i8 {}, {}", self("load i8, ptr %faults"), mark)
        self.lines.append(f"store i8 {noted}, ptr %faults")

    def complex_function(self, name: str, *operands: Pair) -> Pair:
        """A call of the C library's function of complex numbers with parts of 64 bits."""
        self.declarations[name] = complex_function(name, len(operands))
        parts = ", ".join(f"double {part}" for operand in operands for part in operand)
        pair = "{double, double}"
        result = self("call {} @weft_{}({})", pair, name, parts)
        real, imag = (self("extractvalue {} {}, {}", pair, result, k) for k in ("0", "1"))
        return Pair(real, imag)

    def load(self, n: Number, place: str) -> Value:
        """The number in memory at `place`."""
        if n.kind == "c":
            real, imag = self._parts(n, place)
            return Pair(
                self(f"load {n.register}, ptr {real}"), self(f"load {n.register}, ptr {imag}")
            )
        value = self(f"load {n.memory}, ptr {place}")
        return value if n.memory == n.register else self("trunc i8 {} to i1", value)

    def store(self, n: Number, value: Value, place: str) -> None:
        """Put a number into memory at `place`."""
        if isinstance(value, Pair):
            for part, where in zip(value, self._parts(n, place), strict=True):
                self.lines.append(f"store {n.register} {part}, ptr {where}")
            return
        if n.memory != n.register:
            value = self("zext i1 {} to i8", value)
        self.lines.append(f"store {n.memory} {value}, ptr {place}")

    def _parts(self, n: Number, place: str) -> tuple[str, str]:
        return place, self(f"getelementptr inbounds {n.register}, ptr {place}, i64 1")

    def _called(
        self, name: str, n: Number, operands: tuple[str, ...], group: int, flags: str = ""
    ) -> str:
        parameters = ", ".join([n.register] * len(operands))
        self.declarations[name] = f"declare {n.register} @{name}({parameters})"
        arguments = ", ".join(f"{n.register} {o}" for o in operands)
        call = f"call {flags} {n.register}" if flags else f"call {n.register}"
        return self(f"{call} @{name}({arguments}) #{group}")

    def module(self, functions: str) -> str:
        """A module's text: `functions` with everything that the code mentions."""
        parts = [*self.declarations.values()]
        if self.vector_names:  # the vectoriser only uses what is there before it starts
            names = ", ".join(f"ptr @{name}" for name in self.vector_names)
            parts.append(
                f"@llvm.compiler.used = appending global [{len(self.vector_names)} x ptr] "
                f'[{names}], section "llvm.metadata"'
            )
        parts.append(functions)
        parts += [f"attributes #{k} = {{ {text} }}" for text, k in self.attributes.items()]
        for k, marks in enumerate(self._loops, 1):
            parts.append(f"!{k} = distinct !{{{', '.join([f'!{k}', *marks])}}}")
        return "\n".join(parts) + "\n"
