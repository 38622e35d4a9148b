"""Every Op and every scalar function: types, shapes, memory, pickling and derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pytest

from weft_graph import Op
from weft_testing import check_op, examples_of, tensor_ops

OPS: Final = tensor_ops()
SLOPES: Final = [op for op in OPS if "_slope" in str(op)]
"""Derivatives of functions with parameters: their own go step by step through sums."""


def name(op: Op | type[Op]) -> str:
    return getattr(op, "__name__", str(op))


def check(op: Op | type[Op], few: Any) -> None:
    examples: Sequence[Any] = few(examples_of(op), 1)
    for made, values in examples:
        check_op(made, *values, backends=[])


@pytest.mark.each
@pytest.mark.parametrize("op", [op for op in OPS if op not in SLOPES], ids=name)
def test_op(op: Op | type[Op], few: Any) -> None:
    check(op, few)


@pytest.mark.cases(12)
@pytest.mark.parametrize("op", SLOPES, ids=name)
def test_slope(op: Op, few: Any) -> None:
    check(op, few)
