"""Random numbers by machine code: Python's, computed where they are used."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import Mode, function, grad
from weft_numba import NumbaLinker, llvm_code
from weft_tensor import random

SEED, N, M = wt.lscalar("seed"), wt.lscalar("n"), wt.lscalar("m")
KEY = random.key(SEED)
MANY = 100_000

DRAWS = {
    "bits": random.bits(KEY, N),
    "bits uint32": random.bits(KEY, N, "uint32"),
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
        function([SEED, N], DRAWS[name], mode=Mode(by, books=[]))(20261121, MANY)
        for by in ("py", "numba")
    )
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    if "normal" in name:
        assert (np.abs(got - expected) <= 4 * np.spacing(np.abs(expected))).all()
    else:
        np.testing.assert_array_equal(got, expected)


def test_a_sum_of_draws_stores_none_of_them() -> None:
    total = random.normal(KEY, size=N).sum()
    f: Any = function([SEED, N], total, mode=Mode(NumbaLinker(), books=[]))
    results = [line for line in f.source.splitlines() if " = f" in line]
    assert len(results) <= 2, f.source
    z = function([SEED, N], random.normal(KEY, size=N), mode="py")(7, MANY)
    assert np.isclose(f(7, MANY), z.sum())


def test_derivatives_share_the_loop() -> None:
    mu, sigma = wt.vector("mu"), wt.scalar("sigma")
    cost = (random.normal(KEY, mu, sigma, size=(N, M)) ** 2).sum()
    outputs = [cost, *grad(cost, [mu, sigma])]
    given = (7, 30, 4, np.arange(4.0), 0.5)
    expected, got = (
        function([SEED, N, M, mu, sigma], outputs, mode=Mode(by, books=[]))(*given)
        for by in ("py", "numba")
    )
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_bad_sizes() -> None:
    f = function([SEED, N], random.normal(KEY, size=(N, 2)).sum(), mode="numba")
    with pytest.raises(ValueError, match="negative dimensions"):
        f(7, -1)
    g = function([SEED, N], random.integers(KEY, N, size=3), mode="numba")
    with pytest.raises(ValueError, match="low must be less than high"):
        g(7, 0)


def longest_sum(text: str) -> int:
    """How many additions are the longest sum that goes up with the index of a loop.

    Of integers in two words: that of each, and whether it is zero.
    """
    words: dict[str, list[int | None]] = {}
    longest = 0
    for register, what, first, second in re.findall(
        r"(%\w+) = (phi|add|xor|or|shl|lshr|zext|trunc) i\d+ ([^ ,]+),? ?(?:to )?(.*)", text
    ):
        x, y = (words.get(v, [0, 0] if v.startswith("%") else [None, 0]) for v in (first, second))
        if what == "phi":
            words[register] = [0, 1] if register.startswith("%i_") else [0, 0]
        elif what == "add":
            words[register] = [0, (x[1] or 0) + (y[1] or 0) + 1 if x[1] or y[1] else 0]
        elif what == "zext":
            words[register] = [None, x[1]]
        elif what == "shl" and second == "32":
            words[register] = [x[1], None]
        elif what == "lshr" and second == "32":
            words[register] = [None, x[0]]
        elif what == "trunc":
            words[register] = [0, x[1]]
        elif what in ("xor", "or"):
            words[register] = [
                b if a is None else a if b is None else 0 for a, b in zip(x, y, strict=True)
            ]
        longest = max(longest, words.get(register, [0, 0])[1] or 0)
    return longest


def test_sums_from_drawn_keys_do_not_go_up_with_steps() -> None:
    """LLVM looks for ways to step through them: of thousands of numbers, for seconds."""

    def drawn(depth: int) -> Any:
        keys = random.fold_in(KEY, wt.arange(N))
        for _ in range(depth):
            keys = wt.vmap(lambda key: random.fold_in(key, 1))(keys)
        return function([SEED, N], keys, mode="numba")

    few, some = (llvm_code(drawn(depth)) for depth in (0, 2))
    assert (few.count(' asm "'), some.count(' asm "')) == (1, 3)
    assert 20 < longest_sum(few) == longest_sum(some) < 40
