"""Functions of two whole numbers that are loops: powers, and the greatest common divisor."""

from __future__ import annotations

from typing import Final

from weft_numba.ir.llvm_writer import Code, Number

__all__ = ["loop_of"]

_LOOPS: Final = {
    "pow": """define internal {t} @{name}({t} %x, {t} %y) {{
  br label %loop
loop:
  %power = phi {t} [1, %0], [%next, %loop]
  %base = phi {t} [%x, %0], [%square, %loop]
  %rest = phi {t} [%y, %0], [%half, %loop]
  %odd = trunc {t} %rest to i1
  %product = mul {t} %power, %base
  %next = select i1 %odd, {t} %product, {t} %power
  %square = mul {t} %base, %base
  %half = lshr {t} %rest, 1
  %more = icmp ne {t} %half, 0
  br i1 %more, label %loop, label %done
done:
  ret {t} %next
}}""",
    "gcd": """define internal {t} @{name}({t} %x, {t} %y) {{
  br label %loop
loop:
  %a = phi {t} [%x, %0], [%b, %step]
  %b = phi {t} [%y, %0], [%rest, %step]
  %more = icmp ne {t} %b, 0
  br i1 %more, label %step, label %done
step:
  %rest = urem {t} %a, %b
  br label %loop
done:
  ret {t} %a
}}""",
}
"""By squaring, and by Euclid's divisions of numbers without a sign."""


def loop_of(name: str, c: Code, n: Number, x: str, y: str) -> str:
    """A call of the loop of that name."""
    full_name = f"weft_{name}_{n.register}"
    c.declarations[full_name] = _LOOPS[name].format(name=full_name, t=n.register)
    return c(f"call {n.register} @{full_name}({n.register} {x}, {n.register} {y})")
