"""Writes arithmetic of doubles and floats as instructions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from weft_numba.ir.llvm_writer import Code, Number

__all__ = ["ROUNDING", "Doubles"]

ROUNDING: Final = 1.5 * 2.0**52
"""Added to a number, it leaves the whole number in the last bits."""


class Doubles:
    """Writes arithmetic of doubles, or of floats if the number has 32 bits."""

    def __init__(self, c: Code, n: Number) -> None:
        self.c, self.n = c, n

    def real(self, instruction: str, *xs: str | float) -> str:
        """What an instruction makes of registers and numbers."""
        operands = [v if isinstance(v, str) else self.c.literal(v, self.n) for v in xs]
        return self.c(f"{instruction} {self.n.register} {', '.join(operands)}")

    def times_plus(self, a: str, b: str | float, more: str | float) -> str:
        """a b + more, in one instruction where there is one."""
        return self.real("fadd contract", self.real("fmul contract", a, b), more)

    def when(self, condition: str, x: str | float, y: str | float) -> str:
        """x where the condition is true, else y."""
        operands = [v if isinstance(v, str) else self.c.literal(v, self.n) for v in (x, y)]
        kind = self.n.register
        return self.c(f"select i1 {condition}, {kind} {operands[0]}, {kind} {operands[1]}")

    def limited(self, x: str, limit: float, beyond: str) -> str:
        """x, or the limit if it is beyond that; NaN stays."""
        return self.when(self.real(f"fcmp {beyond}", x, limit), limit, x)

    def polynomial(self, x: str, coefficients: tuple[float, ...]) -> str:
        """The first coefficient times the highest power, and so on.

        By pairs, then pairs of pairs (Estrin): what waits for what came before is the number of
        coefficients' logarithm.
        """
        parts: Sequence[str | float] = coefficients[::-1]
        while len(parts) > 1:
            last = parts[len(parts) // 2 * 2 :]
            pairs = zip(parts[::2], parts[1::2], strict=False)
            parts = [*[self.times_plus(x, high, low) for low, high in pairs], *last]
            if len(parts) > 1:
                x = self.real("fmul", x, x)
        return str(parts[0])

    def bits(self, x: str) -> str:
        """Those of a number, as an integer."""
        return self.c(f"bitcast {self.n.register} {x} to i{self.n.bits}")

    def of_bits(self, x: str) -> str:
        """The number that has them."""
        return self.c(f"bitcast i{self.n.bits} {x} to {self.n.register}")
