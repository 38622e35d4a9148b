"""Products with an identity matrix, or with a diagonal one that is made of it.

Derivatives in all directions at once begin with such a matrix, one row for each direction.
"""

from __future__ import annotations

from weft_graph import Constant, Rule, rule
from weft_tensor import Elemwise, Eye, Matmul, TensorVariable, constant
from weft_tensor.extend import lengths_of, same_size

__all__ = ["rules"]

_TIMES = Elemwise("mul")


def _diagonal(x: TensorVariable) -> TensorVariable | None:
    """What stands on the diagonal of `x`, a number or a vector, if its other elements are zero."""
    if type(x.op) is Eye:
        n, m, k = x.inputs
        is_square = same_size(n, m) and isinstance(k.op, Constant) and not k.op.value
        return constant(1, x.type.dtype) if is_square else None
    if x.op != _TIMES:
        return None
    for eye, factor in (x.inputs, x.inputs[::-1]):
        if type(eye.op) is not Eye or factor.ndim > 1 or _diagonal(eye) is None:
            continue
        if not factor.ndim or same_size(lengths_of(factor)[0], lengths_of(eye)[0]):
            return factor
    return None


@rule(
    Matmul,
    over=(Eye, _TIMES),
    name="product with a diagonal matrix",
    may_change=("domain", "zero sign", "inf", "nan"),
)
def _by_diagonal(node: TensorVariable) -> TensorVariable | None:
    """Rows or columns, each times its number."""
    a, b = node.inputs
    for diagonal, other, axis in ((a, b, -2 if b.ndim > 1 else -1), (b, a, -1)):
        if diagonal.ndim != 2 or node.type.numpy_dtype.kind != "f":
            continue
        factor = _diagonal(diagonal)
        if factor is None or not same_size(lengths_of(diagonal)[0], lengths_of(other)[axis]):
            continue
        column = factor.expand_dims(1) if factor.ndim and axis == -2 else factor
        made = (other * column).astype(node.type.dtype)
        return made if made.type == node.type else None
    return None


rules: tuple[Rule, ...] = (_by_diagonal,)
"""All of them."""
