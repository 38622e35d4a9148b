"""Parts of models as users of JAX write them, of which none should take longer with Weft."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from tools.bench.cliff_cases import Cliff, with_places
from tools.bench.cliff_expressions import looped
from tools.bench.functions import drawn

__all__ = ["MODELS"]


def attention(m: Any, q: Any, k: Any, v: Any) -> Any:
    """Of each place to those before it."""
    n = q.shape[1]
    scores = m.einsum("hnd,hmd->hnm", q, k) / 8.0
    scores = m.where(m.arange(n)[:, None] >= m.arange(n), scores, -1e9)
    weights = m.exp(scores - m.max(scores, axis=-1, keepdims=True))
    weights = weights / m.sum(weights, axis=-1, keepdims=True)
    return m.einsum("hnm,hmd->hnd", weights, v)


def block(m: Any, x: Any, first: Any, second: Any) -> Any:
    """Rows of mean 0 and variance 1, through two layers, and what they were."""
    centred = x - m.mean(x, axis=-1, keepdims=True)
    rows = centred / m.sqrt(m.var(x, axis=-1, keepdims=True) + 1e-5)
    return x + m.tanh(rows @ first) @ second


def power_iteration(m: Any, a: Any, v: Any) -> Any:
    """The largest eigenvalue."""

    def step(i: Any, v: Any) -> Any:
        w = a @ v
        return w / m.linalg.norm(w)

    v = looped(m, 0, 100, step, v)
    return v @ a @ v


def maxima(m: Any, x: Any) -> Any:
    """Of each ten in a row."""
    places = m.arange(x.shape[0] - 9)[:, None] + m.arange(10)
    return m.max(x[places], axis=1)


def group_effects(m: Any, a: Any, x: Any, y: Any, group: Any) -> Any:
    """A normal density, whose mean differs by groups."""
    return m.sum(-0.5 * ((y - a[group] - 0.3 * x) / 0.7) ** 2)


def observed() -> tuple[Any, ...]:
    """Effects of 50 groups, and 5000 numbers of each kind, in groups."""
    return (*drawn(50, 5000, 5000)(), np.random.default_rng(1).integers(0, 50, 5000))


def segments(m: Any, x: Any, i: Any) -> Any:
    """The sums of rows by i, as weights."""
    sums = m.zeros((300, 8))
    sums = sums.at[i].add(x) if m.__name__ == "jax.numpy" else m.segment_sum(x, i, 300)
    return m.tanh(sums)


def sparse_product(m: Any, data: Any, x: Any, row: Any, col: Any) -> Any:
    """Of a matrix of entries at some places with a vector."""
    terms, sums = data * x[col], m.zeros(5000)
    if m.__name__ == "jax.numpy":
        return sums.at[row].add(terms)
    return m.segment_sum(terms, row, 5000) if hasattr(m, "segment_sum") else m.bincount(row, terms)


def entries() -> tuple[Any, ...]:
    """50,000 of a matrix, in the order of rows, a vector, and their places."""
    rng = np.random.default_rng(1)
    row, col = rng.integers(0, 5000, (2, 50_000))
    return (*drawn(50_000, 5000)(), np.sort(row), col)


def process(m: Any, x: Any, y: Any) -> Any:
    """The density of a Gaussian process."""
    k = m.exp(-0.5 * (x[:, None] - x) ** 2) + 0.1 * m.eye(x.shape[0])
    factor = m.linalg.cholesky(k)
    return y @ m.linalg.solve(k, y) + m.sum(m.log(m.diagonal(factor)))


def contrasts(m: Any, a: Any, b: Any) -> Any:
    """How well rows of one are told by those of the other, at a low temperature."""
    scores = a @ b.T / 0.1
    top = m.max(scores, axis=1, keepdims=True)
    totals = top + m.log(m.sum(m.exp(scores - top), axis=1, keepdims=True))
    return m.mean(totals[:, 0] - m.diagonal(scores))


def packed(m: Any, values: Any, weights: Any) -> Any:
    """The most that goes into sacks of each size, and how often one more thing does."""
    scan = m.loop.scan if hasattr(m, "loop") else import_module("jax.lax").scan

    def step(best: Any, thing: Any) -> Any:
        place = m.arange(best.shape[0]) - thing[1]
        other = m.where(place >= 0, best[m.maximum(place, 0)] + thing[0], -1.0)
        return m.maximum(best, other), other > best

    best, taken = scan(step, m.zeros(201), (values, weights))
    return best + m.sum(taken, axis=0)


def scattered(m: Any, x: Any, charges: Any, waves: Any) -> Any:
    """How much of each wave charged points scatter, in all."""
    amplitudes = m.sum(charges * m.exp(1j * (waves @ x.T)), axis=1)
    return m.sum(m.abs(amplitudes) ** 2)


def smoothed(m: Any, means: Any, gains: Any) -> Any:
    """What each step of a walk knows of those after it."""
    scan = m.loop.scan if hasattr(m, "loop") else import_module("jax.lax").scan

    def back(after: Any, step: Any) -> Any:
        mean, gain, ahead = step
        now = mean + gain * (after - ahead)
        return now, now

    steps = means[:-1], gains[:-1], 0.9 * means[:-1] + 0.1 * means[1:]
    return scan(back, means[-1], steps, reverse=True)[1]


HEADS = drawn((4, 64, 32), (4, 64, 32), (4, 64, 32))
LAYERS = drawn((256, 64), (64, 128), (128, 64))
MODELS: dict[str, Cliff] = {
    "slope of attention": Cliff(lambda m, *x: m.sum(attention(m, *x) ** 2), HEADS, slope=True),
    "slope of a block": Cliff(lambda m, *x: m.sum(block(m, *x) ** 2), LAYERS, slope=True),
    "loop: power iteration": Cliff(power_iteration, drawn((50, 50), 50), unknown=("numpy",)),
    "windows, largest": Cliff(maxima, drawn(20_000)),
    "group effects": Cliff(group_effects, observed),
    "slope of group effects": Cliff(group_effects, observed, slope=True),
    "sums of segments of rows": Cliff(
        segments, with_places((20_000, 8), 300, 20_000), unknown=("numpy",)
    ),
    "sparse product": Cliff(sparse_product, entries),
    "few nearest of rows": Cliff(lambda m, x: m.argsort(x, axis=1)[:, :7], drawn((300, 1000))),
    "exp of cumsum along rows": Cliff(
        lambda m, x: m.sum(m.exp(m.cumsum(x, axis=1) / 30), axis=1), drawn((20_000, 50))
    ),
    "interp": Cliff(lambda m, x, y: m.interp(x, m.linspace(-2.0, 2.0, 100), y), drawn(20_000, 100)),
    "slope of a process": Cliff(process, drawn(60, 60), slope=True),
    "contrastive loss": Cliff(contrasts, drawn((128, 32), (128, 32))),
    "slope of contrastive loss": Cliff(contrasts, drawn((128, 32), (128, 32)), slope=True),
    "slope of a structure factor": Cliff(scattered, drawn((12, 3), 12, (342, 3)), slope=True),
    "loop: smoother": Cliff(smoothed, drawn(300, 300), unknown=("numpy",)),
    "loop: knapsack": Cliff(packed, with_places(60, 30, 60), unknown=("numpy",)),
}
