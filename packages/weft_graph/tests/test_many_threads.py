"""Sixteen threads that build, and call, at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from weft_graph import (
    constant,
    digest,
    function,
)

THREADS = 16


def test_sixteen_threads_build_identical_graphs(x: Any, calc: Any) -> None:
    def build(_: int) -> Any:
        v = x
        for k in range(200):
            v = calc.SumAndProduct()(v, constant(calc.Number(), float(k)))[k % 2]
        return v, function([x], v, mode="py")(0.5), digest(v)

    with ThreadPoolExecutor(THREADS) as pool:
        results = list(pool.map(build, range(THREADS)))
    assert all(r[0] is results[0][0] and r[1:] == results[0][1:] for r in results)


def test_sixteen_threads_call_one_function(x: Any, y: Any) -> None:
    f = function([x, y], [x * y + x, {"minus": -x}], mode="py")

    def call(k: int) -> bool:
        a = float(k)
        return all(f(a, b) == [a * b + a, {"minus": -a}] for b in map(float, range(300)))

    with ThreadPoolExecutor(THREADS) as pool:
        assert all(pool.map(call, range(THREADS)))


def test_an_error_in_one_thread_is_that_threads_alone(x: Any, calc: Any) -> None:
    f = function([x], calc.Reciprocal()(x), mode="py")

    def call(k: int) -> str:
        try:
            return str(f(float(k % 2)))
        except ZeroDivisionError as error:
            return error.__notes__[0].splitlines()[1]

    with ThreadPoolExecutor(THREADS) as pool:
        results = list(pool.map(call, range(400)))
    assert set(results[::2]) == {"  input 0: <x : Number> = 0.0"}
    assert set(results[1::2]) == {"1.0"}
