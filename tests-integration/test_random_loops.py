"""Random loops: backends against Python, derivatives by differences."""

from __future__ import annotations

from typing import Any

import pytest

from weft_graph import Mode
from weft_testing import faults_in_random_loops


@pytest.mark.cases("py-0", "py-100", "numba-100", "numba-133", "jax-0", "jax-100")
@pytest.mark.parametrize("seed", range(200))
@pytest.mark.parametrize("backend", ["py", "numba", "jax"])
def test_random_loops_as_written(backend: str, seed: int) -> None:
    found = faults_in_random_loops(Mode(backend, books=[]), [seed])
    assert not found, "\n".join(found)


@pytest.mark.cases(4)
@pytest.mark.parametrize("start", range(200, 400, 5))
@pytest.mark.parametrize("backend", ["py", "numba", "jax"])
def test_random_loops_that_are_rewritten(backend: str, start: int, few: Any) -> None:
    found = faults_in_random_loops(backend, few(range(start, start + 5), 2))
    assert not found, "\n".join(found)
