"""Systems, determinants, inverses and products of matrices that are made of smaller ones.

Of diagonals and products of few columns (Woodbury's identity, and the lemma on determinants that
goes with it: Harville, Matrix Algebra From a Statistician's Perspective, 1997, section 18), of
Kronecker products (the same, section 16), and of blocks along the diagonal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import add, mul
from typing import Any, Final

import weft_tensor as wt
from weft_graph import Each, Form, Item, Op, Rule
from weft_rewrites.dsl.conditions import has
from weft_rewrites.dsl.equation import equation, letter, others
from weft_rewrites.ops.linalg.diagonal import reads_diagonal
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
    Index,
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

Tensor = TensorVariable


def _divisible(x: Tensor) -> LowRank | None:
    """The parts of a diagonal and a product of few columns, where the diagonal has no zeros."""
    parts = low_rank_of(x)
    return parts if parts is not None and has(parts.d, facts.nonzero) else None


def _core(d: Tensor, u: Tensor, v: Tensor) -> Tensor:
    """1 + v (u / d), which is as small as u has columns."""
    product = v @ (u / d.expand_dims(1))
    return wt.eye(lengths_of(product)[0], dtype=u.dtype) + product


def _woodbury(d: Tensor, u: Tensor, v: Tensor, b: Tensor) -> Tensor:
    column = d.expand_dims(1)
    return b / column - (u / column) @ wt.solve(_core(d, u, v), v @ (b / column), b_ndim=2)


def _inverse(d: Tensor, u: Tensor, v: Tensor) -> Tensor:
    return wt.diag(1 / d) - (u / d.expand_dims(1)) @ wt.solve(_core(d, u, v), v / d, b_ndim=2)


def _times(d: Tensor, u: Tensor, v: Tensor, x: Tensor) -> Tensor:
    return x * (d if x.ndim == 1 else d.expand_dims(1)) + u @ (v @ x)


def _lemma_sign(d: Tensor, u: Tensor, v: Tensor) -> Tensor:
    return wt.slogdet(_core(d, u, v))[0] * wt.prod(d / wt.abs(d))


def _lemma_size(d: Tensor, u: Tensor, v: Tensor) -> Tensor:
    return wt.slogdet(_core(d, u, v))[1] + wt.sum(wt.log(wt.abs(d)))


def _squares(x: Tensor) -> Sequence[Tensor] | None:
    """The parts of a Kronecker product, if they are known to be square."""
    factors = kronecker_of(x)
    return factors if factors is not None and all(map(is_square, factors)) else None


def _by_parts(
    first: Callable[[Tensor], Tensor],
    second: Callable[[Tensor], Tensor],
    lengths: tuple[Any, Any],
    x: Tensor,
) -> Tensor:
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


def _kronecker_solved(A: Tensor, B: Tensor, b: Tensor) -> Tensor:
    lengths = lengths_of(A)[0], lengths_of(B)[0]
    return _by_parts(
        lambda x: wt.solve(A, x, b_ndim=2), lambda x: wt.solve(B, x, b_ndim=2), lengths, b
    )


def _kronecker_times(A: Tensor, B: Tensor, x: Tensor) -> Tensor:
    (rows, m), (others, n) = lengths_of(A), lengths_of(B)
    if x.ndim == 1:
        return (A @ x.reshape((m, n)) @ B.T).ravel()
    columns = lengths_of(x)[1]
    inner = wt.matmul(B, x.reshape((m, n, columns))).reshape((m, others * columns))
    return (A @ inner).reshape((rows * others, columns))


def _kronecker_diagonal(A: Tensor, B: Tensor, i: tuple[Any, ...]) -> Tensor:
    (n,) = i[0].inputs
    return wt.outer(wt.linalg.diagonal(A), wt.linalg.diagonal(B)).ravel()[:n]


def _size(x: Tensor) -> Tensor:
    return lengths_of(x)[0].astype(x.dtype)


def _square_blocks(x: Tensor) -> list[Tensor] | None:
    blocks = blocks_of(x)
    return blocks if blocks is not None and all(map(is_square, blocks)) else None


def _each_block(
    f: Callable[[Tensor, Tensor], Tensor], axis: int, blocks: Sequence[Tensor], x: Tensor
) -> Tensor:
    """What `f` makes of each block and its part of the other operand, one under another."""
    parts, begin = [], wt.constant(0)
    for block in blocks:
        end = begin + lengths_of(block)[axis]
        parts.append(f(block, x[begin:end]))
        begin = end
    return wt.concatenate(parts, 0)


def _blocks_times(blocks: Sequence[Tensor], x: Tensor) -> Tensor:
    return _each_block(lambda a, v: a @ v, 1, blocks, x)


def _listed(
    parts: Callable[[Tensor], list[Tensor] | None],
) -> Callable[[Tensor], tuple[list[Tensor]] | None]:
    def found(x: Tensor) -> tuple[list[Tensor]] | None:
        blocks = parts(x)
        return None if blocks is None else (blocks,)

    return found


d, u, v, b, x, A, B, C = (letter(name) for name in "duvbxABC")
blocks, i = others("blocks"), others("i")
_LOW_RANK: Final = Form("diag(d) + u @ v", low_rank_of)(d, u, v)
_DIVISIBLE: Final = Form("diag(d) + u @ v", _divisible)(d, u, v)
_KRON: Final = Form("kron", kronecker_of)(A, B)
_SQUARES: Final = Form("kron", _squares)(A, B)
_BLOCKS: Final = Form("block_diag", _listed(blocks_of))(blocks)
_SQUARE_BLOCKS: Final = Form("block_diag", _listed(_square_blocks))(blocks)
_OVER: Final[dict[str, tuple[Op | type[Op], ...]]] = {
    "diag(d) + u @ v": (Elemwise("add"), Elemwise("sub")),
    "kron": (Reshape,),
    "block_diag": (Concatenate,),
}


def _rule(left: Any, right: Any, name: str, may_change: str = "rounding", when: Any = None) -> Rule:
    form = next(i for i in left.inputs if isinstance(i.op, Form))
    return equation(
        left,
        right,
        when=when,
        over=(*_OVER[str(form.op)], Transpose),
        name=name,
        may_change=may_change,
    )


def _of_slogdet(form: Any, k: int, right: Any, name: str) -> Rule:
    left, change = Item(k)(SlogDet()(form)), "rounding" if k else ""
    return equation(left, right, over=SlogDet, name=name, may_change=change)


def _fits(x: Tensor) -> bool:
    return x.ndim in (1, 2)


def _is_vector(x: Tensor) -> bool:
    return x.ndim == 1


_PARTLY: Final = "rounding, inf, nan"
_FEW: Final = ", u of few columns"
rules: tuple[Rule, ...] = (
    _rule(
        Solve()(_DIVISIBLE, b),
        _woodbury,
        "solve(diag(d) + u @ v, b), u of few columns, by Woodbury's identity",
        when=lambda b: b.ndim == 2,
    ),
    _of_slogdet(
        *(_DIVISIBLE, 0, _lemma_sign),
        f"slogdet(diag(d) + u @ v)[0] = slogdet(1 + v @ (u / d))[0] * prod(sign(d)){_FEW}",
    ),
    _of_slogdet(
        *(_DIVISIBLE, 1, _lemma_size),
        f"slogdet(diag(d) + u @ v)[1] = slogdet(1 + v @ (u / d))[1] + sum(log(abs(d))){_FEW}",
    ),
    _rule(
        Matmul()(_LOW_RANK, x),
        _times,
        f"(diag(d) + u @ v) @ x = d * x + u @ (v @ x){_FEW}",
        when=_fits,
    ),
    _rule(
        Matmul()(x, _LOW_RANK),
        lambda d, u, v, x: _times(d, v.mT, u.mT, x),
        f"x @ (diag(d) + u @ v) = x * d + (x @ u) @ v for vectors x{_FEW}",
        when=_is_vector,
    ),
    _rule(
        Matmul()(B, _LOW_RANK),
        lambda B, d, u, v: _times(d, v.mT, u.mT, B.mT).mT,
        f"B @ (diag(d) + u @ v) = B * d + (B @ u) @ v{_FEW}",
    ),
    _rule(
        Solve()(_SQUARES, b),
        _kronecker_solved,
        "solve(kron(A, B), c) = (solve(A, solve(B, c.T).T)) in rows",
        when=lambda b: b.ndim == 2,
    ),
    _rule(Matmul()(_KRON, x), _kronecker_times, "kron(A, B) @ x = A @ x @ B.T in rows", when=_fits),
    _rule(
        Matmul()(x, _KRON),
        lambda A, B, x: _kronecker_times(A.mT, B.mT, x),
        "x @ kron(A, B) = A.T @ x @ B in rows for vectors x",
        when=_is_vector,
    ),
    _rule(
        Matmul()(C, _KRON),
        lambda A, B, C: _kronecker_times(A.mT, B.mT, C.mT).mT,
        "C @ kron(A, B) = A.T @ C.T @ B in rows",
    ),
    _of_slogdet(
        *(_SQUARES, 0),
        lambda A, B: wt.slogdet(A)[0] ** _size(B) * wt.slogdet(B)[0] ** _size(A),
        "slogdet(kron(A, B))[0] = slogdet(A)[0] ** n * slogdet(B)[0] ** m",
    ),
    _of_slogdet(
        *(_SQUARES, 1),
        lambda A, B: _size(B) * wt.slogdet(A)[1] + _size(A) * wt.slogdet(B)[1],
        "slogdet(kron(A, B))[1] = n * slogdet(A)[1] + m * slogdet(B)[1]",
    ),
    equation(
        Each(Index, "diagonal")(_SQUARES, i),
        _kronecker_diagonal,
        of=None,
        when=reads_diagonal,
        over=Reshape,
        name="diagonal(kron(A, B)) = kron(diagonal(A), diagonal(B))",
    ),
    _rule(
        Solve()(_SQUARE_BLOCKS, b),
        lambda blocks, b: _each_block(lambda a, c: wt.solve(a, c, b_ndim=2), 0, blocks, b),
        "solve(block_diag(A, B), c) by blocks",
        _PARTLY,
        when=lambda b: b.ndim == 2,
    ),
    _rule(
        Matmul()(_BLOCKS, x), _blocks_times, "block_diag(A, B) @ x by blocks", _PARTLY, when=_fits
    ),
    _rule(
        Matmul()(x, _BLOCKS),
        lambda blocks, x: _blocks_times([a.mT for a in blocks], x),
        "x @ block_diag(A, B) by blocks for vectors x",
        _PARTLY,
        when=_is_vector,
    ),
    _rule(
        Matmul()(B, _BLOCKS),
        lambda B, blocks: _blocks_times([a.mT for a in blocks], B.mT).mT,
        "B @ block_diag(A, B) by blocks",
        _PARTLY,
    ),
    _of_slogdet(
        *(_SQUARE_BLOCKS, 0),
        lambda blocks: reduce(mul, [wt.slogdet(a)[0] for a in blocks]),
        "slogdet(block_diag(A, B))[0] = slogdet(A)[0] * slogdet(B)[0]",
    ),
    _of_slogdet(
        *(_SQUARE_BLOCKS, 1),
        lambda blocks: reduce(add, [wt.slogdet(a)[1] for a in blocks]),
        "slogdet(block_diag(A, B))[1] = slogdet(A)[1] + slogdet(B)[1]",
    ),
)
"""All but those of inverses and determinants."""
wholes: tuple[Rule, ...] = (
    _rule(
        Det()(_DIVISIBLE),
        lambda d, u, v: wt.prod(d) * wt.det(_core(d, u, v)),
        f"det(diag(d) + u @ v) = prod(d) * det(1 + v @ (u / d)){_FEW}",
    ),
    _rule(
        Inverse()(_DIVISIBLE),
        _inverse,
        "inv(diag(d) + u @ v), u of few columns, by Woodbury's identity",
    ),
    _rule(
        Det()(_SQUARES),
        lambda A, B: wt.det(A) ** _size(B) * wt.det(B) ** _size(A),
        "det(kron(A, B)) = det(A) ** n * det(B) ** m",
    ),
    _rule(
        Inverse()(_SQUARES),
        lambda A, B: wt.kron(wt.inv(A), wt.inv(B)),
        "inv(kron(A, B)) = kron(inv(A), inv(B))",
    ),
    _rule(
        Det()(_SQUARE_BLOCKS),
        lambda blocks: reduce(mul, map(wt.det, blocks)),
        "det(block_diag(A, B)) = det(A) * det(B)",
    ),
    _rule(
        Inverse()(_SQUARE_BLOCKS),
        lambda blocks: wt.linalg.block_diag(*map(wt.inv, blocks)),
        "inv(block_diag(A, B)) = block_diag(inv(A), inv(B))",
        "rounding, zero sign",
    ),
)
"""Those, for what neither a product nor a logarithm takes."""
