"""`check_grad` passes right derivatives, and tells which are wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import custom_pullback, stop_gradient
from weft_testing import check_grad


def test_right_ones_pass() -> None:
    check_grad(lambda x: wt.log(x) * x, [[1.0, 2.0]])
    check_grad(lambda x, y: [x * y, wt.sin(x) @ y], [[1.0, 2.0], [3.0, -4.0]])
    check_grad(lambda x, k: x[k], [[1.0, 2.0], np.array([1, 1, 0])])
    check_grad(lambda z: wt.abs(z) * z.conj(), [np.array([1 + 2j, -1j])])
    check_grad(lambda x: wt.exp(x), [np.array([0.5, 1.0], "float32")])
    check_grad(lambda x: stop_gradient(x) * 0.0 + 1.0, [[1.0, 2.0]])
    check_grad(lambda x: wt.tanh(x), [[0.5]], mode="py")


def factor(number: float) -> Any:
    """Derivatives that are wrong by a factor."""
    return lambda inputs, outputs, slopes: [slopes[0] * number]


def test_a_wrong_pullback() -> None:
    wrong = custom_pullback(lambda x: x + 0.0, pullback=factor(2.0))
    with pytest.raises(AssertionError, match="by input 1, reverse mode") as caught:
        check_grad(lambda y, x: wrong(x) + y, [[1.0, 2.0], [1.0, 2.0]])
    assert "Mismatched elements: 2 / 2" in str(caught.value)


def test_a_wrong_pushforward() -> None:
    wrong = custom_pullback(lambda x: x + 0.0, pullback=factor(1.0), pushforward=factor(2.0))
    with pytest.raises(AssertionError, match="by input 0, forward mode"):
        check_grad(wrong, [[1.0, 2.0]])


def test_a_missing_derivative_is_wrong() -> None:
    with pytest.raises(AssertionError, match="by input 0, reverse mode"):
        check_grad(lambda x: stop_gradient(x) + 0.0, [[1.0, 2.0]])


def test_a_small_error_counts() -> None:
    slightly = custom_pullback(lambda x: x + 0.0, pullback=factor(1.001))
    with pytest.raises(AssertionError, match="reverse mode"):
        check_grad(slightly, [[1.0, 2.0]])
    check_grad(slightly, [[1.0, 2.0]], rtol=1e-2)


def test_a_wrong_shape() -> None:
    wrong = custom_pullback(
        lambda x: x + 0.0, pullback=lambda inputs, outputs, cotangents: [cotangents[0][:1]]
    )
    with pytest.raises(AssertionError, match=r"by input 0 has shape \(1,\)"):
        check_grad(wrong, [[1.0, 2.0]])


def test_the_conjugate_is_wrong() -> None:
    wrong = custom_pullback(
        lambda z: z * (1 + 1j), pullback=lambda inputs, outputs, g: [g[0] * (1 + 1j)]
    )
    with pytest.raises(AssertionError, match="reverse mode"):
        check_grad(wrong, [np.array([1 + 2j])])


def test_a_masked_array_is_refused() -> None:
    with pytest.raises(TypeError, match="tensors have no mask"):
        check_grad(lambda x: x * x, [np.ma.array([1.0, 2.0], mask=[False, True])])


def test_there_must_be_something_to_differentiate() -> None:
    with pytest.raises(ValueError, match="needs a floating or complex input"):
        check_grad(lambda k: k * 2.0, [np.array([1, 2])])
