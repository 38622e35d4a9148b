"""What LLVM is told about loops: which stay loops, and which read what lies apart in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cache
from math import prod
from typing import Final

import llvmlite.binding as llvm

from weft_numba.ir.kernel import Kernel, Length
from weft_numba.ir.llvm_writer import ONCE, Code, number
from weft_numba.ir.vector_math import has_masks, longest_vectors
from weft_numba.llvm.scalar.summation_rows import CALLED
from weft_numba.llvm.scalar.table import calls_of_vectors, goes_by_number, joint

__all__ = [
    *("ALIGNED", "MASKED", "ONE_BY_ONE", "SHORT_ROW", "ZERO", "calls", "can_be_masked", "code_for"),
    *("hidden_strides", "is_by_number", "loop_marks", "place_of_code", "strides_apart"),
    "width_of_vectors",
]

if llvm.llvm_version_info < (22,):
    # It masks the end of a loop of few steps, and then may look without end for where to compute
    # what single functions are called with.
    llvm.set_option("", "-vectorizer-min-trip-count=0")

ZERO: Final = ["%zero = alloca i64", "store i64 0, ptr %zero"]
"""What functions begin with that have `hidden_strides`."""

MASKED: Final = ('!{!"llvm.loop.vectorize.predicate.enable", i1 true}', *ONCE)
"""Metadata of a loop that has no other one for what is no whole vector.

LLVM knows that it has four vectors at most, and would write out each.
"""
SHORT_ROW: Final = 32
"""Longer rows are faster without masks: several vectors are computed at once."""

ALIGNED: Final = ('!{!"llvm.loop.align", i32 64}',)
"""Metadata of a loop of few instructions: where these lie across lines of the cache, it takes up to
twice as long."""

ONE_BY_ONE: Final = (
    '!{!"llvm.loop.vectorize.width", i32 1}',
    '!{!"llvm.loop.interleave.count", i32 4}',
)
"""Four at once, but each by itself: on some CPUs, to collect a vector of numbers that lie apart
takes three times as long as to add them up."""

_WITHOUT_VECTORS: Final = ('!{!"llvm.loop.vectorize.enable", i1 false}',)
"""Of a loop through numbers that lie apart, LLVM makes vectors for those one byte apart: there are
none, and the code is as long again."""

_FOUR_VECTORS: Final = ('!{!"llvm.loop.interleave.count", i32 4}',)
"""Of a loop through one recurrence, as a polynomial is: each step waits for the last. Where there
are many, LLVM computes one vector at a time."""
_CHAIN: Final = range(12, 64)
"""How many steps it has: more take long to compile four times."""
_NARROW: Final = 4
"""Of so many values at a time, four vectors have room in the registers."""

_TWO_VECTORS: Final = ('!{!"llvm.loop.interleave.count", i32 2}',)
"""Of a loop that writes what a function as exp gives, which is such a recurrence, too: two thirds
of the time, and four gain no more. What is only added up LLVM computes four at a time by itself."""

_MANY: Final = 64
"""Of so many points, a call takes little beside the loops."""

_FEW: Final = 4
"""Longer loops around others are not written out: each step would be vectorised by itself."""
_SOME_VECTORS: Final = 64
"""Longer rows are never written out, step by step; shorter ones LLVM would write out before it
looks for vectors, and then finds none: polynomials of 16 numbers take twice as long so, and
compile longer."""
_LONG: Final = ("reciprocal", "sqrt", "true_div")
"""What pays by itself for collecting a vector of numbers that lie apart."""


def loop_marks(
    kernel: Kernel, axis: int, *, hidden: Collection[int], strided: bool
) -> Sequence[str]:
    """The metadata of the loop over `axis`; `strided`: if only the call tells some stride in it.

    `hidden` are operands whose strides LLVM does not see.
    """
    if axis + 1 == kernel.ndim:
        if is_by_number(kernel):
            return _WITHOUT_VECTORS
        if hidden:
            return ONE_BY_ONE if _is_light(kernel) else ()
        if strided:
            return _WITHOUT_VECTORS
        once = ONCE if _fills_vectors(kernel) else ()
        if calls(kernel) and any(axis in r.kept for r in kernel.results):
            return (*_TWO_VECTORS, *once)
        return (*_FOUR_VECTORS, *once) if _is_narrow(kernel) else once
    length = kernel.lengths[axis]
    if axis + 2 == kernel.ndim and _is_short(kernel.lengths[-1]) and not _is_short(length):
        # what is written out of the inner one is long enough
        return (*ONCE, *_WITHOUT_VECTORS) if strided else ONCE
    written_out = all(map(_is_short, kernel.lengths[axis:]))
    return () if length.known is None or written_out else ONCE


def code_for(kernel: Kernel, *, exact: bool) -> Code:
    """What the kernel is written into."""
    slow = is_by_number(kernel)
    apart = CALLED if slow else kernel.often
    code = Code(exact=exact, alone=not kernel.ndim, apart=apart, by_number=slow)
    if slow:
        code.joint = joint(
            frozenset([(s.name, s.computed, s.arguments) for s in kernel.statements])
        )
    return code


@cache
def is_by_number(kernel: Kernel) -> bool:
    """Whether it calls functions that take long, of which LLVM knows none of vectors.

    Its loops are never made of vectors, and how they read memory does not matter.
    """
    return any(goes_by_number(s.name, number(s.computed).kind) for s in kernel.statements)


def place_of_code(kernel: Kernel) -> str:
    """The attribute of its function: loops of few points go where it is called, and their values
    stay in registers; nests of many do not: LLVM's time grows faster than a function's length, and
    what is put elsewhere loses its width of vectors.

    Of computed indices LLVM may only see where the function is called that they are in bounds.
    """
    points = prod([length.known or _MANY for length in kernel.lengths])
    looks_up = any(o.table for o in kernel.operands) or any(r.scatters for r in kernel.results)
    stands_apart = kernel.ndim > 1 or bool(width_of_vectors(kernel))
    if stands_apart and points >= _MANY and not looks_up:
        return "noinline"
    return "alwaysinline" if any(map(_is_short, kernel.lengths)) else ""


def width_of_vectors(kernel: Kernel) -> str:
    """The attribute of a function that computes with the longest vectors.

    On Intel's CPUs LLVM rather takes half of them: of 10^6 exponentials a sum takes 1.4 times as
    long, `exp2` and `log1p` 1.3 times; of 10^5 numbers a sum of squares or a maximum 1.3 times, a
    polynomial 1.3 to 1.6 times. What only reads and stores gains nothing by it, what counts loses.
    """
    bits = longest_vectors()
    if not bits or any(s.name in _BY_HALVES for s in kernel.statements):
        return ""
    pays = calls(kernel) or _is_arithmetic(kernel)
    return f'"prefer-vector-width"="{bits}"' if pays else ""


_SOME: Final = 6
"""So many steps take as long as to read and to store."""
_BY_HALVES: Final = frozenset(["digamma", "erfinv", "gammaln", "ndtri"])
"""Functions of which an Intel CPU computes two short vectors in .75 to .85 of a long one's time."""


def can_be_masked(kernel: Kernel) -> bool:
    """Whether short rows should have a loop with masks for what is no whole vector of theirs.

    It pays where much is computed: of rows of 7 doubles tanh takes a quarter of the time.
    """
    inner = kernel.ndim - 1
    return (
        inner > 0
        and has_masks()
        and not is_by_number(kernel)
        and kernel.lengths[inner].known is None
        and all(r.how == "store" or (r.reduces and not r.accumulates) for r in kernel.results)
        and calls(kernel)
    )


def hidden_strides(kernel: Kernel, code: Code, operands: Iterable[int]) -> dict[int, str]:
    """The strides of `operands` along the last axis, of which LLVM sees only that they are sums.

    Where it sees one, it vectorises the loop for a stride of one byte, and no other: 3 to 30 times
    slower. What computes little and adds nothing up is as fast without vectors: it has none.
    """
    if _is_light(kernel) and not any(r.reduces for r in kernel.results):
        return {}
    zero, axis = code("load volatile i64, ptr %zero"), kernel.ndim - 1
    return {k: code("add i64 {}, {}", f"%s{k}_{axis}", zero) for k in sorted(operands)}


def strides_apart(kernel: Kernel, code: Code, others: Collection[int]) -> dict[int, str]:
    """The same of operands whose numbers surely lie apart, as those of a transposed array do."""
    fast = not kernel.ndim or _is_light(kernel) or _is_short(kernel.lengths[-1])
    if fast or is_by_number(kernel):
        return {}
    apart = [
        k
        for k, o in enumerate(kernel.operands)
        if o.ndim and not o.table and k not in others and o.extent[-1] in "n?"
    ]
    return hidden_strides(kernel, code, apart) if apart else {}


def _is_narrow(kernel: Kernel) -> bool:
    """Whether what is stored takes many steps, each of few values."""
    count = len(kernel.operands)
    steps = [(k, s) for k, s in enumerate(kernel.statements, count) if s.name != "literal"]
    if len(steps) not in _CHAIN or calls(kernel) or any(r.how != "store" for r in kernel.results):
        return False
    arrays = {k for k, o in enumerate(kernel.operands) if o.ndim}
    last = {r.value: count + len(kernel.statements) for r in kernel.results}
    for place, s in reversed(steps):
        last |= {k: place for k in s.arguments if k not in last}
    alive, most = set[int](), 0
    for place, s in steps:
        alive |= {k for k in s.arguments if k in arrays} | {place}
        alive = {k for k in alive if last.get(k, 0) > place}
        most = max(most, len(alive))
    return most <= _NARROW


def _is_arithmetic(kernel: Kernel) -> bool:
    """Whether what is done to vectors of numbers takes as long as reading them, or is added up."""
    dtypes = {o.dtype for o in kernel.operands if o.ndim} | {r.dtype for r in kernel.results}
    if kernel.ndim != 1 or len(dtypes) > 1:
        return False
    steps = [s for s in kernel.statements if s.name != "literal"]
    return len(steps) >= _SOME or all(r.reduces for r in kernel.results)


def _fills_vectors(kernel: Kernel) -> bool:
    """Whether the innermost loop is so short that LLVM would write it out, and better is not.

    Of what is no whole vector a loop remains. Where little is computed it takes as long as the
    vectors, and where rows are added up, too.
    """
    length = kernel.lengths[-1].known
    if length is None or length > _SOME_VECTORS:
        return False
    is_much = len(kernel.statements) > 2 * _SOME
    if length % _FEW == 0:
        return is_much or length > _FEW
    adds_rows = kernel.ndim > 1 and any(r.reduces for r in kernel.results)
    return is_much and length > 2 * _FEW and not adds_rows


def _is_short(length: Length) -> bool:
    return length.known is not None and length.known <= _FEW


def _is_light(kernel: Kernel) -> bool:
    """Whether reading takes longer than computing."""
    return not (calls(kernel) or any(s.name in _LONG for s in kernel.statements))


def calls(kernel: Kernel) -> bool:
    """Whether functions are computed that take many instructions."""
    return any(calls_of_vectors(s.name, s.computed, len(s.arguments)) for s in kernel.statements)
