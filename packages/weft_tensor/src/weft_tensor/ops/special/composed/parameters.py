"""Distribution functions solved for a parameter, with CDFLIB's names, and the slopes that follow.

A parameter is sought between 1e-30 and 1e30, by its logarithm; where none is the one, or
the probability is not between 0 and 1, it is NaN. Counts are real numbers.

A search is a function of the table, of one number: of arrays, each of its steps has kernels of its
own, which takes twice as long to compile, and all go on until the last one is found.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log as log_of
from math import nan
from typing import Any, Final, NamedTuple

from weft_graph import grad, stop_gradient
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.creation.creation import full_like
from weft_tensor.ops.elementwise.arithmetic import abs, maximum
from weft_tensor.ops.elementwise.comparison import isnan, where
from weft_tensor.ops.elementwise.exponential import exp, log
from weft_tensor.ops.elementwise.table import POSITIVE, Interval
from weft_tensor.ops.implicit.search import bent_to
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
from weft_tensor.ops.special.slope_rows import doubled, root_row

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
_PLAIN: Final = 0.9
"""What a smaller share lacks of 1 is a difference: the other tail takes as long again."""
_SHARE: Final[Interval] = (0.1, 0.9)
_OF_POSITIVE: Final = (_SHARE, POSITIVE)
_OF_CHANCE: Final = (_SHARE, POSITIVE, _SHARE)


class _Root(NamedTuple):
    """Of tails, of a v above 0 and others, the function of a share and the others that has v."""

    tails: _Tails
    row: Callable[..., _T]

    def __call__(self, share: Any, *others: Any) -> _T:
        return self.row(share, *others)

    def counted(self, share: Any, *others: Any) -> _T:
        """The same, and 0 where the probability of 0 is as much or more."""
        most = stop_gradient(self.tails(0 * share, *others)[0])  # has no share in what is chosen
        some = share > most
        value = where(some, self.row(where(some, share, 0.5 * (1 + most)), *others), 0)
        return where((share >= 0) & (most >= 0), value, nan)


def _root(
    name: str, tails: _Tails, domain: Any, example: tuple[float, ...], *, rising: bool = False
) -> _Root:
    """The v above 0 at which the first of both tails, of v and what follows, is a share."""

    def found(share: _T, *others: _T) -> _T:
        odds = share / (1 - share)

        def excess(u: _T) -> _T:
            """In logarithms of odds, which are about straight."""
            part, rest = tails(exp(u), *others)
            rest = where(part < _PLAIN, 1 - part, maximum(rest, 0))
            off = log(part / rest / odds)
            return off if rising else -off

        whole = share
        for x in others:
            whole = whole + 0 * x
        u = bent_to(excess, full_like(whole, -_SPAN), full_like(whole, _SPAN), 0.0)
        return where((share > 0) & (share < 1) & (abs(u) < _SPAN - 1), exp(u), nan)

    def slopes(v: _T, share: _T, *others: _T) -> list[_T]:
        by_v, *each = grad(tails(v, *others)[0].sum(), [v, *others])
        return [where(isnan(v), 0, slope / by_v) for slope in (1, *[-s for s in each])]

    row = root_row(f"{name}_root", f"What `{name}` finds.", domain, example, found, slopes)
    return _Root(tails, row)


def _of_gamma(a: Any, x: Any) -> tuple[_T, _T]:
    return gammainc(a, x), gammaincc(a, x)


def _of_beta(a: Any, b: Any, x: Any) -> tuple[_T, _T]:
    return betainc(a, b, x), betaincc(a, b, x)


def _of_odds(v: Any, n: Any, p: Any) -> tuple[_T, _T]:
    """Of the number k of successes in n, by its odds."""
    rest = n / (1 + v)
    return _of_beta(n - rest + 1, rest, p)[::-1]


def _bdtrik(y: Any, n: Any, p: Any) -> _T:
    odds = _BDTRIK.counted(where(y < 1, y, 0), n, p)
    inside = (y <= 1) & (y >= 0) & (n >= 0) & (p >= 0) & (p <= 1)
    return where(inside, where(y < 1, n * (odds / (1 + odds)), n), nan)


def _both(law: Callable[..., _T]) -> _Tails:
    def tails(*arguments: Any) -> tuple[_T, _T]:
        share = law(*arguments)
        return share, 1 - share

    return tails


def _stdtridf(p: Any, t: Any) -> _T:
    """By the tail beyond, which falls."""
    return _STDTRIDF(where(t < 0, p, 1 - p), abs(t))


# fmt: off
_CHDTRIV: Final = _root(
    "chdtriv", lambda v, x: _of_gamma(0.5 * v, 0.5 * x), _OF_POSITIVE, (0.5, 3.0, 3.640628),
)
_GDTRIB: Final = _root("gdtrib", _of_gamma, _OF_POSITIVE, (0.5, 6.0, 6.330031))
_PDTRIK: Final = _root(
    "pdtrik", lambda k, m: _of_gamma(k + 1, m)[::-1], ((0.6, 0.9), (0.5, 2.0)),
    (0.75, 1.0, 1.052587), rising=True,
)
_BDTRIK: Final = _root(
    "bdtrik", _of_odds, ((0.4, 0.9), (8.0, 30.0), _SHARE), (0.5, 10.0, 0.4, 0.530194), rising=True
)
_BDTRIN: Final = _root(
    "bdtrin", lambda v, k, p: _of_beta(k + 1, v, p)[::-1], _OF_CHANCE, (0.5, 3.0, 0.4, 5.838363),
)
_NBDTRIK: Final = _root(
    "nbdtrik", lambda k, n, p: _of_beta(n, k + 1, p), ((0.8, 0.95), POSITIVE, (0.3, 0.7)),
    (0.5, 3.0, 0.4, 3.340214), rising=True,
)
_NBDTRIN: Final = _root(
    "nbdtrin", lambda n, k, p: _of_beta(n, k + 1, p), _OF_CHANCE, (0.5, 3.0, 0.4, 2.772775)
)
_BTDTRIA: Final = _root("btdtria", _of_beta, _OF_CHANCE, (0.5, 3.0, 0.4, 2.104311))
_BTDTRIB: Final = _root(
    "btdtrib", lambda b, a, x: _of_beta(a, b, x), _OF_CHANCE, (0.5, 3.0, 0.4, 4.340214),
    rising=True,
)
_STDTRIDF: Final = _root(
    "stdtridf", _both(lambda v, t: stdtr(v, -t)), ((0.2, 0.3), (0.8, 1.2)), (0.25, 1.0, 1.0),
)
_CHNDTRIDF: Final = _root(
    "chndtridf", _both(lambda df, x, nc: chndtr(x, df, nc)),
    (_SHARE, (4.0, 9.0), (0.1, 1.0)), (0.3, 3.0, 1.0, 4.256224),
)
_CHNDTRINC: Final = _root(
    "chndtrinc", _both(lambda nc, x, df: chndtr(x, df, nc)),
    ((0.1, 0.5), (3.0, 9.0), (0.5, 2.0)), (0.3, 3.0, 2.0, 3.877709),
)
_NCFDTRINC: Final = _root(
    "ncfdtrinc", _both(lambda nc, dfn, dfd, f: ncfdtr(dfn, dfd, nc, f)),
    ((0.1, 0.4), (1.0, 5.0), (1.0, 5.0), (2.0, 9.0)), (0.3, 2.0, 3.0, 1.5, 3.643963),
)
chdtriv = formula(
    "chdtriv", "The degrees of freedom v for which `chdtr` of x is p.", (0.5, 3.0, 3.640628),
    doubled(lambda p, x: _CHDTRIV(p, x)),
)
gdtria = formula(
    "gdtria", "The rate a for which `gdtr` of b and x is p.", (0.5, 2.0, 3.0, 0.559449),
    lambda p, b, x: gammaincinv(b, p) / x,
)
gdtrib = formula(
    "gdtrib", "The shape b for which `gdtr` of a and x is p.", (2.0, 0.5, 3.0, 6.330031),
    doubled(lambda a, p, x: _GDTRIB(p, a * x)),
)
pdtrik = formula(
    "pdtrik", "The number k, of at least 0, for which `pdtr` of m is p.", (0.5, 3.0, 2.326737),
    doubled(lambda p, m: _PDTRIK.counted(p, m)),
)
bdtrik = formula(
    "bdtrik", "The number k, from 0 to n, for which `bdtr` of n and p is y.",
    (0.5, 10.0, 0.4, 3.464879), doubled(_bdtrik),
)
bdtrin = formula(
    "bdtrin", "The number of trials n for which `bdtr` of k and p is y.",
    (3.0, 0.5, 0.4, 8.838363),
    doubled(lambda k, y, p: k + _BDTRIN(y, k, p)),
)
nbdtrik = formula(
    "nbdtrik", "The number k, of at least 0, for which `nbdtr` of n and p is y.",
    (0.5, 3.0, 0.4, 3.340214),
    doubled(lambda y, n, p: _NBDTRIK.counted(y, n, p)),
)
nbdtrin = formula(
    "nbdtrin", "The number of successes n for which `nbdtr` of k and p is y.",
    (3.0, 0.5, 0.4, 2.772775),
    doubled(lambda k, y, p: _NBDTRIN(y, k, p)),
)
btdtria = formula(
    "btdtria", "The parameter a for which `betainc` of b and x is p.", (0.5, 3.0, 0.4, 2.104311),
    doubled(lambda p, b, x: _BTDTRIA(p, b, x)),
)
btdtrib = formula(
    "btdtrib", "The parameter b for which `betainc` of a and x is p.", (3.0, 0.5, 0.4, 4.340214),
    doubled(lambda a, p, x: _BTDTRIB(p, a, x)),
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
    (3.0, 0.3, 1.0, 4.256224), doubled(lambda x, p, nc: _CHNDTRIDF(p, x, nc)),
)
chndtrinc = formula(
    "chndtrinc", "The noncentrality for which `chndtr` of x and df is p.",
    (3.0, 2.0, 0.3, 3.877709), doubled(lambda x, df, p: _CHNDTRINC(p, x, df)),
)
ncfdtrinc = formula(
    "ncfdtrinc", "The noncentrality for which `ncfdtr` of both degrees of freedom and f is p.",
    (2.0, 3.0, 0.3, 1.5, 3.643963),
    doubled(lambda dfn, dfd, p, f: _NCFDTRINC(p, dfn, dfd, f)),
)
# fmt: on
