"""Arrays whose axes have names: `pytensor.xtensor`."""

from __future__ import annotations

import numpy as np
import pytensor
import pytest

from weft_pytensor import from_pytensor

px = pytest.importorskip("pytensor.xtensor", reason="newer versions of PyTensor have it")

pytestmark = pytest.mark.filterwarnings("default")  # PyTensor's own
MODES = ["WEFT", "WEFT_PY"]
A, B = np.arange(6.0).reshape(2, 3), np.array([0.5, -1.0])


@pytest.mark.parametrize("mode", MODES)
def test_same_as_pytensor(mode: str) -> None:
    a, b = px.xtensor("a", dims=("x", "y")), px.xtensor("b", dims=("x",))
    outputs = [(px.math.exp(b) * a).sum("x"), px.dot(a, b), (a - a.mean("y")).transpose("y", "x")]
    theirs = pytensor.function([a, b], outputs, mode="FAST_COMPILE")
    ours = pytensor.function([a, b], outputs, mode=mode)
    for one, other in zip(theirs(A, B), ours(A, B), strict=True):
        np.testing.assert_allclose(other, one)


def test_converted() -> None:
    """The graph of PyTensor stays what it is."""
    b = px.xtensor("b", dims=("x",))
    result = px.math.exp(b).sum("x")
    before = result.owner
    graph = from_pytensor(result, [b], host="error")
    assert result.owner is before
    np.testing.assert_allclose(graph.outputs[0].eval({graph.inputs[0]: B}), np.exp(B).sum())
