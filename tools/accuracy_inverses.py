"""Distribution functions that are solved for one of their parameters, for docs/accuracy.md."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import mpmath as mp
import scipy.special

from tools.accuracy_cases import Case

__all__ = ["INVERSES"]

_P: Final = [1e-8, 0.03, 0.5, 0.9, 0.999]


def _lower(a: Any, x: Any) -> Any:
    return mp.gammainc(a, 0, x, regularized=True)


def _share(a: Any, b: Any, x: Any) -> Any:
    return mp.betainc(a, b, 0, x, regularized=True)


def _student(df: Any, t: Any) -> Any:
    tail = _share(df / 2, mp.mpf(0.5), df / (df + t * t)) / 2
    return tail if t < 0 else 1 - tail


def _solved(name: str, difference: Callable[..., Any], *places: list[float]) -> Case:
    """The root of a difference in its first argument, from where SciPy finds it."""

    def right(*values: Any) -> Any:
        start = mp.mpf(float(getattr(scipy.special, name)(*map(float, values))))
        return mp.findroot(lambda v: difference(v, *values), (start, start * (1 + 1e-9)))

    return Case(name, right, places)


INVERSES: Final = (
    _solved("chdtriv", lambda v, p, x: _lower(v / 2, x / 2) - p, _P[1:], [0.3, 2.0, 30.0]),
    _solved("gdtria", lambda a, p, b, x: _lower(b, a * x) - p, _P, [0.5, 3.0, 40.0], [0.2, 7.0]),
    _solved("gdtrib", lambda b, a, p, x: _lower(b, a * x) - p, [0.5, 3.0], _P, [0.2, 7.0]),
    _solved("gdtrix", lambda x, a, b, p: _lower(b, a * x) - p, [0.5, 3.0], [0.5, 40.0], _P),
    _solved("btdtria", lambda a, p, b, x: _share(a, b, x) - p, _P, [0.5, 3.0, 40.0], [0.2, 0.7]),
    _solved("btdtrib", lambda b, a, p, x: _share(a, b, x) - p, [0.5, 3.0, 40.0], _P, [0.2, 0.7]),
    _solved("pdtrik", lambda k, p, m: 1 - _lower(k + 1, m) - p, _P[2:], [1.5, 7.0, 300.0]),
    _solved(
        "bdtrik", lambda k, y, n, p: _share(n - k, k + 1, 1 - p) - y, _P[2:], [20.0, 500.0], [0.3]
    ),
    _solved("stdtridf", lambda df, p, t: _student(df, t) - p, [0.05, 0.2], [-2.5, -4.0]),
)
