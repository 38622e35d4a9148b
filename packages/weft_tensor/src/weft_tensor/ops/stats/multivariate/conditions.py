"""What parameters with axes of their own must be."""

from __future__ import annotations

from typing import Final

from weft_graph import Constant
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.creation.creation import eye
from weft_tensor.ops.elementwise.comparison import isnan
from weft_tensor.ops.linalg.eigh import eigvalsh
from weft_tensor.ops.shape.transpose import matrix_transpose
from weft_tensor.ops.stats.constraints import COUNT, POSITIVE, REAL, Constraint
from weft_tensor.ops.stats.multivariate.chosen import SHARES, sums_to_one
from weft_tensor.ops.stats.multivariate.multivariate import Parameter

__all__ = [
    "COUNTED",
    "DEFINITE",
    "FACTOR",
    "NUMBER",
    "POSITIVES",
    "PROBABILITIES",
    "SIZE",
    "is_symmetric",
    "matrix",
    "number",
    "vector",
]


def is_symmetric(v: TensorVariable) -> TensorVariable:
    """But for rounding."""
    near = 1e-4 if v.dtype == "float32" else 1e-10
    top = abs(v).max(axis=(-2, -1), keepdims=True)
    return (abs(v - matrix_transpose(v)) <= near * top).all(axis=(-2, -1))


def _is_definite(v: TensorVariable) -> TensorVariable:
    """Of what is known now; else a condition that costs little, `cholesky` asks for the rest."""
    symmetric = is_symmetric(v)
    if isinstance(v.op, Constant):
        return symmetric & (eigvalsh(v) > 0).all(axis=-1)
    diagonal = v.diagonal(axis1=-2, axis2=-1)
    minors = diagonal[..., :, None] * diagonal[..., None, :] - v * v
    apart = eye(v.shape[-1], dtype="bool")
    return symmetric & (diagonal > 0).all(axis=-1) & ((minors > 0) | apart).all(axis=(-2, -1))


def _has_positive_diagonal(v: TensorVariable) -> TensorVariable:
    return (v.diagonal(axis1=-2, axis2=-1) > 0).all(axis=-1)


DEFINITE: Final = Constraint("symmetric and positive definite", _is_definite)
FACTOR: Final = Constraint("triangular with a positive diagonal", _has_positive_diagonal)
POSITIVES: Final = Constraint("positive", lambda v: (v > 0).all(axis=-1))
PROBABILITIES: Final = Constraint(SHARES, sums_to_one)
NUMBER: Final = Parameter(0, REAL)
SIZE: Final = Parameter(0, POSITIVE)
COUNTED: Final = Parameter(0, COUNT)


def number(must: Constraint, default: float) -> Parameter:
    """One number."""
    return Parameter(0, must, default)


def vector(must: Constraint | None = None, **options: bool) -> Parameter:
    """Numbers along the last axis."""
    every = Constraint("numbers", lambda v: ~isnan(v).any(axis=-1))
    return Parameter(1, must or every, is_optional=options.get("optional", False))


def matrix(must: Constraint | None = None, **options: bool) -> Parameter:
    """A matrix in the last two axes."""
    every = Constraint("numbers", lambda v: ~isnan(v).any(axis=(-2, -1)))
    return Parameter(2, must or every, is_optional=options.get("optional", False))
