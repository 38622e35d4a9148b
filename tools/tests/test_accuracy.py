"""Special functions are as right on all backends as the page says."""

from __future__ import annotations

from typing import Any

import pytest

from tools.accuracy import BACKENDS, CASES, Case, errors, ours, scipys
from weft_tensor.extend import SCALARS


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_errors_are_small_on_all_backends(case: Case, few: Any) -> None:
    some = [few(numbers[:: 1 + len(numbers) // 24], 4) for numbers in case.places]
    case = case._replace(places=tuple(some))
    ways = {b: ours(case, "float64", b) for b in BACKENDS} | scipys(case)
    found = errors(case, "float64", ways)
    of_scipy = found.pop("SciPy", 0.0)
    is_scipys = case.name in SCALARS and SCALARS[case.name].function is not None
    most = max(case.bound, of_scipy) if is_scipys else case.bound
    assert found["jax"] <= case.bound, found
    assert max(found.values()) <= most, found
