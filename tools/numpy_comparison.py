"""A fixture of pytest: functions of Weft compared with those of NumPy that have their names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

if TYPE_CHECKING:
    from weft_testing import Case


@pytest.fixture
def is_numpys(few: Any) -> Callable[..., None]:
    """Compares a function with NumPy's of its name: Python in all cases, the others in some.

    In the quick run one of the others has a case of every third function.
    """

    import weft.tensor as wt
    from weft_testing import check_function

    def check(name: str, cases: Sequence[Case], fewest: int, reference: Any = None) -> None:
        compute, reference = getattr(wt, name), reference or getattr(np, name)
        assert check_function(compute, reference, cases, ["py"]) >= fewest
        others = [mode for mode in few(["numba", "", "", "jax", "", ""], 1) if mode]
        check_function(compute, reference, few(cases, 1), others)

    return check
