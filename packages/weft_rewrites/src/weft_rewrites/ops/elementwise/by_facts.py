"""Rules that rely on facts: what is known of a value makes a function of it superfluous.

What is known of elements is exact, and so are these results, to the sign of a zero. What is
known of matrices holds up to rounding.
"""

from __future__ import annotations

import weft_tensor as wt
from weft_graph import Constant, Rule, ask, rule
from weft_graph.extend import Assumed
from weft_rewrites.dsl.conditions import has
from weft_rewrites.dsl.equation import equation, letter
from weft_rewrites.dsl.result import Result
from weft_rewrites.ops.shape.broadcasting import keeps_lengths
from weft_tensor import Cholesky, Elemwise, Inverse, Matmul, TensorVariable, Transpose, facts
from weft_tensor.extend import inferred_shapes

__all__ = ["filled", "maximum_of_signs", "rules"]

x, y = letter("x"), letter("y")


@rule(Assumed, name="what is known need not be assumed")
def _known_anyway(node: Result[Assumed]) -> TensorVariable | None:
    (v,) = node.inputs
    return v if all(ask(v, name) == holds for name, holds in node.op.answers) else None


def filled(value: int, node: TensorVariable) -> TensorVariable | None:
    """A tensor of the dtype and shape of `node` in which each element is `value`.

    None if the shape is not known but by computing `node`.

    >>> filled(1, wt.exp(wt.vector("x", shape=(3,))))
    <broadcast_to : float64[3]>
    """
    shapes = inferred_shapes(node)
    return None if shapes is None else wt.full(shapes[0], value, node.dtype)


# Signs.


def _is_negative(x: TensorVariable) -> bool:
    return has(x, facts.negative)


@rule(Elemwise("sign"), name="sign of what is positive or negative")
def _sign(node: TensorVariable) -> TensorVariable | None:
    (v,) = node.inputs
    for fact, value in ((facts.positive, 1), (facts.negative, -1)):
        if has(v, fact, facts.not_nan):
            return filled(value, node)
    return None


def _is_whole_result(v: TensorVariable, other: TensorVariable, node: TensorVariable) -> bool:
    """Whether `v` has the dtype and the shape of `node`, of which both are the operands."""
    if v.dtype != node.dtype:
        return False
    if other.ndim <= v.ndim and all(n == 1 for n in other.type.shape):
        return True
    return None not in node.type.shape and v.type.shape == node.type.shape


def _zeros_agree(v: TensorVariable, w: TensorVariable) -> bool:
    """Whether no 0.0 of one can meet a -0.0 of the other."""
    no_two = has(v, facts.nonzero) or has(w, facts.nonzero)
    return no_two or (has(v, facts.no_negative_zero) and has(w, facts.no_negative_zero))


def _chosen(
    node: TensorVariable,
    upper: TensorVariable,
    lower: TensorVariable,
    chosen: TensorVariable,
    other: TensorVariable,
) -> bool:
    """Whether `upper` is nowhere less than `lower`, and `chosen` the one that `node` chooses."""
    return (
        _is_whole_result(chosen, other, node)
        and has(other, facts.not_nan)
        and has(upper, facts.nonnegative)
        and has(lower, facts.nonpositive)
        and _zeros_agree(upper, lower)
    )


@rule(Elemwise("maximum"), name="maximum of what is not negative and what is not positive")
def maximum_of_signs(node: TensorVariable) -> TensorVariable | None:
    """The one that is not negative, where it has the dtype and the shape of the result.

    >>> square = wt.square(wt.vector("v"))
    >>> maximum_of_signs(wt.maximum(square, 0)) is square
    True
    """
    for v, w in (node.inputs, node.inputs[::-1]):
        if _chosen(node, v, w, chosen=v, other=w):
            return v
    return None


@rule(Elemwise("minimum"), name="minimum of what is not negative and what is not positive")
def _minimum(node: TensorVariable) -> TensorVariable | None:
    for v, w in (node.inputs, node.inputs[::-1]):
        if _chosen(node, v, w, chosen=w, other=v):
            return w
    return None


# Comparisons.


def _is_above(v: TensorVariable, w: TensorVariable) -> bool:
    """Whether `v` is more than `w` wherever both are numbers."""
    return (has(v, facts.positive) and has(w, facts.nonpositive)) or (
        has(v, facts.nonnegative) and has(w, facts.negative)
    )


def _greater(v: TensorVariable, w: TensorVariable) -> bool | None:
    if has(v, facts.nonpositive) and has(w, facts.nonnegative):
        return False
    return (_is_above(v, w) and has(v, facts.not_nan) and has(w, facts.not_nan)) or None


def _greater_equal(v: TensorVariable, w: TensorVariable) -> bool | None:
    if _is_above(w, v):
        return False
    return (
        has(v, facts.nonnegative, facts.not_nan) and has(w, facts.nonpositive, facts.not_nan)
    ) or None


def _equal(v: TensorVariable, w: TensorVariable) -> bool | None:
    for a, b in ((v, w), (w, v)):
        is_zero = type(b.op) is Constant and not b.op.value.any()
        if _is_above(a, b) or (is_zero and has(a, facts.nonzero)):
            return False
    return None


_COMPARISONS = {
    Elemwise("gt"): _greater,
    Elemwise("ge"): _greater_equal,
    Elemwise("lt"): lambda v, w: _greater(w, v),
    Elemwise("le"): lambda v, w: _greater_equal(w, v),
    Elemwise("eq"): _equal,
}


def _comparison(op: Elemwise) -> Rule:
    decided = _COMPARISONS[op]

    @rule(op, over=Constant, name=f"{op} that is decided")
    def compared(node: TensorVariable) -> TensorVariable | None:
        answer = decided(*node.inputs)
        return None if answer is None else filled(answer, node)

    return compared


@rule(Elemwise("neq"), over=Constant, name="neq that is decided")
def _not_equal(node: TensorVariable) -> TensorVariable | None:
    return None if _equal(*node.inputs) is None else filled(True, node)


# NaN and infinities, whole numbers.


@rule(Elemwise("isnan"), name="isnan of what is not")
def _isnan(node: TensorVariable) -> TensorVariable | None:
    return filled(False, node) if has(node.inputs[0], facts.not_nan) else None


@rule(Elemwise("isinf"), name="isinf of what is finite")
def _isinf(node: TensorVariable) -> TensorVariable | None:
    return filled(False, node) if has(node.inputs[0], facts.finite) else None


@rule(Elemwise("isfinite"), name="isfinite of what is finite")
def _isfinite(node: TensorVariable) -> TensorVariable | None:
    return filled(True, node) if has(node.inputs[0], facts.finite) else None


def _is_whole(x: TensorVariable) -> bool:
    return has(x, facts.integer)


def _is_regular(x: TensorVariable, y: TensorVariable) -> bool:
    return has(x, facts.positive, facts.finite) and has(y, facts.finite)


elements = (
    equation(wt.abs(x), -x, when=_is_negative, name="abs(x) = -x where x is negative"),
    _sign,
    maximum_of_signs,
    _minimum,
    *map(_comparison, _COMPARISONS),
    _not_equal,
    _isnan,
    _isinf,
    _isfinite,
    *(
        equation(Elemwise(name)(x), x, when=_is_whole, name=f"{name}(x) = x for whole numbers")
        for name in ("floor", "ceil", "trunc", "rint")
    ),
    equation(
        wt.log(x**y),
        y * wt.log(x),
        when=_is_regular,
        name="log(x ** y) = y * log(x) for positive x",
        may_change="rounding, overflow, zero sign",
    ),
)


# Matrices.


def _is_real_exchange(node: TensorVariable, v: TensorVariable) -> bool:
    """Whether `node` is the transpose of the real `v`, on the last two axes."""
    n = node.ndim
    return (
        type(node.op) is Transpose
        and node.inputs[0] is v
        and node.op.axes == (*range(n - 2), n - 1, n - 2)
        and not v.is_complex
    )


@rule(Transpose, name="transpose of what is symmetric", may_change="rounding")
def _transpose(node: TensorVariable) -> TensorVariable | None:
    (v,) = node.inputs
    if not _is_real_exchange(node, v) or not has(v, facts.symmetric):
        return None
    return v if keeps_lengths(node.type, v.type) else None


@rule(Inverse, name="inverse of what is orthogonal", may_change="rounding")
def _inverse_of_orthogonal(node: TensorVariable) -> TensorVariable | None:
    (v,) = node.inputs
    if v.is_complex or not has(v, facts.orthogonal):
        return None
    return wt.matrix_transpose(v)


@rule(Cholesky, over=Matmul, name="cholesky(L Lᵀ) = L", may_change="rounding")
def _factor_again(node: TensorVariable) -> TensorVariable | None:
    (v,) = node.inputs
    if type(v.op) is not Matmul:
        return None
    factor, other = v.inputs
    return factor if type(factor.op) is Cholesky and _is_real_exchange(other, factor) else None


@rule(Cholesky, name="cholesky of what is diagonal", may_change=("inf", "nan"))
def _cholesky_of_diagonal(node: TensorVariable) -> TensorVariable | None:
    (v,) = node.inputs
    if v.is_complex or not has(v, facts.diagonal, facts.positive_definite):
        return None
    return wt.sqrt(wt.abs(v))


matrices = (
    _transpose,
    _inverse_of_orthogonal,
    _factor_again,
    _cholesky_of_diagonal,
)

rules: tuple[Rule, ...] = (_known_anyway, *elements, *matrices)
"""All of them."""
