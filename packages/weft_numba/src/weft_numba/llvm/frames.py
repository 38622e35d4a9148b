"""Tables of which a part is written as a whole: only what is around it has to be there before.

Only the call tells whether the part is within the table, and its rows long; else all is put there.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from typing import Final

from weft_numba.ir.kernel import Kernel, Result, Statement
from weft_numba.ir.llvm_writer import Code

__all__ = ["framed", "part"]

_LONG: Final = "32"
"""In shorter rows, what is done twice takes less than what is done to both ends of each."""


@cache
def part(kernel: Kernel, r: Result) -> tuple[tuple[str, str], ...]:
    """Where the part begins along each axis of result `r`, and how long it is; () if there is none.

    Each element of the part is written once, and none besides.

    >>> part(Kernel((), (), (), ()), Result(0, "float64", "store", ()))
    ()
    """
    result, axes = [], []
    for place in r.places if r.scatters and not r.more else ():
        s = _statement(kernel, place)
        if s is None or s.name not in ("axis", "run"):
            return ()
        begin, step = [_number(kernel, k) for k in s.arguments] or ["0", "1"]
        if not begin or step != "1":
            return ()
        result.append((begin, f"%n{s.literal}"))
        axes.append(s.literal)
    return tuple(result) if len({*axes}) == len(axes) else ()


def _statement(kernel: Kernel, k: int) -> Statement | None:
    """The statement of value k, if it is no operand."""
    count = len(kernel.operands)
    return kernel.statements[k - count] if k >= count else None


def _number(kernel: Kernel, k: int) -> str:
    """Value k, if it can be told before the loops."""
    s = _statement(kernel, k)
    if s is not None:
        return s.literal if s.name == "literal" else ""
    return "" if kernel.operands[k].ndim else f"%p{k}"


def framed(code: Code, kernel: Kernel, k: int, put: Callable[[str, str, str], None]) -> None:
    """Put what is there before around the part of result `k`, or everywhere.

    `put` puts it into elements: it is told a name, the number of the first, and how many.
    """
    r = kernel.results[k]
    lengths = [f"%m{k}_{a}" for a in range(r.ndim)]
    fits, ends = code("icmp sge i64 {}, {}", lengths[-1], _LONG), []
    for (begin, n), length in zip(part(kernel, r), lengths, strict=True):
        ends.append((begin, code("add i64 {}, {}", begin, n)))
        fits = code("and i1 {}, {}", fits, code("icmp sge i64 {}, 0", begin))
        fits = code("and i1 {}, {}", fits, code("icmp sle i64 {}, {}", ends[-1][1], length))
    code.lines += [f"br i1 {fits}, label %around{k}, label %everywhere{k}", f"around{k}:"]
    with ExitStack() as loops:
        row, is_inside = "0", "true"
        for a, (begin, end) in enumerate(ends[:-1]):
            i = loops.enter_context(code.loop(f"around{k}_{a}", lengths[a]))
            row = code("add i64 {}, {}", row, code("mul i64 {}, {}", i, f"%e{k}_{a}"))
            is_behind = code("icmp sge i64 {}, {}", i, begin)
            is_before = code("icmp slt i64 {}, {}", i, end)
            is_inside = code("and i1 {}, {}", is_inside, code(f"and i1 {is_behind}, {is_before}"))
        begin, end = (code("select i1 {}, i64 {}, i64 0", is_inside, n) for n in ends[-1])
        put(f"before{k}", row, begin)
        rest = code("sub i64 {}, {}", lengths[-1], end)
        put(f"behind{k}", code("add i64 {}, {}", row, end), rest)
    code.lines += [f"br label %framed{k}", f"everywhere{k}:"]
    put(f"f{k}", "0", code.product(lengths))
    code.label(f"framed{k}")
