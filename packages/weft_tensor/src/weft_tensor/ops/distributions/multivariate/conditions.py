"""What parameters with axes of their own must be."""

from __future__ import annotations

from typing import Final

from weft_graph import Constant
from weft_tensor.build.convert import constant
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.creation.creation import eye, ones_like
from weft_tensor.ops.distributions.constraints import COUNT, POSITIVE, REAL, Constraint
from weft_tensor.ops.distributions.multivariate.chosen import SHARES, sums_to_one
from weft_tensor.ops.distributions.multivariate.multivariate import Parameter
from weft_tensor.ops.elementwise.comparison import eq, isnan, where
from weft_tensor.ops.linalg.eigh import eigvalsh
from weft_tensor.ops.linalg.square import triu
from weft_tensor.ops.shape.transpose import matrix_transpose

__all__ = [
    "COUNTED",
    "DEFINITE",
    "FACTOR",
    "NUMBER",
    "POSITIVES",
    "PROBABILITIES",
    "SIZE",
    "is_definite",
    "is_symmetric",
    "matrix",
    "number",
    "unit_of",
    "vector",
]


def is_square(v: TensorVariable) -> bool:
    """As far as that is known now."""
    rows, columns = v.type.shape[-2:]
    return rows == columns or not (isinstance(rows, int) and isinstance(columns, int))


def is_symmetric(v: TensorVariable) -> TensorVariable:
    """But for rounding."""
    if not is_square(v):
        return constant(False)
    near = 1e-4 if v.dtype == "float32" else 1e-10
    top = abs(v).max(axis=(-2, -1), keepdims=True)
    return (abs(v - matrix_transpose(v)) <= near * top).all(axis=(-2, -1))


def is_definite(v: TensorVariable) -> TensorVariable:
    """By the eigenvalues of what is symmetric."""
    if not is_square(v):
        return constant(False)
    symmetric = is_symmetric(v)
    safe = where(symmetric[..., None, None], v, unit_of(v))
    return symmetric & (eigvalsh(safe) > 0).all(axis=-1)


def unit_of(v: TensorVariable) -> TensorVariable:
    """The unit matrix of this size."""
    return eye(v.shape[-1]).astype(v.dtype)


def _seems_definite(v: TensorVariable) -> TensorVariable:
    """Of what is known now; else a condition that costs little, `cholesky` asks for the rest."""
    if isinstance(v.op, Constant) or not is_square(v):
        return is_definite(v)
    diagonal = v.diagonal(axis1=-2, axis2=-1)
    minors = diagonal[..., :, None] * diagonal[..., None, :] - v * v
    apart = eye(v.shape[-1], dtype="bool")
    positive = (diagonal > 0).all(axis=-1) & ((minors > 0) | apart).all(axis=(-2, -1))
    return is_symmetric(v) & positive


def _is_factor(v: TensorVariable) -> TensorVariable:
    if not is_square(v):
        return constant(False)
    diagonal = (v.diagonal(axis1=-2, axis2=-1) > 0).all(axis=-1)
    return diagonal & eq(triu(v, 1), 0).all(axis=(-2, -1))


DEFINITE: Final = Constraint(
    "symmetric and positive definite", _seems_definite, is_definite, unit_of
)
FACTOR: Final = Constraint("lower triangular with a positive diagonal", _is_factor)
POSITIVES: Final = Constraint("positive", lambda v: (v > 0).all(axis=-1), instance=ones_like)
PROBABILITIES: Final = Constraint(SHARES, sums_to_one)
NUMBER: Final = Parameter(0, REAL)
SIZE: Final = Parameter(0, POSITIVE._replace(instance=ones_like))
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
