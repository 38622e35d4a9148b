"""Kernels whose innermost axis turns out to be short, as that of points: its loop is written out.

Only the call tells. What the machine does to begin and end a loop, and to find out whether there
are whole vectors, takes longer than few steps in it. So short kernels have a second nest, in which
LLVM knows the length: it writes the innermost loop out, and makes vectors of the one around it.
A third one has no such axis: where its length is 1, a column is a vector.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Final

from weft_numba.ir.kernel import Kernel
from weft_numba.ir.llvm_writer import Code, number
from weft_numba.llvm.loop_marks import is_by_number
from weft_numba.llvm.scatter_address import INDICES

__all__ = ["call_for_short", "is_strided", "lengths_for", "nests", "strides_by_lengths"]

_SHORT: Final = 8
"""Kernels of more statements than this take as long for each point as what loops do besides."""
_LENGTHS: Final = (1, 2, 3, 4)


def lengths_for(kernel: Kernel) -> Sequence[int]:
    """The lengths of the innermost axis for which there should be such a nest.

    >>> lengths_for(Kernel((), (), (), ()))
    ()
    """
    inner = kernel.ndim - 1
    is_suitable = (
        kernel.ndim > 1
        and kernel.lengths[inner].known is None
        and not _is_square(kernel)
        and not is_by_number(kernel)
        and len(kernel.statements) <= _SHORT
        and not any(o.table for o in kernel.operands)
        and not any(r.scatters or r.compresses or r.accumulates for r in kernel.results)
        and not any(s.name in INDICES for s in kernel.statements)
    )
    return _LENGTHS if is_suitable else ()


def _is_square(kernel: Kernel) -> bool:
    """Whether all axes are as long as the innermost: then there are few points, if that is short.

    >>> from weft_numba.ir.kernel import Length
    >>> n, other = Length(None, (), (), True, like=0), Length(None, (), (), True)
    >>> [_is_square(Kernel(lengths, (), (), ())) for lengths in ((n, n), (other, n))]
    [True, False]
    """
    return {length.like for length in kernel.lengths} == {max(kernel.lengths[-1].like, 0)}


def nests(kernel: Kernel) -> list[tuple[str, str, Kernel]]:
    """What tells the names of such nests, the attributes of their functions, and what they do.

    >>> nests(Kernel((), (), (), ()))
    []
    """
    if not lengths_for(kernel):
        return []
    *outer, inner = kernel.lengths
    short = kernel._replace(lengths=(*outer, inner._replace(known=max(_LENGTHS))))
    return [("one", "", _without_inner(kernel)), ("short", "alwaysinline", short)]


def _without_inner(kernel: Kernel) -> Kernel:
    """The same kernel, whose innermost axis has length 1: without that axis."""
    inner = kernel.ndim - 1
    operands = [o._replace(view=o.view[:inner], extent=o.extent[:inner]) for o in kernel.operands]
    results = [r._replace(kept=tuple([a for a in r.kept if a != inner])) for r in kernel.results]
    return Kernel(kernel.lengths[:inner], tuple(operands), kernel.statements, tuple(results))


def call_for_short(code: Code, kernel: Kernel, parameters: Sequence[str], n: int) -> None:
    """Leave all to the function NAME_short (NAME_one for 1) if the innermost axis has length `n`,
    all of which is meant."""
    inner = kernel.ndim - 1
    numbers = {f"i64 %n{inner}": n, f"i64 %begin{inner}": 0, f"i64 %end{inner}": n}
    numbers = {p: value for p, value in numbers.items() if p in parameters}
    fits = "true"
    for p, value in numbers.items():
        fits = code("and i1 {}, {}", fits, code(f"icmp eq {p}, {value}"))
    code.lines += [f"br i1 {fits}, label %is_{n}, label %not_{n}", f"is_{n}:"]
    arguments = {p: f"i64 {value}" for p, value in numbers.items()}
    words = [p.split() for p in parameters]  # a type, what holds for it, a name
    passed = [arguments.get(p, f"{w[0]} {w[-1]}") for p, w in zip(parameters, words, strict=True)]
    name = "NAME_one" if n == 1 else "NAME_short"
    faults = code(f"call i8 @{name}({', '.join(passed)})")
    code.lines += [f"ret i8 {faults}", f"not_{n}:"]


def is_strided(kernel: Kernel, layouts: str, a: int, still: Set[int]) -> bool:
    """Whether only the call tells a stride along axis `a`, of operands that are not `still` and
    have numbers of several bytes.

    >>> from weft_numba.ir.kernel import Operand
    >>> kernel = Kernel((), (Operand("float64", 2, (0, 1), "nn"),), (), ())
    >>> is_strided(kernel, "A", 0, set()), is_strided(kernel, "A", 0, {0})
    (True, False)
    """
    moving = {k for k, o in enumerate(kernel.operands) if number(o.dtype).bytes > 1} - still
    return any(_has_own_stride(kernel, layouts, k, a) for k in moving)


def _has_own_stride(kernel: Kernel, layouts: str, k: int, a: int) -> bool:
    """Whether only the call tells the stride of operand `k` along the axis `a`."""
    o = kernel.operands[k]
    if not o.ndim or o.table or o.extent[a] not in "n?":
        return False
    return layouts[k] != "C" or "?" in (o.extent[b] for b in (a, *_behind(kernel, k, a)))


def _behind(kernel: Kernel, k: int, a: int) -> list[int]:
    """The axes of operand `k` after its axis `a`."""
    view = kernel.operands[k].view
    return [b for b, own in enumerate(view) if own is not None and own > (view[a] or 0)]


def strides_by_lengths(code: Code, kernel: Kernel, layouts: str) -> dict[tuple[int, int], str]:
    """Those of contiguous operands along axes of the kernel, computed: LLVM sees what they are."""
    strides = {}
    for k, o in enumerate(kernel.operands):
        for a in o.stride_axes if layouts[k] == "C" and not o.table else ():
            if not _has_own_stride(kernel, layouts, k, a):
                stride = str(number(o.dtype).bytes)
                for b in _behind(kernel, k, a):
                    if o.extent[b] == "n":
                        stride = code(f"mul i64 {stride}, %n{b}")
                strides[k, a] = stride
    return strides
