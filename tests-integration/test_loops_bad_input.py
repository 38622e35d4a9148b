"""What loops are given that they can't take: what is said, where, and on which backend."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import weft.tensor as wt

MODES = ["py", "numba", "jax"]
x, y, a = wt.vector("x"), wt.vector("y"), wt.scalar("a")
n = wt.scalar("n", dtype="int64")


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> str:
    """A backend."""
    return str(request.param)


def looped(change: Callable[[Any], Any], init: Any) -> dict[str, Callable[[], Any]]:
    """By the name of each front function, a loop whose steps `change` the state."""
    return {
        "fori_loop": lambda: wt.fori_loop(0, 3, lambda i, s: change(s), init),
        "while_loop": lambda: wt.while_loop(lambda s: s.sum() < 9, change, init),
        "loop.scan": lambda: wt.loop.scan(lambda s, v: (change(s), None), init, x)[0],
        "scan": lambda: wt.scan(lambda v, s: change(s), x, init),
        "reduce": lambda: wt.reduce(lambda v, s: change(s), x, init),
    }


NAMES = list(looped(abs, 0.0))


@pytest.mark.parametrize("name", NAMES)
def test_states_that_change_their_type(name: str) -> None:
    state = r"state (init|outputs_info\[0\]) is"
    for init, change, error, said in [
        (np.int64(0), lambda s: s + 0.5, TypeError, r"int64 at .* float64 after .*\('float64'\)"),
        (a, lambda s: s.astype("int32"), TypeError, r"float64 at .* int32 after .*\('int32'\)"),
        (np.float32(0), lambda s: s + a, TypeError, r"float32 at .* float64 after .*\('float32'\)"),
        (0.0, lambda s: s + y, TypeError, r"float64 at .* float64\[\?\] after .* keeps its rank"),
        (wt.ones(2), lambda s: wt.stack([s, s]), TypeError, r"\[2\] at .* \[?.*\[2, 2\] after"),
        (wt.ones(2), lambda s: wt.tile(s, 2), ValueError, r"\[2\] at .*\[4\] after .*its shape"),
    ]:
        with pytest.raises(error, match=f"{state} .*{said}") as caught:
            looped(change, init)[name]()
        assert "the step gives it at line" in caught.value.__notes__[0]
        assert __file__ in caught.value.__notes__[0]
    with pytest.raises(TypeError, match=r"None as the next value of state|returns no result"):
        looped(lambda s: None, 0.0)[name]()


def test_states_are_named_by_the_way_to_them() -> None:
    with pytest.raises(TypeError, match=r"state init\['b'\]\[1\] is int64 at first"):
        wt.fori_loop(
            0,
            2,
            lambda i, s: {"a": s["a"], "b": [s["b"][0], s["b"][1] + 0.5]},
            {"a": a, "b": [a, wt.as_tensor(0)]},
        )
    with pytest.raises(TypeError, match=r"fn gives float32\[\?\] of float64\[\?\]"):
        wt.associative_scan(lambda p, q: (p + q).astype("float32"), x)


@pytest.mark.cases(5)
@pytest.mark.parametrize("name", NAMES)
def test_states_that_change_their_shape_when_it_runs(mode: str, name: str) -> None:
    shorter = looped(lambda s: s[1:] * 0.75, y)[name]()  # like no other test's, which says where
    f = wt.function([x, y], shorter, mode=mode, on_unused_input="ignore")
    with pytest.raises(ValueError, match=r"state 0 has shape \(3,\) before .* \(2,\) after") as e:
        f([1.0, 2.0], [1.0, 2.0, 3.0])
    assert f"of {__file__}, in <lambda>" in str(e.value)
    assert "Begin with an array of the last shape" in str(e.value)


def test_results_that_change_their_shape(mode: str) -> None:
    ends = wt.vector("ends", dtype="int64")
    with pytest.raises(ValueError, match=r"shape|length"):  # JAX refuses to compile it
        wt.function([ends], wt.scan(lambda k: wt.arange(k), ends), mode=mode)([1, 2])


def test_numbers_of_steps(mode: str) -> None:
    double: Any = lambda s, v=None: (s * 2.0, s)  # noqa: E731
    for loop in (
        wt.scan(lambda s: s * 2.0, outputs_info=1.0, n_steps=n),
        wt.loop.scan(double, 1.0, length=n)[0],
        wt.loop.scan(double, 1.0, length=n)[1],
        wt.while_loop(lambda s: s < 5, lambda s: s + 1, 0, max_steps=n),
    ):
        with pytest.raises(ValueError, match="the number of steps is"):
            wt.function([n], loop, mode=mode)(-1)
    assert wt.function([n], wt.fori_loop(2, n, lambda i, s: s + 1, 0), mode=mode)(-1) == 0


def test_numbers_of_steps_that_are_known() -> None:
    with pytest.raises(ValueError, match="n_steps is -2: it can't be negative"):
        wt.scan(lambda s: s, outputs_info=1.0, n_steps=-2)
    with pytest.raises(ValueError, match="scan: length is -2"):
        wt.loop.scan(lambda s, v: (s, None), 1.0, length=-2)
    with pytest.raises(ValueError, match="max_steps is -1"):
        wt.while_loop(lambda s: s < 2, lambda s: s, 1.0, max_steps=-1)
    for wrong in (2.5, a, wt.ivector(), None):
        with pytest.raises(TypeError, match=r"fori_loop: upper must be an integer scalar"):
            wt.fori_loop(0, wrong, lambda i, s: s, 1.0)  # type: ignore[arg-type]  # that is wrong
    with pytest.raises(TypeError, match=r"scan: n_steps must be an integer scalar, not <a"):
        wt.scan(lambda s: s, outputs_info=1.0, n_steps=a)


def test_a_scan_with_the_arguments_of_jax() -> None:
    with pytest.raises(IndexError) as error:
        wt.scan(lambda s, v: (s[1:] + v, None), x, 0.0)
    assert "wt.loop.scan(f, init, xs) is JAX's" in error.value.__notes__[0]


def test_sequences_of_different_lengths(mode: str) -> None:
    pair = {"a": x, "b": y}
    loops = [
        wt.scan(lambda p, q: p + q, [x, y]),
        wt.scan(lambda p, q, s: s * p + q, [x, y], 0.0),
        wt.reduce(lambda p, q, s: s + p * q, [x, y], 0.0),
        wt.loop.scan(lambda s, v: (s * v["a"] + v["b"], None), 0.0, pair)[0],
        wt.map(lambda p, q: p + q, [x, y]),
        wt.associative_scan(lambda p, q: {"a": p["a"] * q["a"], "b": p["b"] + q["b"]}, pair)["b"],
    ]
    for result in loops:
        f = wt.function([x, y], result, mode=mode)
        for lengths in ((3, 4), (4, 3), (1, 2)):
            with pytest.raises(ValueError, match=r"length|shape|elements"):
                f(*map(np.ones, lengths))
    shortest = wt.scan(lambda p, q: p + q, [x, y], strict=False)
    f = wt.function([x, y], shortest, mode=mode)
    assert [len(f(np.ones(k), np.ones(m))) for k, m in ((3, 4), (4, 3), (0, 2))] == [3, 3, 0]
    longer = wt.loop.scan(lambda s, v: (s + v, None), 0.0, x, length=5)[0]
    with pytest.raises(ValueError, match="sequence 0 has"):
        wt.function([x], longer, mode=mode)(np.ones(3))


def test_sequences_of_lengths_that_types_know() -> None:
    three, four = wt.vector("p", shape=(3,)), wt.vector("q", shape=(4,))
    for loop in (
        lambda: wt.scan(lambda p, q: p + q, [three, four]),
        lambda: wt.loop.scan(lambda s, v: (s, None), 0.0, (three, four)),
        lambda: wt.map(lambda p, q: p + q, [three, four]),
    ):
        with pytest.raises(ValueError, match=r"<p .* has 3 elements and <q .* has 4"):
            loop()
    with pytest.raises(ValueError, match=r"<q .* has 4 elements, and <p .* has 3"):
        wt.associative_scan(lambda p, q: p, [three, four])
    shortest = wt.scan(lambda p, q: p + q, [three, four], strict=False)
    assert shortest.type.shape == (3,)
    with pytest.raises(ValueError, match=r"length 3, not 5"):
        wt.loop.scan(lambda s, v: (s + v, None), 0.0, three, length=5)


def test_conditions_that_are_none() -> None:
    for wrong in (1, 0.5, x > 0, None, [a > 0]):
        with pytest.raises(TypeError, match=r"cond must give a boolean scalar, not .* compare"):
            wt.while_loop(lambda s: wrong, lambda s: s, 0.0)  # noqa: B023  # called at once
        with pytest.raises(TypeError, match=r"until takes a boolean scalar, not .* compare"):
            wt.until(wrong)  # type: ignore[arg-type]  # that is wrong


@pytest.fixture
def interrupted() -> Iterator[None]:
    """Soon Ctrl-C is pressed."""
    if not hasattr(signal, "setitimer"):
        pytest.skip("there are no timers here")
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("mode", ["py", "numba"])
def test_loops_that_never_end(mode: str, interrupted: None) -> None:
    halved: Any = lambda s: s * 0.5  # noqa: E731
    for first, loop in [
        (1.0, wt.while_loop(lambda s: s < 2, halved, a)),
        ([1.0, 0.5], wt.while_loop(lambda s: s.sum() < 2, halved, x)),
        ([1.0, 0.5], wt.map(lambda v: wt.while_loop(lambda s: s < 2, halved, v), x)),
        (1.0, wt.scan(lambda s: (halved(s), wt.until(s > 2)), outputs_info=a, n_steps=1 << 60)[-1]),
    ]:
        f = wt.function([x if isinstance(first, list) else a], loop, mode=mode)
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(KeyboardInterrupt):
            f(first)
    stopped = wt.while_loop(lambda s: s < 2, halved, a, max_steps=3)
    assert wt.function([a], stopped, mode=mode)(1.0) == 0.125


def test_what_is_made_inside_another_body() -> None:
    kept: list[Any] = []

    def keep(value: Any) -> Any:
        kept.append(value * 2)
        return value

    for name, loop in looped(keep, a).items():
        loop()
        for other, again in looped(lambda s: s + kept[-1], a).items():
            with pytest.raises(ValueError, match=r"is an argument of another function") as caught:
                again()
            assert f"of {__file__}, in keep" in str(caught.value), (name, other)
    wt.map(keep, x)
    with pytest.raises(ValueError, match="Let that function return what is needed"):
        wt.map(lambda v: v + kept[-1], y)
    wt.associative_scan(lambda p, q: keep(p + q), x)
    with pytest.raises(ValueError, match="Let that function return what is needed"):
        wt.associative_scan(lambda p, q: p + q + kept[-1], x)
    within = wt.loop.scan(lambda s, v: (wt.fori_loop(0, 2, lambda i, t: t * s + v, s), None), a, x)[
        0
    ]
    assert within.eval({a: 1.0, x: [1.0]}) == 3.0


def test_taps_beyond_the_initial_state(mode: str) -> None:
    for taps in ([-2, -1], [-3]):
        sums = wt.scan(
            lambda *past: sum(past), outputs_info={"initial": x, "taps": taps}, n_steps=2
        )
        f = wt.function([x], sums, mode=mode)
        assert len(f(np.ones(-min(taps)))) == 2
        with pytest.raises(ValueError, match=rf"taps \[{taps[0]}.* must have {-taps[0]} values"):
            f([1.0])
