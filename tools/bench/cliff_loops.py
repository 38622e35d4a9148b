"""Expressions of `cliff_cases` as loops that a user would write for Numba, by their names."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

__all__ = ["BY_HAND"]


def _moving_sums(u: Any) -> Any:
    result = np.empty(len(u) - 15)
    for i in range(len(result)):
        total = 0.0
        for j in range(16):
            total += u[i + j]
        result[i] = total
    return result


def _stencil(u: Any) -> Any:
    n, m = u.shape
    result = np.empty((n - 4, m - 4))
    for i in range(n - 4):
        for j in range(m - 4):
            total = 0.0
            for a in range(5):
                for b in range(5):
                    total += u[i + a, j + b]
            result[i, j] = total
    return result


def _laplacian(u: Any) -> Any:
    n, m = u.shape
    result = np.empty((n - 2, m - 2))
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            around = u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1]
            result[i - 1, j - 1] = around - 4 * u[i, j]
    return result


def _column_sum(x: Any) -> Any:
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(0, x.shape[1], 3):
            total += x[i, j]
    return total


def _bincount(x: Any, places: Any) -> Any:
    result = np.zeros(max(100, places.max() + 1))
    for k in range(len(x)):
        result[places[k]] += x[k]
    return result


def _means(x: Any, places: Any) -> Any:
    length = max(100, places.max() + 1)
    totals, counts = np.zeros(length), np.ones(length)
    for k in range(len(x)):
        totals[places[k]] += x[k]
        counts[places[k]] += 1
    return totals / counts


def _polyval(x: Any, c: Any) -> Any:
    result = np.empty(len(x))
    for i in range(len(x)):
        y = 0.0
        for k in range(len(c)):
            y = y * x[i] + c[k]
        result[i] = y
    return result


def _log_density(x: Any, mu: Any, s: Any) -> Any:
    return -0.5 * ((x - mu) / s) ** 2 - math.log(s)


def _softmax(x: Any) -> Any:
    n, m = x.shape
    result = np.empty((n, m), np.float32)
    for i in range(n):
        largest = x[i].max()
        total = np.float32(0)
        for j in range(m):
            result[i, j] = math.exp(x[i, j] - largest)
            total += result[i, j]
        for j in range(m):
            result[i, j] /= total
    return result


def _pooled(x: Any) -> Any:
    n, m = x.shape
    result = np.empty((n // 2, m // 2), np.float32)
    for i in range(n // 2):
        for j in range(m // 2):
            above = max(x[2 * i, 2 * j], x[2 * i, 2 * j + 1])
            result[i, j] = max(above, x[2 * i + 1, 2 * j], x[2 * i + 1, 2 * j + 1])
    return result


def _distances(x: Any) -> Any:
    n, m = x.shape
    result = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            total = 1e-9
            for k in range(m):
                total += (x[i, k] - x[j, k]) ** 2
            result[i, j] = math.sqrt(total)
    return result


def _cross(x: Any, y: Any) -> Any:
    result = np.empty_like(x)
    for i in range(len(x)):
        result[i, 0] = x[i, 1] * y[i, 2] - x[i, 2] * y[i, 1]
        result[i, 1] = x[i, 2] * y[i, 0] - x[i, 0] * y[i, 2]
        result[i, 2] = x[i, 0] * y[i, 1] - x[i, 1] * y[i, 0]
    return result


def _traces(x: Any, y: Any) -> Any:
    result = np.zeros(len(x))
    for i in range(len(x)):
        for j in range(3):
            for k in range(3):
                result[i] += x[i, j, k] * y[i, k, j]
    return result


def _sum_of_outer(x: Any, y: Any) -> Any:
    return x.T @ y


def _energies(x: Any, y: Any) -> Any:
    result = np.empty(len(x))
    for i in range(len(x)):
        a, b = x[i], y[i, :, 0]
        c0 = a[1, 1] * a[2, 2] - a[1, 2] * a[2, 1]
        c1 = a[1, 2] * a[2, 0] - a[1, 0] * a[2, 2]
        c2 = a[1, 0] * a[2, 1] - a[1, 1] * a[2, 0]
        det = a[0, 0] * c0 + a[0, 1] * c1 + a[0, 2] * c2
        d1, d2 = a[0, 2] * a[2, 1] - a[0, 1] * a[2, 2], a[0, 1] * a[1, 2] - a[0, 2] * a[1, 1]
        e1, e2 = a[0, 0] * a[2, 2] - a[0, 2] * a[2, 0], a[0, 2] * a[1, 0] - a[0, 0] * a[1, 2]
        f1, f2 = a[0, 1] * a[2, 0] - a[0, 0] * a[2, 1], a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0]
        form = b[0] * (c0 * b[0] + d1 * b[1] + d2 * b[2])
        form += b[1] * (c1 * b[0] + e1 * b[1] + e2 * b[2])
        form += b[2] * (c2 * b[0] + f1 * b[1] + f2 * b[2])
        result[i] = form / det + math.log(abs(det))
    return result


def _hitting(x: Any) -> Any:
    n, m = x.shape
    result = np.full(n, -1)
    for i in range(n):
        total = 0.0
        for j in range(m):
            total += x[i, j]
            if total > 2.0:
                result[i] = j
                break
    return result


def _slope_of_least_distances(x: Any, c: Any) -> Any:
    n, d = x.shape
    result = np.empty((n, d))
    for i in range(n):
        least, nearest = np.inf, 0
        for j in range(len(c)):
            square = 0.0
            for k in range(d):
                square += (x[i, k] - c[j, k]) ** 2
            if square < least:
                least, nearest = square, j
        for k in range(d):
            result[i, k] = 2 * (x[i, k] - c[nearest, k])
    return result


def _slope_of_windows(x: Any) -> Any:
    result = np.zeros(len(x))
    for i in range(len(x) - 7):
        for k in range(0, 8, 3):
            result[i + k] += 1 - math.tanh(x[i + k]) ** 2
    return result


def _slope_of_places(x: Any, places: Any) -> Any:
    result = np.zeros(len(x))
    for place in places:
        result[place] += 2 * x[place]
    return result


def _slope_of_cumsum(x: Any) -> Any:
    so_far, total = x.cumsum(), 0.0
    for i in range(len(x) - 1, -1, -1):
        total += 2 * so_far[i]
        so_far[i] = total
    return so_far


def _slope_of_cumprod(x: Any) -> Any:
    n, m = x.shape
    before, after = np.ones((n, m)), np.zeros(m)
    for i in range(1, n):
        for j in range(m):
            before[i, j] = before[i - 1, j] * (1 + x[i - 1, j] / 1000)
    for i in range(n - 1, -1, -1):
        for j in range(m):
            to_the_end = 1 + after[j]
            before[i, j] *= to_the_end / 1000
            after[j] = to_the_end * (1 + x[i, j] / 1000)
    return before


def _slope_of_roll(x: Any) -> Any:
    n = len(x)
    result = np.empty(n)
    for i in range(n):
        result[i] = x[i - 2] + x[i + 2 if i + 2 < n else i + 2 - n]
    return result


def _warping(x: Any) -> Any:
    n = len(x)
    table = np.full((n + 1, n + 1), np.inf)
    table[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            before = min(table[i - 1, j], table[i, j - 1], table[i - 1, j - 1])
            table[i, j] = abs(x[i - 1] - x[n - j]) + before
    return table[n, n]


def _increasing(x: Any) -> Any:
    best = np.ones(len(x))
    for i in range(len(x)):
        longest = 0.0
        for j in range(i):
            if x[j] < x[i] and best[j] > longest:
                longest = best[j]
        best[i] = longest + 1
    return best.max()


def _counted(x: Any) -> Any:
    counts = np.zeros(100)
    for i in range(len(x)):
        counts[int(abs(x[i]) * 20) % 100] += 1
    return counts


def _sparse_product(data: Any, x: Any, row: Any, col: Any) -> Any:
    result = np.zeros(5000)
    for k in range(len(data)):
        result[row[k]] += data[k] * x[col[k]]
    return result


BY_HAND: Final[Mapping[str, Callable[..., Any]]] = {
    "moving sums": _moving_sums,
    "stencil 5 x 5": _stencil,
    "laplacian": _laplacian,
    "every third column": _column_sum,
    "bincount": _bincount,
    "means of segments": _means,
    "sparse product": _sparse_product,
    "polyval": _polyval,
    "log density of numbers": _log_density,
    "softmax, float32": _softmax,
    "max pool, float32": _pooled,
    "distances": _distances,
    "cross products": _cross,
    "traces of products": _traces,
    "sum of outer products": _sum_of_outer,
    "solve and slogdet, stack of 3": _energies,
    "hitting times": _hitting,
    "slope of least distances": _slope_of_least_distances,
    "slope of windows": _slope_of_windows,
    "slope of x[idx]": _slope_of_places,
    "slope of cumsum": _slope_of_cumsum,
    "slope of cumprod along 0": _slope_of_cumprod,
    "slope of roll": _slope_of_roll,
    "loop: time warping": _warping,
    "loop: increasing subsequence": _increasing,
    "loop: counts": _counted,
}
