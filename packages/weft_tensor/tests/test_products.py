"""Products of tensors of all ranks: NumPy's values, derivatives and errors."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from weft_graph import Mode, function
from weft_tensor import (
    constant,
    dot,
    lmatrix,
    matmul,
    matrix,
    outer,
    scalar,
    tensor,
    tensor3,
    vector,
)
from weft_tensor.extend import inferred_shapes
from weft_testing import check_grad

PY = Mode("py", books=[])
LEFT: list[tuple[int, ...]] = [(), (3,), (2, 3), (5, 2, 3), (1, 2, 3), (4, 1, 2, 3)]
RIGHT: list[tuple[int, ...]] = [(), (3,), (3, 4), (5, 3, 4), (1, 3, 4), (4, 5, 3, 1)]
PAIRS = list(product(LEFT, RIGHT))


def drawn(shape: tuple[int, ...], seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=shape)


def check(function_of_two: Any, reference: Any, a: Any, b: Any) -> None:
    """Values, types, inferred shapes: of known lengths and of unknown."""
    expected = reference(a, b)
    for known in (True, False):
        x = tensor("x", a.dtype, a.shape if known else [None] * a.ndim)
        y = tensor("y", b.dtype, b.shape if known else [None] * b.ndim)
        result = function_of_two(x, y)
        for n, length in zip(expected.shape, result.type.shape, strict=True):
            assert length in ((n,) if known else (None, n))
        shapes = inferred_shapes(result)
        assert shapes is not None
        lengths = [constant(n) if isinstance(n, int) else n for n in shapes[0]]
        actual, *found = function([x, y], [result, *lengths], mode=PY)(a, b)
        np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-12)
        assert actual.dtype == expected.dtype
        assert tuple(map(int, found)) == expected.shape


@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_dot(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    a, b = drawn(left), drawn(right, 1)
    check(dot, np.dot, a, b)
    if a.size * b.size < 200:
        check_grad(dot, [a, b])


@pytest.mark.parametrize(("left", "right"), [p for p in PAIRS if () not in p])
def test_matmul(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    a, b = drawn(left), drawn(right, 1)
    check(matmul, np.matmul, a, b)
    if a.size * b.size < 200:
        check_grad(matmul, [a, b])


@pytest.mark.parametrize(("left", "right"), list(product(LEFT[:4], RIGHT[:3])))
def test_outer(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    check(outer, np.outer, drawn(left), drawn(right, 1))
    check_grad(outer, [drawn(left), drawn(right, 1)])


@pytest.mark.parametrize(
    ("left", "right"),
    [((0,), (0,)), ((2, 0), (0, 3)), ((0, 2), (2,)), ((0, 2, 3), (3, 2)), ((2, 0), (4, 0, 3))],
)
def test_products_without_elements(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    a, b = np.ones(left), np.ones(right)
    check(matmul, np.matmul, a, b)
    check(dot, np.dot, a, b)


def test_complex_products_have_the_right_derivative() -> None:
    a, b = drawn((2, 3)) + 1j * drawn((2, 3), 1), drawn((3, 2), 2) - 1j * drawn((3, 2), 3)
    check_grad(matmul, [a, b])
    check_grad(dot, [a, b.real])
    check_grad(outer, [a[0], b[:, 0]])
    check_grad(lambda x, y: matmul(x.T.conj(), y), [a[:, :2], b[:2]])


def test_mixed_dtypes() -> None:
    check(matmul, np.matmul, np.arange(6).reshape(2, 3), drawn((3,)).astype("float32"))
    check(matmul, np.matmul, np.ones((2, 2), bool), np.ones((2, 2), bool))
    check_grad(lambda x: matmul(np.arange(6).reshape(2, 3), x), [drawn((3,)).astype("float32")])


def test_operators() -> None:
    x = matrix("x")
    array = drawn((2, 3))
    left, right = drawn((2, 2)), drawn((3,))
    np.testing.assert_allclose((x @ right).eval({x: array}), array @ right)
    np.testing.assert_allclose((left @ x).eval({x: array}), left @ array)
    assert x.dot(right) is dot(x, right)
    assert dot(x, 2) is x * 2


def test_lengths_that_do_not_fit_are_refused() -> None:
    with pytest.raises(
        ValueError,
        match="axis 1 of the first, of length 3, must have the length of axis 0 of the second, 2",
    ) as caught:
        matrix("A", shape=(2, 3)) @ matrix("B", shape=(2, 3))
    assert "B : float64[2, 3]   (made at line" in caught.value.__notes__[0]
    with pytest.raises(ValueError, match=r"\[2\] and \[3\] can't be broadcast"):
        matmul(tensor3("A", shape=(2, 4, 4)), tensor3("B", shape=(3, 4, 4)))
    with pytest.raises(TypeError, match=r"matmul takes no scalars: use \*"):
        matmul(scalar("a"), matrix("B"))
    x, y = lmatrix("x"), vector("y")
    with pytest.raises(ValueError, match="matmul") as caught:
        (x @ y).eval({x: [[1, 2]], y: [1.0, 2.0, 3.0]})
    assert "while computing matmul" in caught.value.__notes__[0]
