"""Small matrices of a stack, several at once: a vector has the same number of each of them.

Of 2 to 4 rows, what is done with a matrix takes less time than calling a function for it, and than
loops that are written for any length.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

from weft_numba.numba_layer.linalg.blas import I32, I64
from weft_numba.numba_layer.linalg.matrices import Matrix, element
from weft_numba.numba_layer.linalg.unrolled import Elements

__all__ = ["LANES", "Lanes", "Side", "for_lanes", "write_lanes"]

LANES: Final = 4
"""How many matrices are worked on at once."""
_FREQUENT: Final = (2, 3)


class Lanes(NamedTuple):
    """What is done with several small matrices at once."""

    write: Callable[..., tuple[list[Elements], Any]]
    """Called with a builder, the elements of each operand and the flags, it writes the code. Gives
    the elements of each result, and bits that say of which matrices they are right."""
    rows: tuple[int, ...]
    """What the length "n" may be; all others are 1."""


def for_lanes(
    write: Callable[..., tuple[list[Elements], Any]] | None, x: Any, most: int = 4
) -> Lanes | None:
    """What is done with those matrices of a stack of type `x` that have few rows, if any have.

    Of unknown numbers of rows, those that are frequent: each takes longer to compile.

    >>> import weft_tensor as wt
    >>> [for_lanes(max, wt.tensor("x", "float64", (None, n, n)).type).rows for n in (None, "n", 3)]
    [(2, 3), (2, 3), (3,)]
    >>> for_lanes(max, wt.dmatrix("x").type)
    """
    count = x.shape[-1]
    known = (count,) if isinstance(count, int) else _FREQUENT
    rows = known if 0 < known[-1] <= most else ()
    if write and rows and x.ndim > 2 and "complex" not in x.dtype:
        return Lanes(write, rows)
    return None


class Side(NamedTuple):
    """The operands, or the results."""

    shapes: Sequence[tuple[str, int, int]]
    """The dtype, and how many rows and columns, of each."""
    at: Callable[[Value], Sequence[Matrix]]
    """Those at a place of the stack."""


def write_lanes(
    builder: IRBuilder,
    write: Callable[..., tuple[list[Elements], Any]],
    operands: Side,
    results: Side,
    flags: Sequence[Value],
    place: Value,
    right: Value,
    end: Value,
) -> None:
    """Work on all matrices from that at `place` on, until the end or until something isn't right.

    Then `place` has the first of the vectors that has it, and `right` the bits of those that are.
    """
    last = builder.sub(end, I64(1))
    with cgutils.for_range_slice(builder, builder.load(place), end, I64(LANES)) as (start, _):
        indices = [builder.add(start, I64(lane)) for lane in range(LANES)]
        indices = [builder.select(builder.icmp_signed("<", k, last), k, last) for k in indices]
        matrices = zip(*(operands.at(k) for k in indices), strict=True)
        read = [_gathered(builder, *pair) for pair in zip(operands.shapes, matrices, strict=True)]
        elements, bits = write(builder, *read, *flags)
        matrices = zip(*(results.at(k) for k in indices), strict=True)
        for vectors, xs in zip(elements, matrices, strict=True):
            for lane, x in enumerate(xs):
                for i, row in enumerate(vectors):
                    for j, value in enumerate(row):
                        x.put(builder, I64(i), I64(j), builder.extract_element(value, I32(lane)))
        all_right = ir.IntType(LANES)(-1)
        bits = builder.bitcast(bits, all_right.type)
        with builder.if_then(builder.icmp_unsigned("!=", bits, all_right), likely=False):
            builder.store(builder.zext(bits, I64), right)
            builder.ret(I32(0))
        builder.store(builder.add(start, I64(LANES)), place)


def _gathered(
    builder: IRBuilder, shape: tuple[str, int, int], matrices: Sequence[Matrix]
) -> Elements:
    """The numbers of several matrices as vectors."""
    dtype, rows, columns = shape
    vector = ir.Constant(ir.VectorType(element(dtype), LANES), ir.Undefined)
    pointer = element(dtype).as_pointer()
    values = [[vector] * columns for _ in range(rows)]
    for lane, x in enumerate(matrices):
        for i, row in enumerate(values):
            at = x.at(builder, I64(i), I64(0)) if i else x.data
            for j, so_far in enumerate(row):
                at = builder.gep(at, [x.right]) if j else at
                number = builder.load(builder.bitcast(at, pointer), align=1)
                row[j] = builder.insert_element(so_far, number, I32(lane))
    return values
