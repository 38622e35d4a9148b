"""Compiled functions as plain functions, inside JAX's transformations and libraries."""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from jax.experimental import checkify
from scipy import special

import weft_tensor as wt
from weft_graph import FunctionGraph, function, grad, set_value
from weft_jax import as_jax, wrap_jax
from weft_jax.lowering.x64 import enable_x64

x = wt.vector("x", shape=("n",))
n = wt.scalar("n", "int64")
X = wt.matrix("X", shape=("n", "p"))
w = wt.vector("w", shape=("p",))
VALUES = np.array([0.5, -1.0, 2.0])

energy = wt.exp(x).sum() + (x**3).sum()
f = as_jax(function([x], energy, mode="py"))


def by_hand(values: Any) -> Any:
    return jnp.exp(values).sum() + (values**3).sum()


TRANSFORMED: dict[str, Callable[[Any], Any]] = {
    "call": lambda f: f(VALUES),
    "jit": lambda f: jax.jit(f)(VALUES),
    "grad": lambda f: jax.grad(f)(jnp.asarray(VALUES)),
    "jit of grad": lambda f: jax.jit(jax.grad(f))(VALUES),
    "hessian": lambda f: jax.hessian(f)(jnp.asarray(VALUES)),
    "vmap": lambda f: jax.vmap(f)(jnp.asarray([VALUES, -VALUES])),
    "jvp": lambda f: jax.jvp(f, (jnp.asarray(VALUES),), (jnp.ones(3),))[1],
    "grad of jit": lambda f: jax.grad(jax.jit(f))(jnp.asarray(VALUES)),
    "hessian of jit": lambda f: jax.hessian(jax.jit(f))(jnp.asarray(VALUES)),
    "checkpoint": lambda f: jax.grad(jax.checkpoint(f))(jnp.asarray(VALUES)),
    "scan": lambda f: jax.lax.scan(
        lambda c, a: (c + f(a), None), jnp.zeros(()), jnp.asarray([VALUES, -VALUES])
    )[0],
}


@pytest.mark.cases(2)
@pytest.mark.parametrize("wide", [False, True], ids=["32 bits", "64 bits"])
@pytest.mark.parametrize("name", TRANSFORMED)
def test_transformations(name: str, wide: bool) -> None:
    with enable_x64(wide):
        actual, expected = TRANSFORMED[name](f), TRANSFORMED[name](by_hand)
        assert actual.dtype == expected.dtype == ("float64" if wide else "float32")
        np.testing.assert_allclose(actual, expected, rtol=1e-12 if wide else 1e-5)


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    ("of", "at"),
    [
        (wt.softplus, 0.0),
        (wt.special.gammaln, 1.0),
        (wt.special.digamma, 2.0),
        (wt.special.ndtri, 0.5),
        (wt.special.exprel, 0.0),
        (wt.special.i1, 0.0),
        (lambda x: wt.fori_loop(0, 2, lambda _, s: wt.softplus(s), x), 0.0),
    ],
)
def test_slopes_are_those_of_rows(of: Callable[..., Any], at: float) -> None:
    """Also where sides that a formula does not choose have none, and at kinks of parts."""
    x = wt.scalar("x")
    slope = grad(of(x), x)
    expected = function([x], [slope, grad(slope, x)], mode="py")(at)
    f = as_jax(function([x], of(x), mode="jax"))
    with enable_x64(True):
        found = [jax.grad(f)(at), jax.jacfwd(jax.jacfwd(f))(at)]
        np.testing.assert_allclose(jax.jvp(f, (at,), (2.0,))[1], 2 * found[0], rtol=1e-12)
        np.testing.assert_allclose(jax.vmap(jax.grad(f))(jnp.full(2, at))[1], found[0], rtol=1e-12)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_bits_are_those_of_the_setting() -> None:
    lost = as_jax(FunctionGraph([x], [((x + 1e9) - 1e9).sum(), x.shape[0]]))
    assert [r.dtype for r in lost(np.array([1.0, 2.0]))] == ["float32", "int32"]
    with enable_x64(True):
        assert lost(np.array([1.0, 2.0]))[0] == 3.0
        assert [r.dtype for r in lost(np.array([1.0, 2.0]))] == ["float64", "int64"]


def test_structures_are_pytrees_in_any_order() -> None:
    a, b, c = (wt.scalar(name) for name in "abc")
    compiled = function([{"z": a, "k": [b, None]}, c], {"z": a - b, "a": (c, None)}, mode="py")
    arguments = {"k": [2.0, None], "z": 5.0}, 7.0
    assert as_jax(compiled)(*arguments) == {"z": 3.0, "a": (7.0, None)}
    assert jax.jit(as_jax(compiled))(arguments[0], c=7.0) == {"z": 3.0, "a": (7.0, None)}


def test_dataclasses_must_be_pytrees() -> None:
    @dataclass
    class Params:
        scale: Any

    compiled = function([Params(w)], w.sum(), mode="py")
    with pytest.raises(TypeError, match="register_dataclass"):
        as_jax(compiled)
    jax.tree_util.register_dataclass(Params, ["scale"], [])
    assert jax.grad(as_jax(compiled))(Params(jnp.ones(2))).scale.tolist() == [1.0, 1.0]


def test_lengths_from_values_are_numbers_in_jax() -> None:
    ramp = as_jax(function([n], wt.arange(n).sum(), mode="py"))
    assert ramp(4) == 6
    assert jax.jit(functools.partial(ramp, 4))() == 6
    with pytest.raises(TypeError, match=r"length .* is tracing .*<n : int64>.*static_argnums"):
        jax.jit(ramp)(4)


def test_shared_values_are_read_when_it_is_traced() -> None:
    state = wt.shared(np.array([1.0, 2.0]))
    total = as_jax(function([], state.sum(), mode="py"))
    assert total() == 3.0
    set_value(state, np.array([5.0]))
    assert total() == 5.0
    with pytest.raises(ValueError, match="pure function, but this one updates"):
        as_jax(function([], state, updates={state: state * 2}, mode="py"))


def test_wrong_arrays_name_the_input() -> None:
    with pytest.raises(
        TypeError, match=r"<x : float64\[n\]>.*expected float32.n., got float32\[2, 2\]"
    ):
        f(jnp.ones((2, 2)))
    with pytest.raises(TypeError, match=r"<x : float64\[n\]>.*got int32\[2\]"):
        f(jnp.ones(2, "int32"))


def test_conditions_are_there_for_checkify() -> None:
    chosen = as_jax(function([x, n], x[n], mode="py"))
    checked = checkify.checkify(jax.jit(chosen))
    error, value = checked(VALUES, 1)
    assert (error.get(), value) == (None, -1.0)
    error, _ = checked(VALUES, 3)
    text = str(error.get())
    assert "IndexError" in text
    assert "test_as_jax.py" in text
    assert jnp.isfinite(jax.jit(chosen)(VALUES, 1))


def test_garbage_is_looked_for_unless_jax_traces() -> None:
    seen = []

    @wrap_jax
    def look(values: Any) -> Any:
        seen.append(gc.isenabled())
        return values

    looking = as_jax(FunctionGraph([x], [look(x)]))
    for call, expected in ((looking, True), (jax.jit(looking), False)):
        seen.clear()
        call(VALUES)
        assert (seen, gc.isenabled()) == ([expected], True)


def test_optax_fits_a_regression() -> None:
    y = wt.vector("y", shape=("n",))
    loss = ((X @ w - y) ** 2).mean()
    both = as_jax(function([{"w": w}, X, y], [loss, {"w": grad(loss, w)}], mode="py"))
    draws = np.random.default_rng(0)
    data = draws.normal(size=(50, 3))
    truth = np.array([1.0, -2.0, 0.5])
    optimiser = optax.adam(0.1)

    @jax.jit
    def step(params: Any, state: Any) -> Any:
        value, slopes = both(params, data, data @ truth)
        updates, state = optimiser.update(slopes, state)
        return optax.apply_updates(params, updates), state, value

    params = {"w": jnp.zeros(3)}
    state = optimiser.init(params)
    for _ in range(300):
        params, state, _ = step(params, state)
    np.testing.assert_allclose(params["w"], truth, atol=1e-2)


@pytest.mark.cases(0)
def test_blackjax_samples_a_posterior() -> None:
    import blackjax  # takes as long as JAX

    place, rate = wt.scalar("place"), wt.scalar("rate")
    data = np.random.default_rng(0).normal(3.0, 0.5, size=40)
    scale = wt.exp(-rate)
    density = -40 * wt.log(scale) - (((data - place) / scale) ** 2).sum() / 2
    logdensity = as_jax(function([{"place": place, "rate": rate}], density, mode="py"))
    warm, run = jax.random.split(jax.random.key(0))
    start = {"place": jnp.zeros(()), "rate": jnp.zeros(())}
    adaptation = blackjax.window_adaptation(blackjax.nuts, logdensity)
    (state, parameters), _ = adaptation.run(warm, start, num_steps=500)
    sampler = blackjax.nuts(logdensity, **parameters)

    def one(state: Any, key: Any) -> Any:
        state, _ = sampler.step(key, state)
        return state, state.position

    _, draws = jax.lax.scan(one, state, jax.random.split(run, 3000))
    # Student's t with 39 degrees of freedom, and half the logarithm of a gamma variable.
    spread = data.std(ddof=1) / np.sqrt(40)
    np.testing.assert_allclose(draws["place"].mean(), data.mean(), atol=0.2 * spread)
    np.testing.assert_allclose(draws["place"].std(), spread * np.sqrt(39 / 37), rtol=0.1)
    rates = (special.digamma(39 / 2) - np.log(39 * data.var(ddof=1) / 2)) / 2
    np.testing.assert_allclose(draws["rate"].mean(), rates, atol=0.03)
