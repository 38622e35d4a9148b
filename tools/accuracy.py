"""Write docs/accuracy.md, how right special functions are: `python -m tools.accuracy`.

Errors are in units in the last place of the right result, which mpmath computes with 50 digits.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple

import mpmath as mp
import numpy as np
import scipy.special

import weft.tensor as wt
from tools.workspace import ROOT

PAGE: Final = ROOT / "docs" / "accuracy.md"
BACKENDS: Final = ("py", "numba", "jax")
_HEAD = """\
# Accuracy of special functions

The largest error over ordinary, tiny and huge arguments, and such next to poles, zeros and ends of
the domain, in units in the last place (at most 2.2e-16 of the result in float64, 1.2e-7 in
float32), against mpmath with 50 digits. SciPy's and JAX's own functions are measured with the same
arguments; *wrong* is an error above 1e9. Written by `python -m tools.accuracy`.

In float64, the bound is 4 units for functions that are like elementary ones, and 4500, which is
1e-12 of the result, for the others. Python and Numba compute by SciPy's functions where these are
as fast; what is **bold** is above the bound, and is SciPy's own error.

Next to zeros of functions that oscillate only the error over their amplitude is small: with J and Y
it is that over hypot(J, Y), for arguments above the order. The zeros of `gammaln` and
`digamma` at negative numbers are left out. So are numbers below the smallest normal one: XLA takes
them for 0.

"""
_ELEMENTARY: Final = 4
_OTHERS: Final = 4500

_ENDLESS: Final = ("exp1", "expi", "expn")
"""Functions of JAX that are not measured: for some of these arguments they don't return."""

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


_AT_ZERO: Final = [0.3725074107813666, 0.37250742, 0.3726, 0.37]

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
    Case("ellipk", mp.ellipk, (_MODULI,)),
    Case("ellipkm1", lambda p: mp.ellipk(1 - p), ([*_POSITIVE, *_HUGE],)),
    Case("ellipe", mp.ellipe, (_MODULI,)),
    Case("ellipkinc", mp.ellipf, (_ANGLES, _MODULI)),
    Case("ellipeinc", mp.ellipe, (_ANGLES, _MODULI)),
    Case("elliprc", _elliprc, (_CARLSON, [*_CARLSON, -1e-5, -0.7, -1.1, -30.0])),
    Case("elliprd", mp.elliprd, (_CARLSON,) * 3),
    Case("elliprf", mp.elliprf, (_CARLSON,) * 3),
    Case("log_iv", lambda v, x: mp.log(mp.besseli(v, x)), _BESSEL, size=lambda v, x: 1),
    Case("log_ive", lambda v, x: mp.log(mp.besseli(v, x)) - x, _BESSEL, size=lambda v, x: 1),
    Case("zeta", mp.zeta, ([1.01, 1.5, 2.0, 3.0, 7.5, 20.0], [0.01, 0.5, 1.0, 7.0]), _ELEMENTARY),
)


def right(case: Case, points: Numbers) -> Any:
    """The result for one combination of arguments."""
    with mp.workdps(50):
        return case.right(*[mp.mpf(x) for x in points])


def _size(case: Case, points: Numbers, result: Any) -> Any:
    with mp.workdps(50):
        return max(abs(result), case.size(*map(mp.mpf, points)) if case.size else 0)


def errors(case: Case, dtype: str, computed: dict[str, Callable[..., Any]]) -> dict[str, float]:
    """The largest error of each way to compute it.

    >>> sine = Case("sin", mp.sin, ([0.5, 1.0],), 4)
    >>> errors(sine, "float64", {"NumPy": np.sin})["NumPy"] < 2
    True
    """
    limits = np.finfo(np.dtype(dtype).type)
    wide = [g.ravel() for g in np.meshgrid(*case.places, indexing="ij")]
    with np.errstate(over="ignore"):
        grids = [g.astype(dtype) for g in wide]
    normal = [(np.abs(g) >= limits.tiny) & np.isfinite(g) for g in grids]
    usable = np.all([n | (g == 0) for n, g in zip(normal, wide, strict=True)], axis=0)
    grids = [g[usable] for g in grids]
    exact = [right(case, [float(x) for x in point]) for point in zip(*grids, strict=True)]
    counted = [k for k, r in enumerate(exact) if limits.tiny < abs(r) < limits.max]
    sizes = [_size(case, [float(g[k]) for g in grids], exact[k]) for k in counted]
    spacing = [float(np.spacing(np.abs(np.asarray(float(size), dtype)))) for size in sizes]
    found = {}
    for way, function in computed.items():
        with np.errstate(all="ignore"):
            result = np.asarray(function(*grids))
        with mp.workdps(50):
            apart = [
                float(abs(mp.mpf(float(result[k])) - exact[k]) / unit)
                if np.isfinite(result[k])
                else np.inf
                for k, unit in zip(counted, spacing, strict=True)
            ]
        found[way] = max(apart)
    return found


def ours(case: Case, dtype: str, backend: str) -> Callable[..., Any]:
    """Weft's function, compiled for a backend."""
    inputs = [wt.vector(f"x{k}", dtype=dtype) for k in range(len(case.places))]
    expression = case.of(wt.special)
    assert expression is not None
    compiled = wt.function(inputs, expression(*inputs), mode=backend)
    return lambda *values: compiled(*values)


def scipys(case: Case) -> dict[str, Callable[..., Any]]:
    """SciPy's function, if there is one.

    >>> [list(scipys(case)) for case in CASES if case.name in ("gamma", "logerfc")]
    [[], ['SciPy']]
    """
    other = {"trigamma": partial(scipy.special.polygamma, 1)}
    function = other.get(case.name) or case.of(scipy.special)
    return {"SciPy": function} if function else {}


def _jaxs(case: Case) -> dict[str, Callable[..., Any]]:
    import jax.scipy.special  # slow, and not needed by the test

    function = None if case.name in _ENDLESS else case.of(jax.scipy.special)
    return {"JAX": _in_x64(function)} if function else {}


def _in_x64(function: Callable[..., Any]) -> Callable[..., Any]:
    import jax

    def compute(*values: Any) -> Any:
        with jax.enable_x64(True):
            return np.asarray(jax.jit(function)(*values))

    return compute


def main() -> None:
    """Measure all, and write the page."""
    lines = []
    for dtype in ("float64", "float32"):
        lines += [f"## {dtype}", "", "| function | py | Numba | JAX | SciPy | jax.scipy |"]
        lines += ["| --- | --- | --- | --- | --- | --- |"]
        for case in CASES:
            ways = {b: ours(case, dtype, b) for b in BACKENDS} | scipys(case) | _jaxs(case)
            found = errors(case, dtype, ways)
            bound = case.bound if dtype == "float64" else np.inf
            cells = [_cell(found.get(way), bound) for way in BACKENDS]
            cells += [_cell(found.get(way)) for way in ("SciPy", "JAX")]
            lines.append(f"| `{case.name}` | {' | '.join(cells)} |")
            print(lines[-1], file=sys.stderr)
        lines.append("")
    PAGE.write_text(_HEAD + "\n".join(lines))


def _cell(error: float | None, bound: float = np.inf) -> str:
    if error is None:
        return ""
    text = "wrong" if error > 1e9 else f"{error:.1f}" if error < 100 else f"{error:.0f}"
    return f"**{text}**" if error > bound else text


if __name__ == "__main__":
    main()
