"""Random graphs, compiled with Numba, against NumPy."""

from __future__ import annotations

from typing import Any

import pytest

from weft_testing import faults_in_random_graphs


@pytest.mark.cases(1)
@pytest.mark.parametrize("start", range(0, 300, 20))
def test_random_graphs(start: int, few: Any) -> None:
    found = faults_in_random_graphs("numba", few(range(start, start + 20), 2))
    assert not found, "\n".join(found)


@pytest.mark.cases(0)
def test_random_graphs_of_inputs_that_are_not_contiguous() -> None:
    found = faults_in_random_graphs("numba", range(300, 310), strided=True)
    assert not found, "\n".join(found)
