"""Random numbers by JAX: the bits of `jax.random`, the numbers of Python, lengths from values."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function, grad
from weft_jax import as_jax
from weft_jax.lowering.x64 import enable_x64
from weft_tensor import random

SEED, N = wt.lscalar("seed"), wt.lscalar("n")
KEY = random.key(SEED)
MANY = 100_000

DRAWS = {
    "bits": random.bits(KEY, N),
    "bits uint8": random.bits(KEY, N, "uint8"),
    "uniform": random.uniform(KEY, size=N),
    "uniform float32": random.uniform(KEY, size=N, dtype="float32"),
    "uniform -1 to 3": random.uniform(KEY, -1.0, 3.0, size=N),
    "normal": random.normal(KEY, size=N),
    "normal float32": random.normal(KEY, size=N, dtype="float32"),
    "normal of 3 axes": random.normal(KEY, size=(N // 100, 5, 20)),
    "integers": random.integers(KEY, -5, N, size=N),
    "bernoulli": random.bernoulli(KEY, 0.3, size=N),
    "split": random.split(KEY, N),
    "fold_in": random.fold_in(KEY, N),
}


@pytest.mark.cases(4)
@pytest.mark.parametrize("name", DRAWS)
def test_the_same_as_python(name: str) -> None:
    expected, got = (
        function([SEED, N], DRAWS[name], mode=by)(20261121, MANY) for by in ("py", "jax")
    )
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    if "normal" in name:
        assert (np.abs(got - expected) <= 4 * np.spacing(np.abs(expected))).all()
    else:
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("seed", [0, 7, 2**33 + 5, -1])
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32", "uint64"])
def test_the_bits_of_jax(seed: int, dtype: str) -> None:
    made = function([SEED], random.bits(KEY, (7, 5), dtype), mode="jax")(seed)
    with enable_x64(True):
        key = jax.random.key(seed, impl="threefry2x32")
        np.testing.assert_array_equal(made, jax.random.bits(key, (7, 5), dtype))


def test_the_keys_of_jax() -> None:
    made = function([SEED], [random.split(KEY, 5), random.fold_in(KEY, 9)], mode="jax")(7)
    with enable_x64(True):
        key = jax.random.key(7, impl="threefry2x32")
        wanted = [jax.random.split(key, 5), jax.random.fold_in(key, 9)]
    for keys, others in zip(made, wanted, strict=True):
        halves = np.asarray(jax.random.key_data(others)).astype("uint64")
        np.testing.assert_array_equal(keys, halves[..., 0] << np.uint64(32) | halves[..., 1])


@pytest.mark.cases(0)
def test_lengths_from_values_compile_once_each() -> None:
    mu = wt.vector("mu", shape=(3,))
    cost = (random.normal(KEY, mu, 2.0, size=(N, 3)) ** 2).sum()
    f: Any = function([SEED, N, mu], [cost, grad(cost, mu)], mode="jax")
    reference = function([SEED, N, mu], [cost, grad(cost, mu)], mode="py")
    for seed, n in ((1, 4), (2, 9), (3, 4), (4, 9), (5, 0)):
        given = (seed, n, np.ones(3))
        for got, expected in zip(f(*given), reference(*given), strict=True):
            np.testing.assert_allclose(got, expected, rtol=1e-12)
    assert f.compile_stats.compiles == 3
    assert len(f.segments) == 1
    with pytest.raises(ValueError, match="negative"):
        f(1, -1, np.ones(3))
    g = function([N], random.integers(random.key(1), N, size=3), mode="jax")
    with pytest.raises(ValueError, match="low must be less than high"):
        g(0)


def test_state_stays_on_the_device() -> None:
    streams = []
    for by in ("py", "jax"):
        state = wt.shared(random.key(3).eval(), "state")
        following, now = random.split(state)
        draw = function([], random.uniform(now, size=3), updates={state: following}, mode=by)
        streams.append([draw() for _ in range(3)])
    np.testing.assert_array_equal(streams[1], streams[0])


@pytest.mark.cases(0)
def test_inside_transformations_of_jax() -> None:
    draw = as_jax(function([SEED], random.normal(KEY, size=3), mode="py"))
    with enable_x64(True):
        many = jax.jit(jax.vmap(draw))(np.arange(4))
        np.testing.assert_allclose(many[2], draw(2), rtol=1e-15)
    with enable_x64(False), pytest.raises(TypeError, match="need integers of 64 bits"):
        draw(2)
