"""Distribution functions solved for a parameter, with CDFLIB's names, and the slopes that follow.

A parameter is sought between 1e-30 and 1e30, by its logarithm; where none is the one, or
the probability is not between 0 and 1, it is NaN. Counts are real numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log as log_of
from math import nan
from typing import Any, Final

from weft_graph import grad, stop_gradient
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.creation.creation import full_like
from weft_tensor.ops.elementwise.arithmetic import abs
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.implicit.following import following
from weft_tensor.ops.implicit.search import crossing
from weft_tensor.ops.special.composed.by_laws import chndtr, ncfdtr
from weft_tensor.ops.special.composed.formula import formula
from weft_tensor.ops.special.composed.student import stdtr
from weft_tensor.ops.special.incomplete import (
    betainc,
    betaincc,
    gammainc,
    gammaincc,
    gammaincinv,
)
from weft_tensor.ops.special.normal import ndtri
from weft_tensor.ops.special.slope_rows import doubled

__all__ = [
    "bdtrik",
    "bdtrin",
    "btdtria",
    "btdtrib",
    "chdtriv",
    "chndtridf",
    "chndtrinc",
    "gdtria",
    "gdtrib",
    "nbdtrik",
    "nbdtrin",
    "ncfdtrinc",
    "nrdtrimn",
    "nrdtrisd",
    "pdtrik",
    "stdtridf",
]

_T = TensorVariable
_Tails = Callable[..., tuple[Any, Any]]
_SPAN: Final = 30 * log_of(10)


def _found(tails: _Tails, rising: bool, share: Any, *others: Any) -> _T:
    """The v above 0 at which the first of both tails, of v and the others, is `share`."""

    def excess(u: _T) -> _T:
        lower, upper = tails(exp(u), *others)
        off = where(share > 0.5, 1 - share - upper, lower - share)
        return off if rising else -off

    def slopes(v: _T, share: _T, *others: _T) -> list[_T]:
        by_v, *rest = grad(tails(v, *others)[0].sum(), [v, *others])
        return [1 / by_v, *[-slope / by_v for slope in rest]]

    whole = share
    for x in others:
        whole = whole + 0 * x
    u = crossing(excess, full_like(whole, -_SPAN), full_like(whole, _SPAN), 1.0)
    v = following(exp(u), slopes, share, *others)
    return where((share > 0) & (share < 1) & (abs(u) < _SPAN - 1), v, nan)


def _count(tails: _Tails, share: Any, *others: Any) -> _T:
    """As `_found`, and 0 where the probability of 0 is as much or more."""
    most = stop_gradient(tails(0 * share, *others)[0])  # has no share in what is chosen
    some = share > most
    value = where(some, _found(tails, True, where(some, share, 0.5 * (1 + most)), *others), 0)
    return where((share >= 0) & (most >= 0), value, nan)


def _of_gamma(a: Any, x: Any) -> tuple[_T, _T]:
    return gammainc(a, x), gammaincc(a, x)


def _of_beta(a: Any, b: Any, x: Any) -> tuple[_T, _T]:
    return betainc(a, b, x), betaincc(a, b, x)


def _bdtrik(y: Any, n: Any, p: Any) -> _T:
    """By the odds of k in n."""

    def tails(v: Any, n: Any, p: Any) -> tuple[_T, _T]:
        rest = n / (1 + v)
        return _of_beta(n - rest + 1, rest, p)[::-1]

    odds = _count(tails, where(y < 1, y, 0), n, p)
    inside = (y <= 1) & (y >= 0) & (n >= 0) & (p >= 0) & (p <= 1)
    return where(inside, where(y < 1, n * (odds / (1 + odds)), n), nan)


def _both(law: Callable[..., _T]) -> _Tails:
    def tails(*arguments: Any) -> tuple[_T, _T]:
        share = law(*arguments)
        return share, 1 - share

    return tails


_SQUARE: Final = {
    "df": _both(lambda df, x, nc: chndtr(x, df, nc)),
    "nc": _both(lambda nc, x, df: chndtr(x, df, nc)),
}
_RATIO: Final = _both(lambda nc, dfn, dfd, f: ncfdtr(dfn, dfd, nc, f))


def _stdtridf(p: Any, t: Any) -> _T:
    """By the tail beyond, which falls."""
    size, share = abs(t), where(t < 0, p, 1 - p)
    return _found(_both(lambda v, t: stdtr(v, -t)), False, share, size)


# fmt: off
chdtriv = formula(
    "chdtriv", "The degrees of freedom v for which `chdtr` of x is p.", (0.5, 3.0, 3.640628),
    doubled(lambda p, x: _found(lambda v, x: _of_gamma(0.5 * v, 0.5 * x), False, p, x)),
)
gdtria = formula(
    "gdtria", "The rate a for which `gdtr` of b and x is p.", (0.5, 2.0, 3.0, 0.559449),
    lambda p, b, x: gammaincinv(b, p) / x,
)
gdtrib = formula(
    "gdtrib", "The shape b for which `gdtr` of a and x is p.", (2.0, 0.5, 3.0, 6.330031),
    doubled(lambda a, p, x: _found(_of_gamma, False, p, a * x)),
)
pdtrik = formula(
    "pdtrik", "The number k, of at least 0, for which `pdtr` of m is p.", (0.5, 3.0, 2.326737),
    doubled(lambda p, m: _count(lambda k, m: _of_gamma(k + 1, m)[::-1], p, m)),
)
bdtrik = formula(
    "bdtrik", "The number k, from 0 to n, for which `bdtr` of n and p is y.",
    (0.5, 10.0, 0.4, 3.464879), doubled(_bdtrik),
)
bdtrin = formula(
    "bdtrin", "The number of trials n for which `bdtr` of k and p is y.",
    (3.0, 0.5, 0.4, 8.838363),
    doubled(lambda k, y, p: k + _found(
        lambda v, k, p: _of_beta(k + 1, v, p)[::-1], False, y, k, p)),
)
nbdtrik = formula(
    "nbdtrik", "The number k, of at least 0, for which `nbdtr` of n and p is y.",
    (0.5, 3.0, 0.4, 3.340214),
    doubled(lambda y, n, p: _count(lambda k, n, p: _of_beta(n, k + 1, p), y, n, p)),
)
nbdtrin = formula(
    "nbdtrin", "The number of successes n for which `nbdtr` of k and p is y.",
    (3.0, 0.5, 0.4, 2.772775),
    doubled(lambda k, y, p: _found(lambda n, k, p: _of_beta(n, k + 1, p), False, y, k, p)),
)
btdtria = formula(
    "btdtria", "The parameter a for which `betainc` of b and x is p.", (0.5, 3.0, 0.4, 2.104311),
    doubled(lambda p, b, x: _found(_of_beta, False, p, b, x)),
)
btdtrib = formula(
    "btdtrib", "The parameter b for which `betainc` of a and x is p.", (3.0, 0.5, 0.4, 4.340214),
    doubled(lambda a, p, x: _found(lambda b, a, x: _of_beta(a, b, x), True, p, a, x)),
)
stdtridf = formula(
    "stdtridf", "The degrees of freedom for which `stdtr` of t is p.", (0.7, 1.0, 0.50716),
    doubled(_stdtridf),
)
nrdtrimn = formula(
    "nrdtrimn", "The mean of a normal variable that is below x with the probability p.",
    (0.3, 2.0, 1.0, 2.048801), lambda p, std, x: where(std > 0, x - std * ndtri(p), nan),
)
nrdtrisd = formula(
    "nrdtrisd", "The deviation of a normal variable that is below x with the probability p.",
    (1.0, 0.3, 0.5, 0.95347), lambda mn, p, x: (x - mn) / ndtri(p),
)
chndtridf = formula(
    "chndtridf", "The degrees of freedom for which `chndtr` of x and nc is p.",
    (3.0, 0.3, 1.0, 4.256224), doubled(lambda x, p, nc: _found(_SQUARE["df"], False, p, x, nc)),
)
chndtrinc = formula(
    "chndtrinc", "The noncentrality for which `chndtr` of x and df is p.",
    (3.0, 2.0, 0.3, 3.877709), doubled(lambda x, df, p: _found(_SQUARE["nc"], False, p, x, df)),
)
ncfdtrinc = formula(
    "ncfdtrinc", "The noncentrality for which `ncfdtr` of both degrees of freedom and f is p.",
    (2.0, 3.0, 0.3, 1.5, 3.643963),
    doubled(lambda dfn, dfd, p, f: _found(_RATIO, False, p, dfn, dfd, f)),
)
# fmt: on
