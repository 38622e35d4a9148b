"""What facts about elements follow from, where an Op can't say it in words (`TensorOp.facts`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft_graph import Constant, Fact, Item
from weft_graph.extend import Ask
from weft_tensor.build.stack import Stack
from weft_tensor.facts.definitions import (
    ELEMENTWISE,
    integer,
    negative,
    no_negative_zero,
    nonnegative,
    nonpositive,
    not_nan,
    positive,
)
from weft_tensor.facts.statements import FactRule, Needs, when
from weft_tensor.ops.control.ifelse import IfElse
from weft_tensor.ops.control.recurrence import Recurrence
from weft_tensor.ops.elementwise.cast import Cast
from weft_tensor.ops.elementwise.op import Elemwise
from weft_tensor.ops.indexing.index import Index, IndexUpdate
from weft_tensor.ops.linalg.matmul import Matmul
from weft_tensor.ops.linalg.svd import SVD
from weft_tensor.ops.reduction.base import Sum
from weft_tensor.ops.reduction.standard import Max, Min
from weft_tensor.ops.shape.broadcast_to import BroadcastTo
from weft_tensor.ops.shape.concatenate import Concatenate
from weft_tensor.ops.shape.length import Length
from weft_tensor.ops.shape.reshape import ExpandDims, Reshape, Squeeze
from weft_tensor.ops.shape.transpose import Transpose

_PLUS: Needs = (nonnegative,)
_MINUS: Needs = (nonpositive,)
_ABOVE: Needs = (positive,)
_BELOW: Needs = (negative,)
_CLEAR: Needs = (nonnegative, no_negative_zero)


def _all_have(fact: Fact, inputs: slice) -> FactRule:
    """True if all these inputs have the fact."""

    def rule(x: Any, ask: Ask) -> bool | None:
        return all(ask(v, fact) is True for v in x.inputs[inputs]) or None

    return rule


def _extreme_has(fact: Fact) -> FactRule:
    """True if all elements have the fact, and where there is none, it is an error."""

    def rule(x: Any, ask: Ask) -> bool | None:
        return (not x.op.or_infinity and ask(x.inputs[0], fact) is True) or None

    return rule


_FIRST, _AFTER_FIRST = slice(1), slice(1, None)
for _fact in ELEMENTWISE:
    _fact.register(BroadcastTo, ExpandDims, Index, Reshape, Squeeze, Transpose)(
        _all_have(_fact, _FIRST)
    )
    _fact.register(Max, Min)(_extreme_has(_fact))
    _fact.register(Concatenate, Stack)(_all_have(_fact, slice(None)))
    _fact.register(Elemwise("where"))(_all_have(_fact, _AFTER_FIRST))


def _chosen(fact: Fact) -> FactRule:
    def rule(x: Any, ask: Ask) -> bool | None:
        return (x.op.n_outs == 1 and all(ask(v, fact) is True for v in x.inputs[1:])) or None

    return rule


def _updated(fact: Fact) -> FactRule:
    def rule(x: Any, ask: Ask) -> bool | None:
        return (x.op.mode == "set" and all(ask(v, fact) is True for v in x.inputs[:2])) or None

    return rule


for _fact in ELEMENTWISE:
    _fact.register(IfElse)(_chosen(_fact))
    _fact.register(IndexUpdate)(_updated(_fact))

_GREATER = Elemwise("gt")


@nonnegative.register(Elemwise("where"))
def _chosen_for_its_sign(x: Any, ask: Ask) -> bool | None:
    """What is taken where it is greater than what is not negative: as `fori_loop` counts steps."""
    condition, taken, other = x.inputs
    least = condition.inputs if condition.op == _GREATER else []
    decides = least[1] if taken in least[:1] else taken
    return all(ask(v, nonnegative) is True for v in (decides, other)) or None


# Sums of two.

_LARGEST = np.iinfo("int64").max


@nonnegative.register(Elemwise("add"))
def _nonnegative_sum_of_two(x: Any, ask: Ask) -> bool | None:
    """Of integers where they are surely too small to overflow."""
    fits = x.dtype.startswith("float") or (
        x.dtype == "int64" and sum(map(_most, x.inputs)) <= _LARGEST
    )
    return (fits and all(ask(v, nonnegative) is True for v in x.inputs)) or None


def _most(v: Any) -> int:
    """No element of `v`, if none is negative, is larger."""
    if type(v.op) is Constant:
        return int(np.max(v.op.value, initial=0))
    if type(v.op) is Length:  # no memory is larger
        return _LARGEST // int(v.inputs[0].type.numpy_dtype.itemsize)
    divisor: Any = v.inputs[1].op if v.op is _QUOTIENT else None
    if type(divisor) is not Constant or not divisor.value.size or not np.all(divisor.value > 0):
        return _LARGEST
    return _LARGEST // int(np.min(divisor.value))


_QUOTIENT = Elemwise("floor_div")

# Products and powers.


@nonnegative.register(Elemwise("mul"))
def _nonnegative_product(x: Any, ask: Ask) -> bool | None:
    return (x.inputs[0] is x.inputs[1] and x.dtype.startswith("float")) or _SAME_SIGNS(x, ask)


_SAME_SIGNS = when((_PLUS, _PLUS), (_MINUS, _MINUS))


def _is_no_smaller(v: Any) -> bool:
    """Whether a product with `v` is never nearer to zero than the other factor."""
    return type(v.op) is Constant and bool(np.all(np.abs(v.op.value) >= 1))


def _product_unless_it_underflows(*cases: tuple[Needs, ...]) -> FactRule:
    signs = when(*cases)

    def rule(x: Any, ask: Ask) -> bool | None:
        return (any(map(_is_no_smaller, x.inputs)) and signs(x, ask)) or None

    return rule


positive.register(Elemwise("mul"))(
    _product_unless_it_underflows((_ABOVE, _ABOVE), (_BELOW, _BELOW))
)
negative.register(Elemwise("mul"))(
    _product_unless_it_underflows((_ABOVE, _BELOW), (_BELOW, _ABOVE))
)


@nonnegative.register(Elemwise("pow"))
def _nonnegative_power(x: Any, ask: Ask) -> bool | None:
    _, exponent = x.inputs
    is_floating = x.dtype.startswith("float")
    return (is_floating and _is_even(exponent)) or _FROM_CLEAR(x, ask)


def _is_even(v: Any) -> bool:
    """Whether `v` is known to be even numbers."""
    if type(v.op) is not Constant:
        return False
    with np.errstate(invalid="ignore"):  # of infinities
        return bool(np.all(v.op.value % 2 == 0))


_FROM_CLEAR = when((_CLEAR,))


@integer.register(Cast)
def _integer_cast(x: Any, ask: Ask) -> bool | None:
    return (x.dtype.startswith("float") and ask(x.inputs[0], integer) is True) or None


# Conversions.

_KEPT_BY_ROUNDING = (nonnegative, nonpositive, not_nan)


def _converted(fact: Fact) -> FactRule:
    def rule(x: Any, ask: Ask) -> bool | None:
        (source,) = x.inputs
        old, new = source.type.numpy_dtype, x.type.numpy_dtype
        exact = np.can_cast(old, new, "safe") or (old.kind in "biu" and new.kind == "f")
        if new.kind == "c" or not (exact or (new.kind == "f" and fact in _KEPT_BY_ROUNDING)):
            return None
        return ask(source, fact) is True or None

    return rule


for _fact in ELEMENTWISE:
    if _fact is not integer:
        _fact.register(Cast)(_converted(_fact))

# Sums.

for _fact in (nonnegative, nonpositive):
    _fact.register(Matmul)(when((_PLUS, (_fact,)), ((_fact,), _PLUS)))
no_negative_zero.register(Matmul)(when((_CLEAR, _CLEAR)))


def _is_nothing_summed(x: Any) -> bool:
    """Whether some axis that is summed over may have no element."""
    lengths = [x.inputs[0].type.shape[a] for a in x.op.axis]
    return not all(isinstance(n, int) and n > 0 for n in lengths)


def _sum_of_some(fact: Fact) -> FactRule:
    signs = when(((fact,),))

    def rule(x: Any, ask: Ask) -> bool | None:
        return None if _is_nothing_summed(x) else signs(x, ask)

    return rule


for _fact in (positive, negative):
    _fact.register(Sum)(_sum_of_some(_fact))


@nonnegative.register(Sum)
def _nonnegative_sum(x: Any, ask: Ask) -> bool | None:
    """Counting does not overflow, whatever other integers do."""
    counts = x.inputs[0].dtype == "bool"
    return counts or _SUM_OF_NONNEGATIVE(x, ask)


_SUM_OF_NONNEGATIVE = when((_PLUS,))


@nonnegative.register(Item)
def _nonnegative_result(x: Any, ask: Ask) -> bool | None:
    """Singular values; the number of steps that a loop with a condition made."""
    op, place = x.inputs[0].op, x.op.index
    if type(op) is Recurrence:
        return (op.conditional and place == len(op.kept)) or None
    return (type(op) is SVD and place == 1) or None
