"""`switch_case`, choices inside loops, and `associative_scan`, on three backends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft.tensor as wt

MODES = ["py", "numba", "jax"]
x, a, k = wt.vector("x"), wt.scalar("a"), wt.scalar("k", "int64")
X = np.random.default_rng(2).normal(size=9)


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> str:
    """A backend."""
    return str(request.param)


def test_one_of_several_functions(mode: str) -> None:
    def of(scale: float) -> Any:
        return lambda v, b: {"y": wt.sin(v * scale * b), "all": [(v * b).sum()]}

    chosen = wt.switch_case(k, [of(1.0), of(2.0), of(3.0), of(4.0), of(5.0)], x, a)
    slope = wt.grad(chosen["y"].sum(), a)
    f = wt.function([k, x, a], [chosen["y"], chosen["all"][0], slope], mode=mode)
    for value in (-3, 0, 1, 2, 3, 4, 7):
        scale = np.clip(value, 0, 4) + 1.0
        y, total, by_a = f(value, X, 0.7)
        np.testing.assert_allclose(y, np.sin(X * scale * 0.7))
        np.testing.assert_allclose(total, (X * 0.7).sum())
        np.testing.assert_allclose(by_a, (np.cos(X * scale * 0.7) * X * scale).sum())


def test_only_the_chosen_branch_is_computed(mode: str) -> None:
    def failing(v: Any) -> Any:
        return wt.check_and_raise(v, v.sum() > 1e9, ValueError, "computed")

    f = wt.function([k, x], wt.switch_case(k, [wt.sin, failing, wt.cos], x), mode=mode)
    np.testing.assert_allclose(f(2, X), np.cos(X))
    with pytest.raises(ValueError, match="computed"):
        f(1, X)


def test_what_switch_case_refuses() -> None:
    with pytest.raises(TypeError, match="integer scalar"):
        wt.switch_case(0.5, [wt.sin], x)
    with pytest.raises(ValueError, match="needs a branch"):
        wt.switch_case(k, [])
    with pytest.raises(TypeError, match=r"branch 1 gives .*int64.* branch 0 gives .*float64"):
        wt.switch_case(k, [wt.sin, lambda v: wt.argsort(v)], x)
    with pytest.raises(TypeError, match="what branch 1 returns must be a dict"):
        wt.switch_case(k, [lambda v: {"y": v}, lambda v: v], x)


def test_choices_within_loops(mode: str) -> None:
    def step(s: Any, v: Any) -> Any:
        after = wt.ifelse(v > 0, s + a * wt.log(1 + v * v), s * a - v)
        return after, wt.switch_case((v > 0).astype("int64"), [lambda: s, lambda: after])

    last, rows = wt.loop.scan(step, 0.5, x)
    cost = last + rows.sum()
    forward = wt.pushforward(cost, a, wt.as_tensor(1.0))
    f = wt.function([x, a], [last, rows, wt.grad(cost, a), forward], mode=mode)
    by_hand, s, h = [], 0.5, 1e-6
    for v in X:
        after = s + 0.7 * np.log(1 + v * v) if v > 0 else s * 0.7 - v
        by_hand.append(after if v > 0 else s)
        s = after
    found = f(X, 0.7)
    np.testing.assert_allclose(found[0], s)
    np.testing.assert_allclose(found[1], by_hand)
    (up, up_rows), (down, down_rows) = f(X, 0.7 + h)[:2], f(X, 0.7 - h)[:2]
    wanted = (up + up_rows.sum() - down - down_rows.sum()) / (2 * h)
    np.testing.assert_allclose(found[2:], wanted, rtol=1e-6)


def test_a_loop_computes_only_what_its_choices_choose(mode: str) -> None:
    def step(s: Any, v: Any) -> Any:
        checked = wt.check_and_raise(v, v > 0, ValueError, "not positive")
        return wt.ifelse(v > 0, s + checked, s), None

    total = wt.function([x], wt.loop.scan(step, 0.0, x)[0], mode=mode)(X)
    np.testing.assert_allclose(total, X[X > 0].sum())


def products(p: Any, q: Any) -> Any:
    """Of affine functions: first p, then q."""
    return {"a": p["a"] * q["a"], "b": q["a"] * p["b"] + q["b"]}


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("known", [False, True])
@pytest.mark.cases("jax-False-True", "py-False-False", "py-True-False", "py-True-True")
def test_a_linear_recurrence_by_an_associative_scan(mode: str, known: bool, reverse: bool) -> None:
    for n in (0, 1, 2, 3, 4, 7, 9) if mode == "py" else (5,):
        v = wt.vector("v", shape=(n if known else None,))
        found = wt.associative_scan(products, {"a": v * a, "b": v}, reverse=reverse)["b"]
        f = wt.function(
            [v, a], [found, wt.grad((found**2).sum(), a, disconnected_inputs="ignore")], mode=mode
        )

        def by_hand(scale: float, n: int = n) -> Any:
            s, rows = 0.0, []
            for value in X[:n][::-1] if reverse else X[:n]:
                s = value * scale * s + value
                rows.append(s)
            return np.array(rows[::-1] if reverse else rows)

        got, slope = f(X[:n], 0.7)
        np.testing.assert_allclose(got, by_hand(0.7))
        wanted = ((by_hand(0.7 + 1e-6) ** 2).sum() - (by_hand(0.7 - 1e-6) ** 2).sum()) / 2e-6
        np.testing.assert_allclose(slope, wanted, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("axis", [1, -1, 0])
@pytest.mark.parametrize("shape", [(None, None, None), (3, 4, 2)])
@pytest.mark.cases(2)
def test_any_axis(mode: str, axis: int, shape: Any) -> None:
    t = wt.tensor("t", "float64", shape)
    value = np.arange(24.0).reshape(3, 4, 2) % 7
    sums = wt.associative_scan(lambda p, q: p + q, t, axis=axis)
    f = wt.function([t], sums, mode=mode)
    np.testing.assert_allclose(f(value), np.cumsum(value, axis))


def test_what_associative_scan_refuses() -> None:
    with pytest.raises(TypeError, match="keep dtype and rank"):
        wt.associative_scan(lambda p, q: p > q, x)
    with pytest.raises(TypeError, match="what fn returns must be a dict"):
        wt.associative_scan(lambda p, q: p["v"], {"v": x})
    with pytest.raises(ValueError, match="has 3 elements, and"):
        wt.associative_scan(lambda p, q: p, (wt.vector(shape=(2,)), wt.vector(shape=(3,))))
    with pytest.raises(ValueError, match="needs a tensor"):
        wt.associative_scan(lambda p, q: p, [])
