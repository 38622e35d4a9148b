"""Every Op and every scalar function: jax computes what Python does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pytest

from weft_graph import Op
from weft_tensor import Elemwise
from weft_testing import check_backend, examples_of, tensor_ops

OPS: Final = tensor_ops()
SUMS: Final = [op for op in OPS if isinstance(op, Elemwise) and op.scalar.summation]
OTHERS: Final = [op for op in OPS if op not in SUMS]
EIGHTS: Final = [*([op] for op in SUMS), *(OTHERS[k : k + 8] for k in range(0, len(OTHERS), 8))]
"""Sums have loops, of which several in one function take XLA longer than one by one."""


def names(ops: Sequence[Any]) -> str:
    return ", ".join([getattr(op, "__name__", str(op)) for op in ops])


@pytest.mark.parametrize("ops", EIGHTS, ids=names)
def test_op(ops: Sequence[Op | type[Op]], few: Any) -> None:
    """Of an example each, one function is made, which compiles faster than eight."""
    each = [few(examples_of(op), 1) for op in ops]
    together = [example for examples in each for example in examples]
    for examples in [together] if len(together) == len(ops) else each:
        check_backend(examples, "jax")
