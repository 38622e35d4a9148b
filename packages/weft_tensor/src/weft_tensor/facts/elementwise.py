"""What elementwise functions and reductions say of their elements, as floating numbers go.

A line says what the inputs must be for the result to have a fact. Where a sum may overflow,
a product underflow or an integer wrap around, nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from weft_graph import Constant, Fact
from weft_graph.extend import Ask
from weft_tensor.build.stack import Stack
from weft_tensor.facts.definitions import (
    ELEMENTWISE,
    finite,
    integer,
    negative,
    no_negative_zero,
    nonnegative,
    nonpositive,
    nonzero,
    not_nan,
    positive,
)
from weft_tensor.ops.control.ifelse import IfElse
from weft_tensor.ops.creation.creation import Arange, Eye
from weft_tensor.ops.elementwise.cast import Cast
from weft_tensor.ops.elementwise.op import Elemwise
from weft_tensor.ops.indexing.index import Index, IndexUpdate, SliceLength
from weft_tensor.ops.linalg.matmul import Matmul
from weft_tensor.ops.reduction.base import Sum
from weft_tensor.ops.reduction.cumulative import CumProd, CumSum
from weft_tensor.ops.reduction.standard import Max, Min, Prod
from weft_tensor.ops.reduction.sum_to import SumTo
from weft_tensor.ops.shape.broadcast_to import BroadcastTo
from weft_tensor.ops.shape.concatenate import Concatenate
from weft_tensor.ops.shape.length import Length
from weft_tensor.ops.shape.reshape import ExpandDims, Reshape, Squeeze
from weft_tensor.ops.shape.transpose import Transpose

Judge = Callable[[Any, Ask], bool | None]
Needs = tuple[Fact, ...]

_ANY: Needs = ()
_PLUS: Needs = (nonnegative,)
_MINUS: Needs = (nonpositive,)
_ABOVE: Needs = (positive,)
_BELOW: Needs = (negative,)
_CLEAR: Needs = (nonnegative, no_negative_zero)
_FINITE: Needs = (finite,)
_NUMBER: Needs = (not_nan,)
_WHOLE: Needs = (integer,)
_UNSIGNED_ZERO: Needs = (no_negative_zero,)


def _when(*cases: tuple[Needs, ...], kinds: str = "f") -> Judge:
    """True for results of these kinds if, in one of the cases, the inputs have what it needs."""
    questions = [[(i, fact) for i, needs in enumerate(case) for fact in needs] for case in cases]

    def judge(x: Any, ask: Ask) -> bool | None:
        if x.type.dtype[0] not in kinds:
            return None
        inputs = x.inputs
        for case in questions:
            for i, fact in case:
                if ask(inputs[i], fact) is not True:
                    break
            else:
                return True
        return None

    return judge


_ALWAYS = _when(())


def _rows(names: str) -> list[Elemwise]:
    return [Elemwise(name) for name in names.split()]


def _say(fact: Fact, names: str, *cases: tuple[Needs, ...], kinds: str = "f") -> None:
    fact.register(*_rows(names))(_when(*cases, kinds=kinds) if cases else _ALWAYS)


def _all_have(fact: Fact, inputs: slice) -> Judge:
    """True if all these inputs have the fact."""

    def judge(x: Any, ask: Ask) -> bool | None:
        return all(ask(v, fact) is True for v in x.inputs[inputs]) or None

    return judge


def _extreme_has(fact: Fact) -> Judge:
    """True if all elements have the fact, and where there is none, it is an error."""

    def judge(x: Any, ask: Ask) -> bool | None:
        return (not x.op.or_infinity and ask(x.inputs[0], fact) is True) or None

    return judge


_FIRST, _TWO, _AFTER_FIRST = slice(1), slice(2), slice(1, None)
for _fact in ELEMENTWISE:
    _fact.register(BroadcastTo, ExpandDims, Index, Reshape, Squeeze, Transpose)(
        _all_have(_fact, _FIRST)
    )
    _fact.register(Max, Min)(_extreme_has(_fact))
    _fact.register(Concatenate, Stack)(_all_have(_fact, slice(None)))
    _fact.register(Elemwise("where"))(_all_have(_fact, _AFTER_FIRST))
    _fact.register(Elemwise("maximum"), Elemwise("minimum"))(_all_have(_fact, _TWO))


def _chosen(fact: Fact) -> Judge:
    def judge(x: Any, ask: Ask) -> bool | None:
        return (x.op.n_outs == 1 and all(ask(v, fact) is True for v in x.inputs[1:])) or None

    return judge


def _updated(fact: Fact) -> Judge:
    def judge(x: Any, ask: Ask) -> bool | None:
        return (x.op.mode == "set" and all(ask(v, fact) is True for v in x.inputs[:2])) or None

    return judge


for _fact in ELEMENTWISE:
    _fact.register(IfElse)(_chosen(_fact))
    _fact.register(IndexUpdate)(_updated(_fact))


# Signs.

_NEVER_BELOW = "abs arccos arccosh cosh erfc erfcx exp exp2 hypot sigmoid softplus sqrt square"
_ODD = "arcsin arcsinh arctan arctanh cbrt deg2rad erf expm1 log1p rad2deg sign sinh tanh"
_KEEP_TINY = "arcsinh arctan cbrt expm1 log1p sign sinh tanh"
"""Of small numbers these make none that are too small to be told from zero."""

_say(nonnegative, _NEVER_BELOW)
_say(nonnegative, f"{_ODD} ceil floor rint trunc", (_PLUS,))
_say(nonpositive, f"{_ODD} ceil floor rint trunc", (_MINUS,))
_say(nonpositive, "log_ndtr")
_say(positive, "cosh")
_say(positive, f"{_KEEP_TINY} ceil", (_ABOVE,))
_say(negative, f"{_KEEP_TINY} floor", (_BELOW,))
_say(nonnegative, "neg", (_MINUS,))
_say(nonpositive, "neg", (_PLUS,), kinds="if")
_say(positive, "neg", (_BELOW,))
_say(negative, "neg", (_ABOVE,), kinds="if")
_say(nonnegative, "add", (_PLUS, _PLUS))
_say(nonpositive, "add", (_MINUS, _MINUS))
_say(positive, "add", (_ABOVE, _PLUS), (_PLUS, _ABOVE))
_say(negative, "add", (_BELOW, _MINUS), (_MINUS, _BELOW))
_say(nonnegative, "sub", (_PLUS, _MINUS))
_say(nonpositive, "sub", (_MINUS, _PLUS))
_say(positive, "sub", (_ABOVE, _MINUS), (_PLUS, _BELOW))
_say(negative, "sub", (_BELOW, _PLUS), (_MINUS, _ABOVE))
_say(nonnegative, "true_div", (_PLUS, _CLEAR), (_MINUS, _BELOW))
_say(nonpositive, "true_div", (_MINUS, _CLEAR), (_PLUS, _BELOW))
_say(nonnegative, "reciprocal", (_CLEAR,))
_say(nonpositive, "reciprocal", (_BELOW,))
_say(nonnegative, "maximum", (_PLUS,), (_ANY, _PLUS), kinds="iuf")
_say(positive, "maximum", (_ABOVE,), (_ANY, _ABOVE), kinds="iuf")
_say(nonpositive, "minimum", (_MINUS,), (_ANY, _MINUS), kinds="iuf")
_say(negative, "minimum", (_BELOW,), (_ANY, _BELOW), kinds="iuf")
_say(nonnegative, "mod", (_ANY, _ABOVE), kinds="if")
_say(nonpositive, "mod", (_ANY, _BELOW), kinds="if")
_say(nonnegative, "floor_div", (_PLUS, _ABOVE), kinds="if")
_say(nonnegative, "broadcast_length", (_PLUS, _PLUS), kinds="i")
_say(nonzero, "neg abs", ((nonzero,),), kinds="if")
_say(nonzero, "sqrt cbrt sign", ((nonzero,),))
_say(positive, "abs sqrt", ((nonzero,),))


@nonnegative.register(Elemwise("mul"))
def _nonnegative_product(x: Any, ask: Ask) -> bool | None:
    return (x.inputs[0] is x.inputs[1] and x.dtype.startswith("float")) or _SAME_SIGNS(x, ask)


_SAME_SIGNS = _when((_PLUS, _PLUS), (_MINUS, _MINUS))
_say(nonpositive, "mul", (_PLUS, _MINUS), (_MINUS, _PLUS))


def _is_no_smaller(v: Any) -> bool:
    """Whether a product with `v` is never nearer to zero than the other factor."""
    return type(v.op) is Constant and bool(np.all(np.abs(v.op.value) >= 1))


def _product_unless_it_underflows(*cases: tuple[Needs, ...]) -> Judge:
    signs = _when(*cases)

    def judge(x: Any, ask: Ask) -> bool | None:
        return (any(map(_is_no_smaller, x.inputs)) and signs(x, ask)) or None

    return judge


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


_FROM_CLEAR = _when((_CLEAR,))

# Zeros without a sign.

_say(
    no_negative_zero,
    "abs arccos arccosh cos cosh erfc exp exp2 hypot log log10 log2 sigmoid softplus square",
)
_say(
    no_negative_zero,
    "arcsinh arctan cbrt erf expm1 floor log1p sign sin sinh sqrt tan tanh",
    (_UNSIGNED_ZERO,),
)
_say(no_negative_zero, "ceil rint trunc", (_CLEAR,))
_say(no_negative_zero, "add", (_UNSIGNED_ZERO,), (_ANY, _UNSIGNED_ZERO))
_say(no_negative_zero, "sub", (_UNSIGNED_ZERO,))
_say(no_negative_zero, "mul true_div", (_CLEAR, _CLEAR), (_BELOW, _BELOW))
_say(no_negative_zero, "pow reciprocal", (_CLEAR,))

# NaN and infinities.

_say(
    not_nan,
    "abs arcsinh arctan cbrt ceil cosh erf erfc erfcx exp exp2 expm1 floor log_ndtr logerfc neg "
    "rint sigmoid sign sinh softplus square tanh trunc",
    (_NUMBER,),
)
_say(not_nan, "log log10 log1p log2 sqrt", ((nonnegative, not_nan),))
_say(not_nan, "cos sin", (_FINITE,))
_say(not_nan, "hypot logaddexp", (_NUMBER, _NUMBER))
_SUMMABLE = (
    (_NUMBER, _FINITE),
    (_FINITE, _NUMBER),
)
_say(
    not_nan,
    "add",
    *_SUMMABLE,
    ((not_nan, nonnegative), (not_nan, nonnegative)),
    ((not_nan, nonpositive), (not_nan, nonpositive)),
)
_say(
    not_nan,
    "sub",
    *_SUMMABLE,
    ((not_nan, nonnegative), (not_nan, nonpositive)),
    ((not_nan, nonpositive), (not_nan, nonnegative)),
)
_say(not_nan, "mul", (_FINITE, _FINITE), ((not_nan, nonzero), (not_nan, nonzero)))
_say(not_nan, "true_div", (_FINITE, (not_nan, nonzero)), (_NUMBER, (finite, nonzero)))
_say(not_nan, "reciprocal", (_NUMBER,))
_say(finite, "arctan erf erfc sigmoid sign tanh", (_NUMBER,))
_say(finite, "abs arcsinh cbrt ceil cos floor neg rint sin softplus trunc", (_FINITE,))
_say(finite, "log1p sqrt", ((nonnegative, finite),))
_say(finite, "log log10 log2", ((positive, finite),))
_say(finite, "exp exp2 expm1", ((nonpositive, not_nan),))
_say(finite, "mod", (_FINITE, (finite, nonzero)))

# Whole numbers.

_say(integer, "ceil floor floor_div rint sign trunc")
_say(integer, "abs neg square", (_WHOLE,))
_say(integer, "add fmod mod mul sub", (_WHOLE, _WHOLE))


@integer.register(Cast)
def _integer_cast(x: Any, ask: Ask) -> bool | None:
    return (x.dtype.startswith("float") and ask(x.inputs[0], integer) is True) or None


# Conversions.

_KEPT_BY_ROUNDING = (nonnegative, nonpositive, not_nan)


def _converted(fact: Fact) -> Judge:
    def judge(x: Any, ask: Ask) -> bool | None:
        (source,) = x.inputs
        old, new = source.type.numpy_dtype, x.type.numpy_dtype
        exact = np.can_cast(old, new, "safe") or (old.kind in "biu" and new.kind == "f")
        if new.kind == "c" or not (exact or (new.kind == "f" and fact in _KEPT_BY_ROUNDING)):
            return None
        return ask(source, fact) is True or None

    return judge


for _fact in ELEMENTWISE:
    if _fact is not integer:
        _fact.register(Cast)(_converted(_fact))

# Sums, products, lengths.

for _fact in (nonnegative, nonpositive):
    _fact.register(Matmul)(_when((_PLUS, (_fact,)), ((_fact,), _PLUS)))
for _fact in (nonnegative, nonpositive, no_negative_zero, integer):
    _fact.register(CumSum, Sum, SumTo)(_when(((_fact,),)))
for _fact in (positive, negative):
    _fact.register(CumSum)(_when(((_fact,),)))
nonnegative.register(CumProd, Prod)(_when((_PLUS,)))
no_negative_zero.register(CumProd, Prod)(_when((_CLEAR,)))
integer.register(CumProd, Prod)(_when((_WHOLE,)))
no_negative_zero.register(Matmul)(_when((_CLEAR, _CLEAR)))
not_nan.register(CumSum, Sum, SumTo)(_when(((not_nan, nonnegative),), ((not_nan, nonpositive),)))


def _is_nothing_summed(x: Any) -> bool:
    """Whether some axis that is summed over may have no element."""
    lengths = [x.inputs[0].type.shape[a] for a in x.op.axis]
    return not all(isinstance(n, int) and n > 0 for n in lengths)


def _sum_of_some(fact: Fact) -> Judge:
    signs = _when(((fact,),))

    def judge(x: Any, ask: Ask) -> bool | None:
        return None if _is_nothing_summed(x) else signs(x, ask)

    return judge


for _fact in (positive, negative):
    _fact.register(Sum)(_sum_of_some(_fact))

for _fact in (nonnegative, finite, integer, no_negative_zero):
    _fact.register(Arange, Eye, Length, SliceLength)(lambda x, ask: True)


@nonnegative.register(Sum)
def _nonnegative_sum(x: Any, ask: Ask) -> bool | None:
    """Counting does not overflow, whatever other integers do."""
    counts = x.inputs[0].dtype == "bool"
    return counts or _SUM_OF_NONNEGATIVE(x, ask)


_SUM_OF_NONNEGATIVE = _when((_PLUS,))
