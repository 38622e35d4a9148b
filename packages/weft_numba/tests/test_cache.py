"""What is compiled once is not compiled again, and nothing that happens on disk does harm."""

import errno
import os
import pickle
import runpy
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import FunctionGraph, Mode, Trace, function, rewrite_graph
from weft_graph.extend import CompileRequest
from weft_numba import cache
from weft_numba.disk.cache_key import NUMBA

pytestmark = pytest.mark.usefixtures("cache_folder")


def phase(f: Any) -> str:
    return str(f.log[-1].name)


def compiled(mode: Any = "numba") -> Any:
    x = wt.vector("x")
    return function([x], wt.exp(x) + 1.0, mode=mode)


PROGRAM = """
    import sys
    import numpy as np
    import weft_tensor as wt
    from weft_graph import function

    x, y, s = wt.matrix("x"), wt.vector("y"), wt.scalar("s")
    large = wt.constant(np.linspace(0.0, 1.0, 900).reshape(30, 30))
    factor = wt.linalg.cholesky(x @ x.T + wt.eye(30))
    outputs = [wt.sum(wt.exp(x) * large), s * s, factor, x - y, large, x]
    f = function([x, y, s], outputs, mode="numba")
    matrix = np.sin(np.arange(900.0)).reshape(30, 30)
    usual, stretched = ((matrix, np.arange(1.0, 1.0 + n), 1.5) for n in (30, 1))
    results = f(*usual)
    others = f(*stretched)
    compiler = "weft_numba.graph_compiler" in sys.modules or "numba.np.arrayobj" in sys.modules
    reference = function([x, y, s], outputs, mode="py")
    for values, found in ((usual, results), (stretched, others)):
        for result, wanted in zip(found, reference(*values), strict=True):
            assert result.dtype == wanted.dtype
            np.testing.assert_allclose(result, wanted, rtol=1e-12, atol=1e-12)
    for found in (results, others):
        found[4][...] = found[5][...] = 0.0
    for values in (usual, stretched):
        np.testing.assert_allclose(f(*values)[0], results[0])
    assert f.source.startswith("def weft_function"), f.source
    print(*(p.name for p in f.log), compiler, len(f.graph), sep=",")
"""


def test_a_second_process_neither_rewrites_nor_compiles_nor_imports_what_does(
    run: Any, cache_folder: Path
) -> None:
    """Nor for calls that are not usual, as with arrays that are stretched."""
    first = run(PROGRAM)
    usual, others = sorted((path.stem for path in cache_folder.iterdir()), key=len)
    assert others == f"{usual}-others"
    second = run(PROGRAM)
    assert {"inline", "link for numba", "True"} <= {*first}
    assert second == ["import", "build", "recall for numba", "False", first[-1]]


def test_code_for_other_lengths_is_kept_as_what_it_was_compiled_with_says(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, y = wt.vector("x"), wt.vector("y")
    f = function([x, y], x + y, mode="numba")
    monkeypatch.setenv("NUMBA_OPT", "1")
    assert f([1.0, 2.0], [3.0]).tolist() == [4.0, 5.0]
    usual, others = sorted((path.stem for path in cache_folder.iterdir()), key=len)
    assert others.endswith("-others")
    assert not others.startswith(usual)


def test_functions_of_many_arrays_are_recalled() -> None:
    inputs = [wt.vector(f"x{k}") for k in range(20)]
    constants = [wt.constant(np.arange(2.0) + k) for k in range(20)]
    products = [x * c for x, c in zip(inputs, constants, strict=True)]
    values = [np.full(2, float(k)) for k in range(20)]
    first, again = (
        function(inputs, [wt.concatenate(constants), inputs[0].sum(), *products], mode="numba")
        for _ in range(2)
    )
    assert (phase(first), phase(again)) == ("link for numba", "recall for numba")
    assert again.source == first.source
    for one, other in zip(first(*values), again(*values), strict=True):
        np.testing.assert_array_equal(one, other, strict=True)


def test_a_graph_is_recalled_with_all_that_a_function_offers(cache_folder: Path) -> None:
    first, again = compiled(), compiled()
    assert (phase(first), phase(again)) == ("link for numba", "recall for numba")
    assert again([0.0, 1.0]).tolist() == first([0.0, 1.0]).tolist()
    assert again.source == first.source
    assert again.graph.digest == first.graph.digest
    assert "exp" in str(again.profile(np.ones(3), repeat=1))
    loaded = pickle.loads(pickle.dumps(again))
    assert loaded([0.0]).tolist() == [2.0]
    assert cache.info().directory == cache_folder


WITHOUT_BOOKS = """
    import pickle, sys
    import weft_tensor as wt
    from weft_graph import Mode, function

    x = wt.vector("x")
    f = function([x], wt.exp(x) + 1.0, mode=Mode("numba", books=[]))
    g = pickle.loads(pickle.dumps(f))
    assert f([0.0]).tolist() == g([0.0]).tolist() == [2.0]
    assert "weft_rewrites" not in sys.modules
    print(f.log[-1].name, g.log[-1].name, sep=",")
"""


@pytest.mark.cases(0)
def test_without_books_none_need_be_imported(run: Any) -> None:
    assert run(WITHOUT_BOOKS) == ["link for numba", "recall for numba"]
    assert run(WITHOUT_BOOKS) == ["recall for numba", "recall for numba"]


def test_results_have_the_dtypes_that_doors_let_pass_unasked() -> None:
    compiled()
    again = compiled()
    assert phase(again) == "recall for numba"
    assert again([0.0, 1.0]).dtype is np.dtype("float64")


def test_errors_are_explained_after_a_recall() -> None:
    x = wt.matrix("x")
    for expected in ("link", "recall"):
        f = function([x], wt.linalg.cholesky(x), mode="numba")
        assert phase(f) == f"{expected} for numba"
        with pytest.raises(np.linalg.LinAlgError) as caught:
            f(-np.eye(2))
        assert "while computing cholesky" in caught.value.__notes__[0]


def test_who_watches_the_rewriting_sees_it() -> None:
    compiled()
    x = wt.vector("x")
    f = function([x], wt.exp(x) + 1.0, mode="numba", trace=Trace())
    assert phase(f) == "link for numba"
    with Trace() as seen:
        compiled()
    assert any(p.name == "inline" for p in seen)


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    "spoil",
    [
        lambda b: b[:-7],
        lambda b: b[:7],
        lambda b: b"",
        lambda b: b + b"?",
        *(lambda b, k=k: b[:k] + bytes([b[k] ^ 1]) + b[k + 1 :] for k in (0, 20, 999)),
    ],
)
def test_a_damaged_entry_is_dropped_and_made_again(
    cache_folder: Path, spoil: Callable[[bytes], bytes]
) -> None:
    compiled()
    (path,) = cache_folder.iterdir()
    path.write_bytes(spoil(path.read_bytes()))
    assert cache.load(path.stem) is None
    assert not path.exists()
    assert phase(compiled()) == "link for numba"
    assert phase(compiled()) == "recall for numba"


def test_an_entry_of_another_meaning_is_not_used(cache_folder: Path) -> None:
    compiled()
    (path,) = cache_folder.iterdir()
    cache.store(path.stem, b"no pickle")
    assert phase(compiled()) == "link for numba"


def test_without_a_place_to_write_all_works_and_one_warning_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path / "file" / "cache"))
    with pytest.warns(RuntimeWarning, match=r"file.cache"):
        first = compiled()
    assert first([0.0]).tolist() == [2.0]
    assert phase(compiled()) == "link for numba"


def test_a_full_disk_leaves_no_rubbish(cache_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", full)
        with pytest.warns(RuntimeWarning, match="No space left"):
            cache.store("key", b"data")
    assert not list(cache_folder.iterdir())
    cache.store("key", b"data")
    assert cache.load("key") == b"data"


def test_what_was_not_used_for_longest_goes_first(cache_folder: Path) -> None:
    for age, key in enumerate("cba"):
        cache.store(key, bytes(100))
        os.utime(cache_folder / f"{key}.weft", (age, age))
    assert cache.load("c") == bytes(100)
    each = cache.info().bytes // 3
    cache.shrink(2 * each)
    assert [cache.load(key) is None for key in "abc"] == [False, True, False]
    cache.clear()
    assert cache.info() == (cache_folder, 0, 0)


def test_a_process_looks_once_in_a_while_at_how_much_there_is(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[int] = []
    monkeypatch.setattr(cache, "_PART", 4000)
    monkeypatch.setattr(cache, "shrink", lambda: looks.append(cache.info().entries))
    for key in "abcdefghij":
        cache.store(key, bytes(999))
    assert looks == [1, 4, 8]


def test_entries_are_told_by_inputs_and_outputs(
    cache_folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    x, y = wt.vector("x"), wt.vector("y")
    function([x, y], [wt.sum(x * y).named("total"), wt.exp(x)], mode="numba")
    (path,) = cache_folder.iterdir()
    cache.store("old", b"data\nmore", "a\nb " + 1000 * "c")
    os.utime(cache_folder / "old.weft", (path.stat().st_mtime - 7300, path.stat().st_mtime - 7300))
    (cache_folder / "broken.weft").write_bytes(bytes(range(60)))
    os.utime(cache_folder / "broken.weft", (0, 0))
    assert cache.load("old") == b"data\nmore"
    os.utime(cache_folder / "old.weft", (path.stat().st_mtime - 7300, path.stat().st_mtime - 7300))
    first, old, broken = cache.entries()
    assert (first.about, first.bytes) == ("x, y -> total, exp", path.stat().st_size)
    assert old.about.startswith("a b ccc")
    assert broken.about == "?"
    assert "kB,   2 hours ago: a b ccc" in str(old)
    monkeypatch.setattr(sys, "argv", ["weft_numba", "list"])
    runpy.run_module("weft_numba")
    assert "seconds ago: x, y -> total, exp\n" in capsys.readouterr().out


def test_what_a_dead_process_has_left_is_removed(cache_folder: Path) -> None:
    cache.store("key", b"data")
    (cache_folder / "old.part").touch()
    (cache_folder / "new.part").touch()
    os.utime(cache_folder / "old.part", (0, 0))
    cache.shrink()
    assert sorted(p.name for p in cache_folder.iterdir()) == ["key.weft", "new.part"]


@pytest.mark.parametrize("word", ["", "off"])
def test_nothing_is_kept_if_told_so(
    word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WEFT_CACHE_DIR", word)
    assert phase(compiled()) == phase(compiled()) == "link for numba"
    assert not list(tmp_path.iterdir())


@pytest.mark.cases(0)
def test_many_processes_may_write_and_read_at_once(cache_folder: Path) -> None:
    program = f"""
        import importlib.util
        spec = importlib.util.spec_from_file_location("cache", {cache.__file__!r})
        cache = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(cache)
        for k in range(100):
            cache.store("key", bytes([k]) * (100_000 + k))
            found = cache.load("key")
            assert found is None or found == found[:1] * (100_000 + found[0])
            cache.store(f"other{{k % 7}}", bytes(10_000))
            cache.shrink(150_000)
    """
    command = [sys.executable, "-W", "error", "-c", dedent(program)]
    processes = [subprocess.Popen(command) for _ in range(16)]
    assert [p.wait() for p in processes] == [0] * 16
    assert all(path.suffix == ".weft" for path in cache_folder.iterdir())


SMALL = """
    import os
    import weft_tensor as wt
    import weft_numba
    from weft_graph import function

    def compiled():
        x = wt.vector("x")
        f = function([x], wt.exp(x) + 1.0, mode="numba")
        assert f([0.0]).tolist() == [2.0]
        return f.log[-1].name
"""


@pytest.mark.cases(0)
def test_many_processes_may_compile_the_same_at_once(cache_folder: Path, run: Any) -> None:
    at_once = """
        children = []
        for _ in range(16):
            children.append(os.fork())
            if not children[-1]:
                compiled()
                os._exit(0)
        assert [os.waitpid(child, 0)[1] for child in children] == [0] * 16
        print(compiled())
    """
    assert run(dedent(SMALL) + dedent(at_once)) == ["recall for numba"]
    (entry,) = cache_folder.iterdir()
    assert entry.suffix == ".weft"


@pytest.mark.cases(0)
def test_a_file_that_can_not_grow_is_dropped(cache_folder: Path, run: Any) -> None:
    limit = """
        import resource, warnings
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        warnings.filterwarnings("ignore", "compiled functions can't be kept")
    """
    assert run(dedent(limit) + dedent(SMALL) + "print(compiled())") == ["link for numba"]
    assert not list(cache_folder.iterdir())


def test_what_is_kept_serves_where_nothing_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*args: Any, **kwargs: Any) -> Any:
        raise OSError(errno.EROFS, "Read-only file system")

    compiled()
    for module, name in ((os, "utime"), (os, "unlink"), (tempfile, "mkstemp")):
        monkeypatch.setattr(module, name, refused)
    assert phase(compiled()) == "recall for numba"
    x = wt.vector("x")
    with pytest.warns(RuntimeWarning, match="Read-only file system"):
        f = function([x], wt.cos(x), mode="numba")
    assert f([0.0]).tolist() == [1.0]


@pytest.mark.cases(0)
def test_the_command_tells_and_clears() -> None:
    compiled()
    for arguments, entries in (([], 1), (["clear"], 0), ([], 0)):
        command = [sys.executable, "-W", "error", "-m", "weft_numba", *arguments]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        assert said.startswith(f"{entries} compiled functions, 0.")
        assert str(cache.directory()) in said
    command = [sys.executable, "-m", "weft_numba", "claer"]
    wrong = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (wrong.returncode, wrong.stderr) == (1, "usage: python -m weft_numba [list | clear]\n")


def key(mode: Mode) -> str | None:
    x = wt.vector("x")
    books = [*mode.books, *mode.linker.books]
    return NUMBA.key(
        mode.linker, CompileRequest(FunctionGraph([x], [wt.exp(x)]), books, rewrite_graph)
    )


def test_calls_that_are_not_usual_are_served_after_a_recall() -> None:
    x, y = wt.vector("x"), wt.vector("y")
    for expected in ("link", "recall"):
        f = function([x, y], [x + y, wt.sum(x * y)], mode="numba")
        assert phase(f) == f"{expected} for numba"
        assert f([1.0, 2.0], [3.0, 4.0])[0].tolist() == [4.0, 6.0]
        assert f([1.0, 2.0], [3.0])[0].tolist() == [4.0, 5.0]
        assert f([1.0, 2.0], [3.0])[1] == 9.0


def test_nothing_warns_where_all_is_well() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compiled()
        compiled()
