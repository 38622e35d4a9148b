"""Structured linear algebra, as the bench types it, has NumPy's values."""

from __future__ import annotations

import numpy as np
import pytest

from tools.bench.structured import EXPRESSIONS, by_numpy, by_weft, data


@pytest.mark.cases(4)
@pytest.mark.parametrize("text", EXPRESSIONS)
def test_values_are_numpys(text: str) -> None:
    values = data(text)
    expected = by_numpy(text)(*values)
    found = by_weft(text, "py")(*values)
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8 * abs(expected).max())
