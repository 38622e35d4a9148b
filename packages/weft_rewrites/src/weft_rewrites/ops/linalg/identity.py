"""Products with an identity matrix, or with a diagonal one that is made of it.

Derivatives in all directions at once begin with such a matrix, one row for each direction.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft_graph import Constant, Form, Rule, RuleBook, rewrite, rule
from weft_rewrites.dsl.equation import equation, letter
from weft_rewrites.ops.shape import infer_shape
from weft_tensor import (
    Elemwise,
    Eye,
    Index,
    Matmul,
    Reshape,
    SumTo,
    TensorVariable,
    Transpose,
    constant,
    zeros,
)
from weft_tensor.extend import ARRAY, Slice, lengths_of, same_size

__all__ = ["are_equal", "on_diagonal", "rules"]

_TIMES = Elemwise("mul")
_SWAPPED = Transpose((1, 0))
_FULL = Slice(None, None, None)
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


def _rows(x: TensorVariable) -> tuple[TensorVariable, TensorVariable] | None:
    """n and i, where `x` is eye(n)[i], or eye(n)[:, i].T."""
    if x.op == _SWAPPED:
        return _columns(x.inputs[0])
    return _part_of_eye(x, (ARRAY, _FULL))


def _columns(x: TensorVariable) -> tuple[TensorVariable, TensorVariable] | None:
    """n and i, where `x` is eye(n)[:, i], or eye(n)[i].T."""
    if x.op == _SWAPPED:
        return _rows(x.inputs[0])
    return _part_of_eye(x, (_FULL, ARRAY))


def _part_of_eye(
    x: TensorVariable, entries: tuple[object, ...]
) -> tuple[TensorVariable, TensorVariable] | None:
    if type(x.op) is not Index or x.op.entries != entries or x.op.lifted:
        return None
    eye, i = x.inputs
    is_square = type(eye.op) is Eye and on_diagonal(eye) is not None
    return (lengths_of(eye)[0], i) if is_square and i.ndim == 1 else None


def _spread(x: TensorVariable, n: TensorVariable, i: TensorVariable) -> TensorVariable:
    """The columns of x at places i of n, which may be the same, zeros at others."""
    return zeros((*lengths_of(x)[:-1], n), x.dtype)[..., i].inc(x)


def _as_many(x: TensorVariable, n: TensorVariable, axis: int) -> TensorVariable:
    """`x`, of which a call checks that it has the length n."""
    lengths = list(lengths_of(x))
    lengths[axis] = n
    return Reshape()(x, *lengths)


def _is_small(node: TensorVariable, x: TensorVariable) -> bool:
    return x.ndim in (1, 2) and node.dtype == x.dtype and x.type.numpy_dtype.kind == "f"


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


s, x, n, i = letter("s"), letter("x"), letter("n"), letter("i")
_ROWS = Form("eye(n)[i]", _rows)(n, i)
_COLUMNS = Form("eye(n)[:, i]", _columns)(n, i)
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
    *(
        equation(
            left,
            right,
            of=None,
            when=_is_small,
            over=(Index, Transpose),
            name=name,
            may_change=may_change,
        )
        for left, right, name, may_change in (
            (
                Matmul()(_ROWS, x),
                lambda n, i, x: _as_many(x, n, 0)[i],
                "eye(n)[i] @ x = x[i]",
                _CHANGES,
            ),
            (
                Matmul()(x, _COLUMNS),
                lambda x, n, i: _as_many(x, n, -1)[..., i],
                "x @ eye(n)[:, i] = x[..., i]",
                _CHANGES,
            ),
            (
                Matmul()(x, _ROWS),
                lambda x, n, i: _spread(_as_many(x, lengths_of(i)[0], -1), n, i),
                "x @ eye(n)[i] = zeros(n)[..., i].inc(x)",
                "domain, inf, nan",
            ),
            (
                Matmul()(_COLUMNS, x),
                lambda n, i, x: _spread(_as_many(x, lengths_of(i)[0], 0).T, n, i).T,
                "eye(n)[:, i] @ x = zeros(n)[i].inc(x)",
                "domain, inf, nan",
            ),
        )
    ),
)
"""All of them."""
