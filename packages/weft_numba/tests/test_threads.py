"""Work that is split over threads: the same results, whoever computes them, and never a crash."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import Mode, OpFromGraph, function, grad
from weft_numba import NumbaLinker, llvm_code

PARALLEL = Mode(NumbaLinker(parallel=True))
RNG = np.random.default_rng(7)


def assert_same(inputs: list[Any], outputs: list[Any], *values: Any, rtol: float = 1e-9) -> None:
    """With and without threads, results are those of Python."""
    expected = function(inputs, outputs, mode="py")(*values)
    for mode in (PARALLEL, "numba"):
        found = function(inputs, outputs, mode=mode)(*values)
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol)
            assert (a.dtype, a.shape) == (b.dtype, b.shape)


def run(program: str, **environment: str) -> str:
    """What a program prints in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", dedent(program)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert not done.returncode, done.stderr
    return done.stdout.strip()


@pytest.mark.cases(0)
@pytest.mark.parametrize("shape", [(600, 700), (3, 150_000), (150_000, 3), (1, 1), (0, 5), (2, 0)])
def test_reductions_over_any_axes(shape: tuple[int, int]) -> None:
    x, y = wt.matrix("x"), wt.matrix("y")
    e = wt.exp(x) * wt.sin(y)
    outputs = [e, e.T, wt.sum(e, axis=0), wt.sum(e, axis=1), wt.sum(e), wt.prod(1 + e / 1e6)]
    outputs += [wt.any(e > 2.0, axis=0), wt.all(e > -9.0, axis=1)]
    values = [RNG.normal(size=shape) for _ in "xy"]
    if all(shape):
        outputs += [wt.max(e, axis=0), wt.min(e, axis=1), wt.max(e)]
    assert_same([x, y], outputs, *values)
    assert_same([x, y], outputs, values[0], np.asfortranarray(values[1]))


def test_reductions_over_a_middle_axis_and_of_other_dtypes() -> None:
    x = wt.tensor("x", "float32", [None] * 3)
    z = wt.tensor("z", "complex128", [None])
    n = wt.tensor("n", "int64", [None])
    outputs = [wt.sum(wt.exp(x), axis=1), wt.max(wt.tanh(x), axis=(0, 2)), wt.sum(wt.exp(z))]
    outputs += [wt.sum(n * n), wt.max(n), wt.min(n // 3), wt.any(n > 10**6), wt.prod(z / wt.abs(z))]
    values = [
        RNG.normal(size=(20, 300, 50)).astype("float32"),
        RNG.normal(size=300_000) + 1j,
        RNG.integers(-1000, 1000, size=500_000),
    ]
    assert_same([x, z, n], outputs, *values, rtol=2e-5)


@pytest.mark.cases(0)
def test_what_is_written_at_computed_indices() -> None:
    x, y, i = wt.vector("x"), wt.vector("y"), wt.lvector("i")
    added, replaced = x[i].inc(wt.exp(y)), x[i].set(wt.exp(y))
    values = [np.array([-0.0, 1.0, 2.0, 3.0]), RNG.normal(size=500_000)]
    values.append(RNG.integers(1, 4, size=500_000))
    assert_same([x, y, i], [added, replaced], *values)
    for mode in (PARALLEL, "numba"):
        found = function([x, y, i], added, mode=mode)(*values)
        assert np.signbit(found[0])
    loss = wt.sum(wt.exp(x[i]) * y)
    assert_same([x, y, i], grad(loss, [x, y]), *values)


@pytest.mark.cases(3)
@pytest.mark.parametrize("n", [0, 1, 1000, 300_001, 1_000_003])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_what_a_mask_chooses_is_written_by_all_chunks(n: int, share: float) -> None:
    x, y, mask = wt.vector("x"), wt.matrix("y"), wt.vector("mask", "bool")
    outputs = [x[mask], y[y < share], *wt.nonzero(mask), wt.sort(x[x < share])]
    f = function([x, y, mask], outputs, mode=PARALLEL)
    draws = np.random.default_rng(0).random((3, n))
    values, flat, third = draws
    table = flat[: n // 3 * 3].reshape(-1, 3)
    found = f(values, table, third < share)
    chosen = third < share
    expected = [values[chosen], table[table < share], *np.nonzero(chosen)]
    for one, other in zip(found, [*expected, np.sort(values[values < share])], strict=True):
        np.testing.assert_array_equal(one, other)
        assert one.dtype == other.dtype


def test_errors_in_the_last_chunk_are_raised() -> None:
    x, i = wt.vector("x"), wt.lvector("i")
    f = function([x, i], wt.exp(x[i]), mode=PARALLEL)
    where = np.zeros(10**6, dtype="int64")
    assert f([1.0], where).sum() == pytest.approx(np.e * 1e6)
    where[-1] = 1
    with pytest.raises(IndexError):
        f([1.0], where)


@pytest.mark.cases(0)
@pytest.mark.parametrize("shapes", [((2000, 9, 9), (2000, 9, 9)), ((1, 300, 9, 9), (7, 1, 9, 9))])
def test_stacks_of_matrices(shapes: Any) -> None:
    a, b = (wt.tensor(n, "float64", [None] * len(s)) for n, s in zip("ab", shapes, strict=True))
    positive = a @ wt.swapaxes(a, -1, -2)
    outputs = [a @ b, wt.solve(a, b), wt.cholesky(positive), wt.inv(a), wt.det(a), *wt.slogdet(a)]
    outputs.append(wt.solve_triangular(a, b, lower=True))
    values = [RNG.normal(size=s) / 3 + 3 * np.eye(9) for s in shapes]
    assert_same([a, b], outputs, *values, rtol=1e-8)
    assert_same([a, b], outputs, *[v[:0] for v in values])


def test_one_bad_matrix_of_many() -> None:
    a = wt.tensor("a", "float64", [None] * 3)
    f = function([a], wt.cholesky(a), mode=PARALLEL)
    x = np.tile(4 * np.eye(20), (2000, 1, 1))
    assert f(x).sum() == 2 * 20 * 2000
    x[1777] = -1.0
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        f(x)


def test_graphs_within_graphs_are_split_too() -> None:
    x = wt.vector("x")
    inner = OpFromGraph([x], [wt.sum(wt.exp(x))], inline=False)
    f = function([x], inner(x), mode=PARALLEL)
    value = RNG.normal(size=500_000)
    np.testing.assert_allclose(f(value), np.exp(value).sum())


def test_only_those_who_ask_get_threads() -> None:
    x = wt.vector("x")
    assert "@weft_split" in llvm_code(function([x], wt.exp(x), mode=PARALLEL))
    assert "@weft_split" not in llvm_code(function([x], wt.exp(x), mode="numba"))
    i = wt.lvector("i")
    assert "@weft_split" not in llvm_code(function([x, i], x[i].set(1.0), mode=PARALLEL))


RUNTIME = """
    import ctypes, threading
    import llvmlite.binding as llvm
    from numba.core.registry import cpu_target
    from weft_numba.llvm import threads

    cpu_target.target_context
    machine = llvm.Target.from_default_triple().create_target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(threads.RUNTIME), machine)
    engine.finalize_object()
    WORK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)
    address = engine.get_function_address("weft_split")
    split = ctypes.CFUNCTYPE(None, WORK, ctypes.c_void_p, ctypes.c_int64)(address)
"""

# It ends only if four threads work at once.
MEETING = """
    meeting, seen = threading.Barrier(4, timeout=60), []
    def work(_, k):
        seen.append((k, threading.get_ident()))
        meeting.wait()
    split(WORK(work), None, 4)
    assert sorted(k for k, _ in seen) == [0, 1, 2, 3], seen
    assert len({who for _, who in seen}) == 4, seen
"""
NESTED = """
    done = []
    nested = WORK(lambda _, k: done.append(k))
    split(WORK(lambda _, k: split(nested, None, 50)), None, 50)
    assert sorted(done) == sorted([*range(50)] * 50)
    print(threads.how_many())
"""


def test_chunks_run_on_several_threads_at_once() -> None:
    run(RUNTIME + MEETING, NUMBA_NUM_THREADS="4")


@pytest.mark.cases(0)
@pytest.mark.parametrize("count", ["1", "3"])
def test_each_chunk_runs_once_also_within_others(count: str) -> None:
    assert run(RUNTIME + NESTED, NUMBA_NUM_THREADS=count) == count


RESULTS = """
    import hashlib
    import numpy as np
    import weft_tensor as wt
    from weft_graph import Mode, function
    from weft_numba import NumbaLinker

    x, a = wt.matrix("x"), wt.tensor("a", "float64", [None] * 3)
    e = wt.exp(x) * wt.log1p(x * x)
    outputs = [wt.sum(e), wt.sum(e, axis=0), wt.max(e, axis=1), wt.inv(a)]
    f = function([x, a], outputs, mode=Mode(NumbaLinker(parallel=True)))
    rng = np.random.default_rng(0)
    values = rng.normal(size=(100_000, 3)), rng.normal(size=(500, 9, 9))
    results = b"".join(r.tobytes() for r in f(*values))
"""
SAY = """
    print(f.log[-1].name, hashlib.sha256(results).hexdigest())
"""


@pytest.mark.cases(0)
def test_results_do_not_depend_on_the_number_of_threads() -> None:
    said = {run(RESULTS + SAY, NUMBA_NUM_THREADS=n, WEFT_CACHE_DIR="off") for n in "125"}
    assert len(said) == 1


@pytest.mark.cases(0)
def test_code_from_disk_finds_its_threads(tmp_path: Path) -> None:
    first, second = (run(RESULTS + SAY, WEFT_CACHE_DIR=str(tmp_path)).split() for _ in "12")
    assert (first[0], second[0]) == ("link", "recall")
    assert first[-1] == second[-1]


FORK = """
    import os
    if hasattr(os, "fork"):
        child = os.fork()
        if not child:
            again = b"".join(r.tobytes() for r in f(*values))
            os._exit(0 if again == results else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert b"".join(r.tobytes() for r in f(*values)) == results
"""
SHORTAGE = """
    import os
    seen, expected = [], 3
    if os.path.exists("/proc/self/statm"):
        import resource
        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        room = 2**22  # bytes: less than the stack of a thread takes
        resource.setrlimit(resource.RLIMIT_AS, (used + room, used + room))
        expected = 1
    def work(_, k):
        seen.append(threading.get_ident())
    split(WORK(work), None, 100)
    assert len(seen) == 100
    assert len({*seen}) <= expected
"""


@pytest.mark.cases(0)
def test_a_child_process_has_threads_of_its_own() -> None:
    run(RESULTS + FORK, NUMBA_NUM_THREADS="3")


@pytest.mark.cases(0)
def test_without_room_for_threads_the_caller_does_all() -> None:
    run(RUNTIME + SHORTAGE, NUMBA_NUM_THREADS="3")


@pytest.mark.cases(1)
@pytest.mark.parametrize("nogil", [False, True])
@pytest.mark.parametrize("parallel", [False, True])
def test_many_threads_may_call_one_function(nogil: bool, parallel: bool, few: Any) -> None:
    x = wt.vector("x")
    mode = Mode(NumbaLinker(parallel=parallel, nogil=nogil))
    f = function([x], [wt.sum(wt.exp(x) + wt.log1p(x * x)), x * 2.0], mode=mode)

    def call(k: int) -> None:
        size = 30_000 + 100 * (k % 5)
        total, double = f(np.full(size, k % 7.0))
        np.testing.assert_allclose(total, size * (np.exp(k % 7) + np.log1p((k % 7) ** 2)))
        assert double.shape == (size,)
        assert (double == 2.0 * (k % 7)).all()

    with ThreadPoolExecutor(8) as pool:
        calls = few(range(8 * 200), 8 * 25)
        assert len(list(pool.map(call, calls))) == len(calls)


HELD = """
    import sys, threading
    import numpy as np
    import weft_tensor as wt
    from weft_graph import Mode, function
    from weft_numba import NumbaLinker

    sys.setswitchinterval(1000.0)  # who computes is not asked to let others go on
    x = wt.vector("x")
    f = function([x], wt.sum(wt.exp(wt.sin(x))), mode=Mode(NumbaLinker(nogil=NOGIL)))
    value, ready, seen = np.ones(10**6), threading.Event(), []
    def look():
        ready.wait()
        seen.append("yes")
    thread = threading.Thread(target=look)
    thread.start()
    f(value)
    ready.set()
    for _ in range(50):
        f(value)
        if seen:
            break
    print(*seen)
    thread.join()
"""


@pytest.mark.cases(0)
@pytest.mark.parametrize(("nogil", "expected"), [(False, ""), (True, "yes")])
def test_other_python_threads_go_on_if_asked(nogil: bool, expected: str) -> None:
    assert run(HELD.replace("NOGIL", str(nogil))) == expected


def test_what_is_kept_on_disk_is_for_the_same_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))
    x = wt.vector("x")
    linkers = [NumbaLinker(), NumbaLinker(parallel=True), NumbaLinker(nogil=True)]
    for expected in ("link", "recall"):
        for linker in linkers:
            f = function([x], wt.exp(x), mode=Mode(linker))
            assert f.log[-1].name == f"{expected} for numba"
            assert f([0.0]).tolist() == [1.0]
