"""Patterns of axes: NumPy's reshapes, on every backend, and errors that name the axes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft.tensor as wt

BACKENDS = ("py", "numba", "jax")
X = np.random.default_rng(5).normal(size=(2, 12, 3))
E = wt.einops
ROWS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "split": (
        lambda x: E.rearrange(x, "b (h w) c -> b h w c", h=4),
        lambda x: x.reshape(2, 4, 3, 3),
    ),
    "order": (
        lambda x: E.rearrange(x, "b n c -> c (n b)"),
        lambda x: x.transpose(2, 1, 0).reshape(3, 24),
    ),
    "rest": (
        lambda x: E.rearrange(x, "b ... -> ... 1 b"),
        lambda x: x.transpose(1, 2, 0)[:, :, None],
    ),
    "joined rest": (
        lambda x: E.rearrange(x, "b (h w) … -> (b h) (… w)", w=3),
        lambda x: x.reshape(2, 4, 3, 3).transpose(0, 1, 3, 2).reshape(8, 9),
    ),
    "a list": (
        lambda x: E.rearrange([x, 2 * x], "k b n c -> b (k n) c"),
        lambda x: np.concatenate([x, 2 * x], 1),
    ),
    "to a scalar": (lambda x: E.reduce(x, "b n c ->", "sum"), np.sum),
    "maxima": (
        lambda x: E.reduce(x, "b (n 2) c -> b c n", "max"),
        lambda x: x.reshape(2, 6, 2, 3).max(2).transpose(0, 2, 1),
    ),
    "means that keep axes": (
        lambda x: E.reduce(x, "b n c -> b 1 c", "mean"),
        lambda x: x.mean(1, keepdims=True),
    ),
    "a function": (
        lambda x: E.reduce(x, "... c -> ...", lambda v, axes: wt.logsumexp(v, axes)),
        lambda x: np.log(np.exp(x).sum(-1)),
    ),
    "no sums": (lambda x: E.reduce(x, "a b c -> c a b", "sum"), lambda x: np.moveaxis(x, 2, 0)),
    "repeat": (
        lambda x: E.repeat(x, "b n c -> b (n k) c 2", k=3),
        lambda x: np.repeat(np.repeat(x, 3, 1)[..., None], 2, -1),
    ),
    "tiles": (lambda x: E.repeat(x, "b n c -> b (k n) c", k=2), lambda x: np.tile(x, (1, 2, 1))),
    "products": (
        lambda x: E.einsum(x, x, "b query c, b key c -> b query key"),
        lambda x: x @ x.transpose(0, 2, 1),
    ),
    "packed": (
        lambda x: E.pack([x, x[:, 0], 3 * x], "b * c")[0],
        lambda x: np.concatenate([x, x[:, :1], 3 * x], 1),
    ),
    "unpacked": (
        lambda x: E.unpack(x, [(2, 5), (), (1,)], "b * c")[0],
        lambda x: x[:, :10].reshape(2, 2, 5, 3),
    ),
}  # fmt: skip


@pytest.mark.parametrize("mode", BACKENDS)
@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("shape", [X.shape, (None, None, None)])
@pytest.mark.cases(1)
def test_patterns(name: str, mode: str, shape: Any) -> None:
    ours, numpys = ROWS[name]
    x = wt.tensor3("x", shape=shape)
    y = ours(x)
    f = wt.function([x], [y, wt.grad((y**2).sum(), x)], mode=mode)
    value, slope = f(X)
    np.testing.assert_allclose(value, numpys(X), rtol=1e-13)
    step = np.random.default_rng(6).normal(size=X.shape)
    ends = [(numpys(X + s * step) ** 2).sum() for s in (1e-6, -1e-6)]
    np.testing.assert_allclose((slope * step).sum(), (ends[0] - ends[1]) / 2e-6, rtol=1e-6)


@pytest.mark.parametrize("mode", BACKENDS)
def test_lengths_of_the_graph(mode: str) -> None:
    x, h = wt.tensor3("x"), wt.iscalar("h")
    f = wt.function([x, h], E.rearrange(x, "b (h w) c -> b h (w c)", h=h), mode=mode)
    np.testing.assert_array_equal(f(X, 6), X.reshape(2, 6, 6))
    g = wt.function([x, h], E.repeat(x, "b n c -> b n c h", h=h)[..., 0].sum(), mode=mode)
    np.testing.assert_allclose(g(X, 2), X.sum())
    with pytest.raises(ValueError, match=r"the length of \(h w\) in .* must be a multiple of h"):
        f(X, 5)


def test_names_of_lengths_stay() -> None:
    x = wt.tensor3("x", shape=("b", "n", "c"))
    assert E.rearrange(x, "b n c -> (b n) c").type.shape == wt.matrix(shape=("b*n", "c")).type.shape
    assert E.repeat(x, "b n c -> b (n 3) c").type.shape[1] == wt.vector(shape="3*n").type.shape[0]
    thrice = E.repeat(x, "b n c -> b (n 3) c")
    parted = E.rearrange(thrice, "b (n k) c -> b n k c", k=3)
    assert parted.type.shape[1] == x.type.shape[1]
    assert "multiple" not in repr(wt.dprint(parted, file="str"))
    lengths = E.parse_shape(x, "_ n _")
    assert list(lengths) == ["n"]
    assert wt.function([x], lengths["n"], mode="py")(X) == 12
    assert E.parse_shape(np.ones((2, 3, 4)), "a _ c") == {"a": 2, "c": 4}
    assert E.parse_shape(np.ones((2, 3, 4)), "... c") == {"c": 4}


def test_no_elements() -> None:
    none = np.ones((0, 4))
    assert E.rearrange(none, "a (b c) -> b (a c)", b=2).eval().shape == (2, 0)
    assert E.reduce(none, "a b -> b", "sum").eval().tolist() == [0.0] * 4


BAD: dict[str, Callable[[], Any]] = {
    "rearrange: a pattern has one -> between two sides, unlike 'a b'": lambda: E.rearrange(
        X, "a b"
    ),
    "rearrange: 'a b -> a b' is for 2 axes": lambda: E.rearrange(X, "a b -> a b"),
    "'a b c d ... -> a' is for 4 or more axes": lambda: E.reduce(X, "a b c d ... -> a", "sum"),
    "the axis b of 'a b c -> a c' is only before ->: `reduce`": lambda: E.rearrange(
        X, "a b c -> a c"
    ),
    "the axis d of 'a b c -> a b c d' is only after ->: `repeat`": lambda: E.rearrange(
        X, "a b c -> a b c d"
    ),
    "reduce: the axis d of": lambda: E.reduce(X, "a b c -> a d", "sum"),
    "repeat: the axis c of": lambda: E.repeat(X, "a b c -> a b"),
    "repeat: the length of k in 'a b c -> a b c k' is unknown: give k=...": lambda: E.repeat(
        X, "a b c -> a b c k"
    ),
    "give h=... or w=...": lambda: E.rearrange(X, "a (h w) c -> a h w c"),
    "must be a multiple of h = 5; it is 12": lambda: E.rearrange(X, "a (h w) c -> a h w c", h=5),
    "must be h * w = 10; it is 12": lambda: E.rearrange(X, "a (h w) c -> a h w c", h=5, w=2),
    "there is no axis q in": lambda: E.rearrange(X, "a b c -> a b c", q=2),
    "the axis a is twice in 'a b a'": lambda: E.rearrange(X, "a b a -> a b"),
    "parentheses of 'a (b c' don't match": lambda: E.rearrange(X, "a (b c -> a b c"),
    "parentheses of 'a (b (c))' don't match": lambda: E.rearrange(X, "a (b (c)) -> a b c"),
    "'b.c' in 'a b.c' is no name of an axis": lambda: E.rearrange(X, "a b.c -> a b c"),
    "... stands alone before ->": lambda: E.rearrange(X, "a (b ...) -> a b ..."),
    "not 'median'": lambda: E.reduce(X, "a b c -> a", "median"),
    "einsum: the last argument is a pattern with one ->": lambda: E.einsum("a -> a", X),
    "einsum: 'a b c -> a' is for 1 tensors, not 2": lambda: E.einsum(X, X, "a b c -> a"),
    "einsum: axes of '(a b) c' are names alone": lambda: E.einsum(X, "(a b) c -> a"),
    "parse_shape takes no parentheses": lambda: E.parse_shape(X, "(a b) c d"),
    "pack: a pattern is names of axes and one *": lambda: E.pack([X], "a b"),
    "has not the 4 axes of 'a b c d *'": lambda: E.pack([X], "a b c d *"),
    "has not the 2 axes of 'a *'": lambda: E.unpack(X, [()], "a *"),
}


@pytest.mark.parametrize("says", BAD)
def test_bad_input(says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        BAD[says]()
