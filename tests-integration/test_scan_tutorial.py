"""What PyTensor's pages teach with `scan`, done here with the same calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft.tensor as wt

rng = np.random.default_rng(5)


@pytest.fixture(params=["py", "numba", "jax"])
def mode(request: pytest.FixtureRequest) -> str:
    """A backend."""
    return str(request.param)


def test_a_power_by_repeated_products(mode: str) -> None:
    k, A = wt.iscalar("k"), wt.vector("A")
    result = wt.scan(
        fn=lambda prior, A: prior * A,
        outputs_info=wt.ones_like(A),
        non_sequences=A,
        n_steps=k,
        return_updates=False,
    )
    power = wt.function([A, k], result[-1], mode=mode)
    np.testing.assert_allclose(power(range(10), 2), np.arange(10.0) ** 2)
    np.testing.assert_allclose(power(range(10), 4), np.arange(10.0) ** 4)


def test_a_polynomial_term_by_term(mode: str) -> None:
    coefficients, x = wt.vector("coefficients"), wt.scalar("x")
    terms = wt.scan(
        fn=lambda c, power, free: c * free**power,
        outputs_info=None,
        sequences=[coefficients, wt.arange(10000)],
        non_sequences=x,
        strict=False,
    )
    f = wt.function([coefficients, x], terms.sum(), mode=mode)
    np.testing.assert_allclose(f([1.0, 0.0, 2.0], 3.0), 19.0)


def test_a_sum_into_a_scalar_of_another_dtype(mode: str) -> None:
    """The initial state must have the dtype that steps give; the error says how."""
    limit = wt.iscalar("limit")
    with pytest.raises(TypeError, match=r"state outputs_info\[0\] is int8.*astype\('int64'\)"):
        wt.scan(lambda i, s: i + s, wt.arange(limit), wt.constant(np.int8(0)))
    triangle = wt.scan(lambda i, s: i + s, wt.arange(limit), wt.constant(np.int64(0)))
    f = wt.function([limit], triangle, mode=mode)
    assert f(5).tolist() == [0, 1, 3, 6, 10]


def test_places_of_a_matrix_are_set_step_by_step(mode: str) -> None:
    places, values = wt.imatrix("places"), wt.vector("values")

    def set_one(place: Any, value: Any, shaped_like: Any) -> Any:
        return wt.set_subtensor(wt.zeros_like(shaped_like)[place[0], place[1]], value)

    m = wt.matrix("m")
    result = wt.scan(set_one, [places, values], None, m)
    f = wt.function([places, values, m], result, mode=mode)
    found = f([[1, 1], [2, 3]], [42.0, 50.0], np.zeros((5, 5)))
    assert found.shape == (2, 5, 5)
    assert found[0, 1, 1] == 42.0
    assert found[1, 2, 3] == 50.0
    assert found.sum() == 92.0


@pytest.mark.cases("py", "jax")
def test_a_network_that_echoes(mode: str) -> None:
    """Taps of a sequence and of a result, several results, weights that are the same."""
    W, W_in_1, W_in_2, W_feedback, W_out = (wt.matrix(n) for n in ("W", "A", "B", "F", "O"))
    u, x0, y0 = wt.matrix("u"), wt.vector("x0"), wt.matrix("y0")

    def one_step(u_before: Any, u_now: Any, x_last: Any, y_third: Any, y_last: Any) -> Any:
        x = wt.tanh(x_last @ W + u_now @ W_in_1 + u_before @ W_in_2 + y_last @ W_feedback)
        return [x, x_last @ W_out + 0.1 * y_third]

    xs, ys = wt.scan(
        one_step,
        sequences={"input": u, "taps": [-4, 0]},
        outputs_info=[x0, {"initial": y0, "taps": [-3, -1]}],
        strict=True,
    )
    inputs = [W, W_in_1, W_in_2, W_feedback, W_out, u, x0, y0]
    shapes = [(4, 4), (2, 4), (2, 4), (3, 4), (4, 3), (9, 2), (4,), (3, 3)]
    values = [rng.normal(size=s) / 2 for s in shapes]
    slope = wt.grad(ys.sum(), W)
    found_x, found_y, by_w = wt.function(inputs, [xs, ys, slope], mode=mode)(*values)
    w, a, b, f, o, uv, x, y = values
    past = list(y)
    for t in range(5):
        x, past = (
            np.tanh(x @ w + uv[t + 4] @ a + uv[t] @ b + past[-1] @ f),
            [*past, x @ o + 0.1 * past[-3]],
        )
        np.testing.assert_allclose(found_x[t], x)
        np.testing.assert_allclose(found_y[t], past[-1])
    assert found_x.shape == (5, 4)
    assert by_w.shape == (4, 4)


def test_gibbs_steps_carry_the_key_of_their_random_numbers(mode: str) -> None:
    """In the place of updates of a generator, each step splits the key that it gets."""
    W, start, key = wt.matrix("W"), wt.vector("start"), wt.random.key(3)

    def one_step(key: Any, v: Any) -> Any:
        keys = wt.random.split(key, 3)
        hidden = wt.random.uniform(keys[1], size=(4,)) < wt.sigmoid(v @ W)
        mean = wt.sigmoid(hidden.astype("float64") @ W.T)
        visible = wt.random.uniform(keys[2], size=(5,)) < mean
        return keys[0], visible.astype("float64")

    _, samples = wt.scan(one_step, outputs_info=[key, start], n_steps=10)
    f = wt.function([W, start], samples, mode=mode)
    values = rng.normal(size=(5, 4)), np.ones(5)
    found = f(*values)
    assert found.shape == (10, 5)
    assert set(np.unique(found)) <= {0.0, 1.0}
    np.testing.assert_array_equal(found, wt.function([W, start], samples, mode="py")(*values))


def test_powers_of_two_until_one_is_too_large(mode: str) -> None:
    most = wt.scalar("most")
    values = wt.scan(
        lambda last, most: (last * 2, wt.until(last * 2 > most)),
        outputs_info=wt.constant(1.0),
        non_sequences=most,
        n_steps=1024,
    )
    f = wt.function([most], values, mode=mode)
    assert f(45.0).tolist() == [2.0, 4.0, 8.0, 16.0, 32.0, 64.0]
    assert f(1.0).tolist() == [2.0]


def test_a_jacobian_row_by_row(mode: str) -> None:
    x = wt.vector("x")
    y = x**2 * wt.roll(x, 1)
    rows = wt.scan(
        lambda i, y, x: wt.grad(y[i], x), sequences=wt.arange(y.shape[0]), non_sequences=[y, x]
    )
    f = wt.function([x], [rows, wt.jacobian(y, x)], mode=mode)
    found, expected = f([1.0, 2.0, 4.0])
    np.testing.assert_allclose(found, expected)


def test_folds_and_maps(mode: str) -> None:
    x = wt.vector("x")
    total = wt.reduce(lambda v, s: s + v, x, wt.constant(0.0))
    squares = wt.map(lambda v, p: v**p, [x], [2.0])
    f = wt.function([x], [total, squares], mode=mode)
    found = f([1.0, 2.0, 3.0])
    assert float(found[0]) == 6.0
    assert found[1].tolist() == [1.0, 4.0, 9.0]


@pytest.mark.cases("py", "jax")
def test_loops_over_rows_columns_places_and_earlier_values(mode: str) -> None:
    X, W, U, V = wt.matrix("X"), wt.matrix("W"), wt.matrix("U"), wt.matrix("V")
    b, start = wt.vector("b"), wt.matrix("start")
    layer = wt.scan(lambda row: wt.tanh(row @ W) + b, sequences=X)
    both_ways = wt.scan(
        lambda y, p, before: wt.tanh(before @ W + y @ U + p @ V),
        sequences=[X, X[::-1]],
        outputs_info=b,
    )
    two_before = wt.scan(
        lambda x2, x1: x2 @ U + x1 @ V + wt.tanh(x1 @ W + b),
        outputs_info={"initial": start, "taps": [-2, -1]},
        n_steps=4,
    )
    rows = wt.scan(lambda row: wt.sqrt((row**2).sum()), sequences=X)
    columns = wt.scan(lambda column: wt.sqrt((column**2).sum()), sequences=X.T)
    trace = wt.scan(
        lambda i, j, so_far, m: so_far + m[i, j],
        sequences=[wt.arange(X.shape[0]), wt.arange(X.shape[1])],
        outputs_info=np.float64(0),
        non_sequences=X,
    )[-1]
    slope = wt.grad((b**3).sum(), b)
    hessian = wt.scan(
        lambda i, gy, v: wt.grad(gy[i], v), sequences=wt.arange(3), non_sequences=[slope, b]
    )
    inputs = [X, W, U, V, b, start]
    outputs = [layer, both_ways, two_before, rows, columns, trace, hessian]
    x, w, u, v, bias, first = values = [
        rng.normal(size=shape) for shape in ((3, 3), (3, 3), (3, 3), (3, 3), (3,), (2, 3))
    ]
    found = wt.function(inputs, outputs, mode=mode)(*values)
    np.testing.assert_allclose(found[0], np.tanh(x @ w) + bias)
    state, past = bias, list(first)
    for k in range(3):
        state = np.tanh(state @ w + x[k] @ u + x[2 - k] @ v)
        np.testing.assert_allclose(found[1][k], state)
    for k in range(4):
        past.append(past[-2] @ u + past[-1] @ v + np.tanh(past[-1] @ w + bias))
        np.testing.assert_allclose(found[2][k], past[-1])
    np.testing.assert_allclose(found[3], np.linalg.norm(x, axis=1))
    np.testing.assert_allclose(found[4], np.linalg.norm(x, axis=0))
    np.testing.assert_allclose(found[5], np.trace(x))
    np.testing.assert_allclose(found[6], np.diag(6 * bias), atol=1e-12)


def test_the_number_of_steps_made_is_a_state(mode: str) -> None:
    """Where there a shared variable counts, by updates."""
    count, steps = wt.shared(np.int64(0)), wt.iscalar("steps")
    counted = wt.scan(lambda c: c + 1, outputs_info=count, n_steps=steps)
    f = wt.function([steps], counted, updates={count: counted[-1]}, mode=mode)
    assert f(3).tolist() == [1, 2, 3]
    assert f(2).tolist() == [4, 5]
    assert count.get_value() == 5
