"""Random graphs that are rewritten, on three backends, against NumPy: nothing may change."""

from __future__ import annotations

from typing import Any

import pytest

from weft_graph import Mode
from weft_testing import faults_in_random_graphs


@pytest.mark.parametrize(
    ("backend", "start", "number"),
    [
        ("py", 0, 60),
        ("py", 60, 200),
        *(("py", start, 20) for start in range(260, 300, 20)),
        *((backend, start, 20) for backend in ("numba", "jax") for start in range(0, 300, 20)),
    ],
)
@pytest.mark.cases("py-0-60", "numba-0-20")
def test_rewritten_graphs_have_the_same_results(
    backend: str, start: int, number: int, few: Any
) -> None:
    for first in range(start, start + number, 20):
        found = faults_in_random_graphs(Mode(backend), few(range(first, first + 20), 2))
        assert not found, "\n".join(found)
