"""Error functions where they underflow: their logarithms, and the quotients that derivatives are.

erfc(u) is exp(-u²) erfcx(u), and erfcx does not underflow. So the logarithm of a product with
erfc(u) is a sum with logerfc(u), and exp(-u²) / erfc(u) is 1 / erfcx(u), however u² is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isclose, log
from typing import Any, Final, NamedTuple

import numpy as np

from weft_graph import Constant, Rule, rule
from weft_rewrites.dsl.conditions import keeps_lengths
from weft_rewrites.ops.elementwise.cancellation import Factors, factors_of, product_of
from weft_tensor import Elemwise, TensorVariable, constant, erfc, erfcx, log_ndtr, logerfc

__all__ = ["rules"]

_ADD, _SUB, _MUL, _DIV = map(Elemwise, ("add", "sub", "mul", "true_div"))
_NEG, _SQUARE, _RECIPROCAL = map(Elemwise, ("neg", "square", "reciprocal"))
_EXP, _ERF, _ERFC = map(Elemwise, ("exp", "erf", "erfc"))
_TAILS: Final = (_ERF, _ERFC)
_PRODUCTS: Final = (_MUL, _DIV, _NEG, _SQUARE, _RECIPROCAL)
_IS_TAIL: Final[dict[Any, bool]] = dict.fromkeys(_PRODUCTS, False) | dict.fromkeys(_TAILS, True)
_LOGARITHMS: Final = {"log": 1.0, "log2": log(2), "log10": log(10)}
"""By name, what the natural logarithm is to be divided by."""
_ROOT: Final = 2**0.5
_NEAREST: Final = 12
"""How many factors are looked at to find erfc."""


class _Multiple(NamedTuple):
    """A number times powers of variables."""

    number: float
    powers: dict[Any, int]


def _multiple(v: TensorVariable) -> _Multiple | None:
    parts = factors_of(v)
    if parts is None:
        return None
    number = float(parts[1])
    for x, e in parts[0]:
        if _is_number(x):
            number *= float(x.op.value) ** e if x.op.value else float("nan")
    return _Multiple(number, dict(_gathered([f for f in parts[0] if not _is_number(f[0])])))


def _gathered(factors: Factors) -> Factors:
    """The same with each variable once; those that cancel are left out."""
    powers: dict[Any, int] = {}
    for x, e in factors:
        powers[x] = powers.get(x, 0) + e
    return [(x, e) for x, e in powers.items() if e]


def _is_number(v: TensorVariable) -> bool:
    return type(v.op) is Constant and not v.ndim and v.type.dtype.startswith("float")


def _near(one: float, other: float, dtype: str) -> bool:
    return isclose(one, other, rel_tol=8 * float(np.finfo(dtype).eps))


def _times(u: TensorVariable, factor: float) -> TensorVariable:
    """`u` times a number, which is joined to those that are in it; 1 and -1 are made exact."""
    multiple = _multiple(u)
    assert multiple is not None  # asked before
    number = multiple.number * factor
    rest = product_of(list(multiple.powers.items()), 1)
    for unit in (1.0, -1.0):
        if _near(number, unit, u.dtype):
            number = unit
    return constant(np.asarray(number, u.dtype)) * rest


def _of(v: TensorVariable, op: Elemwise) -> tuple[float, TensorVariable] | None:
    """A number c and an expression u, where `v` is c times the function `op` of u."""
    multiple = _multiple(v)
    if multiple is None or list(multiple.powers.values()) != [1]:
        return None
    (x,) = multiple.powers
    return (multiple.number, x.inputs[0]) if x.op is op else None


def _is_fit(node: TensorVariable, new: TensorVariable) -> bool:
    return node.type.dtype.startswith("float") and keeps_lengths(node.type, new.type)


def _logarithm(name: str) -> Rule:
    @rule(
        Elemwise(name),
        over=(_ERFC, *_PRODUCTS),
        needs=_ERFC,
        name=f"{name} of a product with erfc",
        may_change=("rounding", "overflow", "domain", "zero sign"),
    )
    def tail_rule(node: TensorVariable) -> TensorVariable | None:
        new = _log_of_product(node.inputs[0]) if _has_tail(node) else None
        if new is None:
            return None
        new = new if name == "log" else new / constant(_LOGARITHMS[name], new.dtype)
        return new if _is_fit(node, new) else None

    return tail_rule


def _log_of_product(v: TensorVariable) -> TensorVariable | None:
    """The logarithm of a product with erfc(u), which is positive, whatever the others are."""
    half = _of(v, _ERFC)
    if half is not None and half[0] == 0.5 and _multiple(half[1]) is not None:
        return log_ndtr(_times(half[1], -_ROOT))
    parts = factors_of(v)
    if parts is None:
        return None
    factors, sign = parts
    tails = [(x.inputs[0], e) for x, e in factors if x.op is _ERFC]
    if not tails:
        return None
    rest = [(x, e) for x, e in factors if x.op is not _ERFC]
    terms = [logerfc(u) if e == 1 else logerfc(u) * constant(e, v.dtype) for u, e in tails]
    total = sum(terms[1:], terms[0])
    if not rest and sign > 0:
        return total
    return total + Elemwise("log")(product_of(rest, sign) if rest else constant(-1.0, v.dtype))


@rule(
    Elemwise("log1p"),
    over=(_ERF, *_PRODUCTS),
    needs=_TAILS,
    name="log1p of a product with erf or erfc",
    may_change=("rounding", "overflow"),
)
def _log1p(node: TensorVariable) -> TensorVariable | None:
    """log(1 - erf(u)), log(1 + erf(u)) and log(1 - erfc(u) / 2)."""
    (v,) = node.inputs
    if not _has_tail(node):
        return None
    multiple = _of(v, _ERF)
    if multiple is not None and abs(multiple[0]) == 1:
        new = logerfc(multiple[1] if multiple[0] < 0 else -multiple[1])
        return new if _is_fit(node, new) else None
    multiple = _of(v, _ERFC)
    if multiple is None or multiple[0] != -0.5 or _multiple(multiple[1]) is None:
        return None
    new = log_ndtr(_times(multiple[1], _ROOT))
    return new if _is_fit(node, new) else None


def _sum_rule(op: Elemwise) -> Rule:
    @rule(
        op,
        over=(*_TAILS, *_PRODUCTS),
        needs=_TAILS,
        name=f"{op} of a number and a multiple of erf or erfc",
        may_change="rounding",
    )
    def tail_rule(node: TensorVariable) -> TensorVariable | None:
        if not _has_tail(node):
            return None
        for number, c, k, v in _number_and_multiple(node):
            new = _of_other_tail(number, c, k, v)
            if new is not None and _is_fit(node, new):
                return new
        return None

    return tail_rule


def _number_and_multiple(
    node: Any,
) -> Iterator[tuple[TensorVariable, float, float, TensorVariable]]:
    """The ways to see a sum as c + k v, with c a constant of rank 0."""
    sign = -1.0 if node.op is _SUB else 1.0
    one, other = node.inputs
    if _is_number(one):
        yield one, float(one.op.value), sign, other
    elif _is_number(other):
        yield other, sign * float(other.op.value), 1.0, one


def _of_other_tail(
    number: TensorVariable, c: float, k: float, v: TensorVariable
) -> TensorVariable | None:
    """c ± c erf(u) = c erfc(∓u), and c - c/2 erfc(u) = c/2 erfc(-u)."""
    part = _of(v, _ERF)
    if part is not None and abs(k * part[0]) == abs(c):
        return constant(c, number.dtype) * erfc(part[1] if k * part[0] == -c else -part[1])
    part = _of(v, _ERFC)
    if part is not None and k * part[0] == -c / 2:
        return constant(c / 2, number.dtype) * erfc(-part[1])
    return None


def _exponent(v: TensorVariable) -> _Multiple | None:
    return _multiple(v.inputs[0]) if v.op is _EXP else None


def _has_tail(node: TensorVariable) -> bool:
    """Whether erf or erfc is among the nearest factors."""
    todo = list(node.inputs)
    for _ in range(_NEAREST):
        if not todo:
            return False
        v = todo.pop()
        is_tail = _IS_TAIL.get(v.op)
        if is_tail:
            return True
        if is_tail is False:
            todo += v.inputs
    return False


def _quotient(op: Elemwise, name: str) -> Rule:
    @rule(
        op,
        over=(_EXP, _ERFC, *_PRODUCTS),
        needs=_ERFC,
        name=name,
        may_change=("rounding", "domain", "inf"),
    )
    def tail_rule(node: TensorVariable) -> TensorVariable | None:
        if not node.type.dtype.startswith("float") or not _has_tail(node):
            return None
        parts = factors_of(node)
        if parts is None:
            return None
        new = _without_tails(parts[0])
        if new is None:
            return None
        product = product_of(new, parts[1])
        return product if _is_fit(node, product) else None

    return tail_rule


def _without_tails(parts: Factors) -> Factors | None:
    """The factors with fewer that underflow, if that can be."""
    factors = _gathered(parts)
    for k, (v, e) in enumerate(factors):
        scaled = _scaled(v, e, factors[:k] + factors[k + 1 :]) if v.op is _ERFC else None
        if scaled is not None:
            return scaled
    kept = {v for v, _ in factors}
    gone = {v for v, _ in parts} - kept
    is_safe = all(v.op is _ERFC and erfcx(*v.inputs) in kept for v in gone)  # it keeps NaNs
    return factors if gone and is_safe else None


def _scaled(v: TensorVariable, e: int, others: Factors) -> Factors | None:
    """All factors, with erfcx(u) for a power of erfc(u) that meets exp(u²) or 1 / exp(u²)."""
    (u,) = v.inputs
    own = _multiple(u)
    if own is None:
        return None
    squares = {x: 2 * power for x, power in own.powers.items()}
    for k, (other, times) in enumerate(others):
        exponent = _exponent(other)
        if exponent is None or exponent.powers != squares:
            continue
        ratio = exponent.number / own.number**2
        if not _near(abs(ratio), 1.0, u.dtype) or (ratio < 0) != (times * e < 0):
            continue
        step = 1 if e > 0 else -1
        left = [(v, e - step), (other, times - (1 if times > 0 else -1))]
        rest = others[:k] + others[k + 1 :]
        return [*rest, (erfcx(u), step), *((x, power) for x, power in left if power)]
    return None


rules: tuple[Rule, ...] = (
    *map(_logarithm, _LOGARITHMS),
    _log1p,
    *map(_sum_rule, (_ADD, _SUB)),
    _quotient(_MUL, "exponential of a square and erfc in a product"),
    _quotient(_DIV, "exponential of a square and erfc in a quotient"),
)
"""All of them."""
