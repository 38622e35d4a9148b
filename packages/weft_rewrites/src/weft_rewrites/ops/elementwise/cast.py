"""Conversions of dtypes that change nothing, or that a single one can do; real parts."""

from __future__ import annotations

from functools import cache, reduce
from operator import mul

import numpy as np

from weft_graph import Each, Rule
from weft_rewrites.dsl.equation import REAL, equation, letter
from weft_tensor import Cast, Elemwise, TensorVariable, conj

__all__ = ["keeps_all", "rules"]

x = letter("x")
ANY = REAL | {"bool"}


@cache
def keeps_all(source: str, target: str) -> bool:
    """Whether every value of dtype `source` has its exact like in dtype `target`.

    >>> keeps_all("int32", "float64"), keeps_all("int64", "float64")
    (True, False)
    """
    if source in ("int64", "uint64") and np.dtype(target).kind in "fc":
        return False
    return np.can_cast(source, target, "safe")


def _one_does(inner: Cast, outer: Cast, x: TensorVariable) -> bool:
    source, between, target = x.type.dtype, inner.dtype, outer.dtype
    if not keeps_all(source, between):
        return False
    kinds = [np.dtype(d).kind for d in (source, between, target)]
    # What floating numbers become as integers outside of their range, no one can tell.
    return kinds[1] not in "fc" or kinds[2] not in "iu" or kinds[0] in "fc" or source == target


def _has_it(op: Cast, x: TensorVariable) -> bool:
    return x.type.dtype == op.dtype


_FEW = 8
"""Of so many factors one may be a conjugate."""


def _beside_exp(node: TensorVariable) -> TensorVariable | None:
    """The other factors conjugated, in the place of an exponential.

    That is mostly computed for something else, too: XLA would compute it once more, since it takes
    apart what is conjugated.
    """
    factors, known = [node.inputs[0]], 0
    while known < len(factors) <= _FEW:
        if factors[known].op == _MUL:
            factors[known : known + 1] = factors[known].inputs
        else:
            known += 1
    places = [k for k, v in enumerate(factors) if v.op == _CONJ and v.inputs[0].op == _EXP]
    if len(factors) == 1 or not places or np.dtype(node.type.dtype).kind != "f":
        return None
    found: TensorVariable = factors.pop(places[0]).inputs[0]
    others = [v if v.type.numpy_dtype.kind != "c" else conj(v) for v in factors]
    product: TensorVariable = node.op(reduce(mul, [*others, found]))
    return product


_MUL, _CONJ, _EXP = map(Elemwise, ("mul", "conj", "exp"))
_NAME = "{0}(x * conj(exp(y))) = {0}(conj(x) * exp(y))"
rules: tuple[Rule, ...] = (
    equation(Each(Cast, "op")(x), x, of=None, when=_has_it, name="cast to the same dtype"),
    equation(
        Each(Cast, "outer")(Each(Cast, "inner")(x)),
        lambda outer, x: x.astype(outer.dtype),
        of=None,
        when=_one_does,
        name="cast of a cast that loses nothing",
    ),
    equation(Elemwise("real")(x), x, of=ANY, name="real part of real numbers"),
    equation(Elemwise("conj")(x), x, of=ANY, name="conjugate of real numbers"),
    *[
        Rule(op, _beside_exp, over=_MUL, name=_NAME.format(name), may_change="rounding")
        for name, op in (("cast", Cast), ("re", Elemwise("real")))
    ],
)
"""All of them."""
