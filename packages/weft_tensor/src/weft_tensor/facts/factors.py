"""What is known of factors, products and functions of matrices, and of diagonals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from weft_graph import Constant, Fact, Item
from weft_graph.extend import Ask
from weft_tensor.facts.definitions import (
    MATRICES,
    diagonal,
    lower_triangular,
    orthogonal,
    positive_definite,
    symmetric,
    upper_triangular,
)
from weft_tensor.facts.matrices import TRIANGULAR, is_of_zeros, is_transpose, same
from weft_tensor.facts.statements import FactRule
from weft_tensor.ops.creation.creation import Arange
from weft_tensor.ops.indexing.index import IndexUpdate
from weft_tensor.ops.indexing.subscript import ARRAY
from weft_tensor.ops.linalg.cholesky import Cholesky, CholeskyInverse
from weft_tensor.ops.linalg.eigh import Eigh
from weft_tensor.ops.linalg.matmul import Matmul
from weft_tensor.ops.linalg.qr import QR
from weft_tensor.ops.linalg.schur import QZ, Hessenberg, Schur
from weft_tensor.ops.linalg.solve import Inverse, SolveTriangular
from weft_tensor.ops.linalg.svd import SVD
from weft_tensor.ops.matrices.exponential import Expm
from weft_tensor.ops.matrices.roots import Logm, Sqrtm
from weft_tensor.ops.shape.broadcast_to import BroadcastTo
from weft_tensor.ops.shape.length import lengths_of, same_size


def _product(fact: Fact) -> FactRule:
    def rule(x: Any, ask: Ask) -> bool | None:
        return all(ask(v, fact) is True for v in x.inputs) or None

    return rule


for _fact in (*TRIANGULAR, orthogonal):
    _fact.register(Matmul)(_product(_fact))
for _fact in MATRICES:
    _fact.register(Inverse)(same(_fact))
lower_triangular.register(Cholesky)(lambda x, ask: True)
diagonal.register(Cholesky)(same(diagonal))
positive_definite.register(CholeskyInverse)(lambda x, ask: True)


@orthogonal.register(Item)
def _vectors(x: Any, ask: Ask) -> bool | None:
    """Square and orthogonal factors: eigenvectors, singular vectors, those of QR and Schur."""
    op, place = x.inputs[0].op, x.op.index
    if type(op) is QR:
        rows, columns = x.type.shape[-2:]
        return (not place and (op.complete or (rows is not None and rows == columns))) or None
    if type(op) in (Eigh, Hessenberg, Schur):
        return place == 1 or None
    if type(op) is QZ:
        return place > 1 or None
    return (type(op) is SVD and place != 1 and op.full_matrices) or None


@upper_triangular.register(Item)
def _upper_factor(x: Any, ask: Ask) -> bool | None:
    op, place = x.inputs[0].op, x.op.index
    if type(op) in (Schur, QZ) and not place:
        return x.is_complex or None  # real ones have blocks on the diagonal
    return (type(op) in (QR, QZ) and place == 1) or None


@symmetric.register(Matmul)
def _symmetric_product(x: Any, ask: Ask) -> bool | None:
    """a aᵀ and aᵀ a; and a s aᵀ, in either order of the products, for a symmetric s."""
    a, b = x.inputs
    if x.is_complex or a.ndim < 2:
        return None
    parts = _congruence(x)
    return is_transpose(a, b) or (parts is not None and ask(parts[1], symmetric) is True) or None


def _congruence(x: Any) -> tuple[Any, Any] | None:
    """a and s, where x is a s aᵀ."""
    left, right = x.inputs
    if type(left.op) is Matmul and is_transpose(left.inputs[0], right):
        return (left.inputs[0], left.inputs[1])
    if type(right.op) is Matmul and is_transpose(left, right.inputs[1]):
        return (left, right.inputs[0])
    return None


@positive_definite.register(Matmul)
def _definite_product(x: Any, ask: Ask) -> bool | None:
    """L Lᵀ for the Cholesky factor L of such a matrix, q s qᵀ for an orthogonal q."""
    (a, b), parts = x.inputs, _congruence(x)
    if x.is_complex:
        return None
    turned = parts is not None and ask(parts[0], orthogonal) is True
    whole = turned and parts is not None and ask(parts[1], positive_definite) is True
    return whole or (type(a.op) is Cholesky and is_transpose(a, b)) or None


for _fact in TRIANGULAR:

    @_fact.register(SolveTriangular)
    def _solved(x: Any, ask: Ask, fact: Fact = _fact) -> bool | None:
        a, b = x.inputs
        half = lower_triangular if x.op.lower else upper_triangular
        kept = ask(a, fact) is True if fact is not half else True
        return (kept and ask(b, fact) is True) or None


for _fact in TRIANGULAR:
    _fact.register(Expm, Logm, Sqrtm)(same(_fact))
symmetric.register(Expm)(same(symmetric))
positive_definite.register(Sqrtm)(same(positive_definite))


@symmetric.register(Logm)
def _symmetric_logarithm(x: Any, ask: Ask) -> bool | None:
    return ask(x.inputs[0], positive_definite) is True or None


def _in_known_places(fact: Fact, outside: Callable[[Any, Any], Any]) -> FactRule:
    """What is put into places that are known, of a matrix that has the fact."""

    def rule(x: Any, ask: Ask) -> bool | None:
        if x.ndim != 2 or x.op.entries != (ARRAY, ARRAY):
            return None
        old, _, *places = x.inputs
        if any(type(v.op) is not Constant for v in places):
            return None
        rows, columns = (v.op.value for v in places)
        if min(rows.min(initial=0), columns.min(initial=0)) < 0 or outside(rows, columns).any():
            return None
        return is_of_zeros(old) or ask(old, fact) is True or None

    return rule


lower_triangular.register(IndexUpdate)(_in_known_places(lower_triangular, np.less))
upper_triangular.register(IndexUpdate)(_in_known_places(upper_triangular, np.greater))


@diagonal.register(IndexUpdate)
@symmetric.register(IndexUpdate)
def _of_vector(x: Any, ask: Ask) -> bool | None:
    """`diag(b)`."""
    if x.op.mode != "set" or x.ndim != 2 or len(x.inputs) != 4:
        return None
    zeros, _, i, j = x.inputs
    n, m = zeros.inputs[1:] if type(zeros.op) is BroadcastTo else lengths_of(zeros)
    if not is_of_zeros(zeros):
        return None
    return (i is j and type(i.op) is Arange and same_size(n, m)) or None
