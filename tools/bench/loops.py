"""Functions of NumPy's written as loops for Numba; `functions` compiles them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def var_rows(x: Any) -> Any:
    n, m = x.shape
    result = np.empty(n)
    for i in range(n):
        total = 0.0
        for j in range(m):
            total += x[i, j]
        mean, total = total / m, 0.0
        for j in range(m):
            total += (x[i, j] - mean) ** 2
        result[i] = total / m
    return result


def var_columns(x: Any) -> Any:
    n, m = x.shape
    mean, result = np.zeros(m), np.zeros(m)
    for i in range(n):
        for j in range(m):
            mean[j] += x[i, j]
    for j in range(m):
        mean[j] /= n
    for i in range(n):
        for j in range(m):
            result[j] += (x[i, j] - mean[j]) ** 2
    for j in range(m):
        result[j] /= n
    return result


def logsumexp_rows(x: Any) -> Any:
    n, m = x.shape
    result = np.empty(n)
    for i in range(n):
        most, total = -np.inf, 0.0
        for j in range(m):
            most = max(most, x[i, j])
        for j in range(m):
            total += math.exp(x[i, j] - most)
        result[i] = most + math.log(total)
    return result


def logsumexp_columns(x: Any) -> Any:
    n, m = x.shape
    most, result = np.full(m, -np.inf), np.zeros(m)
    for i in range(n):
        for j in range(m):
            most[j] = max(most[j], x[i, j])
    for i in range(n):
        for j in range(m):
            result[j] += math.exp(x[i, j] - most[j])
    for j in range(m):
        result[j] = most[j] + math.log(result[j])
    return result


def softmax_rows(x: Any) -> Any:
    n, m = x.shape
    result = np.empty((n, m))
    for i in range(n):
        most, total = -np.inf, 0.0
        for j in range(m):
            most = max(most, x[i, j])
        for j in range(m):
            result[i, j] = math.exp(x[i, j] - most)
            total += result[i, j]
        for j in range(m):
            result[i, j] /= total
    return result


def softmax_columns(x: Any) -> Any:
    n, m = x.shape
    most, total, result = np.full(m, -np.inf), np.zeros(m), np.empty((n, m))
    for i in range(n):
        for j in range(m):
            most[j] = max(most[j], x[i, j])
    for i in range(n):
        for j in range(m):
            result[i, j] = math.exp(x[i, j] - most[j])
            total[j] += result[i, j]
    for i in range(n):
        for j in range(m):
            result[i, j] /= total[j]
    return result


def nanmean_rows(x: Any) -> Any:
    n, m = x.shape
    result = np.empty(n)
    for i in range(n):
        total, count = 0.0, 0
        for j in range(m):
            there = x[i, j] == x[i, j]
            total += x[i, j] if there else 0.0
            count += there
        result[i] = total / count
    return result


def nanmean_columns(x: Any) -> Any:
    n, m = x.shape
    count, result = np.zeros(m, np.int64), np.zeros(m)
    for i in range(n):
        for j in range(m):
            there = x[i, j] == x[i, j]
            result[j] += x[i, j] if there else 0.0
            count[j] += there
    for j in range(m):
        result[j] /= count[j]
    return result


def clip(x: Any) -> Any:
    result = np.empty_like(x)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            result[i, j] = min(max(x[i, j], -1.0), 1.0)
    return result


def diff(x: Any) -> Any:
    result = np.empty((x.shape[0] - 1, x.shape[1]))
    for i in range(x.shape[0] - 1):
        for j in range(x.shape[1]):
            result[i, j] = x[i + 1, j] - x[i, j]
    return result


def quantile(x: Any) -> Any:
    return np.quantile(x, 0.3)


def searchsorted(a: Any, v: Any) -> Any:
    return np.searchsorted(a, v)


def histogram(x: Any) -> Any:
    low, high, bins = -3.0, 3.0, 50
    counts, edges = np.zeros(bins, np.int64), np.linspace(low, high, bins + 1)
    for k in range(x.size):
        if low <= x[k] <= high:
            place = min(int((x[k] - low) / (high - low) * bins), bins - 1)
            place -= x[k] < edges[place]
            place += x[k] >= edges[place + 1] and place != bins - 1
            counts[place] += 1
    return counts


def products(x: Any, y: Any) -> Any:
    total = 0.0
    for i in range(x.size):
        for j in range(y.size):
            total += x[i] * y[j]
    return total


def kernel(x: Any, y: Any) -> Any:
    result = np.empty(x.size)
    for i in range(x.size):
        total = 0.0
        for j in range(y.size):
            total += math.exp(-((x[i] - y[j]) ** 2))
        result[i] = total
    return result


def partition(x: Any) -> Any:
    return np.partition(x, 1000)[1000]


def convolve(x: Any, y: Any) -> Any:
    result = np.zeros(x.size + y.size - 1)
    for i in range(x.size):
        for j in range(y.size):
            result[i + j] += x[i] * y[j]
    return result
