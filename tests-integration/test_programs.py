"""Programs as users write them, against ones in NumPy that were written independently."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby, product
from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp

import weft.tensor as wt

MODES = ["py", "numba", "jax"]
RANDOM = np.random.default_rng(8)


@dataclass
class Layer:
    """A matrix and what is added."""

    w: Any
    b: Any


def ctc_loss(scores: Any, labels: Any) -> Any:
    """How unlikely the labels are, over all alignments with blanks between."""
    logp = wt.nn.log_softmax(scores)
    extended = wt.zeros(2 * labels.shape[0] + 1, dtype="int64")[1::2].set(labels)
    before = wt.concatenate([[-1, -1], extended[:-2]])
    may_skip = wt.logical_and(wt.neq(extended, 0), wt.neq(extended, before))
    never = -1e30
    start = wt.full(extended.shape[0], never)[0].set(logp[0, 0])[1].set(logp[0, extended[1]])

    def step(alpha: Any, row: Any) -> tuple[Any, None]:
        one = wt.concatenate([[never], alpha[:-1]])
        two = wt.where(may_skip, wt.concatenate([[never, never], alpha[:-2]]), never)
        return wt.logaddexp(wt.logaddexp(alpha, one), two) + row[extended], None

    alpha, _ = wt.loop.scan(step, start, logp[1:])
    return -wt.logaddexp(alpha[-1], alpha[-2])


def all_alignments(scores: np.ndarray, labels: list[int]) -> float:
    logp = scores - logsumexp(scores, axis=1, keepdims=True)
    total = 0.0
    for path in product(range(scores.shape[1]), repeat=len(scores)):
        if [k for k, _ in groupby(path) if k] == labels:
            total += np.exp(sum(logp[t, k] for t, k in enumerate(path)))
    return float(-np.log(total))


@pytest.mark.cases("jax")
@pytest.mark.parametrize("mode", MODES)
def test_alignments_of_labels(mode: str) -> None:
    scores, labels = wt.matrix("scores"), wt.lvector("labels")
    loss = ctc_loss(scores, labels)
    f = wt.function([scores, labels], [loss, wt.grad(loss, scores)], mode=mode)
    at, way = RANDOM.normal(size=(5, 4)), RANDOM.normal(size=(5, 4))
    value, slope = f(at, [2, 2])
    np.testing.assert_allclose(value, all_alignments(at, [2, 2]), rtol=1e-12)
    ends = [all_alignments(at + h * way, [2, 2]) for h in (1e-6, -1e-6)]
    np.testing.assert_allclose((slope * way).sum(), (ends[0] - ends[1]) / 2e-6, rtol=1e-7)


@pytest.mark.cases("py", "jax")
@pytest.mark.parametrize("mode", MODES)
def test_a_network_whose_parameters_are_nested_learns_by_adam(mode: str) -> None:
    x, classes = RANDOM.normal(size=(20, 3)), RANDOM.integers(0, 3, 20)
    first = {"in": Layer(0.3 * RANDOM.normal(size=(3, 4)), np.zeros(4)), "out": np.eye(4, 3)}

    def loss(p: Any) -> Any:
        hidden = wt.tanh(x @ p["in"].w + p["in"].b)
        return -(wt.nn.log_softmax(hidden @ p["out"]) * wt.nn.one_hot(classes, 3)).sum(1).mean()

    def step(k: Any, state: Any) -> Any:
        p, m, v = state
        slopes, t = flat(wt.grad(loss(p), p)), k.astype("float64") + 1
        m = [0.9 * a + 0.1 * g for a, g in zip(m, slopes, strict=True)]
        v = [0.99 * a + 0.01 * g**2 for a, g in zip(v, slopes, strict=True)]
        moved = [
            q - 0.05 * (a / (1 - 0.9**t)) / (wt.sqrt(b / (1 - 0.99**t)) + 1e-8)
            for q, a, b in zip(flat(p), m, v, strict=True)
        ]
        return nested(moved), m, v

    def flat(p: Any) -> list[Any]:
        return [p["in"].w, p["in"].b, p["out"]]

    def nested(values: Any) -> Any:
        return {"in": Layer(*values[:2]), "out": values[2]}

    zeros = [np.zeros_like(v) for v in flat(first)]
    last, _, _ = wt.fori_loop(0, 30, step, (first, zeros, zeros))
    learned = wt.function([], last, mode=mode)()
    assert isinstance(learned["in"], Layer)

    weights, m, v = flat(first), zeros, zeros
    for t in range(1, 31):
        w, b, out = weights
        hidden = np.tanh(x @ w + b)
        p = np.exp(hidden @ out - logsumexp(hidden @ out, axis=1, keepdims=True))
        wrong = (p - np.eye(3)[classes]) / 20
        back = wrong @ out.T * (1 - hidden**2)
        slopes = [x.T @ back, back.sum(0), hidden.T @ wrong]
        m = [0.9 * a + 0.1 * g for a, g in zip(m, slopes, strict=True)]
        v = [0.99 * a + 0.01 * g**2 for a, g in zip(v, slopes, strict=True)]
        weights = [
            q - 0.05 * (a / (1 - 0.9**t)) / (np.sqrt(s / (1 - 0.99**t)) + 1e-8)
            for q, a, s in zip(weights, m, v, strict=True)
        ]
    for actual, wanted in zip(flat(learned), weights, strict=True):
        np.testing.assert_allclose(actual, wanted, rtol=1e-6, atol=1e-8)


@pytest.mark.cases("py", "numba")
@pytest.mark.parametrize("mode", MODES)
def test_the_distance_between_sequences(mode: str) -> None:
    """A loop within a loop: the least number of changes that make one of the other."""
    a, b = wt.lvector("a"), wt.lvector("b")

    def row(before: Any, x: Any) -> tuple[Any, None]:
        def cell(left: Any, at: Any) -> tuple[Any, Any]:
            y, up, corner = at
            best = wt.minimum(wt.minimum(left, up) + 1, corner + wt.neq(x, y))
            return best, best

        first = before[0] + 1
        _, cells = wt.loop.scan(cell, first, (b, before[1:], before[:-1]))
        return wt.concatenate([first[None], cells]), None

    last, _ = wt.loop.scan(row, wt.arange(b.shape[0] + 1), a)
    f = wt.function([a, b], last[-1], mode=mode)
    x, y = [1, 2, 3, 4, 5, 2], [1, 3, 3, 5, 2, 2, 7]
    table = np.add.outer(np.arange(7), np.arange(8))
    for i, j in product(range(6), range(7)):
        changed = table[i, j] + (x[i] != y[j])
        table[i + 1, j + 1] = min(table[i, j + 1] + 1, table[i + 1, j] + 1, changed)
    assert f(x, y) == table[-1, -1]


def test_rolling_statistics(few: Any) -> None:
    x, n = wt.vector("x"), wt.lscalar("n")
    windows: Any = np.lib.stride_tricks.sliding_window_view
    parts = windows(x, 4)
    both = wt.sliding_window_view(wt.outer(x, x), (n, 2)).sum((-1, -2))
    data = RANDOM.normal(size=9)
    expected = windows(data, 4)
    outputs = [parts.std(-1, ddof=1), np.median(parts, -1), both]
    for mode in few(MODES, 1):
        spread, middle, sums = wt.function([x, n], outputs, mode=mode)(data, 3)
        np.testing.assert_allclose(spread, expected.std(-1, ddof=1))
        np.testing.assert_allclose(middle, np.median(expected, -1))
        np.testing.assert_allclose(sums, windows(np.outer(data, data), (3, 2)).sum((-1, -2)))
    with pytest.raises(ValueError, match="must not be longer"):
        wt.function([x, n], both, mode="py")(data, 10)
    with pytest.raises(ValueError, match="must not be longer"):
        wt.sliding_window_view(np.ones(3), 4)
    with pytest.raises(ValueError, match="need as many lengths"):
        wt.sliding_window_view(np.ones((3, 3)), 2)
