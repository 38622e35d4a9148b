"""Every Op and every scalar function: numba against Python, and all that any Op is checked for."""

from __future__ import annotations

import pytest

from weft_graph import Op
from weft_testing import check_op, tensor_ops


@pytest.mark.parametrize("op", tensor_ops(), ids=lambda op: getattr(op, "__name__", str(op)))
def test_op(op: Op | type[Op]) -> None:
    check_op(op, backends=["numba"])
