"""Random models of terms alike: what is joined is right, and most of them are joined."""

from __future__ import annotations

from typing import Any

import pytest

from weft_rewrites.ops.control.siblings import join_siblings
from weft_testing import faults_in_random_siblings, random_siblings


@pytest.mark.cases(0)
def test_most_random_models_are_joined() -> None:
    graphs = [random_siblings(seed) for seed in range(20)]
    assert sum([join_siblings(graph) is not graph for graph in graphs]) > 10


@pytest.mark.cases("py-0", "numba-50", "jax-100")
@pytest.mark.parametrize("start", range(0, 200, 50))
@pytest.mark.parametrize("backend", ["py", "numba", "jax"])
def test_random_models(backend: str, start: int, few: Any) -> None:
    seeds = few(range(start, start + 50), 4 if backend == "py" else 2)
    found = faults_in_random_siblings(backend, seeds)
    assert not found, "\n".join(found)
