"""Expressions that sciences write, beside `cliff_cases`: grids, meshes, images, tables, groups."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Final

import numpy as np

from tools.bench.cliff_cases import SQUARE, Cliff, stack
from tools.bench.cliff_expressions import looped
from tools.bench.functions import drawn

__all__ = ["SCIENCES", "SCIENCES_BY_HAND"]


def uniform(*shapes: Any) -> Callable[[], tuple[Any, ...]]:
    """Numbers from 0 to 1."""

    def draw() -> tuple[Any, ...]:
        rng = np.random.default_rng(0)
        return tuple(rng.random(shape) for shape in shapes)

    return draw


def on_a_torus(m: Any, u: Any) -> Any:
    """Second differences of what repeats."""
    rows = m.roll(u, 1, axis=0) + m.roll(u, -1, axis=0)
    return rows + m.roll(u, 1, axis=1) + m.roll(u, -1, axis=1) - 4 * u


def _on_a_torus(u: Any) -> Any:
    n, k = u.shape
    result = np.empty((n, k))
    for i in range(n):
        above, below = (i or n) - 1, i + 1 if i + 1 < n else 0
        for j in range(k):
            before, after = (j or k) - 1, j + 1 if j + 1 < k else 0
            around = u[above, j] + u[below, j] + u[i, before] + u[i, after]
            result[i, j] = around - 4 * u[i, j]
    return result


def alignment(m: Any, s: Any) -> Any:
    """The energy of spins on a torus."""
    return -m.sum(s * (m.roll(s, 1, axis=0) + m.roll(s, 1, axis=1)))


def _alignment(s: Any) -> Any:
    n, k = s.shape
    total = 0
    for i in range(n):
        for j in range(k):
            total += s[i, j] * (s[i - 1, j] + s[i, j - 1])
    return -total


def upwind(m: Any, u: Any, c: Any) -> Any:
    """What the wind moves, from where it comes."""
    return u - 0.1 * c * m.where(c > 0, u - m.roll(u, 1), m.roll(u, -1) - u)


def _upwind(u: Any, c: Any) -> Any:
    n = len(u)
    result = np.empty(n)
    for i in range(n):
        after = u[i + 1 if i + 1 < n else 0]
        result[i] = u[i] - 0.1 * c[i] * (u[i] - u[i - 1] if c[i] > 0 else after - u[i])
    return result


def edges(m: Any, u: Any) -> Any:
    """The lengths of Sobel's gradients."""
    across, down = u[:, 2:] - u[:, :-2], u[2:] - u[:-2]
    x = across[:-2] + 2 * across[1:-1] + across[2:]
    y = down[:, :-2] + 2 * down[:, 1:-1] + down[:, 2:]
    return m.sqrt(x * x + y * y)


def _edges(u: Any) -> Any:
    n, k = u.shape
    result = np.empty((n - 2, k - 2))
    for i in range(n - 2):
        for j in range(k - 2):
            corners = u[i + 2, j + 2] - u[i, j]
            others = u[i, j + 2] - u[i + 2, j]
            x = corners + others + 2 * (u[i + 1, j + 2] - u[i + 1, j])
            y = corners - others + 2 * (u[i + 2, j + 1] - u[i, j + 1])
            result[i, j] = math.sqrt(x * x + y * y)
    return result


def wave(m: Any, u: Any, v: Any) -> Any:
    """A step of a wave between walls, from the last two."""
    inner = u[1:-1, 1:-1]
    bent = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * inner
    return m.pad(2 * inner - v[1:-1, 1:-1] + 0.1 * bent, 1)


def _wave(u: Any, v: Any) -> Any:
    n, k = u.shape
    result = np.zeros((n, k))
    for i in range(1, n - 1):
        for j in range(1, k - 1):
            around = u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1]
            result[i, j] = 2 * u[i, j] - v[i, j] + 0.1 * (around - 4 * u[i, j])
    return result


def mahalanobis(m: Any, p: Any, x: Any) -> Any:
    """Distances by a metric of each point."""
    d = x[:, :, 0] - 0.5
    return m.sqrt(m.einsum("ni,nij,nj->n", d, p, d))


def _mahalanobis(p: Any, x: Any) -> Any:
    n, k, _ = x.shape
    result = np.empty(n)
    for i in range(n):
        total = 0.0
        for a in range(k):
            for b in range(k):
                total += (x[i, a, 0] - 0.5) * p[i, a, b] * (x[i, b, 0] - 0.5)
        result[i] = math.sqrt(total)
    return result


def a_mesh() -> tuple[Any, ...]:
    """Points, and triangles of them."""
    (points,) = drawn((5000, 3))()
    return points, np.random.default_rng(1).integers(0, 5000, (30_000, 3))


def area(m: Any, points: Any, triangles: Any) -> Any:
    """The area of a surface of triangles."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    normal = m.cross(b - a, c - a)
    return 0.5 * m.sum(m.sqrt(m.sum(normal * normal, axis=1)))


def _area(points: Any, triangles: Any) -> Any:
    total = 0.0
    for t in range(len(triangles)):
        a, b, c = points[triangles[t, 0]], points[triangles[t, 1]], points[triangles[t, 2]]
        x, y, z = b[0] - a[0], b[1] - a[1], b[2] - a[2]
        u, v, w = c[0] - a[0], c[1] - a[1], c[2] - a[2]
        p, q, r = y * w - z * v, z * u - x * w, x * v - y * u
        total += math.sqrt(p * p + q * q + r * r)
    return 0.5 * total


def counted_in_squares(m: Any, x: Any, y: Any) -> Any:
    """How many points there are in each square of a grid."""
    asked = {"length": 4096} if m.__name__ == "jax.numpy" else {}
    i, j = m.floor(x * 64).astype("int64"), m.floor(y * 64).astype("int64")
    return m.reshape(m.bincount(i * 64 + j, minlength=4096, **asked), (64, 64)) * 1.0


def _counted_in_squares(x: Any, y: Any) -> Any:
    counts = np.zeros((64, 64))
    for k in range(len(x)):
        counts[int(x[k] * 64), int(y[k] * 64)] += 1
    return counts


def histogram2d(m: Any, x: Any, y: Any) -> Any:
    """The same with NumPy's edges."""
    return m.histogram2d(x, y, bins=64, range=[[0, 1], [0, 1]])[0] * 1.0


def drawdown(m: Any, x: Any) -> Any:
    """The largest loss after a maximum."""
    highest = m.cummax(x) if hasattr(m, "cummax") else m.maximum.accumulate(x)
    return m.min(x / highest - 1)


def _drawdown(x: Any) -> Any:
    highest, least = x[0], 0.0
    for value in x:
        highest = max(highest, value)
        least = min(least, value / highest - 1)
    return least


def from_a_table(m: Any, table: Any, x: Any) -> Any:
    """Values between those of a table."""
    place = x * (table.shape[0] - 1)
    i = m.minimum(m.floor(place).astype("int64"), table.shape[0] - 2)
    part = place - i
    return table[i] * (1 - part) + table[i + 1] * part


def _from_a_table(table: Any, x: Any) -> Any:
    result = np.empty(len(x))
    for k in range(len(x)):
        place = x[k] * (len(table) - 1)
        i = min(int(place), len(table) - 2)
        result[k] = table[i] * (1 - (place - i)) + table[i + 1] * (place - i)
    return result


def between_pixels(m: Any, image: Any, y: Any, x: Any) -> Any:
    """Values between those of an image."""
    y, x = y * (image.shape[0] - 1), x * (image.shape[1] - 1)
    i = m.minimum(y.astype("int64"), image.shape[0] - 2)
    j = m.minimum(x.astype("int64"), image.shape[1] - 2)
    a, b = y - i, x - j
    above = (1 - b) * image[i, j] + b * image[i, j + 1]
    return (1 - a) * above + a * ((1 - b) * image[i + 1, j] + b * image[i + 1, j + 1])


def _between_pixels(image: Any, ys: Any, xs: Any) -> Any:
    result = np.empty(len(ys))
    n, k = image.shape
    for s in range(len(ys)):
        y, x = ys[s] * (n - 1), xs[s] * (k - 1)
        i, j = min(int(y), n - 2), min(int(x), k - 2)
        a, b = y - i, x - j
        above = (1 - b) * image[i, j] + b * image[i, j + 1]
        below = (1 - b) * image[i + 1, j] + b * image[i + 1, j + 1]
        result[s] = (1 - a) * above + a * below
    return result


def equalised(m: Any, image: Any) -> Any:
    """An image with as many pixels of each brightness."""
    asked = {"length": 256} if m.__name__ == "jax.numpy" else {}
    counts = m.bincount(m.ravel(image), minlength=256, **asked)
    return (m.cumsum(counts) / image.size)[image]


def _equalised(image: Any) -> Any:
    counts = np.zeros(256)
    for pixel in image.flat:
        counts[pixel] += 1
    shares = np.cumsum(counts) / image.size
    result = np.empty(image.shape)
    for i in range(image.shape[0]):
        for j in range(image.shape[1]):
            result[i, j] = shares[image[i, j]]
    return result


_PAIRS: Final = np.triu_indices(400, 1)


def attraction(m: Any, x: Any) -> Any:
    """Lennard-Jones energies of pairs."""
    i, j = _PAIRS
    inverse = 1 / m.sum((x[i] - x[j]) ** 2, axis=1) ** 3
    return m.sum(4 * (inverse * inverse - inverse))


def _attraction(x: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            square = 0.0
            for k in range(3):
                square += (x[i, k] - x[j, k]) ** 2
            inverse = 1 / (square * square * square)
            total += 4 * (inverse * inverse - inverse)
    return total


def bigrams(m: Any, text: Any) -> Any:
    """The entropy of pairs of bytes that follow each other."""
    asked = {"length": 65536} if m.__name__ == "jax.numpy" else {}
    text = text.astype("int64")
    counts = m.bincount(text[:-1] * 256 + text[1:], minlength=65536, **asked)
    shares = counts / (text.shape[0] - 1)
    return -m.sum(m.where(shares > 0, shares * m.log(m.where(shares > 0, shares, 1.0)), 0.0))


def _bigrams(text: Any) -> Any:
    counts, n, total = np.zeros(65536, np.int64), len(text) - 1, 0.0
    for k in range(n):
        counts[np.int64(text[k]) * 256 + text[k + 1]] += 1
    for count in counts:
        if count:
            total -= count / n * math.log(count / n)
    return total


def longest_run(m: Any, x: Any) -> Any:
    """How often a number stands in a row at most."""
    places = m.arange(x.shape[0])
    starts = m.where(m.concatenate([x[:1] < 0, m.not_equal(x[1:], x[:-1])]), places, 0)
    most = getattr(m, "cummax", None) or import_module("jax.lax").cummax
    return m.max(places - most(starts) + 1)


def _longest_run(x: Any) -> Any:
    longest = length = 1
    for k in range(1, len(x)):
        length = length + 1 if x[k] == x[k - 1] else 1
        longest = max(longest, length)
    return longest


def ranked(m: Any, source: Any, target: Any, degrees: Any) -> Any:
    """Twenty steps of PageRank."""
    n = degrees.shape[0]

    def step(k: Any, ranks: Any) -> Any:
        parts = (ranks / degrees)[source]
        if m.__name__ == "jax.numpy":
            return 0.15 / n + 0.85 * m.zeros(n).at[target].add(parts)
        return 0.15 / n + 0.85 * m.segment_sum(parts, target, n)

    return looped(m, 0, 20, step, m.ones(n) / n)


def _ranked(source: Any, target: Any, degrees: Any) -> Any:
    n = len(degrees)
    ranks = np.ones(n) / n
    for _ in range(20):
        parts, sums = ranks / degrees, np.zeros(n)
        for k in range(len(source)):
            sums[target[k]] += parts[source[k]]
        ranks = 0.15 / n + 0.85 * sums
    return ranks


def links() -> tuple[Any, ...]:
    """From where to where links of 500 pages go, and how many there are from each."""
    source, target = np.random.default_rng(0).integers(0, 500, (2, 5000))
    return source, target, np.maximum(np.bincount(source, minlength=500), 1.0)


def letters() -> tuple[Any, ...]:
    """Bytes, of which small ones are frequent."""
    return ((np.random.default_rng(0).exponential(20.0, 200_000)).clip(0, 255).astype("uint8"),)


def pixels() -> tuple[Any, ...]:
    """An image of bytes."""
    return (np.random.default_rng(0).integers(0, 256, (500, 500)).astype("uint8"),)


SCIENCES: Final[Mapping[str, Cliff]] = {
    "periodic laplacian": Cliff(on_a_torus, SQUARE),
    "spins on a torus": Cliff(
        alignment, lambda: (np.random.default_rng(0).integers(0, 2, (500, 500)) * 2 - 1,)
    ),
    "upwind": Cliff(upwind, drawn(100_000, 100_000)),
    "sobel": Cliff(edges, drawn((700, 700))),
    "wave, padded": Cliff(wave, drawn((700, 700), (700, 700))),
    "mahalanobis": Cliff(mahalanobis, stack(3, 20_000)),
    "area of a mesh": Cliff(area, a_mesh),
    "2-d counts": Cliff(counted_in_squares, uniform(100_000, 100_000)),
    "histogram2d": Cliff(histogram2d, uniform(100_000, 100_000)),
    "drawdown": Cliff(drawdown, lambda: (np.exp(np.cumsum(drawn(100_000)()[0]) / 100),)),
    "linear table": Cliff(from_a_table, uniform(1000, 100_000)),
    "bilinear samples": Cliff(between_pixels, uniform((300, 300), 100_000, 100_000)),
    "histogram equalised": Cliff(equalised, pixels),
    "energies of pairs": Cliff(attraction, lambda: (drawn((400, 3))()[0] * 5,)),
    "entropy of bigrams": Cliff(bigrams, letters),
    "longest run": Cliff(
        longest_run,
        lambda: (np.random.default_rng(0).integers(0, 3, 200_000),),
        unknown=("numpy",),
    ),
    "loop: PageRank": Cliff(ranked, links, unknown=("numpy",)),
}
"""By name, as `CLIFFS`."""

SCIENCES_BY_HAND: Final[Mapping[str, Callable[..., Any]]] = {
    "periodic laplacian": _on_a_torus,
    "spins on a torus": _alignment,
    "upwind": _upwind,
    "sobel": _edges,
    "wave, padded": _wave,
    "mahalanobis": _mahalanobis,
    "area of a mesh": _area,
    "2-d counts": _counted_in_squares,
    "histogram2d": _counted_in_squares,
    "drawdown": _drawdown,
    "linear table": _from_a_table,
    "bilinear samples": _between_pixels,
    "histogram equalised": _equalised,
    "energies of pairs": _attraction,
    "entropy of bigrams": _bigrams,
    "longest run": _longest_run,
    "loop: PageRank": _ranked,
}
