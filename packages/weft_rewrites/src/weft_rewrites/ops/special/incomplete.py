"""Logarithms of the incomplete gamma function, where it underflows."""

from __future__ import annotations

from typing import Final

from weft_graph import Rule
from weft_rewrites.dsl.equation import equation, letter
from weft_tensor import gammainc, gammaincc, log, log1p, log_gammainc, log_gammaincc

__all__ = ["rules"]

_TAILS: Final = "rounding, digits, overflow, domain, zero sign"
x, y = letter("x"), letter("y")

rules: tuple[Rule, ...] = (
    equation(log(gammainc(x, y)), log_gammainc(x, y), may_change=_TAILS),
    equation(log(gammaincc(x, y)), log_gammaincc(x, y), may_change=_TAILS),
    equation(log1p(-gammainc(x, y)), log_gammaincc(x, y), may_change=_TAILS),
    equation(log1p(-gammaincc(x, y)), log_gammainc(x, y), may_change=_TAILS),
)
"""All of them."""
