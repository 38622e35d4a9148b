"""Functions written in JAX as nodes of a graph: on every backend, with derivatives."""

from __future__ import annotations

import pickle
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import Mode, digest, function, grad, pushforward
from weft_jax import wrap_jax
from weft_testing import compare_jax_and_py

x = wt.vector("x")
X = wt.matrix("X", shape=("n", "p"))
b = wt.vector("b", shape=("p",))
k = wt.vector("k", "int64")
z = wt.vector("z", "complex128")

VALUES = np.array([0.5, -1.0, 2.0])


@wrap_jax
def smooth(values: Any) -> Any:
    return jnp.tanh(values) * jnp.sum(values**2)


def plain_smooth(values: Any) -> Any:
    return wt.tanh(values) * (values**2).sum()


@pytest.mark.parametrize("mode", ["py", "jax"])
def test_value_and_derivatives_of_first_and_second_order(mode: str) -> None:
    ours, theirs = smooth(x).sum(), plain_smooth(x).sum()
    slope, expected = grad(ours, x), grad(theirs, x)
    outputs = [ours, theirs, slope, expected]
    outputs += [grad((slope**2).sum(), x), grad((expected**2).sum(), x)]
    outputs += [pushforward(smooth(x), x, x), pushforward(plain_smooth(x), x, x)]
    results = function([x], outputs, mode=mode)(VALUES)
    for actual, wanted in zip(results[::2], results[1::2], strict=True):
        assert actual.dtype == wanted.dtype == "float64"
        np.testing.assert_allclose(actual, wanted, rtol=1e-12)


def test_named_lengths_are_followed() -> None:
    product = wrap_jax(lambda X, b: (X @ b, X.shape[0] * jnp.ones(4), jnp.ones(2 * X.shape[0])))
    kinds = [str(v.type) for v in product(X, b)]
    assert kinds == ["float64[n]", "float64[4]", "float64[?]"]


def test_unnamed_lengths_that_must_agree() -> None:
    y = wt.vector("y")
    total = wrap_jax(lambda a, b: a + b)(x, y)
    assert str(total.type) == "float64[?]"
    compare_jax_and_py([x, y], [total], [VALUES, VALUES])


def test_pytrees_and_static_arguments() -> None:
    def layers(params: Any, data: Any, *, kind: str, power: int) -> Any:
        hidden = [jnp.tanh(data @ layer["w"]) ** power for layer in params["layers"]]
        return {"kind": jnp.full(3, len(kind)), "hidden": (hidden[0], None, hidden[1])}

    u, v = wt.matrix("u", shape=("p", 2)), wt.matrix("v", shape=("p", 2))
    result = wrap_jax(layers)({"layers": [{"w": u}, {"w": v}]}, X, kind="four", power=2)
    assert result["hidden"][1] is None
    outputs = [result["kind"], result["hidden"][2], grad(result["hidden"][2].sum(), v)]
    values = [np.ones((2, 3)), np.ones((3, 2)), np.full((3, 2), 0.1)]
    f, _ = compare_jax_and_py([X, u, v], outputs, values)
    assert f(*values)[0].tolist() == [4, 4, 4]


def test_arrays_among_the_arguments_are_constants() -> None:
    three = wt.vector("three", shape=(3,))
    shifted = wrap_jax(lambda a, b: a + b)(three, np.ones(3))
    assert function([three], shifted, mode="py")(VALUES).tolist() == [1.5, 0.0, 3.0]


def test_equal_calls_are_one_node() -> None:
    assert smooth(x) is smooth(x)
    assert smooth(x) is not wrap_jax(lambda v: v)(x)


def test_integers_have_no_derivative() -> None:
    scaled = wrap_jax(lambda a, n: (a * n, n + 1))(x, k)
    slope = grad(scaled[0].sum(), x)
    f, _ = compare_jax_and_py([x, k], [slope, scaled[1]], [VALUES, np.array([1, 2, 3])])
    assert f(VALUES, [1, 2, 3])[1].dtype == "int64"


def test_complex_gradients_are_those_of_weft() -> None:
    ours = wrap_jax(lambda a: jnp.abs(a * jnp.exp(a)) ** 2)(z).sum()
    product = z * wt.exp(z)
    theirs = (wt.real(product) ** 2 + wt.imag(product) ** 2).sum()
    values = np.array([1.0 + 2.0j, -0.5j])
    actual, expected = function([z], [grad(ours, z), grad(theirs, z)], mode="py")(values)
    np.testing.assert_allclose(actual, expected)


def test_it_is_compiled_with_the_rest_and_not_called_back() -> None:
    traced: list[Any] = []

    @wrap_jax
    def noted(values: Any) -> Any:
        traced.append(values)
        return values

    f = function([x], noted(x) + 1, mode=Mode("jax", books=[]))
    traced.clear()
    for _ in range(3):
        f(VALUES)
    assert len(traced) == 1


def test_single_precision_stays() -> None:
    a = wt.vector("a", "float32")
    assert smooth(a).type.dtype == "float32"
    compare_jax_and_py([a], [smooth(a)], [VALUES.astype("float32")])


def test_what_the_function_raises_names_it() -> None:
    with pytest.raises(TypeError) as caught:
        wrap_jax(lambda a, b: a @ b)(X, wt.vector("c", shape=(7,)) * 1 + X.sum())
    assert "wrap_jax(<lambda>)" in "".join(caught.value.__notes__)


def test_wrong_results_are_refused() -> None:
    wrong = wrap_jax(lambda a: a * 2, out=wt.TensorType("int64", (None,)))(x)
    for mode in ("py", "jax"):
        with pytest.raises(TypeError, match=r"is float64\[3\], not int64\[\?\] as `out` says"):
            function([x], wrong, mode=mode)(VALUES)


def test_lengths_that_do_not_fit_ask_for_help() -> None:
    with pytest.raises(TypeError) as caught:
        wrap_jax(lambda a: a + np.ones(3))(x)
    assert "say what it returns with `out`" in "".join(caught.value.__notes__)


def test_results_whose_types_are_given() -> None:
    out = [wt.TensorType("float64", ("m",)), None]
    doubled, nothing = wrap_jax(lambda a: [a * 2, None], out=out)(x)
    assert str(doubled.type) == "float64[m]"
    assert nothing is None


def test_digest_and_pickle() -> None:
    assert digest(named(x)) != digest(other(x))
    for made in (named(x), wrap_jax(jax.nn.softmax)(x)):
        assert digest(pickle.loads(pickle.dumps(made))) == digest(made)


@wrap_jax
def named(values: Any) -> Any:
    return values * 2


@wrap_jax
def other(values: Any) -> Any:
    return values * 3


def test_keys_of_random_numbers_are_arrays() -> None:
    key = wt.vector("key", "uint32", shape=(2,))
    draw = wrap_jax(lambda key: jax.random.normal(key, (3,)))(key)
    compare_jax_and_py([key], [draw], [np.array([0, 1], "uint32")])


def test_errors_of_a_function_come_without_words_on_frames_of_jax() -> None:
    @wrap_jax
    def refusing(values: Any) -> Any:
        if values.shape[0] in (0, 5):
            raise ValueError("not of this length")
        return values * 2.0

    v = wt.vector("v")
    for mode in ("py", "jax"):
        f = function([v], refusing(v), mode=mode)
        with pytest.raises(ValueError, match="not of this length") as caught:
            f(np.ones(5))
        (note,) = caught.value.__notes__
        assert note.startswith("while computing wrap_jax(refusing)")
    with pytest.raises(ValueError, match="not of this length") as caught:
        refusing(wt.zeros(5))
    assert [note.partition(" ")[0] for note in caught.value.__notes__] == ["wrap_jax", "while"]
