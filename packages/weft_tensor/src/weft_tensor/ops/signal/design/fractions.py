"""Quotients of polynomials as sums of partial fractions, and these as quotients.

A sum has a term r / (s - p)^m for each pole p, in groups of what is nearly one pole, for m from 1
on. The terms of a group are the series of the quotient around its pole, without the group.
"""

from __future__ import annotations

from typing import Any, Final, Literal, NamedTuple

import numpy as np

from weft_graph import Constant
from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor, constant
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.loops import fori_loop
from weft_tensor.ops.creation.creation import arange, full, zeros, zeros_like
from weft_tensor.ops.elementwise.arithmetic import abs
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.sort import argsort
from weft_tensor.ops.polynomials.fitting import roots
from weft_tensor.ops.polynomials.polynomials import polydiv, polymul
from weft_tensor.ops.reduction.standard import max, min, sum
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import atleast_1d

__all__ = ["invres", "invresz", "residue", "residuez", "unique_roots"]

Fractions = tuple[TensorVariable, TensorVariable, TensorVariable]
"""Factors, poles, and a polynomial."""
_MEANS: Final = ("avg", "mean")
_KINDS: Final = ("max", "maximum", "min", "minimum", *_MEANS)


class _Groups(NamedTuple):
    """Poles by what is nearly one, those of a group beside each other."""

    poles: TensorVariable
    """The pole of the group of each."""
    same: TensorVariable
    """Which of them are of one group."""
    powers: TensorVariable
    """How many of its group there are up to each."""


def unique_roots(
    p: TensorLike, tol: float = 1e-3, rtype: str = "min"
) -> tuple[TensorVariable, TensorVariable]:
    """Numbers that are apart from each other, and how many are, within `tol`, one of them.

    The first begins a group with all that are that near to it, then the first of what is left.
    See `scipy.signal.unique_roots`. Raises ValueError for another `rtype` than "max", "min" and
    "avg", which say what stands for a group, and for what is no vector.

    >>> numbers, counts = unique_roots([0.0, 1.3, 1.2999, 2.8, 1.3001])
    >>> numbers.eval().tolist(), counts.eval().tolist()
    ([0.0, 1.2999, 2.8], [1, 3, 1])
    """
    numbers = _vector(p, "unique_roots")
    leaders = _leaders(numbers, tol)
    same = eq(leaders.expand_dims(-1), leaders)
    firsts = eq(leaders, arange(lengths_of(numbers)[0]))
    chosen = _representatives(numbers, same, rtype, "unique_roots")
    return chosen[firsts], sum(same, -1)[firsts]


def _vector(p: TensorLike, name: str) -> TensorVariable:
    numbers = atleast_1d(as_tensor(p))
    if numbers.ndim != 1:
        raise ValueError(f"{name} takes vectors, not {numbers!r}{called()}")
    return numbers


def _leaders(numbers: TensorVariable, tol: float) -> TensorVariable:
    """The first of the group of each number."""
    n = lengths_of(numbers)[0]
    near = abs(numbers.expand_dims(-1) - numbers) <= tol
    free = full(n, -1)

    def gather(i: Any, leaders: Any) -> Any:
        is_first = leaders[i] < 0
        return where(near[i] & (leaders < 0) & is_first, i, leaders)

    leaders: TensorVariable = fori_loop(0, n, gather, free)
    return leaders


def _representatives(
    numbers: TensorVariable, same: TensorVariable, rtype: str, name: str
) -> TensorVariable:
    if rtype not in _KINDS:
        raise ValueError(f"{name}: rtype is one of {_KINDS}, not {rtype!r}{called()}")
    if rtype in _MEANS:
        return sum(where(same, numbers, 0), -1) / sum(same, -1)
    take = max if rtype.startswith("max") else min
    return take(where(same, numbers, numbers.expand_dims(-1)), -1)


def _groups(poles: TensorVariable, leaders: TensorVariable) -> _Groups:
    same = eq(leaders.expand_dims(-1), leaders)
    rows = arange(lengths_of(poles)[0])
    return _Groups(poles, same, sum(same & (rows.expand_dims(-1) >= rows), -1))


def _sorted_groups(poles: TensorVariable, tol: float, rtype: str, name: str) -> _Groups:
    """By absolute values of the groups."""
    leaders = _leaders(poles, tol)
    same = eq(leaders.expand_dims(-1), leaders)
    chosen = _representatives(poles, same, rtype, name)
    order = argsort(leaders, stable=True)
    order = order[argsort(abs(chosen[order]), stable=True)]
    return _groups(chosen[order], leaders[order])


def polynomials_of(
    b: TensorLike, a: TensorLike, name: str, end: Literal["f", "b"] = "f"
) -> tuple[TensorVariable, TensorVariable]:
    """Two vectors of known lengths; zeros at an end that are known are left out, but for one.

    Raises ValueError for others, and if the second is known to be 0.
    """
    parts = [as_floating(_vector(v, name)) for v in (b, a)]
    for k, v in enumerate(parts):
        if isinstance(v.op, Constant):
            numbers = np.trim_zeros(v.op.value, end)
            if k and not numbers.size:
                raise ValueError(f"{name}: the denominator is 0{called()}")
            parts[k] = constant(numbers if numbers.size else v.op.value[:1])
    if any(not isinstance(v.type.shape[0], int) for v in parts):
        raise ValueError(f"{name} takes vectors of known lengths, not {parts}{called()}")
    return parts[0], parts[1]


def _divided(b: Any, a: Any) -> tuple[Any, Any]:
    """The quotient, and what is left."""
    m, n = b.type.shape[0], a.type.shape[0]
    if m < n:
        return zeros(0, b.dtype), b
    k, rest = polydiv(b, a)
    return k, specify_shape(rest, (n - 1 or 1,))


def residue(b: TensorLike, a: TensorLike, tol: float = 1e-3, rtype: str = "avg") -> Fractions:
    """The partial fractions of the quotient of two polynomials. See `scipy.signal.residue`.

    Parameters
    ----------
    b, a
        The coefficients of both, the highest power first: vectors of known lengths. The first of
        `a` is not 0; zeros in front are left out where both are known.
    tol
        Poles that are no farther apart are one, of as many fractions.
    rtype
        Which pole stands for such: "max", "min" or "avg".

    Returns
    -------
    The factors of the fractions, their poles, which are complex always, and the polynomial that is
    left. Poles are in the order of their absolute values, and powers of one from the first on.
    They have derivatives where no poles are equal.

    Raises
    ------
    ValueError
        for what are no vectors of known lengths, a denominator 0, and another `rtype`.

    Examples
    --------
    >>> r, p, k = residue([5.0, 3.0], [1.0, 3.0, 2.0])
    >>> print(r.eval().real.round(6), p.eval().real.round(6), k.eval())
    [-2.  7.] [-1. -2.] []
    """
    above, below = polynomials_of(b, a, "residue", "f")
    groups = _sorted_groups(roots(below), tol, rtype, "residue")
    k, rest = _divided(above, below)
    found = _factors(groups, groups.poles, rest, below)
    return found / index(below, 0), groups.poles, k


def residuez(b: TensorLike, a: TensorLike, tol: float = 1e-3, rtype: str = "avg") -> Fractions:
    """`residue` of polynomials in 1 / z, with terms r / (1 - p / z)^m. See `scipy.signal.residuez`.

    The last of `a` is not 0; zeros at the end are left out where both are known. Raises ValueError
    as `residue`.

    >>> r, p, k = residuez([1.0], [1.0, -0.75, 0.125])
    >>> print(r.eval().real.round(6), p.eval().real.round(6), k.eval())
    [-1.  2.] [0.25 0.5 ] []
    """
    above, below = polynomials_of(b, a, "residuez", "b")
    groups = _sorted_groups(roots(below), tol, rtype, "residuez")
    k, rest = _divided(above[::-1], below[::-1])
    found = _factors(groups, 1 / groups.poles, rest, below)
    return found * (-groups.poles) ** groups.powers / index(below, -1), groups.poles, k[::-1]


def _factors(
    groups: _Groups, poles: TensorVariable, numerator: TensorVariable, below: TensorVariable
) -> TensorVariable:
    """Those of the fractions of a numerator over the product of s - p, by series around each p."""
    length: Any = below.type.shape[0]
    n = length - 1
    if not n:
        return zeros(0, "complex128")
    ranks = arange(n).expand_dims(-1)
    one = where(eq(ranks, 0), 1, zeros((n, n), poles.dtype))
    first, *others = _elements(numerator)
    above, below = one * first, one
    for value in others:
        above = poles * above + _later(above) + one * value
    for pole, is_same in zip(_elements(poles), _elements(groups.same), strict=True):
        below = where(is_same, below, (poles - pole) * below + _later(below))
    series = []
    for _ in range(n):
        series.append(above[0] / below[0])
        above = _earlier(above - series[-1] * below)
    place = sum(groups.same, -1) - groups.powers
    return sum(where(eq(place, ranks), stack(series), 0), 0)


def _elements(x: TensorVariable) -> list[TensorVariable]:
    """Those along the first axis, whose length is known."""
    n: Any = x.type.shape[0]
    return [x[k] for k in range(n)]


def _later(series: TensorVariable) -> TensorVariable:
    """Times the variable of the series, without the last term."""
    return concatenate([zeros_like(series[:1]), series[:-1]], 0)


def _earlier(series: TensorVariable) -> TensorVariable:
    """Over the variable of the series, without what is left."""
    return concatenate([series[1:], zeros_like(series[:1])], 0)


def invres(
    r: TensorLike, p: TensorLike, k: TensorLike, tol: float = 1e-3, rtype: str = "avg"
) -> tuple[TensorVariable, TensorVariable]:
    """The two polynomials of partial fractions: what undoes `residue`. See `scipy.signal.invres`.

    Poles beside each other that are no farther than `tol` from the first of them are one. The
    length of `p` is known. Raises ValueError for others, and for an `rtype` that `residue` has not.

    >>> b, a = invres([-2.0, 7.0], [-1.0, -2.0], [])
    >>> b.eval(), a.eval()
    (array([5., 3.]), array([1., 3., 2.]))
    """
    return _joined(r, p, k, tol, rtype, "invres")


def invresz(
    r: TensorLike, p: TensorLike, k: TensorLike, tol: float = 1e-3, rtype: str = "avg"
) -> tuple[TensorVariable, TensorVariable]:
    """The two polynomials in 1 / z of what `residuez` gives. See `scipy.signal.invresz`.

    Raises ValueError as `invres`.

    >>> b, a = invresz([-1.0, 2.0], [0.25, 0.5], [])
    >>> b.eval(), a.eval()
    (array([1., 0.]), array([ 1.   , -0.75 ,  0.125]))
    """
    return _joined(r, p, k, tol, rtype, "invresz")


def _joined(
    r: TensorLike, p: TensorLike, k: TensorLike, tol: float, rtype: str, name: str
) -> tuple[TensorVariable, TensorVariable]:
    poles, factors, rest = (as_floating(_vector(v, name)) for v in (p, r, k))
    n: Any = poles.type.shape[0]
    if not isinstance(n, int) or not n:
        raise ValueError(f"{name} takes a known number of poles, at least one, not {p!r}{called()}")
    if rtype not in _KINDS:
        raise ValueError(f"{name}: rtype is one of {_KINDS}, not {rtype!r}{called()}")
    leader = as_tensor(0)
    leaders = [leader]
    for i in range(1, n):
        leader = where(abs(poles[i] - poles[leader]) <= tol, leader, i)
        leaders.append(leader)
    groups = _groups(poles[stack(leaders)], stack(leaders))
    first = eq(arange(n), 0 if name == "invresz" else n - 1)
    products = where(first, factors.expand_dims(-1), 0)
    whole = where(eq(arange(n + 1), 0), 1, zeros(n + 1, poles.dtype))
    for j in range(n):
        pole, power = groups.poles[j], groups.powers[j]
        is_left = ~(groups.same[j] & (power <= groups.powers)).expand_dims(-1)
        ahead = concatenate([zeros_like(products[:, :1]), products[:, :-1]], 1)
        if name == "invresz":
            longer = products - pole * ahead
        else:
            longer = (
                concatenate([products[:, 1:], zeros_like(products[:, :1])], 1) - pole * products
            )
        products = where(is_left, longer, products)
        whole = whole - pole * _later(whole)
    above = sum(products, 0)
    if rest.type.shape[0] == 0:
        return above, whole
    more = polymul(rest, whole)
    missing = zeros(lengths_of(more)[0] - n, above.dtype)
    parts = [above, missing] if name == "invresz" else [missing, above]
    return more + concatenate(parts), whole
