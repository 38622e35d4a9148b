"""Special functions are as right on all backends as the page says."""

from __future__ import annotations

from typing import Any

import pytest

from tools.accuracy import errors, ours, scipys
from tools.accuracy_cases import CASES, Case
from tools.accuracy_inverses import INVERSES
from weft_tensor.extend import SCALARS


@pytest.mark.cases(16)
@pytest.mark.parametrize("case", [*CASES, *INVERSES], ids=lambda case: case.name)
def test_errors_are_small_on_all_backends(case: Case, few: Any) -> None:
    number = 4 if len(case.places) == 1 else 3
    some = [few(numbers[:: 1 + len(numbers) // 24], number) for numbers in case.places]
    case = case._replace(places=tuple(some))
    backends = ["py", *few(["numba", "jax"], 1)]
    ways = {b: ours(case, "float64", b) for b in backends} | scipys(case)
    found = errors(case, "float64", ways)
    of_scipy = found.pop("SciPy", 0.0)
    is_scipys = case.name in SCALARS and SCALARS[case.name].function is not None
    most = max(case.bound, of_scipy) if is_scipys else case.bound
    assert found.get("jax", 0.0) <= case.bound, found
    assert max(found.values()) <= most, found
