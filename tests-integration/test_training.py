"""Steps of training: optimisers and schedules against their formulas, on every backend."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft.tensor as wt

MODES = ["py", "numba", "jax"]
START: Any = {"w": np.array([1.0, -2.0], "f4"), "b": [np.float32(0.5)]}
DOWN: Any = {"w": np.array([0.3, -4.0], "f4"), "b": [np.float32(1e-3)]}
STEPS = 4


def inputs_like(tree: Any) -> Any:
    return wt.tree_map(lambda leaf: wt.as_tensor(leaf).type(), tree)


def after_steps(step: wt.optimize.GradientTransformation, mode: str) -> list[list[np.ndarray]]:
    """The parameters after each step of a compiled function whose gradients are always DOWN."""
    params, slopes = inputs_like(START), inputs_like(DOWN)
    begin = step.init(params)
    state = inputs_like(begin)
    updates, following = step.update(slopes, state, params)
    f = wt.function(
        [params, slopes, state], [wt.optimize.apply_updates(params, updates), following], mode=mode
    )
    now, memory = START, wt.function([params], begin, mode="py")(START)
    history = []
    for _ in range(STEPS):
        now, memory = f(now, DOWN, memory)
        history.append(wt.tree_leaves(now))
    return history


def by_moments(k: int, g: Any, p: Any, decay: float = 0.0) -> Any:
    m = sum((1 - 0.9) * 0.9 ** (k - j) * g for j in range(1, k + 1)) / (1 - 0.9**k)
    s = sum((1 - 0.99) * 0.99 ** (k - j) * g**2 for j in range(1, k + 1)) / (1 - 0.99**k)
    return -0.1 * (m / (np.sqrt(s) + 1e-8) + decay * p)


def of_squares(k: int, g: Any, p: Any) -> Any:
    return -0.1 * g / np.sqrt(sum(0.1 * 0.9 ** (k - j) * g**2 for j in range(1, k + 1)) + 1e-8)


def of_momentum(k: int, g: Any, p: Any) -> Any:
    return -0.1 * sum(0.9**j for j in range(k)) * g


def ahead(k: int, g: Any, p: Any) -> Any:
    return -0.1 * (g + 0.9 * sum(0.9**j for j in range(k)) * g)


SHORT = np.sqrt(sum(np.sum(np.square(v)) for v in [DOWN["w"], *DOWN["b"]]))
o = wt.optimize
CASES: dict[str, tuple[Any, Any]] = {
    "sgd": (o.sgd(0.1), lambda k, g, p: -0.1 * g),
    "momentum": (o.sgd(0.1, 0.9), of_momentum),
    "nesterov": (o.sgd(0.1, 0.9, nesterov=True), ahead),
    "rmsprop": (o.rmsprop(0.1), of_squares),
    "adagrad": (o.adagrad(0.1), lambda k, g, p: -0.1 * g / np.sqrt(0.1 + k * g**2 + 1e-7)),
    "adam": (o.adam(0.1, b2=0.99), by_moments),
    "adamw": (
        o.adamw(0.1, b2=0.99, weight_decay=0.2),
        lambda k, g, p: by_moments(k, g, p, 0.2),
    ),
    "lion": (o.lion(0.1, weight_decay=0.2), lambda k, g, p: -0.1 * (np.sign(g) + 0.2 * p)),
    "short": (
        o.chain(o.clip_by_global_norm(2.0), o.sgd(o.linear_schedule(1.0, 0.0, 4))),
        lambda k, g, p: -(1 - (k - 1) / 4) * g * 2.0 / SHORT,
    ),
    "clipped": (o.chain(o.clip(1.0), o.sgd(1.0)), lambda k, g, p: -np.clip(g, -1, 1)),
}


@pytest.mark.cases(10)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", CASES)
def test_steps_are_those_of_the_formula(name: str, mode: str) -> None:
    step, formula = CASES[name]
    now = [START["w"].astype("f8"), np.float64(0.5)]
    slopes = [DOWN["w"].astype("f8"), np.float64(DOWN["b"][0])]
    for k, leaves in enumerate(after_steps(step, mode), 1):
        now = [p + formula(k, g, p) for p, g in zip(now, slopes, strict=True)]
        for one, other in zip(leaves, now, strict=True):
            assert one.dtype == "float32"
            np.testing.assert_allclose(one, other, rtol=3e-6)


@pytest.mark.parametrize("mode", MODES)
def test_a_whole_training_is_a_loop(mode: str) -> None:
    X, y = wt.matrix("X"), wt.vector("y")
    step = wt.optimize.adam(0.1)
    start = {"w": wt.zeros(3), "b": wt.constant(0.0)}

    def train(_: Any, carried: Any) -> Any:
        params, state = carried
        loss = ((X @ params["w"] + params["b"] - y) ** 2).mean()
        updates, state = step.update(wt.grad(loss, params), state, params)
        return wt.optimize.apply_updates(params, updates), state

    params, _ = wt.fori_loop(0, 300, train, (start, step.init(start)))
    data = np.random.default_rng(0).normal(size=(20, 3))
    learned = wt.function([X, y], params, mode=mode)(data, data @ [1.0, -2.0, 0.5] + 3.0)
    np.testing.assert_allclose(learned["w"], [1.0, -2.0, 0.5], atol=1e-2)
    np.testing.assert_allclose(learned["b"], 3.0, atol=1e-2)


def test_bad_input_is_told() -> None:
    with pytest.raises(ValueError, match="max_norm must be positive, not 0"):
        wt.optimize.clip_by_global_norm(0)
    step = wt.optimize.sgd(0.1)
    with pytest.raises(TypeError, match=r"rest\[0\] must be a dict of \['w'\], but it is a list"):
        wt.optimize.apply_updates({"w": wt.zeros(2)}, [wt.zeros(2)])
    assert step.init({"w": wt.zeros(2)}) == ()
    decaying = wt.optimize.adamw(0.1)
    with pytest.raises(ValueError, match=r"needed: update\(gradients, state, params\)"):
        decaying.update(wt.zeros(2), decaying.init(wt.zeros(2)))
