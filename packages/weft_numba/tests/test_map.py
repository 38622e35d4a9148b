"""`map` in Numba: the loop, its body as a function of its own, threads, and errors inside."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import Mode, OpFromGraph, function, grad, print_value
from weft_graph.extend import Linker
from weft_numba import NumbaLinker

LINKERS = [NumbaLinker(), NumbaLinker(nogil=True, parallel=True)]
each_linker = pytest.mark.parametrize("linker", LINKERS, ids=["alone", "threads"])
rng = np.random.default_rng(0)
x, y = wt.matrix("x"), wt.matrix("y")
v, w = wt.vector("v"), wt.vector("w")
sizes = wt.vector("sizes", "int64")


def assert_same(linker: Linker, outputs: Any, *values: dict[Any, Any]) -> None:
    """By this linker, results are those of Python."""
    python, machine = (function(list(values[0]), outputs, mode=m) for m in ("py", Mode(linker)))
    for each in values:
        expected, found = python(*each.values()), machine(*each.values())
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
            assert (a.dtype, a.shape) == (b.dtype, b.shape)


@pytest.mark.cases(1)
@each_linker
def test_rows_and_what_is_the_same_for_all(linker: Linker) -> None:
    results = wt.map(lambda a, b, c: (wt.exp(a) * w, a @ b + c, a > b), (x, y, v))
    draw = rng.normal
    values = [
        {x: draw(size=(n, 3)), y: draw(size=(n, 3)), v: draw(size=n), w: draw(size=3)}
        for n in (0, 1, 5, 3000)
    ]
    assert_same(linker, results, *values)


@pytest.mark.cases(0)
@each_linker
def test_derivatives(linker: Linker) -> None:
    def corner(row: Any, factor: Any) -> Any:
        return wt.cholesky(wt.outer(row, row) + wt.eye(3) * w)[2, 0] * factor

    cost = (wt.map(corner, (x, v)) ** 2).sum()
    values = [
        {x: rng.normal(size=(n, 3)), v: rng.normal(size=n), w: rng.uniform(1, 2, size=3)}
        for n in (0, 1, 2000)
    ]
    assert_same(linker, [cost, *grad(cost, [x, v, w])], *values)


@pytest.mark.cases(0)
@each_linker
def test_other_dtypes_and_ranks(linker: Linker) -> None:
    z = wt.tensor("z", "complex64", (None, None, None))
    i = wt.vector("i", "uint8")
    results = wt.map(lambda a, k: (a.T * 2, k + 1, a.sum(axis=0) > k, a[0, 0]), (z, i))
    numbers = (rng.normal(size=(4, 2, 3)) + 1j).astype("complex64")
    assert_same(linker, results, {z: numbers, i: np.arange(4, dtype="uint8")})


@pytest.mark.cases(1)
@each_linker
def test_arrays_that_are_not_contiguous(linker: Linker) -> None:
    results = wt.map(lambda a, b: a * b[::-1], (x.T, y[:, ::2].T[::-1]))
    assert_same(linker, [results], {x: rng.normal(size=(3, 4)), y: rng.normal(size=(3, 7))})


@pytest.mark.cases(0)
@each_linker
def test_a_map_in_a_map_and_in_a_choice(linker: Linker) -> None:
    inner = wt.map(lambda row: wt.map(lambda e: e * w * row[0], row), x)
    chosen = wt.ifelse(w[0] > 0, inner, inner + 1.0)
    values = {x: rng.normal(size=(4, 2)), w: np.array([0.5, 2.0, 3.0])}
    assert_same(linker, [chosen, *grad((inner**2).sum(), [x, w])], values)


@pytest.mark.cases(0)
@each_linker
def test_random_numbers(linker: Linker) -> None:
    keys = wt.random.split(wt.random.key(sizes[0]), 500)
    drawn = wt.map(lambda key: wt.random.normal(key, size=(2, 3)), keys)
    assert_same(linker, [drawn], {sizes: np.array([7])})


@pytest.mark.cases(1)
@each_linker
def test_shapes_that_the_first_element_tells(linker: Linker) -> None:
    drawn, total = wt.map(lambda k: (wt.arange(k) * 2.5, k), sizes)
    assert_same(linker, [drawn, total], {sizes: np.array([3, 3])})
    f = function([sizes], drawn, mode=Mode(linker))
    with pytest.raises(ValueError, match=r"gives|different shapes"):
        f([2, 3])
    with pytest.raises(ValueError, match="there is no element"):
        f(np.zeros(0, "int64"))


def test_sums_of_elements_of_shapes_that_the_first_one_tells() -> None:
    row = wt.vector("row")
    k = wt.scalar("k", "int64")
    body = OpFromGraph([k, row], [wt.arange(k) * row, row.sum() * k], inline=False)
    op = wt.Map(body, (True, False), (True, True))
    assert_same(NumbaLinker(), op(sizes, v), {sizes: np.array([2, 2]), v: np.array([0.5, 1.5])})


@pytest.mark.cases(0)
@each_linker
def test_errors_are_those_of_the_first_element_that_has_one(linker: Linker) -> None:
    def root(number: Any) -> Any:
        checked = wt.check_and_raise(number, number >= 0, ValueError, "negative")
        return wt.sqrt(wt.check_and_raise(checked, number < 9, OverflowError, "large"))

    f = function([v], wt.map(root, v), mode=Mode(linker))
    values = np.ones(100_000)
    np.testing.assert_array_equal(f(values), values)
    for place, value, kind in ((99_000, -1.0, ValueError), (50_000, 10.0, OverflowError)):
        values[place] = value
        with pytest.raises(kind) as caught:
            f(values)
        assert "check_and_raise(" in "\n".join(caught.value.__notes__)


@pytest.mark.cases(0)
@each_linker
def test_singular_matrices_and_indices_out_of_range(linker: Linker) -> None:
    f = function([x, v], wt.map(lambda a: wt.inv(wt.outer(a, a)) * v[4], x), mode=Mode(linker))
    with pytest.raises(np.linalg.LinAlgError):
        f(np.ones((3000, 2)), np.ones(5))
    with pytest.raises(IndexError):
        f(np.ones((3000, 1)), np.ones(3))


@pytest.mark.cases(1)
@each_linker
def test_lengths_that_differ(linker: Linker) -> None:
    f = function([x, v], wt.map(lambda a, b: a * b, (x, v)), mode=Mode(linker))
    with pytest.raises(ValueError, match="map") as caught:
        f(np.ones((3, 2)), np.ones(4))
    assert "(3, 2)" in "\n".join(caught.value.__notes__)


@pytest.mark.cases(0)
def test_results_do_not_depend_on_how_many_threads_there_are() -> None:
    program = """if True:
        import numpy as np
        import weft_tensor as wt
        from weft_graph import Mode, function, grad
        from weft_numba import NumbaLinker
        x, w = wt.matrix("x"), wt.vector("w")
        cost = wt.map(lambda a: wt.sin(a * w).sum(), x).sum()
        f = function([x, w], [cost, *grad(cost, [x, w])], mode=Mode(NumbaLinker(parallel=True)))
        values = f(np.random.default_rng(0).normal(size=(5000, 20)), np.linspace(0, 1, 20))
        print([float(value.sum()).hex() for value in values])
    """
    found = set()
    for threads in ("1", "2", "3"):
        environment = {**os.environ, "NUMBA_NUM_THREADS": threads, "WEFT_CACHE_DIR": "off"}
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        found.add(done.stdout)
    assert len(found) == 1


@each_linker
def test_what_takes_the_lock_of_python_stays_in_one_thread(
    linker: Linker, capsys: pytest.CaptureFixture[str]
) -> None:
    f = function([v], wt.map(lambda e: print_value(e, "e") + 1.0, v), mode=Mode(linker))
    assert f(np.arange(2000.0))[-1] == 2000.0
    assert capsys.readouterr().out.count("\n") == 2000


class Doubled(wt.TensorOp):
    """An Op without machine code."""

    runs_in_python = True

    def infer(self, *types: Any) -> Any:
        return types[0]

    def impl(self, *values: Any) -> Any:
        return 2 * values[0]


@each_linker
def test_a_body_without_machine_code_runs_in_python(linker: Linker) -> None:
    results = wt.exp(wt.map(lambda a: Doubled()(wt.sin(a)) * w, x))
    values = {x: rng.normal(size=(4, 3)), w: rng.normal(size=3)}
    assert_same(linker, [results], values)
    f = function(list(values), results, mode=Mode(linker))
    parts: Any = f
    assert [part.by for part in parts.segments] == ["py", "numba"]


@pytest.mark.cases(0)
def test_another_process_finds_it_on_disk(tmp_path: Path) -> None:
    program = """if True:
        import numpy as np
        import weft_tensor as wt
        from weft_graph import Mode, function, grad
        from weft_numba import NumbaLinker
        x, w = wt.matrix("x"), wt.vector("w")
        cost = wt.map(lambda a: wt.sin(a * w).sum(), x).sum()
        f = function([x, w], grad(cost, w), mode=Mode(NumbaLinker(parallel=True)))
        print(f(np.ones((2000, 2)), [1.0, 2.0]).tolist(), f.log[-1].name)
    """
    environment = {**os.environ, "WEFT_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", program]
    first, second = (
        subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    )
    assert "recall for numba" in second
    assert second.replace("recall", "link") == first
