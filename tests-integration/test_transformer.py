"""Layers of transformers, on every backend, against their formulas by NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.special

import weft.tensor as wt
from weft_testing import check_grad

MODES = ["py", "numba", "jax"]
DRAW = np.random.default_rng(0)
QUERY, KEY = DRAW.normal(size=(2, 3, 4)), DRAW.normal(size=(2, 5, 4))
VALUE = DRAW.normal(size=(2, 5, 6))
CHOICE = np.tri(3, 5, 1, dtype=bool)


def attended(scores: Any) -> Any:
    return scipy.special.softmax(scores, -1) @ VALUE


@pytest.mark.parametrize("mode", MODES)
def test_attention(mode: str) -> None:
    q, k, v = wt.tensor3s("q k v")
    mask = wt.matrix("mask", dtype="bool")
    attention = wt.nn.scaled_dot_product_attention
    cases = [
        attention(q, k, v),
        attention(q, k, v, mask=mask, scale=0.3),
        attention(q, k, v, mask=mask.astype("float64")),
        attention(q, k, v, is_causal=True),
    ]
    products = QUERY @ KEY.mT
    expected = [
        attended(products / 2),
        attended(np.where(CHOICE, 0.3 * products, -np.inf)),
        attended(products / 2 + CHOICE),
        attended(np.where(np.tri(3, 5, dtype=bool), products / 2, -np.inf)),
    ]
    found = wt.function([q, k, v, mask], cases, mode=mode)(QUERY, KEY, VALUE, CHOICE)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_attention_of_heads_that_share_keys(mode: str, few: Any) -> None:
    import jax

    drawn = [DRAW.normal(size=shape).astype("f4") for shape in [(2, 5, 6, 4), (2, 7, 3, 4)]]
    bias = DRAW.normal(size=(2, 6, 5, 7)).astype("f4")
    q, k, b = (
        wt.tensor(name, "float32", a.shape) for name, a in zip("qkb", [*drawn, bias], strict=True)
    )
    mask = DRAW.random((2, 1, 5, 7)) < 0.8
    mask[..., 0] = mask[..., np.arange(5), np.arange(5)] = True
    some, fewer = np.array([7, 3]), np.array([5, 0])
    cases: list[Any] = [
        {"is_causal": True},
        {"bias": b, "mask": mask, "scale": 0.3},
        {"key_value_seq_lengths": some, "query_seq_lengths": fewer},
        {"local_window_size": (1, 2), "mask": mask, "key_value_seq_lengths": np.array([7, 6])},
        {"local_window_size": 2, "bias": b, "is_causal": True},
    ]
    cases = few(cases, 2)
    outputs = [wt.nn.dot_product_attention(q, k, k, **case) for case in cases]
    actual = wt.function([q, k, b], outputs, mode=mode)(*drawn, bias)
    for one, case in zip(actual, cases, strict=True):
        case = case | ({"bias": bias} if "bias" in case else {})
        case = {n: jax.numpy.asarray(v) if "lengths" in n else v for n, v in case.items()}
        expected = jax.nn.dot_product_attention(drawn[0], drawn[1], drawn[1], **case)
        np.testing.assert_allclose(one, expected, rtol=2e-4, atol=1e-5)
        assert one.dtype == "float32"
    with pytest.raises(ValueError, match="6 heads can't share 4 groups of keys"):
        wt.nn.dot_product_attention(q, wt.zeros((2, 7, 4, 4)), wt.zeros((2, 7, 4, 4)))
    rows = wt.function([q], wt.nn.rms_norm(q, 2.0), mode=mode)(drawn[0])
    spread = np.sqrt((drawn[0] ** 2).mean(-1, keepdims=True) + 1e-6)
    np.testing.assert_allclose(rows, 2 * drawn[0] / spread, rtol=1e-5)


@pytest.mark.parametrize("mode", MODES)
def test_normal_rows_and_rows_of_a_table(mode: str) -> None:
    x, w = wt.matrix("x"), wt.vector("w", dtype="float32")
    i = wt.imatrix("i")
    values, weights, places = QUERY[0], np.ones(4, "float32") * 2, np.array([[0, 2], [1, 1]], "i4")
    apart = values - values.mean(1, keepdims=True)
    outputs = [wt.nn.layer_norm(x, w, 1.0), wt.nn.layer_norm(w), wt.nn.embedding(i, x)]
    found = wt.function([x, w, i], outputs, mode=mode)(values, weights, places)
    spread = np.sqrt((apart**2).mean(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(found[0], 2 * apart / spread + 1)
    assert found[1].dtype == "float32"
    assert not found[1].any()
    np.testing.assert_array_equal(found[2], values[places])


def test_dropout_is_the_same_on_every_backend_and_keeps_the_mean(few: Any) -> None:
    x = wt.vector("x")
    left = wt.nn.dropout(wt.random.key(3), x, 0.2)
    found = [wt.function([x], left, mode=mode)(np.ones(1000)) for mode in few(MODES, 2)]
    assert all(np.array_equal(found[0], other) for other in found)
    assert {*found[0].tolist()} == {0.0, 1.25}
    assert abs(found[0].mean() - 1) < 0.06


def test_derivatives() -> None:
    check_grad(lambda x, w: wt.nn.layer_norm(x, w), [QUERY[0], np.ones(4)])
    check_grad(
        lambda q, k, v: wt.nn.scaled_dot_product_attention(q, k, v, is_causal=True),
        [QUERY[0], KEY[0], VALUE[0]],
    )


def test_bad_input_is_told() -> None:
    x = wt.vector("x")
    with pytest.raises(TypeError, match=r"x must be integers, not <x .* in embedding"):
        wt.nn.embedding(x, np.ones((2, 2)))
    with pytest.raises(ValueError, match="rate must be from 0 to below 1, not 1"):
        wt.nn.dropout(wt.random.key(3), x, 1)
    with pytest.raises(ValueError, match="two axes or more"):
        wt.nn.scaled_dot_product_attention(x, x, x)


@pytest.mark.parametrize("mode", MODES)
def test_rows_that_see_nothing_are_zero_with_slopes(mode: str) -> None:
    x = wt.tensor("x", "float64", (2, 6, 1, 2))
    lengths: dict[str, Any] = {"key_value_seq_lengths": [0, 3], "query_seq_lengths": [0, 6]}
    made = wt.nn.dot_product_attention(x, x, x, local_window_size=1, **lengths)
    f = wt.function([x], [made, wt.grad((made**2).sum(), x)], mode=mode)
    values, slopes = f(DRAW.normal(size=(2, 6, 1, 2)))
    assert np.isfinite(slopes).all()
    np.testing.assert_array_equal(
        (values != 0).any((2, 3)), [[False] * 6, [True] * 4 + [False] * 2]
    )
