"""Pseudoinverses of Hermitian matrices, by eigenvalues."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft_graph import OpFromGraph, custom_pullback
from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.op import Cotangents, Tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.comparison import eq, neq, where
from weft_tensor.ops.linalg.eigh import eigh, eigvalsh
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.linalg.square import adjoint_of, matrix_type, mirrored
from weft_tensor.ops.matrices.least_squares import change_of_inverse
from weft_tensor.ops.reduction.standard import max, sum
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import expand_dims

__all__ = ["pinvh"]


@custom_pullback
def _hermitian(a: TensorVariable, cutoff: TensorVariable) -> TensorVariable:
    values, v = eigh(a)
    return matmul(v * expand_dims(_inverses(values, cutoff), -2), adjoint_of(v))


def _inverses(values: TensorVariable, cutoff: TensorVariable) -> TensorVariable:
    """1 / values, and 0 for those of at most the cutoff times the greatest size."""
    sizes = abs(values)
    large = sizes > expand_dims(cutoff, -1) * max(sizes, -1, keepdims=True, initial=0.0)
    return where(large, 1 / where(large, values, 1.0), 0.0).astype(values.dtype)


@_hermitian.define
def _hermitian_back(inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
    return [_hermitian_change(inputs[0], inputs[1], outputs[0], cotangents[0]), None]


@_hermitian.define_pushforward
def _hermitian_forward(inputs: Tensors, outputs: Tensors, tangents: Tensors) -> Cotangents:
    return [_hermitian_change(inputs[0], inputs[1], outputs[0], tangents[0])]


@custom_pullback
def _hermitian_change(
    a: TensorVariable, cutoff: TensorVariable, p: TensorVariable, t: TensorVariable
) -> TensorVariable:
    """`_change_by_inverse` of Hermitian t, or of what counts of t as if it were, of few products.

    Along eigenvectors it is t times the divided differences of what eigenvalues become: 1 / w
    where both are kept, whose difference is -1 / (w w') for equal ones, too.
    """
    values, v = eigh(a)
    inverses = _inverses(values, cutoff)
    one, other = expand_dims(inverses, -1), expand_dims(inverses, -2)
    product = one * other
    mixed = eq(product, 0) & neq(one, other)
    apart = where(mixed, expand_dims(values, -1) - expand_dims(values, -2), 1.0)
    slopes = where(mixed, (one - other) / apart, -product)
    return matmul(v, matmul(slopes * matmul(adjoint_of(v), matmul(t, v)), adjoint_of(v)))


def _change_by_inverse(
    a: TensorVariable, cutoff: TensorVariable, p: TensorVariable, t: TensorVariable
) -> TensorVariable:
    """The same of what is given the inverse, where `change_of_inverse` is its own adjoint.

    Its derivatives are right where eigenvalues are equal: p and a say what is kept.
    """
    values, v = eigh(a)
    inverses = _inverses(values, cutoff)
    kept, other = neq(expand_dims(inverses, -1), 0), expand_dims(values, -2)
    mixed = kept & ~kept.mT
    apart = where(mixed, expand_dims(values, -1) - other, 1.0)
    part = where(mixed, expand_dims(inverses, -1) ** 2 * other / apart, 0.0)
    inner = (part + part.mT) * matmul(adjoint_of(v), matmul(t, v))
    return change_of_inverse(a, p, t) + matmul(v, matmul(inner, adjoint_of(v)))


def _by_inverse(inputs: Tensors) -> Any:
    free: Any = [v.type() for v in inputs]
    return OpFromGraph(free, [_change_by_inverse(*free)])


@_hermitian_change.define
def _hermitian_change_back(inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
    return _by_inverse(inputs).pullback(inputs, outputs, cotangents)


@_hermitian_change.define_pushforward
def _hermitian_change_forward(inputs: Tensors, outputs: Tensors, tangents: Tensors) -> Cotangents:
    return _by_inverse(inputs).pushforward(inputs, outputs, tangents)


def pinvh(
    a: TensorLike,
    atol: TensorLike | None = None,
    rtol: TensorLike | None = None,
    lower: bool = True,
    return_rank: bool = False,
) -> Any:
    """The pseudoinverse of Hermitian matrices, on the last two axes, from one half of each.

    Eigenvalues whose size is at most `atol`, by default 0, plus `rtol` times the largest one count
    as zero; `rtol` is by default the number of rows times what the dtype resolves. With
    `return_rank` comes the number of the others, too. See `scipy.linalg.pinvh`.

    >>> print(pinvh([[2.0, 0.0], [0.0, 0.0]]).eval())
    [[0.5 0. ]
     [0.  0. ]]
    """
    x = as_floating(a)
    matrix_type(x.type, "pinvh")
    whole = mirrored(x if lower else adjoint_of(x))
    sizes = abs(eigvalsh(whole))
    largest = max(sizes, -1, initial=0.0)
    share: Any = rtol
    if rtol is None:
        n = lengths_of(x)[-1].astype(sizes.dtype)
        share = 0.0 if atol is not None else n * float(np.finfo(sizes.dtype).eps)
    if atol is not None:
        share = share + where(largest > 0, atol / largest, 0.0)
    cutoff = as_tensor(share).astype(sizes.dtype)
    result = _hermitian(whole, cutoff)
    if not return_rank:
        return result
    return result, sum(sizes > (cutoff * largest).expand_dims(-1), -1)
