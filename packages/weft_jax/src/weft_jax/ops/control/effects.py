"""Printing and checks in JAX."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from jax import Array

from weft_graph import CheckAndRaise, Print, Variable
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_jax.runtime.runtime_checks import require, require_nonnegative
from weft_tensor import ge

__all__ = ["jax_funcify_check", "jax_funcify_print"]


@jax_funcify.register(Print)
def jax_funcify_print(op: Print, **kwargs: object) -> Lowering:
    """A callback from the compiled code, in the order of the program."""

    def show(*values: Array) -> None:
        op.show(*map(np.asarray, values))

    def printed(x: Any, *step: Any) -> object:
        values = [v if isinstance(v, jax.Array) else np.asarray(v) for v in (x, *step)]
        jax.debug.callback(show, *values, ordered=True)
        return x

    return printed


@jax_funcify.register(CheckAndRaise)
def jax_funcify_check(op: CheckAndRaise, *, node: Variable, **kwargs: object) -> Lowering:
    """Conditions that are tested when the results are there."""
    of, *tests = node.inputs
    signs = [test is ge(of, 0) for test in tests]

    def checked(x: Array, *conditions: Array) -> Array:
        for condition, is_sign in zip(conditions, signs, strict=True):
            if not (is_sign and require_nonnegative(x, op.error)):
                require(condition != 0, op.error)
        return x

    return checked
