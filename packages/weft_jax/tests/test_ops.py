"""Every Op and every scalar function: jax computes what Python does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pytest

from weft_graph import Op
from weft_tensor import Elemwise
from weft_testing import check_backend, examples_of, tensor_ops

OPS: Final = tensor_ops()
SUMS: Final = [op for op in OPS if isinstance(op, Elemwise) and op.scalar.summation]
OTHERS: Final = [op for op in OPS if op not in SUMS]
EIGHTS: Final = [*([op] for op in SUMS), *(OTHERS[k : k + 8] for k in range(0, len(OTHERS), 8))]
"""Sums have loops, of which several in one function take XLA longer than one by one."""


AT_ENDS: Final = ("beta", "binom")
"""Of what is infinite, or beyond 1e100, SciPy's functions give what follows from no limit: beta of
(-inf, 1) is inf and of (inf, inf) NaN, binom of (0, 1e-300) NaN. JAX gives the limits."""


def names(ops: Sequence[Any]) -> str:
    return ", ".join([getattr(op, "__name__", str(op)) for op in ops])


def drawn_from(op: Any) -> list[Any]:
    examples = list(examples_of(op))
    if not isinstance(op, Elemwise) or op.scalar.name not in AT_ENDS:
        return examples
    return [each for each in examples if all((abs(np.float64(v)) < 1e100).all() for v in each[1])]


@pytest.mark.parametrize("ops", EIGHTS, ids=names)
def test_op(ops: Sequence[Op | type[Op]], few: Any) -> None:
    """Of an example each, one function is made, which compiles faster than eight."""
    each = [few(drawn_from(op), 1) for op in ops]
    together = [example for examples in each for example in examples]
    for examples in [together] if len(together) == len(ops) else each:
        check_backend(examples, "jax")
