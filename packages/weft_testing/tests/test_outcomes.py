"""Results and errors of two functions, compared."""

from __future__ import annotations

import numpy as np
import pytest

from weft_testing import assert_same_outcome, outcome


def test_what_differs_is_told() -> None:
    one, other = np.ones(2), np.ones(2, "float32")
    for found, wanted in (
        ([one], [other]),
        ([one], [one[:1]]),
        ([one], [one + 1e-9]),
        (ValueError("x"), [one]),
        ([one], ValueError("x")),
        (ValueError("x"), IndexError("x")),
    ):
        with pytest.raises(AssertionError):
            assert_same_outcome(found, wanted)
    with pytest.raises(ValueError, match="zip"):
        assert_same_outcome([one], [one, one])


def test_a_call_that_warns_has_results() -> None:
    (found,) = outcome(np.log, [np.zeros(1)])
    assert found == -np.inf
