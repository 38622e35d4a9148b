"""Products with an identity matrix, or with a diagonal one that is made of it.

Derivatives in all directions at once begin with such a matrix, one row for each direction.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft_graph import Constant, Form, Rule, RuleBook, rewrite, rule
from weft_rewrites.dsl.equation import equation, letter
from weft_rewrites.ops.shape import infer_shape
from weft_tensor import Elemwise, Eye, Matmul, SumTo, TensorVariable, constant
from weft_tensor.extend import lengths_of, same_size

__all__ = ["are_equal", "on_diagonal", "rules"]

_TIMES = Elemwise("mul")
_lengths = RuleBook("lengths", infer_shape.rules)


def on_diagonal(x: TensorVariable) -> TensorVariable | None:
    """What stands on the diagonal of `x`, a number or a vector, if its other elements are zero.

    >>> from weft_tensor import eye
    >>> print(on_diagonal(3.0 * eye(2)))
    3.0
    """
    if type(x.op) is Eye:
        n, m, k = x.inputs
        is_square = same_size(n, m) and isinstance(k.op, Constant) and not k.op.value
        return constant(1, x.type.dtype) if is_square else None
    if x.op != _TIMES:
        return None
    for eye, factor in (x.inputs, x.inputs[::-1]):
        if type(eye.op) is not Eye or factor.ndim > 1 or on_diagonal(eye) is None:
            continue
        if not factor.ndim or are_equal(lengths_of(factor)[0], lengths_of(eye)[0]):
            return factor
    return None


def are_equal(n: TensorVariable, m: TensorVariable) -> bool:
    """Whether two lengths are one, looking for what they come from where that is not seen.

    >>> from weft_tensor import exp, vector
    >>> x = vector("x")
    >>> are_equal(x.shape[0], exp(x).shape[0])
    True
    """
    if same_size(n, m):
        return True
    proven: Sequence[Any] = rewrite([n, m], _lengths)
    return same_size(proven[0], proven[1])


@rule(
    Matmul,
    over=(SumTo,),
    name="product with a diagonal matrix, summed if the other has one row",
    may_change=("domain", "zero sign", "inf", "nan"),
)
def _by_summed_diagonal(node: TensorVariable) -> TensorVariable | None:
    """The rows of b, or its only one, each times its number.

    Such are derivatives of w @ x + b by x: one of them may have one row, or number, for all.
    """
    a, b = node.inputs
    if type(a.op) is not SumTo or (a.ndim, b.ndim) != (2, 2) or node.type.numpy_dtype.kind != "f":
        return None
    x, rows, columns = a.inputs
    factor = on_diagonal(x)
    if factor is None or not factor.ndim:
        return None
    if not (are_equal(rows, lengths_of(x)[0]) and are_equal(columns, lengths_of(b)[0])):
        return None
    product = (b * factor.expand_dims(1)).astype(node.type.dtype)
    return product if product.type == node.type else None


def _on_diagonal(v: TensorVariable) -> tuple[TensorVariable] | None:
    diagonal = on_diagonal(v) if v.ndim == 2 else None
    return None if diagonal is None else (diagonal,)


def _is_whole(node: TensorVariable, x: TensorVariable) -> bool:
    """Whether the lengths, which nothing checks again, are equal."""
    if node.type.numpy_dtype.kind != "f":
        return False
    is_left = node.inputs[1] is x
    axis = -2 if is_left and x.ndim > 1 else -1
    return are_equal(lengths_of(node.inputs[not is_left])[0], lengths_of(x)[axis])


def _row_by_row(node: TensorVariable, s: TensorVariable, x: TensorVariable) -> TensorVariable:
    column = s.expand_dims(1) if s.ndim and x.ndim > 1 else s
    return (x * column).astype(node.dtype)


s, x = letter("s"), letter("x")
_EYE = Form("s * eye(n)", _on_diagonal)(s)
_CHANGES = "domain, zero sign, inf, nan"
rules: tuple[Rule, ...] = (
    equation(
        Matmul()(_EYE, x),
        _row_by_row,
        of=None,
        when=_is_whole,
        over=(Eye, _TIMES),
        name="(s * eye(n)) @ x = s * x, row by row",
        may_change=_CHANGES,
    ),
    equation(
        Matmul()(x, _EYE),
        lambda node, s, x: (x * s).astype(node.dtype),
        of=None,
        when=_is_whole,
        over=(Eye, _TIMES),
        name="x @ (s * eye(n)) = x * s",
        may_change="domain, zero sign, inf",
    ),
    _by_summed_diagonal,
)
"""All of them."""
