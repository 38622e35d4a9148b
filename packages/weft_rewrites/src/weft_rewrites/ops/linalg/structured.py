"""Systems, determinants, inverses and products of matrices that are made of smaller ones.

Of diagonals and products of few columns (Woodbury's identity, and the lemma on determinants that
goes with it: Harville, Matrix Algebra From a Statistician's Perspective, 1997, section 18), of
Kronecker products (the same, section 16), and of blocks along the diagonal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import mul
from typing import Any, Final, NamedTuple

import weft_tensor as wt
from weft_graph import Item, Op, Rule, rule
from weft_rewrites.dsl.conditions import has
from weft_rewrites.dsl.result import Result
from weft_rewrites.ops.linalg.structure import (
    LowRank,
    blocks_of,
    is_square,
    kronecker_of,
    low_rank_of,
)
from weft_tensor import (
    Concatenate,
    Det,
    Elemwise,
    Inverse,
    Matmul,
    Reshape,
    SlogDet,
    Solve,
    TensorVariable,
    Transpose,
    facts,
)
from weft_tensor.extend import lengths_of

__all__ = ["rules", "wholes"]

Parts = Any
"""What one of the functions that take matrices apart has found."""


class _Equation(NamedTuple):
    """What an Op of a matrix that has `parts` is."""

    op: type[Op]
    over: Op | type[Op]
    name: str
    parts: Callable[[TensorVariable], Parts | None]
    made: Callable[..., Any]
    may_change: Sequence[str] = ("rounding",)


def _divisible(x: TensorVariable) -> LowRank | None:
    """The parts of a diagonal and a product of few columns, where the diagonal has no zeros."""
    found = low_rank_of(x)
    return found if found is not None and has(found.d, facts.nonzero) else None


def _core(parts: LowRank) -> tuple[TensorVariable, TensorVariable]:
    """u over d, and 1 + v (u / d), which is as small as u has columns."""
    d, u, v = parts
    scaled = u / d.expand_dims(1)
    product = v @ scaled
    return scaled, wt.eye(lengths_of(product)[0], dtype=u.dtype) + product


def _woodbury(parts: LowRank, b: TensorVariable) -> TensorVariable:
    scaled, core = _core(parts)
    right = b / parts.d.expand_dims(1)
    return right - scaled @ wt.solve(core, parts.v @ right, b_ndim=2)


def _inverse(parts: LowRank) -> TensorVariable:
    scaled, core = _core(parts)
    product = scaled @ wt.solve(core, parts.v / parts.d, b_ndim=2)
    return wt.diag(1 / parts.d) - product


def _times(parts: LowRank, x: TensorVariable) -> TensorVariable:
    d, u, v = parts
    return x * (d if x.ndim == 1 else d.expand_dims(1)) + u @ (v @ x)


def _lemma(parts: LowRank) -> TensorVariable:
    return wt.prod(parts.d) * wt.det(_core(parts)[1])


def _log_lemma(parts: LowRank) -> tuple[TensorVariable, TensorVariable]:
    sign, size = wt.slogdet(_core(parts)[1])
    d = parts.d
    return sign * wt.prod(d / wt.abs(d)), size + wt.sum(wt.log(wt.abs(d)))


def _squares(x: TensorVariable) -> tuple[TensorVariable, TensorVariable] | None:
    """The parts of a Kronecker product, if they are known to be square."""
    found = kronecker_of(x)
    return found if found is not None and all(map(is_square, found)) else None


def _by_parts(
    first: Callable[[TensorVariable], TensorVariable],
    second: Callable[[TensorVariable], TensorVariable],
    lengths: tuple[Any, Any],
    x: TensorVariable,
) -> TensorVariable:
    """What is done with Kronecker products: with columns of x as rows of a matrix, on each side."""
    m, n = lengths
    columns = lengths_of(x)[1]
    done = first(x.reshape((m, n * columns)))
    rows = lengths_of(done)[0]
    turned = done.reshape((rows, n, columns)).transpose((1, 0, 2)).reshape((n, rows * columns))
    done = second(turned)
    others = lengths_of(done)[0]
    back = done.reshape((others, rows, columns)).transpose((1, 0, 2))
    return back.reshape((rows * others, columns))


def _kronecker_solved(parts: Parts, c: TensorVariable) -> TensorVariable:
    a, b = parts
    lengths = lengths_of(a)[0], lengths_of(b)[0]
    return _by_parts(
        lambda x: wt.solve(a, x, b_ndim=2), lambda x: wt.solve(b, x, b_ndim=2), lengths, c
    )


def _kronecker_times(parts: Parts, x: TensorVariable) -> TensorVariable:
    a, b = parts
    columns = x if x.ndim == 2 else x.expand_dims(1)
    lengths = lengths_of(a)[1], lengths_of(b)[1]
    made = _by_parts(lambda v: a @ v, lambda v: b @ v, lengths, columns)
    return made if x.ndim == 2 else made.squeeze(1)


def _kronecker_det(parts: Parts) -> TensorVariable:
    a, b = parts
    m, n = (lengths_of(v)[0].astype(v.dtype) for v in parts)
    return wt.det(a) ** n * wt.det(b) ** m


def _kronecker_slogdet(parts: Parts) -> tuple[TensorVariable, TensorVariable]:
    a, b = (wt.slogdet(v) for v in parts)
    m, n = (lengths_of(v)[0].astype(v.dtype) for v in parts)
    return a[0] ** n * b[0] ** m, n * a[1] + m * b[1]


def _square_blocks(x: TensorVariable) -> list[TensorVariable] | None:
    found = blocks_of(x)
    return found if found is not None and all(map(is_square, found)) else None


def _each_block(
    f: Callable[[TensorVariable, TensorVariable], TensorVariable], axis: int
) -> Callable[[list[TensorVariable], TensorVariable], TensorVariable]:
    """What `f` makes of each block and its part of the other operand, one under another."""

    def made(blocks: list[TensorVariable], x: TensorVariable) -> TensorVariable:
        parts, begin = [], wt.constant(0)
        for block in blocks:
            end = begin + lengths_of(block)[axis]
            parts.append(f(block, x[begin:end]))
            begin = end
        return wt.concatenate(parts, 0)

    return made


def _block_slogdet(blocks: list[TensorVariable]) -> tuple[TensorVariable, TensorVariable]:
    signs, sizes = zip(*(wt.slogdet(b) for b in blocks), strict=True)
    return reduce(mul, signs), sum(sizes[1:], sizes[0])


_ADD: Final = Elemwise("add")
_EQUATIONS: Final = (
    _Equation(
        *(Solve, _ADD, "solve(diag(d) + u @ v, b), u of few columns, by Woodbury's identity"),
        *(_divisible, _woodbury),
    ),
    _Equation(
        *(Det, _ADD, "det(diag(d) + u @ v) = prod(d) * det(1 + v @ (u / d)), u of few columns"),
        *(_divisible, _lemma),
    ),
    _Equation(
        *(Item, SlogDet, "slogdet(diag(d) + u @ v) by slogdet(1 + v @ (u / d)), u of few columns"),
        *(_divisible, _log_lemma),
    ),
    _Equation(
        *(Inverse, _ADD, "inv(diag(d) + u @ v), u of few columns, by Woodbury's identity"),
        *(_divisible, _inverse),
    ),
    _Equation(
        *(Matmul, _ADD, "(diag(d) + u @ v) @ x = d * x + u @ (v @ x), u of few columns"),
        *(low_rank_of, _times),
    ),
    _Equation(
        *(Solve, Reshape, "solve(kron(A, B), c) = (solve(A, solve(B, c.T).T)) in rows"),
        *(_squares, _kronecker_solved),
    ),
    _Equation(
        *(Matmul, Reshape, "kron(A, B) @ x = A @ x @ B.T in rows"),
        *(kronecker_of, _kronecker_times),
    ),
    _Equation(
        *(Det, Reshape, "det(kron(A, B)) = det(A) ** n * det(B) ** m"),
        *(_squares, _kronecker_det),
    ),
    _Equation(
        *(Item, SlogDet, "slogdet(kron(A, B)) by slogdet(A) and slogdet(B)"),
        *(_squares, _kronecker_slogdet),
    ),
    _Equation(
        *(Inverse, Reshape, "inv(kron(A, B)) = kron(inv(A), inv(B))"),
        *(_squares, lambda parts: wt.kron(*map(wt.inv, parts))),
    ),
    _Equation(
        *(Solve, Concatenate, "solve(block_diag(A, B), c) by blocks"),
        *(_square_blocks, _each_block(lambda a, b: wt.solve(a, b, b_ndim=2), 0)),
        may_change=("rounding", "inf", "nan"),
    ),
    _Equation(
        *(Matmul, Concatenate, "block_diag(A, B) @ x by blocks"),
        *(blocks_of, _each_block(lambda a, x: a @ x, 1)),
        may_change=("rounding", "inf", "nan"),
    ),
    _Equation(
        *(Det, Concatenate, "det(block_diag(A, B)) = det(A) * det(B)"),
        *(_square_blocks, lambda blocks: reduce(mul, map(wt.det, blocks))),
    ),
    _Equation(
        *(Item, SlogDet, "slogdet(block_diag(A, B)) by slogdet(A) and slogdet(B)"),
        *(_square_blocks, _block_slogdet),
    ),
    _Equation(
        *(Inverse, Concatenate, "inv(block_diag(A, B)) = block_diag(inv(A), inv(B))"),
        *(_square_blocks, lambda blocks: wt.linalg.block_diag(*map(wt.inv, blocks))),
        may_change=("rounding", "zero sign"),
    ),
)


def _transposed(parts: Parts) -> Parts:
    if isinstance(parts, LowRank):
        return LowRank(parts.d, parts.v.mT, parts.u.mT)
    return [v.mT for v in parts]


def _product(e: _Equation, node: TensorVariable) -> TensorVariable | None:
    """Of a matrix that has parts and another, in either order."""
    left, right = node.inputs
    if not 0 < min(left.ndim, right.ndim) <= max(left.ndim, right.ndim) < 3:
        return None
    if left.dtype != node.dtype or right.dtype != node.dtype:
        return None
    new = None
    if left.ndim == 2 and (parts := e.parts(left)) is not None:
        new = e.made(parts, right)
    elif right.ndim == 2 and (parts := e.parts(right)) is not None:
        made = e.made(_transposed(parts), left if left.ndim == 1 else left.mT)
        new = made if left.ndim == 1 else made.mT
    return new if new is not None and node.type.accepts(new.type) else None


def _rule(e: _Equation) -> Rule:
    def of_matrix(node: TensorVariable) -> TensorVariable | None:
        matrix, *others = node.inputs
        parts = e.parts(matrix) if matrix.ndim == 2 else None
        if parts is None or any(v.dtype != node.dtype or v.ndim > 2 for v in others):
            return None
        new: TensorVariable = e.made(parts, *others)
        return new if node.type.accepts(new.type) else None

    def of_item(node: Result[Item]) -> TensorVariable | None:
        (x,) = node.inputs[0].inputs
        parts = e.parts(x) if type(node.inputs[0].op) is SlogDet and x.ndim == 2 else None
        return None if parts is None else e.made(parts)[node.op.index]

    def of_product(node: TensorVariable) -> TensorVariable | None:
        return _product(e, node)

    over = e.over if e.op is Item else (e.over, Transpose)
    made = rule(e.op, over=over, name=e.name, may_change=e.may_change)
    return made({Item: of_item, Matmul: of_product}.get(e.op, of_matrix))


_WHOLE: Final = (Det, Inverse)
rules: tuple[Rule, ...] = tuple([_rule(e) for e in _EQUATIONS if e.op not in _WHOLE])
"""All but those of inverses and determinants."""
wholes: tuple[Rule, ...] = tuple([_rule(e) for e in _EQUATIONS if e.op in _WHOLE])
"""Those, for what neither a product nor a logarithm takes."""
