"""Random numbers from keys: right bits, right distributions, no two alike, as NumPy shapes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import stats

import weft_tensor as wt
from weft_graph import function, grad
from weft_graph.extend import toposort
from weft_tensor import random
from weft_tensor import stats as stats_of
from weft_testing import check_grad

KEY = random.key(20261121)
MANY = 200_000


def drawn(v: Any) -> Any:
    """Its value, by Python."""
    return function([], v, mode="py")()


def all_differ(words: Any) -> bool:
    """Whether no two are equal."""
    ordered = np.sort(words)
    return bool((ordered[1:] != ordered[:-1]).all())


# Lines for threefry2x32 with 20 rounds among the known answers that Random123 publishes.
KNOWN = [
    (0x0000000000000000, 0x0000000000000000, 0x6B20015999BA4EFE),
    (0xFFFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF, 0x1CB996FCBB002BE7),
    (0x13198A2E03707344, 0x243F6A8885A308D3, 0xC4923A9C483DF7A0),
]


@pytest.mark.parametrize(("key", "counter", "word"), KNOWN)
def test_known_answers(key: int, counter: int, word: int) -> None:
    assert int(drawn(wt.threefry2x32(np.uint64(key), np.uint64(counter)))) == word


def test_blocks_make_no_difference() -> None:
    keys = wt.vector("keys", dtype="uint64")
    f = function([keys], wt.threefry2x32(keys[:, None], wt.arange(30_000)), mode="py")
    values = np.arange(3, dtype="uint64")
    every = f(values)
    assert every.shape == (3, 30_000)
    for k, row in zip(values, every, strict=True):
        np.testing.assert_array_equal(row, f(np.array([k]))[0])
    assert every[1, 20_000] == drawn(wt.threefry2x32(np.uint64(1), 20_000))
    assert f(values[:0]).shape == (0, 30_000)


def test_an_element_depends_on_its_place_in_memory_and_on_nothing_else() -> None:
    flat = drawn(random.bits(KEY, 24))
    np.testing.assert_array_equal(drawn(random.bits(KEY, (2, 3, 4))).ravel(), flat)
    np.testing.assert_array_equal(drawn(random.bits(KEY, 10)), flat[:10])
    assert drawn(random.bits(KEY)) == flat[0]


@pytest.mark.cases(0)
def test_every_bit_is_set_half_of_the_time() -> None:
    words = drawn(random.bits(KEY, MANY))
    assert all_differ(words)
    ones = ((words[:, None] >> np.arange(64, dtype="uint64")) & np.uint64(1)).mean(axis=0)
    assert np.abs(ones - 0.5).max() < 4 * 0.5 / MANY**0.5
    for dtype in ("uint8", "uint16", "uint32"):
        few = drawn(random.bits(KEY, MANY, dtype))
        assert few.dtype == dtype
        assert abs(few.mean() / 2.0 ** (8 * few.itemsize) - 0.5) < 4 / (12 * MANY) ** 0.5


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_distributions(dtype: str) -> None:
    z = drawn(random.normal(KEY, size=MANY, dtype=dtype))
    u = drawn(random.uniform(KEY, size=MANY, dtype=dtype))
    assert z.dtype == u.dtype == dtype
    assert u.min() >= 0
    assert u.max() < 1
    assert stats.kstest(z.astype("float64"), "norm").pvalue > 0.01
    assert stats.kstest(u.astype("float64"), "uniform").pvalue > 0.01
    moments = [(z.astype("float64") ** k).mean() for k in (1, 2, 3, 4)]
    spread = np.array([1, 2, 15, 96]) ** 0.5  # standard deviations of powers of normal numbers
    assert (np.abs(moments - np.array([0, 1, 0, 3])) < 4 * spread / MANY**0.5).all()


def test_whole_numbers_and_chances() -> None:
    faces = drawn(random.integers(KEY, 1, 7, size=MANY))
    assert stats.chisquare(np.bincount(faces)[1:]).pvalue > 0.01
    assert (faces.min(), faces.max(), faces.dtype) == (1, 6, np.int64)
    wide = drawn(random.integers(KEY, -(2**62), 2**62, size=MANY))
    assert abs(wide.mean() / 2.0**62) < 4 / (3 * MANY) ** 0.5
    assert drawn(random.integers(KEY, 5, size=9, dtype="int8")).dtype == np.int8
    hits = drawn(random.bernoulli(KEY, 0.3, size=MANY))
    assert hits.dtype == bool
    assert abs(hits.mean() - 0.3) < 4 * (0.21 / MANY) ** 0.5


def test_streams_have_nothing_to_do_with_each_other() -> None:
    first, second = random.split(KEY)
    keys = (KEY, first, second, random.fold_in(KEY, 7), random.key(20261122))
    streams = np.stack([drawn(random.normal(k, size=MANY)) for k in keys])
    later = np.concatenate([streams, streams[:1, np.r_[1:MANY, 0]]])
    others = np.corrcoef(later)[~np.eye(len(later), dtype=bool)]
    assert np.abs(others).max() < 4 / MANY**0.5
    words = np.concatenate([drawn(random.bits(k, MANY)) for k in keys])
    assert all_differ(words)


def test_normal_numbers_are_right_to_the_last_digits() -> None:
    words = drawn(random.bits(KEY, 300)).astype("int64") >> 11
    z = drawn(random.normal(KEY, size=300))
    with mpmath.workdps(40):
        for word, number in zip(words, z, strict=True):
            exact = mpmath.sqrt(2) * mpmath.erfinv((mpmath.mpf(int(word)) + 0.5) / 2**52)
            assert abs(mpmath.mpf(float(number)) - exact) < 4 * np.spacing(abs(number))


def test_erfinv() -> None:
    ends = drawn(wt.erfinv(np.array([-1.0, -0.0, 0.0, 1.0, 1.5, np.nan, 5e-324])))
    np.testing.assert_array_equal(ends[:5], [-np.inf, -0.0, 0.0, np.inf, np.nan])
    assert np.signbit(ends[1])
    assert np.isnan(ends[5])
    for dtype, farthest in (("float64", 8.21), ("float32", 5.42)):
        x = np.nextafter(np.ones((), dtype), np.zeros((), dtype))
        assert np.isclose(drawn(wt.erfinv(x)) * 2**0.5, farthest, atol=0.1)
    x = np.linspace(-0.99, 0.99, 4001)
    np.testing.assert_allclose(drawn(wt.erf(wt.erfinv(x))), x, rtol=1e-14)
    check_grad(wt.erfinv, [np.array([-0.9, 0.1, 0.7])])


def test_derivatives_by_parameters() -> None:
    loc, scale = np.array([0.5, -1.0, 2.0]), np.array([[1.5], [0.2]])
    check_grad(lambda a, b: random.normal(KEY, a, b), [loc, scale])
    check_grad(lambda a, b: random.normal(KEY, a, b, size=(4, 2, 3)), [loc, scale])
    check_grad(lambda a, b: random.uniform(KEY, a, b), [loc, scale + 4])
    mu, sigma = wt.scalar("mu"), wt.scalar("sigma")
    draws = random.normal(KEY, mu, sigma, size=1000)
    slopes = function([mu, sigma], [draws, *grad(draws.mean(), [mu, sigma])], mode="py")
    z, by_mu, by_sigma = slopes(1.0, 2.0)
    assert np.isclose(by_mu, 1.0)
    assert np.isclose(by_sigma, ((z - 1) / 2).mean())


def test_shapes() -> None:
    x = wt.matrix("X", shape=("n", 3))
    assert str(random.normal(KEY, x, 1.0).type) == "float64[n, 3]"
    assert str(random.uniform(KEY, size=(x.shape[0], 2)).type) == "float64[n, 2]"
    assert str(random.split(KEY, 5).type) == "uint64[5]"
    assert str(random.split(KEY, (5, 2)).type) == "uint64[5, 2]"
    assert str(random.bits(KEY).type) == "uint64"
    n, m = wt.lscalars("n", "m")
    f = function([n, m], random.normal(KEY, size=(n, 2, m)), mode="py")
    assert f(4, 5).shape == (4, 2, 5)
    assert f(4, 0).shape == (4, 2, 0)
    np.testing.assert_array_equal(f(4, 5), drawn(random.normal(KEY, size=(4, 2, 5))))


def test_dtypes() -> None:
    x = wt.vector("x", dtype="float32")
    assert random.normal(KEY, x, 2.0).dtype == "float32"
    assert random.normal(KEY, x, wt.vector("y")).dtype == "float64"
    assert random.normal(KEY, 0, 1).dtype == random.uniform(KEY, 0, 9).dtype == "float64"
    assert random.normal(KEY, x, 2.0, dtype="float64").dtype == "float64"
    with pytest.raises(TypeError, match="float32 or float64, not complex128"):
        random.normal(KEY, 1j)
    with pytest.raises(TypeError, match="float32 or float64, not int64"):
        random.uniform(KEY, dtype=int)


def test_keys() -> None:
    seed = wt.lscalar("seed")
    f = function([seed], [random.key(seed), random.normal(random.key(seed), size=2)], mode="py")
    for number in (0, 7, -1, 2**40):
        key, z = f(number)
        assert key == drawn(random.key(number)) == number % 2**64
        np.testing.assert_array_equal(z, drawn(random.normal(random.key(number), size=2)))
    assert int(drawn(random.key(np.int32(5)))) == 5


def test_a_key_for_two_draws_of_one_graph_warns_with_both_lines() -> None:
    key, other = random.split(random.key(5302))
    x = random.normal(key, size=4)
    pairs = {
        "uniform": (x, random.uniform(key, size=4)),
        "normal": (x, random.normal(key, size=5)),
        "split": (x, random.split(key, 4)),
        "hierarchy": (x, random.poisson(key, wt.exp(x))),
        "parameters": (x, random.normal(key, 1.0, 2.0, size=4)),
        "gamma": (wt.stats.gamma.rvs(key, 2.0), wt.stats.expon.rvs(key)),
        "choice": (random.permutation(key, 9), random.choice(key, 9, 3, replace=False)),
        "mixture": (x, wt.stats.mixture([0.5, 0.5], [wt.stats.norm(0, 1)] * 2).rvs(key)),
    }
    for name, pair in pairs.items():
        with pytest.warns(UserWarning, match="one key is used for 2 draws") as told:
            function([], list(pair), mode="py")
        (warning,) = told
        assert str(warning.message).count("test_random.py") == 2, name
        assert warning.filename == __file__
    function([], [x, random.normal(key, size=4) * 2, random.uniform(other)], mode="py")
    for draw in (
        random.bits(key, 4, "uint8"), random.uniform(key, 2.0, 3.0, size=4),
        random.bernoulli(key, 0.3, size=4), random.integers(key, 9, size=4),
        random.choice(key, 9, 3, replace=False), random.normal(key, 1.0, 2.0, size=4),
    ):  # fmt: skip
        function([], draw, mode="py")  # though parts of it are draws of their own, made above


def test_state_makes_a_stream_that_starts_again_from_its_seed() -> None:
    state = wt.shared(drawn(random.key(3)), "state")
    following, now = random.split(state)
    draw = function([], random.normal(now, size=2), updates={state: following}, mode="py")
    first, second = draw(), draw()
    assert not np.isin(first, second).any()
    state.set_value(drawn(random.key(3)))
    np.testing.assert_array_equal(draw(), first)


def test_bad_input() -> None:
    n, x = wt.lscalar("n"), wt.vector("x")
    with pytest.raises(TypeError, match=r"a key is a uint64 scalar, as `key\(seed\)` makes one"):
        random.normal(7)
    with pytest.raises(TypeError, match="a key is a uint64 scalar"):
        random.normal(random.split(KEY, 3))
    with pytest.raises(TypeError, match="a seed is an integer scalar"):
        random.key(0.5)
    with pytest.raises(ValueError, match="at most 64 bits"):
        random.key(2**64)
    with pytest.raises(TypeError, match="fold_in takes integers"):
        random.fold_in(KEY, 1.5)
    wrong: Any = 2.5
    with pytest.raises(TypeError, match="a length must be an integer scalar"):
        random.normal(KEY, size=wrong)
    with pytest.raises(ValueError, match="broadcast"):
        random.normal(KEY, np.zeros(3), size=2)
    with pytest.raises(ValueError, match="broadcast"):
        random.normal(KEY, np.zeros((2, 2)), size=2)
    with pytest.raises(ValueError, match="low must be less than high"):
        random.integers(KEY, 3, [4, 3])
    with pytest.raises(TypeError, match="limits that int64 can hold"):
        random.integers(KEY, 0.5)
    with pytest.raises(TypeError, match="integers without sign, not int64"):
        random.bits(KEY, 3, "int64")
    with pytest.raises(TypeError, match="threefry2x32 takes integers, not float64 and uint64"):
        wt.threefry2x32(0.5, KEY)
    with pytest.raises(ValueError, match="negative"):
        function([n], random.normal(KEY, size=n), mode="py")(-1)
    with pytest.raises(ValueError, match="broadcast"):
        function([n, x], random.normal(KEY, x, size=n), mode="py")(2, np.zeros(3))
    with pytest.raises(ValueError, match="low must be less than high"):
        function([n], random.integers(KEY, n), mode="py")(0)


def test_a_key_used_twice_is_told_with_both_lines() -> None:
    """Not the same draw twice, and not what one draw is made of."""
    first = random.normal(KEY, size=3)
    second = random.laplace(KEY, size=3)
    with pytest.warns(UserWarning, match="(?s)for 2 draws.*first = .*second = .*split.*fold_in"):
        function([], first + second, mode="py")
    mine = random.gamma(random.fold_in(KEY, 1), 0.5, size=3)
    function([], [first + mine, random.normal(KEY, size=3)], mode="py")
    inner = stats_of.norm.rvs(KEY, size=3)
    of_it = stats_of.lognorm.rvs(KEY, 0.5, size=3)
    assert inner in toposort([of_it])
    function([], of_it, mode="py")
    with pytest.warns(UserWarning, match="for 2 draws"):
        function([], [of_it, inner], mode="py")


@pytest.mark.parametrize("over", [wt.vmap, lambda f: lambda keys: wt.map(f, keys)])
def test_a_key_used_twice_in_a_function_of_it(over: Callable[[Any], Any]) -> None:
    def both(key: Any) -> Any:
        return random.normal(key) + random.poisson(key, 3.0)

    with pytest.warns(UserWarning, match="one key is used for 2 draws"):
        over(both)(random.split(KEY, 3))
