"""Sparse matrices that are constants, or made of arrays, in products, sums and the like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pytensor.graph.op import Op

import weft_tensor as wt
from weft_pytensor.convert.table import register_names
from weft_pytensor.ops.shape import sizes_of
from weft_tensor import TensorVariable

_ROWS: Final[dict[str, Callable[..., Any]]] = {
    **dict.fromkeys(("Dot", "StructuredDot", "TrueDot"), lambda op, x, y: x @ y),
    **dict.fromkeys(
        (
            *("AddSS", "AddSD", "AddSSData"),
            *("AddSparseSparse", "AddSparseDense", "AddSparseSparseData"),
        ),
        lambda op, x, y: x + y,
    ),
    **dict.fromkeys(("EnsureSortedIndices", "Remove0"), lambda op, x: x),
    **dict.fromkeys(
        (
            *("SparseDenseMultiply", "SparseDenseVectorMultiply", "ColScaleCSC"),
            *("MultiplySparseDense", "MultiplySparseDenseVector"),
        ),
        lambda op, x, y: x.multiply(y),
    ),
    "RowScaleCSC": lambda op, x, y: x.multiply(wt.expand_dims(y, 1)),
    **dict.fromkeys(
        ("SparseSparseMultiply", "MultiplySparseSparse"),
        lambda op, x, y: x.multiply(y.toarray()),
    ),
    "SamplingDot": lambda op, x, y, p: p.multiply(x @ y.T),
    "Usmm": lambda op, alpha, x, y, z: alpha * (x @ y) + z,
    "Transpose": lambda op, x: x.T,
    "DenseFromSparse": lambda op, x: x.toarray(),
    "SparseFromDense": lambda op, x: wt.sparse.coo_array(x),
    "Cast": lambda op, x: x.astype(op.out_type),
    "SpSum": lambda op, x: x.sum(op.axis),
    "Diag": lambda op, x: x.diagonal(),
    "HStack": lambda op, *parts: wt.sparse.hstack(parts),
    "VStack": lambda op, *parts: wt.sparse.vstack(parts),
}
"""By the classes' names, in older and newer versions of PyTensor."""

for _name, _function in _ROWS.items():
    register_names(f"sparse.{_name}")(_function)


@register_names("sparse.CSM")
def compressed(
    op: Op,
    data: TensorVariable,
    indices: TensorVariable,
    starts: TensorVariable,
    shape: TensorVariable,
) -> wt.sparse.SparseArray:
    """A matrix of its entries, their columns or rows, and where each row or column starts."""
    make = wt.sparse.csr_array if op.format == "csr" else wt.sparse.csc_array
    m, n = sizes_of(shape, 2)
    return make((data, indices, starts), (m, n))
