"""The quick run has fewer cases, `--all` every one, `--one` a test of each file."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.workspace import ROOT

TESTS = '''
import os
import pytest

@pytest.mark.parametrize("b", [1, 2])
@pytest.mark.parametrize("a", ["x", "y", "z"])
def test_of_two_parameters(a, b): pass

@pytest.mark.cases(2)
@pytest.mark.parametrize("n", range(10))
def test_of_numbers(n): pass

@pytest.mark.cases("q")
@pytest.mark.optimized
@pytest.mark.parametrize("name", ["p", "q"])
def test_of_names(name):
    assert "NUMBA_OPT" not in os.environ

@pytest.mark.parametrize("name", ["p", "q"])
def test_of_one_parameter(name): pass

@pytest.mark.parametrize("row", range(30))
def test_of_a_table(row): pass

@pytest.mark.each
@pytest.mark.parametrize("op", range(30))
def test_of_each(op): pass

@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_with_three_modes(mode): pass

@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_in_python(mode): pass

@pytest.mark.parametrize("mode", ["numba", "jax"])
def test_on_both(mode): pass

@pytest.mark.parametrize(("name", "mode"), [("p", "py"), ("q", "jax"), ("r", "numba")])
def test_what_each_has_of_its_own(name, mode): pass

@pytest.mark.cases(0)
def test_of_everything(): pass

def test_that_draws(few):
    """
    >>> 1 + 1
    2
    """
    drawn = int(os.environ["DRAWN"])
    assert len(few(range(10), 3)) == drawn
    assert ("NUMBA_OPT" in os.environ) == (drawn == 3)
'''

NEXT = "the next run"
PROGRAM = f"""
import json, os, sys
import pytest

options = "-vv -p no:cacheprovider --doctest-modules -c empty.ini --rootdir .".split()
for run in map(json.loads, sys.argv[1:]):
    os.environ["DRAWN"] = "10" if "--all" in run else "3"
    print({NEXT!r}, flush=True)
    pytest.main([*options, *run])
"""

TURNS = ("test_with_three_modes", "test_in_python", "test_on_both")
"""Of the second, none of the compiled backends has its turn; of the others one, without Python."""


OUTCOMES = """
import pytest

@pytest.fixture
def before(): assert not "before"

@pytest.fixture
def after():
    yield
    assert not "after"

def test_that_passes(): pass
def test_that_fails(): assert not "in it"
def test_that_is_left_out(): pytest.skip("a skip must be counted")
def test_set_up(before): pass
def test_torn_down(after): pass
"""


def lines_of(folder: Path, plugin: str, tests: str, *runs: tuple[str, ...]) -> list[list[str]]:
    """What pytest prints of a file of tests, with a module of `tools` as its conftest.

    Of each run of several in one process, each with the arguments of one.
    """
    shutil.copy(ROOT / "tools" / plugin, folder / "conftest.py")
    (folder / "test_it.py").write_text(tests)
    (folder / "empty.ini").write_text("[pytest]")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(json.dumps, runs)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.returncode, done.stderr
    return [run.splitlines() for run in done.stdout.split(NEXT)[1:]]


RUNS = {
    "quick": ("test_it.py",),
    "all": ("test_it.py", "--all"),
    "named": ("test_it.py::test_of_everything", "test_it.py::test_of_numbers"),
    "one": ("test_it.py", "--one"),
}


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """For each run, names of the tests that run, all of which pass."""
    folder = tmp_path_factory.mktemp("cases")
    printed = lines_of(folder, "cases.py", TESTS, *RUNS.values())
    for lines in printed:
        assert " passed" in lines[-1]
        assert " failed" not in lines[-1]
    passed = [[line for line in lines if " PASSED" in line] for lines in printed]
    return {
        run: {line.split(" PASSED")[0].partition("::")[2] for line in lines}
        for run, lines in zip(RUNS, passed, strict=True)
    }


def test_an_eighth_of_what_is_enough(names: dict[str, set[str]]) -> None:
    found = names["quick"]
    table = {name for name in found if name.startswith("test_of_a_table")}
    each = {f"test_of_each[{op}]" for op in range(30)}
    compiled = {f"{test}[{mode}]" for mode in ("numba", "jax") for test in TURNS} & found
    assert len(compiled) == 2
    assert len(table) == 4
    assert each < found
    assert {name for name in found - table - each - compiled if "[" in name} == {
        *("test_of_two_parameters[y-2]", "test_in_python[py]", "test_of_numbers[5]"),
        *("test_of_names[q]", "test_of_one_parameter[q]", "test_what_each_has_of_its_own[p-py]"),
    }
    whole = {name for name in found if "[" not in name}
    assert whole == {"test_that_draws", "test_it.test_that_draws"}


def test_everything(names: dict[str, set[str]]) -> None:
    assert len(names["all"]) == 6 + 10 + 2 + 2 + 30 + 30 + 3 + 3 + 2 + 3 + 1 + 1 + 1


def test_what_is_asked_for_by_name(names: dict[str, set[str]]) -> None:
    assert names["named"] == {"test_of_everything", *(f"test_of_numbers[{n}]" for n in range(10))}


def test_one_test_of_each_file(names: dict[str, set[str]]) -> None:
    assert names["one"] == {"test_of_two_parameters[x-1]", "test_it.test_that_draws"}


@pytest.mark.cases(0)
def test_workers_tell_of_every_fault(tmp_path: Path) -> None:
    (printed,) = lines_of(tmp_path, "brief_reports.py", OUTCOMES, ("-n", "1"))
    assert "1 failed, 2 passed, 1 skipped, 2 errors" in printed[-1]
