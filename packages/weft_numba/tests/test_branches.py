"""Branches in machine code: lines of the one function, at whatever depth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import LoweringError, function
from weft_numba import assembly_code, llvm_code, numba_funcify

x, X = wt.vector("x"), wt.matrix("X")
c, n = wt.scalar("c", "bool"), wt.lscalar("n")
TABLE = np.arange(6.0).reshape(2, 3)


class Unknown(wt.TensorOp):
    """Its Numba function does not compile."""

    def infer(self, *types: Any) -> Any:
        return types[0]

    def impl(self, *values: Any) -> Any:
        return values[0]


@numba_funcify.register(Unknown)
def _(op: Unknown, **kwargs: Any) -> Any:
    return lambda x: np.no_such_function(x)  # type: ignore[attr-defined]  # what is tested


CASES: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "computed": (lambda: wt.exp(X), lambda: wt.cumsum(X, 0) * 2),
    "an input": (lambda: wt.exp(X), lambda: X),
    "other layouts": (lambda: wt.exp(X).transpose(1, 0), lambda: wt.sin(X.transpose(1, 0))),
    "a view of an input": (lambda: X.transpose(1, 0), lambda: wt.sin(X.transpose(1, 0))),
    "a constant": (lambda: wt.exp(X), lambda: wt.constant(TABLE)),
    "numbers": (lambda: wt.sum(wt.exp(X)), lambda: wt.constant(1.5)),
    "functions": (lambda: wt.sort(X), lambda: wt.sort(X)[::-1]),
}


@pytest.mark.cases(3)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("which", [True, False])
def test_results_of_both_cases(case: str, which: bool) -> None:
    chosen = wt.ifelse(c, *(make() for make in CASES[case]))
    outputs = [chosen, wt.sum(chosen * 2.0)]
    found, expected = (
        function([c, X], outputs, mode=mode)(which, TABLE) for mode in ("numba", "py")
    )
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    assert not np.shares_memory(found[0], TABLE)


def nested(depth: int) -> Any:
    value = wt.exp(x)
    for k in range(depth):
        value = wt.ifelse(wt.eq(n, k), wt.sin(x) * k, wt.cos(value) + x)
    return value


def test_branches_in_branches_are_lines_of_one_function() -> None:
    f, g = (function([n, x], nested(20), mode=mode) for mode in ("numba", "py"))
    assert f.source.count("def ") == 1
    assert f.source.count("else:") == 20
    deepest = max(len(line) - len(line.lstrip()) for line in f.source.splitlines())
    assert deepest == 4 * 21
    for k in range(-1, 21):
        np.testing.assert_allclose(f(k, [1.0, 2.0]), g(k, [1.0, 2.0]), rtol=1e-12)


def test_several_results_of_one_branch() -> None:
    a, b = wt.ifelse(c, (wt.exp(x), wt.sum(x)), (x + 1.0, wt.prod(wt.exp(x))))
    f, g = (function([c, x], [a * b, b], mode=mode) for mode in ("numba", "py"))
    assert f.source.count("if ") == 1
    for which in (True, False):
        for one, other in zip(f(which, [1.0, 2.0]), g(which, [1.0, 2.0]), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)


def test_an_error_in_the_case_that_is_taken_is_explained() -> None:
    f = function([c, x, n], wt.ifelse(c, wt.exp(x[n]), wt.sum(wt.exp(x))), mode="numba")
    assert f(False, [0.0, 0.0], 5) == 2.0
    with pytest.raises(IndexError, match=r"out of bounds") as caught:
        f(True, [0.0, 0.0], 5)
    assert "while computing index" in "\n".join(caught.value.__notes__)


def test_a_function_that_does_not_compile_is_named() -> None:
    with pytest.raises(LoweringError, match=r"while computing Unknown"):
        function([c, x], wt.ifelse(c, wt.exp(Unknown()(wt.sin(x))), x), mode="numba")


@pytest.mark.cases(0)
def test_a_branch_is_one_row_of_the_profile() -> None:
    f = function([n, x], wt.sum(wt.sort(nested(3))), mode="numba")
    profile = f.profile(1, np.ones(100), repeat=2)
    assert [timing.ops for timing in profile.timings].count("branch") == 1
    assert profile.seconds > 0


@pytest.mark.optimized
def test_the_code_of_both_cases_can_be_read() -> None:
    f = function([c, x], wt.ifelse(c, wt.sum(wt.sin(x)), wt.sum(wt.cos(x))), mode="numba")
    code, assembly = llvm_code(f), assembly_code(f)
    assert all(f"call double @{name}(" in code for name in ("sin", "cos"))
    assert all(name in assembly for name in ("sin", "cos"))
