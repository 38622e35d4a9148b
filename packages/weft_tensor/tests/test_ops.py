"""Every Op and every scalar function: types, shapes, memory, pickling and derivatives."""

from __future__ import annotations

from typing import Any

import pytest

from weft_graph import Op
from weft_testing import check_op, examples_of, tensor_ops


@pytest.mark.each
@pytest.mark.parametrize("op", tensor_ops(), ids=lambda op: getattr(op, "__name__", str(op)))
def test_op(op: Op | type[Op], few: Any) -> None:
    for made, values in few(examples_of(op), 1):
        check_op(made, *values, backends=[])
