"""Loops that carry a state: time series with their gradients, and as many steps as it takes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tools.bench.bounds import AGAIN, COMPILE, Bound
from tools.bench.fused import FAST
from tools.bench.workload import WEFT, Call, Workload, by_mode, compiled_pytensor, jitted

STEPS = 2000


def returns() -> tuple[Any, ...]:
    """Returns, and the parameters of a GARCH(1, 1) model."""
    return np.random.default_rng(0).normal(size=STEPS), 0.1, 0.1, 0.8


def term(lib: Any, h: Any, x: Any) -> Any:
    """What one return adds to the density."""
    return -0.5 * (lib.log(h) + x * x / h)


def garch_numba() -> Call:
    import numba

    @numba.njit(fastmath=FAST)
    def machine(x, w, a, b):  # type: ignore[no-untyped-def]  # for Numba
        n = len(x)
        h = np.empty(n + 1)
        h[0] = 0.3
        total = 0.0
        for t in range(n):
            h[t + 1] = w + a * x[t] * x[t] + b * h[t]
            total -= 0.5 * (math.log(h[t + 1]) + x[t] * x[t] / h[t + 1])
        slope = by_w = by_a = by_b = 0.0
        for t in range(n - 1, -1, -1):
            after = h[t + 1]
            slope -= 0.5 * (1 / after - x[t] * x[t] / (after * after))
            by_w += slope
            by_a += slope * x[t] * x[t]
            by_b += slope * h[t]
            slope *= b
        return total, by_w, by_a, by_b

    return machine


def garch_jax() -> Call:
    import jax
    import jax.numpy as jnp

    def total(x: Any, w: Any, a: Any, b: Any) -> Any:
        def step(h: Any, r: Any) -> Any:
            after = w + a * r * r + b * h
            return after, term(jnp, after, r)

        return jax.lax.scan(step, 0.3, x)[1].sum()

    both = jax.value_and_grad(total, argnums=(1, 2, 3))

    def flat(*values: Any) -> Any:
        value, slopes = both(*values)
        return (value, *slopes)

    return jitted(flat)


def garch_weft(mode: str) -> Call:
    import weft.tensor as wt

    x = wt.dvector("x")
    w, a, b = wt.dscalars("w a b")

    def step(h: Any, r: Any) -> Any:
        after = w + a * r * r + b * h
        return after, term(wt, after, r)

    total = wt.loop.scan(step, 0.3, x)[1].sum()
    return wt.function([x, w, a, b], [total, *wt.grad(total, [w, a, b])], mode=mode)


def garch_pytensor() -> Call:
    import pytensor
    import pytensor.tensor as pt

    x = pt.dvector("x")
    w, a, b = pt.dscalars("w", "a", "b")

    def step(r: Any, h: Any, w: Any, a: Any, b: Any) -> Any:
        after = w + a * r * r + b * h
        return after, term(pt, after, r)

    (_, terms) = pytensor.scan(
        step,
        sequences=[x],
        outputs_info=[pt.as_tensor(0.3), None],
        non_sequences=[w, a, b],
        return_updates=False,
    )
    total = terms.sum()
    inputs = [x, w, a, b]
    return compiled_pytensor(inputs, [total, *pytensor.grad(total, [w, a, b])], "NUMBA")


def latent() -> tuple[Any, ...]:
    """Innovations, observations and the coefficients of an AR(2) process."""
    rng = np.random.default_rng(0)
    return rng.normal(size=STEPS), rng.normal(size=STEPS), 0.5, 0.3


def ar_numba() -> Call:
    import numba

    @numba.njit(fastmath=FAST)
    def machine(e, y, a, b):  # type: ignore[no-untyped-def]  # for Numba
        n = len(e)
        x = np.zeros(n + 2)
        total = 0.0
        for t in range(n):
            x[t + 2] = a * x[t + 1] + b * x[t] + e[t]
            total += (y[t] - x[t + 2]) ** 2
        slopes = np.empty(n)
        one = two = by_a = by_b = 0.0
        for t in range(n - 1, -1, -1):
            slope = 2 * (x[t + 2] - y[t]) + one
            slopes[t] = slope
            by_a += slope * x[t + 1]
            by_b += slope * x[t]
            one = two + a * slope
            two = b * slope
        return total, slopes, by_a, by_b

    return machine


def ar_jax() -> Call:
    import jax

    def total(e: Any, y: Any, a: Any, b: Any) -> Any:
        def step(state: Any, now: Any) -> Any:
            one, two = state
            after = a * one + b * two + now[0]
            return (after, one), (now[1] - after) ** 2

        return jax.lax.scan(step, (0.0, 0.0), (e, y))[1].sum()

    both = jax.value_and_grad(total, argnums=(0, 2, 3))

    def flat(*values: Any) -> Any:
        value, slopes = both(*values)
        return (value, *slopes)

    return jitted(flat)


def ar_weft(mode: str) -> Call:
    import weft.tensor as wt

    e, y = wt.dvector("e"), wt.dvector("y")
    a, b = wt.dscalars("a b")

    def step(state: Any, now: Any) -> Any:
        one, two = state
        after = a * one + b * two + now[0]
        return (after, one), (now[1] - after) ** 2

    total = wt.loop.scan(step, (0.0, 0.0), (e, y))[1].sum()
    return wt.function([e, y, a, b], [total, *wt.grad(total, [e, a, b])], mode=mode)


def ar_pytensor() -> Call:
    import pytensor
    import pytensor.tensor as pt

    e, y = pt.dvector("e"), pt.dvector("y")
    a, b = pt.dscalars("a", "b")
    states = pytensor.scan(
        lambda e, two, one, a, b: a * one + b * two + e,
        sequences=[e],
        outputs_info=[{"initial": pt.zeros(2), "taps": [-2, -1]}],
        non_sequences=[a, b],
        return_updates=False,
    )
    total = ((y - states) ** 2).sum()
    inputs = [e, y, a, b]
    return compiled_pytensor(inputs, [total, *pytensor.grad(total, [e, a, b])], "NUMBA")


def counted() -> tuple[Any, ...]:
    """A start of the logistic map, and how far it must not go."""
    return 0.3, 3.2, 1_000_000


def while_numba() -> Call:
    import numba

    @numba.njit(fastmath=FAST)
    def machine(x, r, most):  # type: ignore[no-untyped-def]  # for Numba
        k = 0
        while x < 2.0 and k < most:
            x = r * x * (1.0 - x)
            k += 1
        return x

    return machine


def while_jax() -> Call:
    import jax

    def until(x: Any, r: Any, most: Any) -> Any:
        def step(state: Any) -> Any:
            x, k = state
            return r * x * (1.0 - x), k + 1

        return jax.lax.while_loop(lambda s: (s[0] < 2.0) & (s[1] < most), step, (x, 0))[0]

    return jitted(until)


def while_weft(mode: str) -> Call:
    import weft.tensor as wt

    x, r = wt.dscalars("x r")
    most = wt.lscalar("most")
    last = wt.while_loop(lambda s: s < 2.0, lambda s: r * s * (1.0 - s), x, max_steps=most)
    return wt.function([x, r, most], last, mode=mode)


STATES = 16


def chain() -> tuple[Any, ...]:
    """Logarithms of a first distribution, of transitions, and of densities of what is seen."""
    rng = np.random.default_rng(0)
    start = np.log(rng.dirichlet(np.ones(STATES)))
    moves = np.log(rng.dirichlet(np.ones(STATES), STATES))
    return start, moves, rng.normal(size=(1000, STATES))


def hmm_numba() -> Call:
    import numba

    @numba.njit(fastmath=FAST)
    def machine(start, moves, seen):  # type: ignore[no-untyped-def]  # for Numba
        k = len(start)
        now, after = start.copy(), np.empty(k)
        for t in range(len(seen)):
            for j in range(k):
                top = -np.inf
                for i in range(k):
                    top = max(top, now[i] + moves[i, j])
                total = 0.0
                for i in range(k):
                    total += math.exp(now[i] + moves[i, j] - top)
                after[j] = top + math.log(total) + seen[t, j]
            now, after = after, now
        top = now.max()
        return top + math.log(np.exp(now - top).sum())

    return machine


def hmm_jax() -> Call:
    import jax
    from jax.scipy.special import logsumexp

    def density(start: Any, moves: Any, seen: Any) -> Any:
        def step(now: Any, row: Any) -> Any:
            return logsumexp(now[:, None] + moves, axis=0) + row, None

        return logsumexp(jax.lax.scan(step, start, seen)[0])

    return jitted(density)


def hmm_weft(mode: str) -> Call:
    import weft.tensor as wt

    start, moves, seen = wt.dvector("start"), wt.dmatrix("moves"), wt.dmatrix("seen")

    def step(now: Any, row: Any) -> Any:
        return wt.logsumexp(now[:, None] + moves, axis=0) + row, None

    last, _ = wt.loop.scan(step, start, seen)
    return wt.function([start, moves, seen], wt.logsumexp(last), mode=mode)


UNITS, BATCH, LENGTH = 64, 16, 100


def sentences() -> tuple[Any, ...]:
    """A batch of sequences, and the weights of an LSTM cell."""
    rng = np.random.default_rng(0)
    weights = rng.normal(size=(2 * UNITS, 4 * UNITS)) / 8
    return rng.normal(size=(LENGTH, BATCH, UNITS)), weights, np.zeros(4 * UNITS)


def lstm_step(lib: Any, sigmoid: Any, state: Any, x: Any, w: Any, b: Any) -> Any:
    """The next output and memory of the cell."""
    out, memory = state
    gates = x @ w[:UNITS] + out @ w[UNITS:] + b
    i, f, o, g = (gates[:, k * UNITS : (k + 1) * UNITS] for k in range(4))
    memory = sigmoid(f) * memory + sigmoid(i) * lib.tanh(g)
    return sigmoid(o) * lib.tanh(memory), memory


def lstm_jax() -> Call:
    import jax
    import jax.numpy as jnp

    def cost(w: Any, b: Any, xs: Any) -> Any:
        first = jnp.zeros((BATCH, UNITS)), jnp.zeros((BATCH, UNITS))

        def step(state: Any, x: Any) -> Any:
            return lstm_step(jnp, jax.nn.sigmoid, state, x, w, b), None

        return (jax.lax.scan(step, first, xs)[0][0] ** 2).sum()

    both = jax.value_and_grad(cost, argnums=(0, 1))

    def flat(xs: Any, w: Any, b: Any) -> Any:
        value, slopes = both(w, b, xs)
        return (value, *slopes)

    return jitted(flat)


def lstm_weft(mode: str) -> Call:
    import weft.tensor as wt

    xs, w, b = wt.dtensor3("xs"), wt.dmatrix("w"), wt.dvector("b")
    first = wt.zeros((BATCH, UNITS)), wt.zeros((BATCH, UNITS))

    def step(state: Any, x: Any) -> Any:
        return lstm_step(wt, wt.sigmoid, state, x, w, b), None

    total = (wt.loop.scan(step, first, xs)[0][0] ** 2).sum()
    return wt.function([xs, w, b], [total, *wt.grad(total, [w, b])], mode=mode)


def bounds(factor: float, *more: Bound) -> tuple[Bound, ...]:
    """What hand-written loops leave: so much on Numba, a tenth on JAX."""
    return (Bound("weft-numba", "numba", factor), Bound("weft-jax", "jax", 1.1), *more)


OF_SCANS = (
    Bound("weft-numba", "pytensor-numba", 1 / 20),
    Bound("weft-numba", "pytensor-numba", 1 / 10, figure=COMPILE),
    Bound("weft-numba", plus=0.06, figure=AGAIN),
    Bound("weft-jax", "jax", 1.1, figure=COMPILE),
)
"""What loops leave of PyTensor's time, and of compiling."""


WORKLOADS = (
    Workload(
        "garch",
        f"a GARCH(1, 1) density of {STEPS} returns and its gradient",
        {
            "numba": garch_numba,
            "jax": garch_jax,
            **by_mode(garch_weft, WEFT),
            "pytensor-numba": garch_pytensor,
        },
        returns,
        bounds=bounds(1.5, *OF_SCANS),
    ),
    Workload(
        "latent-ar",
        f"a latent AR(2) process of {STEPS} steps and its gradient",
        {
            "numba": ar_numba,
            "jax": ar_jax,
            **by_mode(ar_weft, WEFT),
            "pytensor-numba": ar_pytensor,
        },
        latent,
        bounds=bounds(1.5, *OF_SCANS),
    ),
    Workload(
        "while",
        "10^6 steps of the logistic map, as long as a condition holds",
        {"numba": while_numba, "jax": while_jax, **by_mode(while_weft, WEFT)},
        counted,
        quick=False,
        bounds=bounds(1.1),
    ),
    Workload(
        "hmm",
        f"the forward pass of a hidden Markov model: {STATES} states, 1,000 steps",
        {"numba": hmm_numba, "jax": hmm_jax, **by_mode(hmm_weft, WEFT)},
        chain,
        bounds=bounds(1.3),
    ),
    Workload(
        "lstm",
        f"an LSTM cell, {UNITS} units, {LENGTH} steps, batch {BATCH}; its gradient",
        {"jax": lstm_jax, **by_mode(lstm_weft, WEFT)},
        sentences,
        bounds=(Bound("weft-jax", "jax", 1.1), Bound("weft-numba", "jax", 1.5)),
    ),
)
