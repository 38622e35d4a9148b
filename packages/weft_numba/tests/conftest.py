"""What tests of this package share."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np
import pytest

from weft_graph import function


def outcome(f: Any, values: tuple[Any, ...]) -> Any:
    """The results, or the error."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            found = f(*values)
        except Exception as error:
            return error
    return found if isinstance(found, (list, tuple)) else [found]


def difference(found: Any, wanted: Any) -> str:
    """What is not the same; errors may be said in other words."""
    if isinstance(wanted, Exception) or isinstance(found, Exception):
        if type(found) is not type(wanted):
            return f"{found!r} instead of {wanted!r}"
        notes = [getattr(error, "__notes__", []) for error in (found, wanted)]
        return "" if notes[0] == notes[1] else f"notes of {found!r}: {notes}"
    for k, (result, expected) in enumerate(zip(found, wanted, strict=True)):
        kinds = [(type(r), r.dtype, r.shape) for r in (result, expected)]
        same = kinds[0] == kinds[1] and np.allclose(result, expected, 1e-12, 0.0, equal_nan=True)
        if not same:
            return f"result {k}: {result!r} instead of {expected!r}"
    return ""


@pytest.fixture
def answers_as_python() -> Callable[..., None]:
    """Compares Numba's answers, or errors, with Python's for each row of values."""

    def compare(graph: tuple[list[Any], Any], table: Sequence[tuple[Any, ...]]) -> None:
        compiled, reference = (function(*graph, mode=mode) for mode in ("numba", "py"))
        found = [(row, outcome(compiled, row), outcome(reference, row)) for row in table]
        differ = [(row, said) for row, f, w in found if (said := difference(f, w))]
        assert not differ

    return compare


@pytest.fixture
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where machine code is kept by this test alone."""
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def run() -> Callable[..., list[str]]:
    """Runs a program in a process of its own, with more folders of modules: what it prints."""

    def run(program: str, *path: Path) -> list[str]:
        names = [str(p) for p in path] + [os.environ.get("PYTHONPATH", "")]
        done = subprocess.run(
            [sys.executable, "-c", dedent(program)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(names)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert not done.returncode, done.stderr
        return done.stdout.strip().split(",")

    return run
