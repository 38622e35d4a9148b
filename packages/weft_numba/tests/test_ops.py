"""Every Op and every scalar function: numba computes what Python does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pytest

from weft_graph import FunctionGraph, Op
from weft_numba.analysis.specialise import narrowed
from weft_numba.runtime.step_clock import hold
from weft_tensor import tensor
from weft_testing import check_backend, examples_of, tensor_ops
from weft_testing.ops import op_groups

GROUPS: Final = op_groups(tensor_ops(), 48)


def names(ops: Sequence[Any]) -> str:
    return ", ".join([getattr(op, "__name__", str(op)) for op in ops])


def is_usual(example: tuple[Any, Sequence[Any]]) -> bool:
    """Whether the code for usual calls runs: no array is stretched."""
    op, values = example
    arrays = [np.asarray(v) for v in values]
    inputs = [tensor(dtype=str(v.dtype), shape=(None,) * v.ndim) for v in arrays]
    results = op(*inputs)
    outputs = results if isinstance(results, (list, tuple)) else [results]
    return hold(narrowed(FunctionGraph(inputs, outputs), assume=True).conditions, arrays)


def drawn_from(op: Any, is_quick: bool) -> list[Any]:
    """The examples; where Python sums up for seconds far out, the quick run has others."""
    examples = list(examples_of(op))
    if not (is_quick and "_of_real" in str(op)):
        return examples
    return [each for each in examples if all((abs(np.float64(v)) < 1e100).all() for v in each[1])]


@pytest.mark.each
@pytest.mark.parametrize("ops", GROUPS, ids=names)
def test_op(ops: Sequence[Op | type[Op]], few: Any, in_quick_run: bool) -> None:
    """Of an example each, one function is made, which compiles faster than several.

    One call that is not usual would have code for all others compiled that is for no usual one.
    """
    each = [few(drawn_from(op, in_quick_run), 1) for op in ops]
    together = [example for examples in each for example in examples]
    for examples in [together] if len(together) == len(ops) else each:
        usual = [is_usual(example) for example in examples]
        for kind in dict.fromkeys(usual):
            part = [e for e, own in zip(examples, usual, strict=True) if own is kind]
            check_backend(part, "numba")
