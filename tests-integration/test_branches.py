"""What only the other case of an `ifelse` needs is not computed, on every backend."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest

import weft.tensor as wt
from weft_graph import Function, Mode, function, grad
from weft_graph.extend import Branch, PythonLinker
from weft_jax import JAXLinker
from weft_numba import NumbaLinker

MODES = ["py", "numba", "jax"]
x, y = wt.vector("x"), wt.vector("y")
n, m = wt.scalar("n", "int64"), wt.scalar("m", "int64")
c = wt.scalar("c", "bool")
VALUE = np.array([0.5, -1.5, 2.0])


def refused(value: Any, message: str) -> Any:
    """`value`, which can never be computed."""
    return wt.check_and_raise(value, wt.isnan(value).all(), ValueError, message)


def branches(f: Function) -> list[Branch]:
    return [v.op for v in f.graph.nodes if isinstance(v.op, Branch)]


@pytest.mark.parametrize("mode", MODES)
def test_a_check_raises_in_the_case_that_is_taken_alone(mode: str) -> None:
    f = function([c, x], wt.ifelse(c, refused(wt.exp(x), "refused"), x + 1.0).sum(), mode=mode)
    assert f(False, VALUE) == 4.0
    with pytest.raises(ValueError, match="refused") as caught:
        f(True, VALUE)
    assert "wt.check_and_raise(" in "\n".join(caught.value.__notes__)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("which", [True, False])
def test_both_cases_may_have_checks(mode: str, which: bool) -> None:
    positive = wt.check_and_raise(x, x > 0, ValueError, "not positive")
    negative = wt.check_and_raise(x, x < 0, IndexError, "not negative")
    f = function([c, x], wt.ifelse(c, wt.log(positive), wt.log(-negative)), mode=mode)
    np.testing.assert_allclose(f(which, [2.0 if which else -2.0]), np.log([2.0]))
    with pytest.raises(ValueError if which else IndexError, match="not "):
        f(which, [-1.0 if which else 1.0])


@pytest.mark.parametrize("mode", MODES)
def test_an_index_out_of_range_and_an_integer_division_by_zero(mode: str) -> None:
    f = function([n, x], wt.ifelse(n < 3, x[n] * 2.0, 7 // wt.maximum(n, 0) * 1.0), mode=mode)
    assert f(2, VALUE) == 4.0
    assert f(5, VALUE) == 1.0
    assert f(0, VALUE) == 1.0


@pytest.mark.parametrize("mode", MODES)
def test_branches_in_branches(mode: str) -> None:
    inner = wt.ifelse(n > 5, refused(x * 3.0, "large"), x * 2.0)
    f = function([n, x], wt.ifelse(n > 0, inner.sum(), refused(x.sum(), "small")), mode=mode)
    assert f(1, VALUE) == 2.0
    for value, message in ((6, "large"), (0, "small")):
        with pytest.raises(ValueError, match=message):
            f(value, VALUE)


@pytest.mark.parametrize("mode", MODES)
def test_a_condition_that_is_chosen_and_asked_twice(mode: str) -> None:
    """What both choices need can't be computed before the condition is."""
    large = wt.ifelse(n > 0, wt.sin(x), wt.cos(x)).sum() > 0.2
    work = wt.exp(x)
    first = wt.ifelse(large, work + 1.0, x)
    second = wt.ifelse(large, work * wt.sin(first), x)
    f = function([n, x], first + second, mode=mode)
    e = np.exp(VALUE)
    np.testing.assert_allclose(f(1, VALUE), e + 1 + e * np.sin(e + 1))
    np.testing.assert_allclose(f(1, -VALUE), -2 * VALUE)


@pytest.mark.parametrize("mode", MODES)
def test_two_results_share_one_branch(mode: str) -> None:
    root = wt.sqrt(refused(x, "refused"))
    first, second = wt.ifelse(c, [root * 2.0, root.sum()], [x, x.sum() * 2.0])
    third = wt.ifelse(c, root + 1.0, x + 1.0)
    f = function([c, x], [first, second, third], mode=mode)
    a, b, d = f(False, VALUE)
    np.testing.assert_array_equal(a, VALUE)
    assert b == 2.0
    np.testing.assert_array_equal(d, VALUE + 1.0)
    assert len(branches(f)) == 1
    with pytest.raises(ValueError, match="refused"):
        f(True, VALUE)


@pytest.mark.parametrize("mode", MODES)
def test_value_and_gradient(mode: str) -> None:
    root = wt.exp(wt.check_and_raise(x, (x > 0).all(), ValueError, "refused"))
    cost = (wt.ifelse(c, root, x * 3.0) ** 2).sum()
    f = function([c, x], [cost, grad(cost, x)], mode=mode)
    value, slope = f(False, VALUE)
    np.testing.assert_allclose(value, 9 * (VALUE**2).sum())
    np.testing.assert_allclose(slope, 18 * VALUE)
    value, slope = f(True, [1.0, 2.0])
    np.testing.assert_allclose(value, np.exp([2.0, 4.0]).sum())
    np.testing.assert_allclose(slope, 2 * np.exp([2.0, 4.0]))
    with pytest.raises(ValueError, match="refused"):
        f(True, VALUE)


class Counted(wt.TensorOp):
    """The identity, which notes its name when it is computed."""

    name: str
    calls: ClassVar[list[str]] = []

    def infer(self, *types: Any) -> Any:
        return types[0]

    def impl(self, *values: Any) -> Any:
        self.calls.append(self.name)
        return values[0]


def test_work_is_done_once_or_not_at_all() -> None:
    def counted(name: str, value: Any) -> Any:
        return Counted(name)(value)

    calls = Counted.calls
    calls.clear()
    shared = counted("shared", x)
    then = counted("then", shared * 2.0)
    outcome = wt.ifelse(c, then, counted("otherwise", shared))
    later = wt.ifelse(c, then * outcome, outcome)
    f = function([c, x], [outcome, later], mode=Mode("py"))
    _, last = f(True, VALUE)
    np.testing.assert_array_equal(last, 4 * VALUE**2)
    assert calls == ["shared", "then"]
    calls.clear()
    f(False, VALUE)
    assert calls == ["shared", "otherwise"]


@pytest.mark.parametrize("mode", MODES)
def test_lengths_of_the_other_case_need_not_make_sense(mode: str) -> None:
    f = function([n], wt.ifelse(n >= 0, wt.arange(n).sum(), -n), mode=mode)
    assert [int(f(k)) for k in (4, -3, 2)] == [6, 3, 1]


@pytest.mark.parametrize("mode", MODES)
def test_masks_and_lengths_found_in_a_case(mode: str) -> None:
    some = x[x > 0]
    several = wt.unique(x).sum()
    f = function([n, x], wt.ifelse(n > 0, some.sum(), several), mode=mode)
    assert f(1, VALUE) == 2.5
    assert f(0, [1.0, 1.0, 3.0]) == 4.0


@pytest.mark.parametrize("linker", [PythonLinker(), NumbaLinker(), JAXLinker()])
def test_without_rewriting(linker: Any) -> None:
    cost = wt.ifelse(c, refused(wt.exp(x), "refused"), x).sum()
    f = function([c, x], cost, mode=Mode(linker, books=[]))
    assert f(False, VALUE) == 1.0


@pytest.mark.cases("jax")
@pytest.mark.parametrize("mode", MODES)
def test_many_levels(mode: str) -> None:
    value = x.sum()
    for k in range(40):
        value = wt.ifelse(n > k, wt.sin(value) + k, wt.cos(x).sum())
    f = function([n, x], value, mode=mode)
    expected = VALUE.sum()
    for k in range(40):
        expected = np.sin(expected) + k if k < 30 else np.cos(VALUE).sum()
    np.testing.assert_allclose(f(30, VALUE), expected)


@pytest.mark.cases(0)
def test_a_long_chain_ends() -> None:
    value = x.sum()
    for k in range(20_000):
        value = wt.ifelse(n > k, value + 1.0, wt.sin(value))
    f = function([n, x], value, mode=Mode("py", books=[]))
    assert f(20_000, VALUE) == 20_001.0
