"""Functions that PyTensor compiles with Weft's modes."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest
from pytensor.raise_op import Assert
from pytensor.scan.utils import until
from pytensor.tensor.random import basic as random
from pytensor.tensor.random.basic import UniformRV, gamma, normal, poisson

import weft_pytensor
from weft_pytensor import from_pytensor

pytestmark = pytest.mark.filterwarnings("default")  # PyTensor's own
MODES = ["WEFT", "WEFT_JAX", "WEFT_PY"]
ifelse: Any = import_module(
    "pytensor.conditional" if find_spec("pytensor.conditional") else "pytensor.ifelse"
).ifelse
x, a = pt.dvector("x"), pt.dscalar("a")
X = np.arange(5.0) + 1


def scan(*arguments: Any, **keywords: Any) -> Any:
    return pytensor.scan(*arguments, **keywords, return_updates=False)


def loops() -> list[Any]:
    sums = scan(lambda v, s, c: c * s + v, x, [pt.zeros(())], [a])
    two = scan(
        lambda v, s, t, c: c * t + 0.3 * s + v,
        x,
        [{"initial": pt.stack([a, 2 * a]), "taps": [-2, -1]}],
        [a],
    )
    squares = scan(lambda v: v**2, x)
    ended = scan(lambda s: (2 * s, until(2 * s > 20)), outputs_info=[a], n_steps=100)
    both = scan(lambda v, s, t: (s + v, t * s), x, [a, a])
    late = scan(lambda v, s: s + pt.sin(v), x, [a], truncate_gradient=2)
    return [
        *(sums, two, squares, ended, *both),
        *pytensor.grad((late**2).sum(), [x, a]),
        *pytensor.grad(sums[-1], [x, a]),
        *pytensor.grad((two**2).sum(), [x, a]),
        *pytensor.grad(squares.sum() + pt.sin(sums).sum(), [x, a], disconnected_inputs="ignore"),
        *pytensor.grad(both[1][-1], [x, a]),
    ]


@pytest.mark.parametrize("mode", MODES)
def test_loops_and_their_derivatives(mode: str) -> None:
    outputs = loops()
    theirs = pytensor.function([x, a], outputs, mode="FAST_COMPILE")(X, 0.6)
    ours = pytensor.function([x, a], outputs, mode=mode)(X, 0.6)
    for one, other, v in zip(theirs, ours, outputs, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-10, err_msg=str(v))


@pytest.mark.parametrize("mode", MODES)
def test_updates_givens_and_state(mode: str) -> None:
    state = pytensor.shared(np.float64(2.0), name="state")
    f = pytensor.function(
        [a], state * x.sum(), updates={state: state + a}, givens={x: pt.ones(3)}, mode=mode
    )
    assert (f(3.0), f(3.0), state.get_value()) == (6.0, 15.0, 8.0)
    state.set_value(0.0)
    assert f(1.0) == 0.0


@pytest.mark.parametrize("mode", MODES)
def test_branches_and_checks(mode: str) -> None:
    checked = Assert("x is small")(x, x.sum() < 100)
    f = pytensor.function([x], ifelse(x.sum() > 0, checked * 2, -x), mode=mode)
    np.testing.assert_array_equal(f(X), 2 * X)
    np.testing.assert_array_equal(f(-X), X)
    with pytest.raises(AssertionError, match="x is small"):
        f(100 * X)


@pytest.mark.parametrize("mode", MODES)
def test_draws(mode: str) -> None:
    generator = pytensor.shared(np.random.default_rng(1), name="generator")
    following, first = normal(2.0, 3.0, size=(20_000,), rng=generator).owner.outputs
    last, second = gamma(2.0, scale=a, size=(20_000,), rng=following).owner.outputs
    _, third = poisson(pt.full((20_000,), 4.0), rng=last).owner.outputs
    f = pytensor.function([a], [first, second, third], updates={generator: last}, mode=mode)
    n, g, p = f(3.0)
    assert abs(n.mean() - 2) < 0.1
    assert abs(n.std() - 3) < 0.1
    assert abs(g.mean() - 6) < 0.2
    assert abs(p.mean() - 4) < 0.1
    assert p.dtype == third.dtype
    again = f(3.0)[0]
    assert not np.any(n == again)
    generator.set_value(np.random.default_rng(1))
    np.testing.assert_array_equal(f(3.0)[0], n)


def test_draws_of_vectors_and_classes() -> None:
    """Each has its mean; what generators cannot do in Weft, they do on the host."""
    rng = pytensor.shared(np.random.default_rng(3), name="rng")
    p = np.array([0.2, 0.3, 0.5])
    covariance = np.array([[2.0, 0.5], [0.5, 1.0]])
    draws: dict[str, tuple[Any, Any]] = {
        "categorical": (random.categorical(p, size=(9000,), rng=rng), 1.3),
        "dirichlet": (random.dirichlet(10 * p, size=(9000,), rng=rng), p),
        "multinomial": (random.multinomial(10, p, size=(9000,), rng=rng), 10 * p),
        "normal": (random.multivariate_normal([1.0, -2], covariance, (9000,), rng=rng), [1, -2]),
        "wald": (random.wald(2.0, 9.0, size=(9000,), rng=rng), 2.0),
        "circular": (random.vonmises(0.5, 8.0, size=(9000,), rng=rng), 0.5),
        "gamma": (random.gengamma(2.0, 1.0, 3.0, size=(9000,), rng=rng), 6.0),
        "truncated": (random.truncexpon(1.0, 0.0, 2.0, size=(9000,), rng=rng), 0.836),
    }
    f = pytensor.function([], [v for v, _ in draws.values()], mode="WEFT_PY")
    for (name, (v, mean)), values in zip(draws.items(), f(), strict=True):
        assert values.dtype == v.dtype, name
        np.testing.assert_allclose(values.mean(axis=0), mean, atol=0.12, err_msg=name)


def test_generators_on_the_host() -> None:
    class Own(UniformRV):  # type: ignore[misc]  # PyTensor's class has no types
        """A class of a user's."""

    from_pytensor.register(Own)(lambda op, *_: NotImplemented)
    state = pytensor.shared(np.random.default_rng(1), name="state")
    following, u = Own()(2.0, 3.0, size=(5,), rng=state).owner.outputs
    with pytest.warns(weft_pytensor.NoConverterWarning, match="uniform"):
        f = pytensor.function([], u, updates={state: following}, mode="WEFT_PY")
    first, second = f(), f()
    assert ((first > 2) & (first < 3)).all()
    assert not np.any(first == second)


def test_importing_changes_nothing_of_pytensor() -> None:
    assert pytensor.config.mode != "WEFT"
    assert repr(weft_pytensor.WeftLinker()) == "WeftLinker('numba')"
