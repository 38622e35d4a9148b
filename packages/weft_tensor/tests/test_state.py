"""Shared tensors: state that functions use and update."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function


def test_values_are_copied_and_checked() -> None:
    given = np.zeros(3)
    s = wt.shared(given, "s")
    given[:] = 1
    s.get_value()[:] = 2
    np.testing.assert_array_equal(s.get_value(), np.zeros(3))
    s.set_value([1.0, 2.0])
    assert s.get_value().shape == (2,)
    with pytest.raises(TypeError, match=r"rank 1, got float64 array of shape"):
        s.set_value(np.eye(2))
    with pytest.raises(TypeError, match="expected float64"):
        s.set_value([1j])
    assert wt.shared(1, dtype="float32").dtype == "float32"
    fixed = wt.shared([1, 2], shape=(2,))
    with pytest.raises(ValueError, match="axis 0 must have length 2"):
        fixed.set_value([1, 2, 3])


def test_what_is_not_shared() -> None:
    x = wt.vector("x")
    with pytest.raises(TypeError, match="is not shared: make it with"):
        x.get_value()
    with pytest.raises(TypeError, match="is not shared"):
        x.set_value([1.0])


def test_an_update_that_fails_changes_nothing() -> None:
    count, x = wt.shared(0, "count"), wt.matrix("x")
    f = function([x], wt.linalg.cholesky(x), updates={count: count + 1}, mode="py")
    f(np.eye(2))
    with pytest.raises(np.linalg.LinAlgError):
        f(-np.eye(2))
    assert count.get_value() == 1


def test_state_is_pickled_with_its_function() -> None:
    count = wt.shared(0, "count")
    f: Any = function([], count, updates={count: count + 1}, mode="py")
    f()
    other = pickle.loads(pickle.dumps(f))
    assert [int(f()), int(f()), int(other())] == [1, 2, 1]
