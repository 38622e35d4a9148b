"""Every Op and every scalar function: jax computes what Python does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pytest

from weft_graph import Op
from weft_jax.ops.special.of_complex import ROWS
from weft_tensor import Elemwise
from weft_testing import check_backend, examples_of, tensor_ops
from weft_testing.ops import op_groups

OPS: Final = tensor_ops()
SUMS: Final = [op for op in OPS if isinstance(op, Elemwise) and op.scalar.summation]
ON_HOST: Final = [op for op in OPS if isinstance(op, Elemwise) and op.scalar.name in ROWS]
"""Of programs that have one of these JAX keeps none on disk."""
OTHERS: Final = [op for op in OPS if op not in SUMS and op not in ON_HOST]
GROUPS: Final = [*op_groups(OTHERS, 28), *op_groups(ON_HOST, 4)]

RIGHT: Final = [Elemwise("binom"), Elemwise("betainccinv")]
"""What JAX has of (0, 1e-300), and of (1e-300, 0.5, 1e-300): SciPy's are NaN, and 2/3 for 0.786."""


@pytest.fixture
def nothing_kept() -> None:
    """Here it does not count how JAX compiles: what was compiled before is recalled."""


def drawn_from(op: Any) -> list[Any]:
    """The examples; of what is right on JAX alone those of usual numbers."""
    examples = list(examples_of(op))
    if op not in RIGHT:
        return examples
    return [each for each in examples if all((abs(np.float64(v)) < 1e100).all() for v in each[1])]


def names(ops: Sequence[Any]) -> str:
    return ", ".join([getattr(op, "__name__", str(op)) for op in ops])


@pytest.mark.cases(len(SUMS) // 11)  # they are lowered as one, and Numba has all their formulas
@pytest.mark.parametrize("op", SUMS, ids=str)
def test_sum(op: Elemwise, few: Any) -> None:
    """Sums have loops, of which several in one function take XLA longer than one by one."""
    check_backend(few(drawn_from(op), 1), "jax")


@pytest.mark.each
@pytest.mark.parametrize("ops", GROUPS, ids=names)
def test_op(ops: Sequence[Op | type[Op]], few: Any) -> None:
    """Of an example each, one function is made, which compiles faster than several."""
    each = [few(drawn_from(op), 1) for op in ops]
    together = [example for examples in each for example in examples]
    for examples in [together] if len(together) == len(ops) else each:
        check_backend(examples, "jax")
