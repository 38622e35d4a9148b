"""Small programs, as users of Theano, Aesara and PyTensor write them, run with another import."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import weft.tensor as pt

Program = Callable[[str], None]
rng = np.random.default_rng(0)


def a_state_that_adds_up(mode: str) -> None:
    state = pt.shared(0, name="state")
    inc = pt.iscalar("inc")
    accumulator = pt.function([inc], state, updates=[(state, state + inc)], mode=mode)
    assert [float(accumulator(n)) for n in (3, 4)] == [0, 3]
    assert state.get_value() == 7
    state.set_value(-1)
    assert accumulator(1) == -1


def logistic_regression(mode: str) -> None:
    data, labels = rng.normal(size=(40, 3)), rng.integers(0, 2, 40).astype("float64")
    x, y = pt.dmatrix("x"), pt.dvector("y")
    w, b = pt.shared(np.zeros(3), name="w"), pt.shared(0.0, name="b")
    p = 1 / (1 + pt.exp(-pt.dot(x, w) - b))
    loss = -y * pt.log(p) - (1 - y) * pt.log(1 - p)
    cost = loss.mean() + 0.01 * (w**2).sum()
    gw, gb = pt.grad(cost, [w, b])
    train = pt.function(
        inputs=[x, y], outputs=[p > 0.5, loss], updates=((w, w - gw), (b, b - gb)), mode=mode
    )
    before = train(data, labels)[1].sum()
    for _ in range(20):
        train(data, labels)
    assert train(data, labels)[1].sum() < before


def elements_by_a_condition(mode: str) -> None:
    a, b, x, y = pt.dscalar("a"), pt.dscalar("b"), pt.dmatrix("x"), pt.dmatrix("y")
    chosen = pt.switch(pt.lt(a, b), pt.mean(x), pt.mean(y))
    one = pt.ifelse(pt.lt(a, b), pt.mean(x), pt.mean(y))
    f = pt.function([a, b, x, y], [chosen, one], mode=mode)
    ones = np.ones((2, 2))
    assert [float(v) for v in f(0.0, 1.0, ones, 2 * ones)] == [1.0, 1.0]
    assert [float(v) for v in f(1.0, 0.0, ones, 2 * ones)] == [2.0, 2.0]


def parts_of_tensors_replaced(mode: str) -> None:
    m, v = pt.dmatrix("m"), pt.dvector("v")
    put = pt.set_subtensor(m[0, :], v)
    added = pt.inc_subtensor(put[:, 1], 10.0)
    expected = np.zeros((2, 2))
    expected[0] = [1, 2]
    expected[:, 1] += 10
    assert pt.function([m, v], added, mode=mode)(np.zeros((2, 2)), [1.0, 2.0]).tolist() == (
        expected.tolist()
    )


def axes_exchanged_and_added(mode: str) -> None:
    v, m = pt.vector("v"), pt.matrix("m")
    product = m * v.dimshuffle(0, "x") + v.dimshuffle("x", 0)
    f = pt.function([v, m], [product, m.dimshuffle(1, "x", 0)], mode=mode)
    values, matrix = np.array([1.0, 2.0]), np.array([[1.0, 2.0], [3.0, 4.0]])
    found, turned = f(values, matrix)
    np.testing.assert_array_equal(found, matrix * values[:, None] + values)
    assert turned.shape == (2, 1, 2)


def jacobians_and_hessians(mode: str) -> None:
    x = pt.dvector("x")
    y = x**2
    f = pt.function([x], [pt.jacobian(y, x), pt.hessian(y.sum(), x)], mode=mode)
    first, second = f([4.0, 5.0])
    assert first.tolist() == [[8.0, 0.0], [0.0, 10.0]]
    assert second.tolist() == [[2.0, 0.0], [0.0, 2.0]]


def graphs_copied_with_other_inputs(mode: str) -> None:
    x, y, z = pt.dscalars("x", "y", "z")
    out = x * y
    other = pt.clone_replace(out, replace={x: z + 1})
    assert pt.function([y, z], other, mode=mode)(2.0, 3.0) == 8.0
    batched = pt.vectorize_graph(out, {x: pt.dvector("xs")})
    assert batched.ndim == 1


def values_by_name(mode: str) -> None:
    x, y = pt.dscalar("x"), pt.dscalar("y")
    assert (x + y).eval({"x": 16.3, y: 12.1}) == pytest.approx(28.4)


def functions_with_names_and_defaults(mode: str) -> None:
    x, y, w = pt.dscalars("x", "y", "w")
    f = pt.function(
        [x, pt.In(y, value=1), pt.In(w, value=2, name="factor")], (x + y) * w, name="f", mode=mode
    )
    assert (f(33), f(33, 2), f(33, 0, 1), f(33, factor=1), f(33, y=0)) == (68, 70, 33, 34, 66)
    assert f.name == "f"


def streams_of_random_numbers(mode: str) -> None:
    srng = pt.random.RandomStream(seed=234)
    rv_u, rv_n = srng.uniform(0, 1, size=(2, 2)), srng.normal(0, 1, size=(2, 2))
    f = pt.function([], rv_u, updates=srng.updates(), mode=mode)
    g = pt.function([], rv_n, mode=mode)
    assert not np.array_equal(f(), f())
    assert np.array_equal(g(), g())
    nearly_zeros = pt.function([], rv_u + rv_u - 2 * rv_u, mode=mode)
    assert not np.any(nearly_zeros())


def variables_given_for_others(mode: str) -> None:
    state, x = pt.shared(2, name="state"), pt.lscalar("x")
    shadow = pt.scalar("shadow", dtype=state.dtype)
    f = pt.function([x, shadow], state * x, givens=[(state, shadow)], mode=mode)
    assert f(3, 5) == 15
    assert state.get_value() == 2


def a_layer_with_a_softmax(mode: str) -> None:
    x, labels = pt.fmatrix("x"), pt.ivector("labels")
    w = pt.shared(rng.normal(size=(3, 4)).astype("float32"), name="w")
    p = pt.softmax(pt.dot(x, w), axis=-1)
    nll = -pt.mean(pt.log(p)[pt.arange(labels.shape[0]), labels])
    f = pt.function(
        [x, labels],
        [pt.argmax(p, axis=1), nll, pt.grad(nll, w)],
        allow_input_downcast=True,
        mode=mode,
    )
    classes, cost, gradient = f(rng.normal(size=(5, 3)), [0, 1, 2, 3, 0])
    assert classes.shape == (5,)
    assert cost > 0
    assert gradient.dtype == "float32"


def tensors_joined_and_cut(mode: str) -> None:
    a, b = pt.matrices("a", "b")
    joined = pt.join(1, a, b)
    parts = pt.split(joined, splits_size=[1, 3], n_splits=2, axis=1)
    stacked = pt.stack([a, b]).sum(axis=0)
    f = pt.function([a, b], [*parts, stacked, pt.concatenate([a.T, b.T]).T], mode=mode)
    m = np.arange(4.0).reshape(2, 2)
    left, right, total, again = f(m, m + 1)
    assert (left.shape, right.shape) == ((2, 1), (2, 3))
    np.testing.assert_array_equal(total, 2 * m + 1)
    np.testing.assert_array_equal(again, np.hstack([m, m + 1]))


def graphs_as_ops_and_wrapped_functions(mode: str) -> None:
    x, y = pt.vectors("x", "y")
    inner = pt.OpFromGraph([x, y], [x * y + 1])

    @pt.wrap_py(itypes=[pt.TensorType("float64", (None,))], otypes=[pt.TensorType("float64", ())])
    def norm(values: Any) -> Any:
        return np.asarray(np.linalg.norm(values))

    f = pt.function([x, y], [inner(x, y), norm(x)], mode=mode)
    found, length = f([3.0, 4.0], [1.0, 2.0])
    assert found.tolist() == [4.0, 9.0]
    assert length == 5.0


def directions_of_derivatives(mode: str) -> None:
    w, v, x = pt.dmatrix("w"), pt.dmatrix("v"), pt.dvector("x")
    y = pt.dot(x, w)
    tangent, u = pt.pushforward(y, w, v), pt.dvector("u")
    (cotangent,) = pt.pullback(y, w, u)
    held = pt.grad((pt.disconnected_grad(x) * x).sum(), x)
    f = pt.function([w, v, x, u], [tangent, cotangent, held], mode=mode)
    ones = np.ones((2, 2))
    along, back, kept = f(ones, ones, [0.0, 1.0], [2.0, 2.0])
    assert along.tolist() == [1.0, 1.0]
    assert back.tolist() == [[0.0, 0.0], [2.0, 2.0]]
    assert kept.tolist() == [0.0, 1.0]


PROGRAMS: Final[list[Program]] = [
    a_state_that_adds_up,
    logistic_regression,
    elements_by_a_condition,
    parts_of_tensors_replaced,
    axes_exchanged_and_added,
    jacobians_and_hessians,
    graphs_copied_with_other_inputs,
    values_by_name,
    functions_with_names_and_defaults,
    streams_of_random_numbers,
    variables_given_for_others,
    a_layer_with_a_softmax,
    tensors_joined_and_cut,
    graphs_as_ops_and_wrapped_functions,
    directions_of_derivatives,
]


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_a_program_runs(program: Program, mode: str) -> None:
    program(mode)
