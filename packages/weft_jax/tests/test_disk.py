"""What JAX compiled is not traced or compiled again by later processes, and disk does no harm."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent
from threading import Barrier
from typing import Any

import jax
import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import Print, function
from weft_graph.extend import disk_cache
from weft_jax import wrap_jax


@pytest.fixture(autouse=True)
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where programs are kept by this test alone: JAX writes none into the cache of all tests."""
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "1e9")
    with jax_keeps(False):
        yield tmp_path / "cache"


@contextmanager
def jax_keeps(wanted: bool) -> Iterator[None]:
    config: Any = jax.config
    name = "jax_persistent_cache_min_compile_time_secs"
    before = getattr(config, name)
    config.update(name, 0.0 if wanted else 1e9)
    yield
    config.update(name, before)


def phase(f: Any) -> str:
    return str(f.log[-1].name)


def plain() -> Any:
    x = wt.vector("x")
    return function([x], [wt.exp(x).sum() + 1.234], mode="jax")


def packed() -> Any:
    xs = [wt.vector(f"x{k}") for k in range(5)]
    return function(xs, [(1.234 * wt.exp(x)).sum() for x in xs], mode="jax")


def updating() -> Any:
    x, k = wt.vector("x"), wt.vector("k", "int64")
    return function([x, k], [x[k].inc(1.234), 1.234 * x[k]], mode="jax")


def factored() -> Any:
    x = wt.matrix("x")
    large = wt.constant(np.arange(2048.0).reshape(1024, 2))
    return function([x], [1.234 * wt.linalg.cholesky(x), large @ x], mode="jax")


def of_state() -> Any:
    x, data = wt.vector("x", shape=(3,)), wt.shared(np.arange(3.0), name="data")
    terms = [wt.sin(x * k + data).sum() * wt.exp(data) for k in range(20)]
    return function([x], [sum(terms[1:], terms[0])], mode="jax")


def of_many_steps() -> Any:
    x, y = wt.vectors("x", "y")
    z = x
    for k in range(60):
        z = wt.sin(1.234 * z + y * k)
    return function([x, y], z, mode="jax")


def of_many_alike() -> Any:
    xs = [wt.vector(f"x{k}") for k in range(40)]
    return function(xs, [1.234 * wt.exp(wt.square(x - 1)).sum() for x in xs], mode="jax")


def outcome(f: Any, values: tuple[Any, ...]) -> Any:
    """The results, or the error with its notes."""
    try:
        return f(*values)
    except Exception as error:
        return type(error), str(error), error.__notes__


X, EYE = np.ones(3), np.eye(2)
CASES: dict[str, tuple[Callable[[], Any], list[tuple[Any, ...]]]] = {
    "of one array": (plain, [(X,), (np.zeros(2),), (X,)]),
    "of state": (of_state, [(X,), (2 * X,)]),
    "packed": (
        packed,
        [tuple(map(np.ones, (2, 3, 1, 1, 2))), tuple(map(np.ones, (3, 2, 1, 1, 2)))],
    ),
    "of indices": (
        updating,
        [(X, np.array([0, 2])), (X, np.array([0, -1])), (X, np.array([0, 3]))],
    ),
    "of many steps": (of_many_steps, [(X, 2 * X), (np.ones(2), np.ones(2)), (X, np.ones(2))]),
    "that fails": (factored, [(EYE,), (-EYE,), (2 * EYE,)]),
}


@pytest.mark.parametrize("case", CASES)
def test_a_function_is_recalled_and_right_for_other_shapes_and_errors(case: str) -> None:
    make, rows = CASES[case]
    first = make()
    wanted = [outcome(first, row) for row in rows]
    again = make()
    assert (phase(first), phase(again)) == ("link for jax", "recall for jax")
    jax.tree.map(np.testing.assert_array_equal, again(*rows[0]), wanted[0])
    assert again.compile_stats.compiles == 0
    for row, expected in zip(rows, wanted, strict=True):
        jax.tree.map(np.testing.assert_array_equal, outcome(again, row), expected)


def test_constants_are_found_whatever_names_results_have() -> None:
    x, first, second = wt.vector("x"), np.arange(5e3), np.sqrt(np.arange(5e3))
    scaled = wt.exp(x) * wt.constant(first)
    for result, expected in ((scaled.named("scaled"), "link"), (scaled, "recall")):
        f = function([x], result + wt.sin(x) * wt.constant(second), mode="jax")
        assert phase(f) == f"{expected} for jax"
        np.testing.assert_allclose(f(np.ones(5000)), np.e * first + np.sin(1.0) * second)


def test_threads_that_call_it_for_other_shapes_at_once() -> None:
    plain()(np.ones(2))
    f = plain()
    assert phase(f) == "recall for jax"
    together = Barrier(4)

    def call(size: int) -> float:
        together.wait()
        return float(f(np.ones(size))[0])

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(call, range(3, 7)))
    np.testing.assert_allclose(found, np.e * np.arange(3, 7) + 1.234)


@pytest.mark.cases(0)
def test_what_is_computed_together_is_so_again() -> None:
    """Not kept, and what is, for arrays of JAX, is right for NumPy's as well."""
    rows = [[np.full(k, 0.5) for _ in range(40)] for k in (3, 2)]
    first = of_many_alike()
    wanted = [first(*row) for row in rows]
    again = of_many_alike()
    assert phase(again) == "recall for jax"
    np.testing.assert_array_equal(again(*rows[0]), wanted[0])
    first(*map(jax.numpy.asarray, rows[1]))
    np.testing.assert_allclose(of_many_alike()(*rows[1]), wanted[1], rtol=1e-15)


PROGRAM = """
    import jax, numpy as np, weft_tensor as wt
    from weft_graph import Print, function

    events = []
    x = wt.vector("x")
    factor = wt.linalg.cholesky(wt.outer(x, x) + 1.234 * wt.eye(3))
    f = function([x], [factor, wt.exp(x).sum()], mode="jax")
    jax.monitoring.register_event_duration_secs_listener(lambda name, *_, **__: events.append(name))
    factor, total = f(np.ones(3))
    np.testing.assert_allclose(factor @ factor.T, 1.234 * np.eye(3) + 1.0)
    assert total.dtype == "float64" and abs(total - 3 * np.e) < 1e-12
    compiled = any("backend_compile" in name or "trace" in name for name in events)
    print(f.log[-1].name, compiled, len(f.log), sep=",")
"""


@pytest.mark.cases(0)
def test_a_second_process_neither_rewrites_nor_traces_nor_compiles() -> None:
    def run() -> str:
        done = subprocess.run(
            [sys.executable, "-c", dedent(PROGRAM)], capture_output=True, text=True, check=False
        )
        assert not done.returncode, done.stderr
        return done.stdout.strip()

    assert run().startswith("link for jax,True,")
    assert run() == "recall for jax,False,3"


@pytest.mark.parametrize("harm", ["lost", "cut", "other"])
def test_what_is_damaged_or_lost_is_compiled_again(cache_folder: Path, harm: str) -> None:
    plain()(X)
    (program,) = cache_folder.glob("*-*")
    if harm == "lost":
        program.unlink()
    elif harm == "cut":
        program.write_bytes(program.read_bytes()[:-9])
    else:
        disk_cache.store(program.stem, pickle.dumps((b"no program", [0])))
    again = plain()
    assert phase(again) == "recall for jax"
    np.testing.assert_allclose(again(X), 3 * np.e + 1.234, rtol=1e-15)
    assert again.compile_stats.compiles == 1
    renewed = plain()
    renewed(X)
    assert renewed.compile_stats.compiles == 0


def test_large_constants_are_not_copied_and_count_by_content(cache_folder: Path) -> None:
    x = wt.vector("x")
    for scale in (1.0, 1.0, 3.0):
        y = x * wt.constant(scale * np.arange(10_000.0))
        f = function([x], y.sum() + 1.234, mode="jax")
        assert f(np.ones(10_000)) == scale * 49_995_000.0 + 1.234
    assert disk_cache.info().entries == 4
    assert disk_cache.info().bytes < 80_000


def test_what_jax_had_from_its_own_cache_can_not_be_kept(cache_folder: Path) -> None:
    x = wt.vector("x")
    with jax_keeps(True):
        for _ in range(2):
            disk_cache.clear()
            f = function([x], wt.exp(x).sum() + 0.123, mode="jax")
            f(X)
    assert disk_cache.info().entries == 1


def test_what_no_key_tells_is_not_kept(cache_folder: Path) -> None:
    x = wt.vector("x")
    for y in (wrap_jax(jax.numpy.sin)(x), Print("x")(x) + 1.0):
        function([x], y, mode="jax")(X)
    assert not cache_folder.exists()


def test_settings_of_jax_count(monkeypatch: pytest.MonkeyPatch) -> None:
    for value in ("bfloat16", "bfloat16", None):
        with jax.default_matmul_precision(value):
            f = plain()
            f(X)
            stats = f.compile_stats
    assert (phase(f), stats.compiles) == ("recall for jax", 1)


def test_nothing_is_kept_where_that_is_off(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_CACHE_DIR", "off")
    assert [phase(plain()) for _ in range(2)] == ["link for jax"] * 2
    assert not cache_folder.exists()
