"""Facts about tensors: what they mean, and what types and constants say of them.

The first group is about every element, NaN aside: an element that is not a number is neither
positive nor negative, and no fact but `finite` and `not_nan` says that there is none. What
floating numbers do counts, not what real ones would: `exp(x)` is `nonnegative` and not
`positive`, as `exp(-1000.0)` is 0. A tensor without elements has all of these facts at once;
False is said of the others.

The second group is about matrices, on the last two axes, up to rounding and as long as
elements are finite.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from weft_graph import Constant, Fact
from weft_graph.extend import Ask
from weft_tensor.types.symbolic_dims import provably_differ
from weft_tensor.types.tensor_type import TensorType

__all__ = [
    "ELEMENTWISE",
    "MATRICES",
    "diagonal",
    "finite",
    "integer",
    "lower_triangular",
    "negative",
    "no_negative_zero",
    "nonnegative",
    "nonpositive",
    "nonzero",
    "not_nan",
    "orthogonal",
    "positive",
    "positive_definite",
    "symmetric",
    "upper_triangular",
]

Check = Callable[[Any], Any]

not_nan: Final = Fact("not_nan", "No element is NaN.", about=TensorType)
finite: Final = Fact(
    "finite", "No element is NaN or infinite.", implies=[not_nan], about=TensorType
)
integer: Final = Fact(
    "integer", "Every finite element is a whole number, whatever the dtype.", about=TensorType
)
no_negative_zero: Final = Fact(
    "no_negative_zero", "No element is -0.0 (integers have none).", about=TensorType
)
nonzero: Final = Fact(
    "nonzero", "No element is zero.", implies=[no_negative_zero], about=TensorType
)
nonnegative: Final = Fact(
    "nonnegative", "No element is less than zero; -0.0 is not.", about=TensorType
)
positive: Final = Fact(
    "positive",
    "No element is zero or less.",
    implies=[nonnegative, nonzero],
    about=TensorType,
)
nonpositive: Final = Fact(
    "nonpositive", "No element is more than zero.", excludes=[positive], about=TensorType
)
negative: Final = Fact(
    "negative",
    "No element is zero or more.",
    implies=[nonpositive, nonzero],
    excludes=[nonnegative],
    about=TensorType,
)
lower_triangular: Final = Fact(
    "lower_triangular", "All elements above the diagonal are zero.", about=TensorType
)
upper_triangular: Final = Fact(
    "upper_triangular", "All elements below the diagonal are zero.", about=TensorType
)
diagonal: Final = Fact(
    "diagonal",
    "All elements off the diagonal are zero.",
    implies=[lower_triangular, upper_triangular],
    about=TensorType,
)
symmetric: Final = Fact(
    "symmetric", "It is its own transpose (its own adjoint, if complex).", about=TensorType
)
positive_definite: Final = Fact(
    "positive_definite",
    "It is symmetric, and all eigenvalues are positive.",
    implies=[symmetric],
    about=TensorType,
)
orthogonal: Final = Fact(
    "orthogonal", "Its transpose (its adjoint, if complex) is its inverse.", about=TensorType
)

ELEMENTWISE: Final = (
    not_nan,
    finite,
    integer,
    no_negative_zero,
    nonzero,
    nonnegative,
    positive,
    nonpositive,
    negative,
)
"""Facts about every element."""
MATRICES: Final = (
    lower_triangular,
    upper_triangular,
    diagonal,
    symmetric,
    positive_definite,
    orthogonal,
)
"""Facts about matrices."""


def _of_values(fact: Fact, check: Check, kinds: str, unsigned: str = "") -> None:
    """What types and constants say of a fact about elements.

    It holds for every dtype of the kinds `unsigned`, is checked for constants of `kinds`,
    and not known of others.
    """

    @fact.register(TensorType)
    def rule(x: Any, ask: Ask) -> bool | None:
        kind = x.type.dtype[0]
        if kind in unsigned:
            return True
        if type(x.op) is not Constant or kind not in kinds:
            return None
        value = x.op.value
        if np.all(check(value)):
            return True
        numbers = value if kind not in "fc" or fact in (finite, not_nan) else value[value == value]
        return None if np.all(check(numbers)) else False


_of_values(not_nan, lambda v: ~np.isnan(v), "fc", unsigned="biu")
_of_values(finite, np.isfinite, "fc", unsigned="biu")
_of_values(integer, lambda v: np.isinf(v) | (v == np.trunc(v)), "f", unsigned="biu")
_of_values(no_negative_zero, lambda v: (v != 0) | ~np.signbit(v), "f", unsigned="biu")
_of_values(nonzero, lambda v: v != 0, "biufc")
_of_values(nonnegative, lambda v: v >= 0, "if", unsigned="bu")
_of_values(positive, lambda v: v > 0, "biuf")
_of_values(nonpositive, lambda v: v <= 0, "biuf")
_of_values(negative, lambda v: v < 0, "biuf")


def _is_square(x: Any) -> bool:
    rows, columns = x.type.shape[-2:]
    return rows is not None and bool(rows == columns)


def _is_not_square(x: Any) -> bool:
    rows, columns = x.type.shape[-2:]
    return type(rows) is type(columns) and provably_differ(rows, columns)


def _adjoint(v: Any) -> Any:
    return np.swapaxes(v, -1, -2).conj()


def _is_symmetric(v: Any) -> bool:
    return bool(np.array_equal(v, _adjoint(v)))


def _is_positive_definite(v: Any) -> bool:
    if not _is_symmetric(v):
        return False
    try:
        np.linalg.cholesky(v)
    except np.linalg.LinAlgError:
        return False
    return True


def _is_orthogonal(v: Any) -> bool:
    precision = np.finfo(np.result_type(v, np.float32)).eps
    return np.allclose(v @ _adjoint(v), np.eye(v.shape[-1]), rtol=0, atol=64 * precision)


def _of_matrices(fact: Fact, check: Check, square: bool) -> None:
    """What types and constants say of a fact about matrices."""

    @fact.register(TensorType)
    def rule(x: Any, ask: Ask) -> bool | None:
        if x.ndim < 2 or (square and _is_not_square(x)):
            return False
        if type(x.op) is Constant and np.isfinite(x.op.value).all():
            return bool(check(x.op.value))
        if fact is symmetric and _is_square(x) and not x.is_complex:
            return ask(x, diagonal) or None
        return None


_of_matrices(lower_triangular, lambda v: not np.triu(v, 1).any(), square=False)
_of_matrices(upper_triangular, lambda v: not np.tril(v, -1).any(), square=False)
_of_matrices(diagonal, lambda v: not (np.triu(v, 1).any() or np.tril(v, -1).any()), square=False)
_of_matrices(symmetric, _is_symmetric, square=True)
_of_matrices(positive_definite, _is_positive_definite, square=True)
_of_matrices(orthogonal, _is_orthogonal, square=True)
