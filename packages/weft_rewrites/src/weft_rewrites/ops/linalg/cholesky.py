"""Derivatives through Cholesky factors that have a closed form.

For L = cholesky(K), a cotangent g of L gives L⁻ᵀ S L⁻¹, where S has the lower half of Lᵀ g. In
the logarithm of a normal density, g comes from z = L⁻¹ b, of which -|z|²/2 is taken, and from the
logarithms of L's diagonal. For the first, S is a multiple of z zᵀ, for the second of the
identity: what is left is (L⁻ᵀ z) (L⁻ᵀ z)ᵀ and K⁻¹ (Rasmussen and Williams, Gaussian Processes for
Machine Learning, equation 5.9), which takes a third of the time and loses fewer digits.
"""

from __future__ import annotations

from functools import reduce
from typing import Final

import numpy as np

import weft_tensor as wt
from weft_graph import Constant, Rule, rule
from weft_rewrites.dsl.conditions import is_zero
from weft_rewrites.ops.linalg.identity import are_equal
from weft_tensor import (
    Arange,
    Cholesky,
    Elemwise,
    ExpandDims,
    Index,
    IndexUpdate,
    Matmul,
    SolveTriangular,
    Squeeze,
    TensorVariable,
    Transpose,
)
from weft_tensor.extend import ARRAY, lengths_of, same_size

__all__ = ["rules"]

_ADD: Final = Elemwise("add")
_COLUMN: Final = (ExpandDims((1,)), Squeeze((1,)))
_DIVIDE: Final = Elemwise("true_div")
_GE: Final = Elemwise("ge")
_LOWER: Final = SolveTriangular(True)
_MINIMUM: Final = Elemwise("minimum")
_MULTIPLY: Final = Elemwise("mul")
_NEGATE: Final = Elemwise("neg")
_PAIR: Final = (ARRAY, ARRAY)
_RECIPROCAL: Final = Elemwise("reciprocal")
_SWAPPED: Final = Transpose((1, 0))
_UPPER: Final = SolveTriangular(False)
_WHERE: Final = Elemwise("where")


@rule(
    SolveTriangular,
    over=Transpose,
    name="derivative through a Cholesky factor",
    may_change="rounding",
)
def _derivative(node: TensorVariable) -> TensorVariable | None:
    upper, right = node.inputs
    factor, inner = _swapped(upper), _swapped(right)
    if node.op != _UPPER or factor is None or type(factor.op) is not Cholesky:
        return None
    if inner is None or inner.op != _UPPER or inner.inputs[0] is not upper:
        return None
    product = _lower_half(inner.inputs[1])
    if product is None or type(product.op) is not Matmul or product.inputs[0] is not upper:
        return None
    parts = [
        _squared(x, scale, factor, upper)
        if type(x.op) is Matmul or _is_outer(x)
        else _on_diagonal(x, scale, factor)
        for x, scale in _terms(product.inputs[1])
    ]
    summands = [part for part in parts if part is not None]
    return reduce(_ADD, summands) if len(summands) == len(parts) else None


def _swapped(v: TensorVariable) -> TensorVariable | None:
    """What `v` is the transpose of; None if it is none."""
    return v.inputs[0] if v.op == _SWAPPED else None


def _is_lower(mask: TensorVariable) -> bool:
    """Whether `mask` is true on and below the diagonal, and only there."""
    if isinstance(mask.op, Constant):
        value = np.asarray(mask.op.value)
        return value.ndim == 2 and np.array_equal(value, np.tri(*value.shape).astype(bool))
    if mask.op != _GE:
        return False
    rows, columns = mask.inputs
    return type(columns.op) is Arange and rows.op == ExpandDims((1,)) and rows.inputs[0] is columns


def _lower_half(v: TensorVariable) -> TensorVariable | None:
    """x, where `v` is `where(lower half, x, x.T)`."""
    if v.op != _WHERE:
        return None
    mask, x, other = v.inputs
    return x if _is_lower(mask) and _swapped(other) is x else None


def _scaled(v: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    """x and the factor s of rank 0, where `v` is s times x."""
    scale = wt.constant(1.0, v.dtype)
    while v.op in (_NEGATE, _MULTIPLY):
        if v.op == _NEGATE:
            scale, (v,) = -scale, v.inputs
            continue
        numbers = [i for i in v.inputs if not i.ndim]
        if not numbers or not v.ndim:
            break
        scale = scale * numbers[0]
        (v,) = [i for i in v.inputs if i is not numbers[0]] or numbers
    return v, scale


def _terms(g: TensorVariable) -> list[tuple[TensorVariable, TensorVariable]]:
    """What `g` is the sum of, with factors; what is zeroed above the diagonal counts whole."""
    terms = []
    todo = [(g, wt.constant(1.0, g.dtype))]
    while todo:
        v, scale = todo.pop()
        v, own = _scaled(v)
        scale = scale * own
        if v.op == _ADD:
            todo += [(i, scale) for i in v.inputs]
        elif v.op == _WHERE and _is_lower(v.inputs[0]) and is_zero(v.inputs[2]):
            todo.append((v.inputs[1], scale))
        else:
            terms.append((v, scale))
    return terms


def _is_outer(v: TensorVariable) -> bool:
    """Whether `v` is a column times a row."""
    if v.op != _MULTIPLY or len(v.inputs) != 2 or v.ndim != 2:
        return False
    column, row = (i.type.shape for i in v.inputs)
    return column[1:] == (1,) and row[:1] == (1,)


def _squared(
    v: TensorVariable, scale: TensorVariable, factor: TensorVariable, upper: TensorVariable
) -> TensorVariable | None:
    """The part of the product L⁻ᵀ (c z) zᵀ, where z solves L z = b."""
    (w, own), z = _scaled(v.inputs[0]), _swapped(v.inputs[1])
    scale = scale * own
    if z is None or z.op != _LOWER or z.inputs[0] is not factor:
        return None
    if w.op != _UPPER or w.inputs[0] is not upper:
        return None
    h = w.inputs[1]
    while h is not z:
        h, own = _scaled(h)
        scale = scale * own
        if h.op in _COLUMN:
            (h,) = h.inputs
        elif h is not z:
            return None
    root = _UPPER(upper, z)
    return scale * wt.matmul(root, wt.matrix_transpose(root))


def _on_diagonal(
    v: TensorVariable, scale: TensorVariable, factor: TensorVariable
) -> TensorVariable | None:
    """The part of c / L[i, i] on the diagonal."""
    if type(v.op) is not IndexUpdate or v.op.mode != "inc" or v.op.entries != _PAIR:
        return None
    zero, added, i, j = v.inputs
    if i is not j or not is_zero(zero) or not _is_every(i, factor):
        return None
    added, own = _scaled(added)
    if added.op == _RECIPROCAL:
        number, diagonal = wt.constant(1.0, added.dtype), added.inputs[0]
    elif added.op == _DIVIDE and not added.inputs[0].ndim:
        number, diagonal = added.inputs
    else:
        return None
    if type(diagonal.op) is not Index or diagonal.op.entries != _PAIR:
        return None
    if diagonal.inputs[0] is not factor or any(k is not i for k in diagonal.inputs[1:]):
        return None
    return scale * own * number * wt.cholesky_inverse(factor)


def _is_every(i: TensorVariable, factor: TensorVariable) -> bool:
    """Whether `i` is 0, 1, ... up to the length of `factor`, which is square."""
    lengths = lengths_of(factor)
    if isinstance(i.op, Constant):
        places = np.arange(len(i.op.value))
        return same_size(lengths[0], len(places)) and bool((i.op.value == places).all())
    if type(i.op) is not Arange or len(i.inputs) > 1:
        return False
    (end,) = i.inputs
    ends = end.inputs if end.op == _MINIMUM else (end,)
    return all(any(are_equal(n, length) for length in lengths) for n in ends)


rules: tuple[Rule, ...] = (_derivative,)
"""All of them."""
