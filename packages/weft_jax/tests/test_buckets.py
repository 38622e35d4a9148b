"""Lengths that are rounded up: few programs, and results as if nothing were padded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import Mode, function
from weft_jax import JAXLinker
from weft_jax.analysis.shape_policy import DynamicShapeError

x = wt.vector("x", shape=("n",))
y = wt.vector("y", shape=("n",))
X = wt.matrix("X", shape=("n", "p"))
Z = wt.matrix("Z", shape=("m", "n"))
w = wt.vector("w", shape=("p",))
LENGTHS = [1, 3, 15, 16, 17, 30, 5]


def padded(inputs: Any, outputs: Any, **buckets: int) -> Any:
    return function(inputs, outputs, mode=Mode(JAXLinker(buckets=buckets or {"n": 16})))


def values_of(inputs: list[Any], lengths: dict[str, int]) -> list[Any]:
    draws = np.random.default_rng(sum(lengths.values()))
    return [draws.normal(size=[lengths[str(n)] for n in v.type.shape]) for v in inputs]


CASES: dict[str, tuple[list[Any], Any]] = {
    "sums": ([x], [(1 / x).sum(), wt.exp(x).mean(), x.prod()]),
    "extremes": ([x], [x.max(), (x * 2).min(), (x > 0).any(), (x < 9).all()]),
    "variance": ([x, y], [((x - x.mean()) * (y - y.mean())).sum() / (x.shape[0] - 1)]),
    "elements": ([x, y], [wt.exp(x) / y, x, x.shape[0]]),
    "columns": ([X], [X.sum(0), X.max(1), X - X.mean(0)]),
    "second axis": ([Z], [Z.sum(1), Z.mean(0), Z.T]),
    "products": ([X, x, y, w], [X @ w, x @ y, X.T @ x, x @ X, X.T @ X]),
}


@pytest.mark.cases(3)
@pytest.mark.parametrize("name", CASES)
def test_results_are_those_without_padding(name: str) -> None:
    inputs, outputs = CASES[name]
    f = padded(inputs, outputs)
    plain = function(inputs, outputs, mode="py")
    for n in LENGTHS:
        values = values_of(inputs, {"n": n, "p": 2, "m": 4})
        with np.errstate(all="ignore"):
            expected = plain(*values)
        for result, wanted in zip(f(*values), expected, strict=True):
            assert (result.dtype, result.shape) == (wanted.dtype, wanted.shape)
            np.testing.assert_allclose(result, wanted, rtol=1e-9)
    assert f.compile_stats.compiles <= 4  # two lengths, in at most two segments


def test_two_names() -> None:
    f = padded([x, w], [x.sum() * w.sum()], n=16, p=4)
    for n, p in ((3, 1), (16, 4), (10, 2)):
        assert f(np.ones(n), np.ones(p)) == [n * p]
    assert f.compile_stats.compiles == 1


def test_no_elements() -> None:
    f = padded([x], x.sum())
    assert f([]) == 0.0
    with pytest.raises(ValueError, match="no elements"):
        padded([x], x.max())([])


def test_arguments_stay_as_they_are() -> None:
    values = np.arange(3.0)
    f = padded([x], [x, x * 2])
    same, _twice = f(values)
    assert not np.shares_memory(same, values)
    assert values.tolist() == [0.0, 1.0, 2.0]


REFUSED = {
    "cumsum": ([x], wt.cumsum(x)),
    "a size": ([x], wt.arange(x.shape[0]).sum() + x.sum()),
    "sort": ([x], wt.argsort(x).max()),
    "an element": ([x], x[-1]),
    "concatenate": ([x, y], wt.concatenate([x, y]).sum()),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_padding_could_change_is_refused(name: str) -> None:
    inputs, output = REFUSED[name]
    with pytest.raises(
        DynamicShapeError, match=r"needs the real length 'n'.*leave 'n' out"
    ) as info:
        padded(inputs, output)
    assert "test_buckets.py" in str(info.value)


def test_what_makes_no_sense() -> None:
    with pytest.raises(ValueError, match="'n' must have a multiple, not 0"):
        JAXLinker(buckets={"n": 0})
    longer = wt.vector("longer", shape=("n + 1",))
    with pytest.raises(ValueError, match=r"<longer : .*> has the length .* can't pad"):
        padded([x, longer], x.sum() + longer.sum())
    state = wt.shared(np.ones(3), shape=("n",))
    with pytest.raises(ValueError, match="is shared"):
        padded([x], (x * state).sum())
