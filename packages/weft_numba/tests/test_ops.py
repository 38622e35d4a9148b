"""Every Op and every scalar function: numba computes what Python does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pytest

from weft_graph import Op
from weft_testing import check_backend, examples_of, tensor_ops
from weft_testing.ops import op_groups

GROUPS: Final = op_groups(tensor_ops(), 48)


def names(ops: Sequence[Any]) -> str:
    return ", ".join([getattr(op, "__name__", str(op)) for op in ops])


@pytest.mark.parametrize("ops", GROUPS, ids=names)
def test_op(ops: Sequence[Op | type[Op]], few: Any) -> None:
    """Of an example each, one function is made, which compiles faster than several."""
    each = [few(examples_of(op), 1) for op in ops]
    together = [example for examples in each for example in examples]
    for examples in [together] if len(together) == len(ops) else each:
        check_backend(examples, "numba")
