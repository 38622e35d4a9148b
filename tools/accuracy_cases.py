"""The special functions whose accuracy is measured: what is right, and where."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple

import mpmath as mp
import numpy as np
import scipy.special

__all__ = ["CASES", "Case", "Numbers"]

_ELEMENTARY: Final = 4
_OTHERS: Final = 4500

Numbers = list[float]


class Case(NamedTuple):
    """A function, what is right, and where it is measured."""

    name: str
    right: Callable[..., Any]
    places: tuple[Numbers, ...]
    """Per input; all combinations are measured."""
    bound: float = _OTHERS
    """The largest error that float64 may have."""
    size: Callable[..., Any] | None = None
    """What errors are a share of where the result is smaller."""
    call: Callable[..., Any] | None = None
    """The result that is meant, of a library, unless it is that of the function of this name."""

    def of(self, library: Any) -> Callable[..., Any] | None:
        """The library's function, if there is one.

        >>> Case("sin", mp.sin, ([1.0],)).of(np) is np.sin
        True
        """
        function: Callable[..., Any] | None = getattr(library, self.name.partition(" ")[0], None)
        return function and partial(self.call, library) if self.call else function


_TINY: Final = [1e-300, 1e-100, 1e-20, 1e-10, 1e-5, 1e-3]
_POSITIVE: Final = [
    *_TINY,
    *map(float, np.linspace(0.01, 5, 60)),
    *map(float, np.geomspace(5, 150, 30)),
]
_NEAR_ROOTS: Final = [1 - 1e-10, 1 + 1e-10, 2 - 1e-10, 2 + 1e-10, 1.4616321449683622, 1.46163]
_HUGE: Final = [1e3, 1e6, 1e10, 1e100, 1e300]
_NEGATIVE: Final = [-0.3, -0.7, -1.2, -1.75, -3.3, -10.25, -0.9999, -2.0001, -50.125]
_BOTH: Final = [
    *map(float, np.linspace(-8, 8, 65)),
    *map(float, np.linspace(-25.7, 25.3, 42)),  # whose squares are rounded
    *[sign * x for sign in (1, -1) for x in (1e-300, 1e-20, 1e-5, 15.0, 30.0)],
]
_SHARES: Final = [*_TINY, *map(float, np.linspace(0.01, 0.99, 50)), 1 - 1e-5, 1 - 1e-10]
_PARAMETERS: Final = [0.01, 0.5, 1.0, 2.5, 10.0, 50.0]

_GAMMA: Final = ([0.01, 0.5, 1.0, 2.5, 10.0, 100.0], [1e-10, 0.1, 1.0, 2.6, 9.0, 30.0, 110.0])
_BETA: Final = ([0.1, 1.0, 2.5, 30.0], [0.2, 1.0, 4.0, 50.0], [1e-5, 0.1, 0.5, 0.7, 0.99])
_ORDERS: Final = [0.0, 0.3, 1.0, 2.5, 10.0, 50.5, 300.0]
_PLACES: Final = [1e-5, 0.1, 1.0, 1.99, 2.3, 5.0, 7.9, 8.1, 12.0, 26.0, 51.0, 100.0, 301.0, 600.0]
_BESSEL: Final = (_ORDERS, _PLACES)
_SIGNS: Final = [sign * x for sign in (1, -1) for x in (*_POSITIVE, 1e3)]
_BELOW_1: Final = [-1e-10, -1e-3, -0.3, -0.49, -0.51, -0.9, -0.999]
_LAMBERT: Final = [
    *[-x for x in (*_TINY, 0.01, 0.1, 0.2, 0.25, 0.3, 0.35, 0.36, 0.36787, 0.3678794)],
]
_MODULI: Final = [
    *[sign * m for sign in (1, -1) for m in (1e-300, 1e-20, 1e-5, 0.1, 0.5, 0.9)],
    *(1 - 1e-5, 1 - 1e-12, -1.0, -7.3, -1e3, -1e10),
]
_ANGLES: Final = [1e-300, 1e-10, 1e-3, 0.3, 1.0, 1.5, 1.57, 1.6, 3.0, 3.2, -2.0, 10.0, 200.0]
_CARLSON: Final = [1e-100, 1e-5, 0.1, 0.7, 1.0, 1.1, 30.0, 1e10]
_KUMMER: Final = [-600.0, -90.0, -5.0, -0.5, 1e-8, 0.3, 2.0, 11.0, 40.0, 150.0, 500.0]
_STRUVE: Final = ([-12.7, -1.0, 0.0, 0.3, 5.0, 20.3, 60.0], [*_PLACES[:-1], 40.5])
_WRIGHT: Final = ([0.0, 0.1, 1.0, 15.0], [1e-5, 0.3, 1.0, 50.0], [1e-300, 1e-5, 3.0, 40.0, 200.0])
_AIRY: Final = [*map(float, np.linspace(-60, 100, 161)), -3.99, 2.01, 1e-10, -1e-300]
_LINE: Final = ([*_TINY, *map(float, np.linspace(0.013, 30, 120)), 100.0, 600.0],)


def _gammaln(x: Any) -> Any:
    return mp.log(abs(mp.gamma(x))) if x < 1e6 else mp.loggamma(x)


def _erfcinv(y: Any) -> Any:
    if not 0 < y < 2:
        return mp.inf
    if y > 1:
        return -_erfcinv(2 - y)
    start = mp.sqrt(-mp.log(y)) if y < 0.01 else mp.mpf(float(scipy.special.erfcinv(float(y))))
    x = start
    for _ in range(80):
        density = 2 / mp.sqrt(mp.pi) * mp.exp(-x * x)
        step = (mp.erfc(x) - y) / density
        step /= 1 - x * step  # Halley's
        x += step
        if abs(step) < mp.mpf(10) ** -45 * (abs(x) + mp.mpf(10) ** -300):
            break
    return x


def _owens_t(h: Any, a: Any) -> Any:
    parts = [0, *[mp.mpf(2) ** k for k in range(-6, 10) if mp.mpf(2) ** k < a], a]
    found = mp.quad(lambda x: mp.exp(-h * h * x * x / 2) / (1 + x * x), parts)
    return mp.exp(-h * h / 2) * found / (2 * mp.pi)


def _log_ndtr(x: Any) -> Any:
    return mp.log1p(-mp.ncdf(-x)) if x > 0 else mp.log(mp.ncdf(x))


def _logit(p: Any) -> Any:
    return mp.log(p / (1 - p)) if p < 1 else mp.inf


def _langevin(x: Any) -> Any:
    return x / 3 - x**3 / 45 if abs(x) < 1e-9 else mp.coth(x) - 1 / x


def _log_sinhc(x: Any) -> Any:
    return x**2 / 6 - x**4 / 180 if abs(x) < 1e-9 else mp.log(mp.sinh(x) / x)


def _amplitude(v: Any, x: Any) -> Any:
    return mp.hypot(mp.besselj(v, x), mp.bessely(v, x)) if x > v + 1 else 0


def _erfinv(y: Any) -> Any:
    return _erfcinv(1 - y)


def _expn(n: Any, x: Any) -> Any:
    """An integral for large x, where mpmath's own loses digits."""
    if x < 2:
        return mp.expint(n, x)
    parts = [0, 1, 5, 20, 60, 150]
    found = mp.quad(lambda v: mp.exp(-x * v / (x + n)) * (1 + v / (x + n)) ** -n, parts)
    return mp.exp(-x) * found / (x + n)


def _dawsn(x: Any) -> Any:
    if abs(x) > 30:
        return (1 + mp.nsum(lambda k: mp.fac2(2 * k - 1) / (2 * x * x) ** k, [1, 9])) / (2 * x)
    return mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x)


def _lambertw(k: int) -> Callable[..., Any]:
    return lambda m, x: m.lambertw(x, k).real


def _elliprc(x: Any, y: Any) -> Any:
    """Cauchy's value for negative y: NIST Digital Library of Mathematical Functions, 19.2.20."""
    return mp.elliprc(x, y) if y > 0 else mp.sqrt(x / (x - y)) * mp.elliprc(x - y, -y)


def _airy(function: Callable[..., Any], derivative: int) -> dict[str, Any]:
    """What is right, and what errors are a share of on the left."""

    def size(x: Any) -> Any:
        both = [f(x, derivative=derivative) for f in (mp.airyai, mp.airybi)]
        return mp.hypot(*both) if x < -1 else 0

    return {"right": partial(function, derivative=derivative), "size": size}


def _half_order(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda n, x: mp.sqrt(mp.pi / (2 * x)) * function(n + mp.mpf(1) / 2, x)


def _voigt(x: Any, sigma: Any, gamma: Any) -> Any:
    z = (abs(x) + 1j * gamma) / (sigma * mp.sqrt(2))
    with mp.workdps(400):
        return (mp.exp(-z * z) * mp.erfc(-1j * z)).real / (sigma * mp.sqrt(2 * mp.pi))


def _kolmogorov(x: Any) -> Any:
    return 2 * mp.fsum((-1) ** (k - 1) * mp.exp(-2 * (k * x) ** 2) for k in range(1, 60))


def _wright(a: Any, b: Any, x: Any) -> Any:
    return mp.fsum(x**k / mp.factorial(k) * mp.rgamma(a * k + b) for k in range(600))


_AT_ZERO: Final = [0.3725074107813666, 0.37250742, 0.3726, 0.37]


def _kelvin(name: str, other: str) -> Case:
    """Of two that are the parts of a complex number."""
    f, g = getattr(mp, name), getattr(mp, other)
    return Case(
        name,
        lambda x: f(0, x),
        ([1e-5, 0.3, 1.0, 5.0, 7.9, 30.0, 77.7, 300.0],),
        size=lambda x: abs(mp.mpc(f(0, x), g(0, x))),
    )


CASES: Final = (
    Case("erf", mp.erf, (_BOTH,), _ELEMENTARY),
    Case("erfc", mp.erfc, (_BOTH,)),
    Case("erfcx", lambda x: mp.exp(x * x) * mp.erfc(x), (_BOTH,)),
    Case("erfinv", _erfinv, ([*_SHARES, *[-p for p in _SHARES]],), _ELEMENTARY),
    Case("logerfc", lambda x: mp.log(mp.erfc(x)), (_BOTH,), _ELEMENTARY),
    Case("gammaln", _gammaln, ([*_POSITIVE, *_NEAR_ROOTS, *_HUGE, *_NEGATIVE],), _ELEMENTARY),
    Case("gamma", mp.gamma, ([*_POSITIVE, *_NEAR_ROOTS, *_NEGATIVE],)),
    Case("digamma", mp.digamma, ([*_POSITIVE, *_NEAR_ROOTS, *_HUGE, *_NEGATIVE],), _ELEMENTARY),
    Case("trigamma", lambda x: mp.polygamma(1, x), ([*_POSITIVE, *_NEGATIVE, 1e3, 1e6],)),
    Case("beta", mp.beta, (_PARAMETERS, _PARAMETERS)),
    Case("betaln", lambda a, b: mp.log(mp.beta(a, b)), (_PARAMETERS, [0.3, 1.7, 30.0, 1e5])),
    Case("binom", mp.binomial, ([3.0, 5.5, 20.0, 60.0], [0.0, 1.0, 2.5, 3.0])),
    Case("poch", mp.rf, (_PARAMETERS, [0.5, 1.0, 3.0, 10.0])),
    Case("ndtr", mp.ncdf, (_BOTH,)),
    Case("log_ndtr", _log_ndtr, (_BOTH,), _ELEMENTARY),
    Case("ndtri", lambda p: -mp.sqrt(2) * _erfcinv(2 * p), (_SHARES,), _ELEMENTARY),
    Case("erfcinv", _erfcinv, ([*_SHARES, *[2 - p for p in _SHARES if p > 1e-5]],), _ELEMENTARY),
    Case("entr", lambda x: -x * mp.log(x), ([*_POSITIVE, *_NEAR_ROOTS],), _ELEMENTARY),
    Case(
        "exprel",
        lambda x: mp.expm1(x) / x,
        ([*[x for x in _BOTH if x], 100.0, 700.0],),
        _ELEMENTARY,
    ),
    Case("log1pmx", lambda x: mp.log1p(x) - x, ([*_POSITIVE, *_HUGE, *_BELOW_1],), _ELEMENTARY),
    Case("expm1mx", lambda x: mp.expm1(x) - x, (_SIGNS[:-1],), _ELEMENTARY),
    Case("exprel2", lambda x: (mp.expm1(x) - x) / x**2, (_SIGNS[:-1],), _ELEMENTARY),
    Case("langevin", _langevin, (_SIGNS,), _ELEMENTARY),
    Case("log_sinhc", _log_sinhc, (_SIGNS,), _ELEMENTARY),
    Case("logit", _logit, ([p for p in _SHARES if p != 0.5],), _ELEMENTARY),
    Case("log_expit", lambda x: -mp.log1p(mp.exp(-x)), (_BOTH,), _ELEMENTARY),
    Case(
        "rel_entr",
        lambda x, y: x * mp.log(x / y),
        (_PARAMETERS, [1e-300, 0.49, 2.4, 1e10]),
        _ELEMENTARY,
    ),
    Case(
        "kl_div",
        lambda x, y: x * mp.log(x / y) - x + y,
        (_PARAMETERS, [1e-300, 0.49, 0.5000001, 2.4, 9.0, 1e10]),
        _ELEMENTARY,
    ),
    Case(
        "xlogy", lambda x, y: x * mp.log(y), (_PARAMETERS, [*_TINY, 0.9, 7.0, 1e300]), _ELEMENTARY
    ),
    Case(
        "xlog1py",
        lambda x, y: x * mp.log1p(y),
        (_PARAMETERS, [*_TINY, 0.9, 7.0, 1e300]),
        _ELEMENTARY,
    ),
    Case("gammainc", lambda a, x: mp.gammainc(a, 0, x, regularized=True), _GAMMA),
    Case("gammaincc", lambda a, x: mp.gammainc(a, x, mp.inf, regularized=True), _GAMMA),
    Case("betainc", lambda a, b, x: mp.betainc(a, b, 0, x, regularized=True), _BETA),
    Case("i0", lambda x: mp.besseli(0, x), _LINE, _ELEMENTARY),
    Case("i1", lambda x: mp.besseli(1, x), _LINE, _ELEMENTARY),
    Case("i0e", lambda x: mp.besseli(0, x) * mp.exp(-x), _LINE, _ELEMENTARY),
    Case("i1e", lambda x: mp.besseli(1, x) * mp.exp(-x), _LINE, _ELEMENTARY),
    Case("k0", lambda x: mp.besselk(0, x), _LINE),
    Case("k1", lambda x: mp.besselk(1, x), _LINE),
    Case("k0e", lambda x: mp.besselk(0, x) * mp.exp(x), _LINE),
    Case("k1e", lambda x: mp.besselk(1, x) * mp.exp(x), _LINE),
    Case("j0", lambda x: mp.besselj(0, x), _LINE, size=partial(_amplitude, 0)),
    Case("j1", lambda x: mp.besselj(1, x), _LINE, size=partial(_amplitude, 1)),
    Case("y0", lambda x: mp.bessely(0, x), _LINE, size=partial(_amplitude, 0)),
    Case("y1", lambda x: mp.bessely(1, x), _LINE, size=partial(_amplitude, 1)),
    Case("iv", mp.besseli, _BESSEL),
    Case("ive", lambda v, x: mp.besseli(v, x) * mp.exp(-x), _BESSEL),
    Case("kv", mp.besselk, _BESSEL),
    Case("kve", lambda v, x: mp.besselk(v, x) * mp.exp(x), _BESSEL),
    Case("jv", mp.besselj, _BESSEL, size=_amplitude),
    Case(
        "hyp2f1",
        mp.hyp2f1,
        ([-2.3, 0.5, 4.0], [0.2, 1.5, 6.0], [0.4, 2.5, 9.0], [-50.0, -0.6, 0.3, 0.9, 0.9999]),
    ),
    Case(
        "owens_t",
        _owens_t,
        ([0.0, 0.1, 1.0, 3.3, 10.0, 30.0], [0.01, 0.5, 1.0, 1.1, 7.0, 1e3]),
    ),
    Case("exp1", mp.e1, ([*_POSITIVE, 300.0, 700.0],)),
    Case("expi", mp.ei, ([*_SIGNS[:-1], *_AT_ZERO, 600.0, 705.0, 715.0],)),
    Case("expn", _expn, ([0.0, 1.0, 2.0, 10.0, 60.0], [*_TINY, 0.1, 0.5, 0.99, 1.01, 5.0, 30.0])),
    Case("spence", lambda z: mp.polylog(2, 1 - z), ([*_POSITIVE, *_HUGE],), _ELEMENTARY),
    Case("dawsn", _dawsn, ([*_SIGNS, 1e10, 1e300],)),
    Case("erfi", mp.erfi, ([x for x in _SIGNS if abs(x) < 26.6],)),
    Case("sici S", mp.si, ([*_SIGNS, *_HUGE[1:3]],), call=lambda m, x: m.sici(x)[0]),
    Case(
        "sici C",
        lambda x: mp.ci(abs(x)),
        ([*_SIGNS, *_HUGE[1:3]],),
        size=lambda x: 1 / (1 + abs(x)),
        call=lambda m, x: m.sici(x)[1],
    ),
    Case("shichi S", mp.shi, ([*_SIGNS[:-1], 700.0, 715.0],), call=lambda m, x: m.shichi(x)[0]),
    Case(
        "shichi C",
        lambda x: mp.chi(abs(x)),
        ([*_SIGNS, 700.0, 715.0],),
        size=mp.shi,
        call=lambda m, x: m.shichi(x)[1],
    ),
    Case("fresnel S", mp.fresnels, ([*_SIGNS, 3e4],), call=lambda m, x: m.fresnel(x)[0]),
    Case("fresnel C", mp.fresnelc, ([*_SIGNS, 3e4],), call=lambda m, x: m.fresnel(x)[1]),
    Case("lambertw", mp.lambertw, ([*_LAMBERT, *_POSITIVE, *_HUGE],), call=_lambertw(0)),
    Case("lambertw -1", lambda x: mp.lambertw(x, -1), (_LAMBERT,), call=_lambertw(-1)),
    Case("wrightomega", lambda x: mp.lambertw(mp.exp(x)), ([*_SIGNS, 30.0, 30.1, 700.0, 1e10],)),
    Case("ellipk", mp.ellipk, (_MODULI,)),
    Case("ellipkm1", lambda p: mp.ellipk(1 - p), ([*_POSITIVE, *_HUGE],)),
    Case("ellipe", mp.ellipe, (_MODULI,)),
    Case("ellipkinc", mp.ellipf, (_ANGLES, _MODULI)),
    Case("ellipeinc", mp.ellipe, (_ANGLES, _MODULI)),
    Case("elliprc", _elliprc, (_CARLSON, [*_CARLSON, -1e-5, -0.7, -1.1, -30.0])),
    Case("elliprd", mp.elliprd, (_CARLSON,) * 3),
    Case("elliprf", mp.elliprf, (_CARLSON,) * 3),
    Case("elliprg", mp.elliprg, (_CARLSON,) * 3),
    Case("elliprj", mp.elliprj, (_CARLSON[1:7:2], _CARLSON[1:7:2], _CARLSON[2:], _CARLSON[1:])),
    Case("agm", mp.agm, (_CARLSON, _CARLSON)),
    *[
        Case(
            f"ellipj {name}",
            partial(mp.ellipfun, name),
            (_ANGLES[1:9], [*_SHARES[:40:5], 0.99]),
            size=lambda u, m: 1,
            call=lambda lib, *v, k=k: lib.ellipj(*v)[k],
        )
        for k, name in enumerate(("sn", "cn", "dn"))
    ],
    Case("yv", mp.bessely, _BESSEL, size=_amplitude),
    Case(
        "spherical_jn",
        _half_order(mp.besselj),
        ([0.0, 1.0, 3.0, 30.0], _PLACES),
        size=lambda n, x: 1 / x if x > n + 1 else 0,
    ),
    Case(
        "spherical_yn",
        _half_order(mp.bessely),
        ([0.0, 1.0, 3.0, 30.0], _PLACES),
        size=lambda n, x: 1 / x if x > n + 1 else 0,
    ),
    Case("spherical_in", _half_order(mp.besseli), ([0.0, 1.0, 3.0, 30.0], _PLACES)),
    Case("spherical_kn", _half_order(mp.besselk), ([0.0, 1.0, 3.0, 30.0], _PLACES)),
    *[
        Case(
            f"airy {name}",
            **_airy(function, order),
            places=(_AIRY,),
            call=lambda lib, x, k=k: lib.airy(x)[k],
        )
        for k, (name, function, order) in enumerate(
            (
                ("Ai", mp.airyai, 0),
                ("Ai'", mp.airyai, 1),
                ("Bi", mp.airybi, 0),
                ("Bi'", mp.airybi, 1),
            )
        )
    ],
    Case(
        "hyp0f1",
        mp.hyp0f1,
        ([0.01, 0.5, 1.0, 2.5, 10.0, 60.0], [*_TINY, 0.3, 1.0, 5.0, 40.0, 700.0, 1e4]),
    ),
    Case(
        "hyp1f1",
        mp.hyp1f1,
        (
            [-20.5, -3.0, -0.5, 0.3, 2.5, 8.0, 40.5],
            [0.01, 0.5, 2.5, 30.2],
            _KUMMER,
        ),
    ),
    Case("hyp1f1 b<0", mp.hyp1f1, ([-20.5, -0.3, 14.7, 40.5], [-0.7, -12.6, -26.7], _KUMMER[2:8])),
    Case(
        "hyperu",
        mp.hyperu,
        ([1e-8, 0.3, 2.5, 30.2, -3.0, -7.6], [-7.3, 0.3, 1.0, 12.0], [1e-20, 0.1, 3.3, 77.0]),
    ),
    Case("struve", mp.struveh, _STRUVE, size=_amplitude),
    Case("modstruve", mp.struvel, _STRUVE),
    Case("wright_bessel", _wright, _WRIGHT),
    Case(
        "log_wright_bessel",
        lambda a, b, x: mp.log(_wright(a, b, x)),
        _WRIGHT,
        size=lambda a, b, x: 1,
    ),
    _kelvin("ber", "bei"),
    _kelvin("bei", "ber"),
    _kelvin("ker", "kei"),
    _kelvin("kei", "ker"),
    Case(
        "voigt_profile",
        _voigt,
        ([0.0, 1e-5, 0.25, 1.0, 3.3, 10.0, 30.0], [0.3, 1.0, 7.0], [1e-10, 1e-3, 0.5, 2.0, 30.0]),
    ),
    Case("kolmogorov", _kolmogorov, ([0.2, 0.5, 0.9, 0.99, 1.0, 1.5, 3.0, 10.0],)),
    Case("log_iv", lambda v, x: mp.log(mp.besseli(v, x)), _BESSEL, size=lambda v, x: 1),
    Case("log_ive", lambda v, x: mp.log(mp.besseli(v, x)) - x, _BESSEL, size=lambda v, x: 1),
    Case("zeta", mp.zeta, ([1.01, 1.5, 2.0, 3.0, 7.5, 20.0], [0.01, 0.5, 1.0, 7.0]), _ELEMENTARY),
)
