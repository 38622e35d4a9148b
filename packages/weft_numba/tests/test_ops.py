"""Every Op and every scalar function: numba computes what Python does."""

from __future__ import annotations

from typing import Any

import pytest

from weft_graph import Op
from weft_testing import check_backend, examples_of, tensor_ops


@pytest.mark.parametrize("op", tensor_ops(), ids=lambda op: getattr(op, "__name__", str(op)))
def test_op(op: Op | type[Op], few: Any) -> None:
    check_backend(few(examples_of(op), 1), "numba")
