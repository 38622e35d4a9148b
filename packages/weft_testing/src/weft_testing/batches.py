"""A batch is computed as its elements are."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft_graph import Mode, Op, function
from weft_tensor import SearchSorted, TensorOp, TensorType, vectorize_graph
from weft_testing.drawing import Arrays

__all__ = ["check_batches"]


def check_batches(
    op: Op, values: Arrays, which: frozenset[int] | None = None, mode: Mode | str = "py"
) -> None:
    """Compare an Op of batches, by `vectorize_graph`, with the Op of each of two elements.

    Parameters
    ----------
    which
        The inputs that are batches; by default all are, and an Op that can't be batched so,
        because values decide the lengths of results, passes.

    Raises
    ------
    AssertionError
        if results differ, or have another dtype.

    Examples
    --------
    >>> from weft_tensor import Elemwise
    >>> check_batches(Elemwise("add"), [np.ones(3), np.arange(3.0)], frozenset([1]))
    """
    batched = frozenset(range(len(values))) if which is None else which
    inputs: list[Any] = [TensorType(v.dtype, [None] * v.ndim)() for v in values]
    outputs: Any = op.make_node(*inputs).outputs
    if isinstance(op, TensorOp):
        outputs = op.invariants(*outputs)
    whole = [np.stack([v, _other(op, v)]) if k in batched else v for k, v in enumerate(values)]
    new: list[Any] = [TensorType(v.dtype, [None] * v.ndim)() for v in whole]
    try:
        batches = vectorize_graph(outputs, dict(zip(inputs, new, strict=True)))
    except ValueError:
        if which is None:
            return
        raise
    alone = function(inputs, outputs, mode="py")
    with np.errstate(all="ignore"):
        try:
            each = [
                alone(*(v[i] if k in batched else v for k, v in enumerate(whole))) for i in (0, 1)
            ]
        except (ValueError, np.linalg.LinAlgError, IndexError):  # of what is not as good
            whole = [np.stack([v, v]) if k in batched else v for k, v in enumerate(values)]
            each = [alone(*values)] * 2
        results = function(new, batches, mode=mode)(*whole)
    for v, result, old, first, second in zip(batches, results, outputs, *each, strict=True):
        expected = np.asarray(first) if v.ndim == old.ndim else np.stack([first, second])
        assert result.dtype == expected.dtype
        tolerance = 1e-4 if expected.dtype in ("float32", "complex64", "float16") else 1e-9
        np.testing.assert_allclose(result, expected, rtol=tolerance, atol=tolerance)


def _other(op: Op, v: np.ndarray) -> np.ndarray:
    """A second element for a batch, with values that are as good: what is sorted stays so."""
    if v.ndim and not isinstance(op, SearchSorted):
        return np.flip(v)
    return ~v if v.dtype == bool else v * v.dtype.type(0.5) if v.dtype.kind in "fc" else v
