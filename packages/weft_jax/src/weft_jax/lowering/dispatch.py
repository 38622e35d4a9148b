"""`jax_funcify`: the table from Op classes to functions of JAX arrays."""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch
from typing import Any, Final

from weft_graph import CheckAndRaise, MissingLoweringError, Op, Variable
from weft_graph.extend import Identity

__all__ = ["COPYING", "Lowering", "has_function", "jax_funcify", "uses_builtin_lowering"]


Lowering = Callable[..., Any]
"""A function of JAX arrays, and of Python numbers where shapes depend on them."""

COPYING: Final[set[type[Op]]] = {CheckAndRaise}
"""Ops without a kind whose functions only copy what they are given, if that."""


@singledispatch
def jax_funcify(op: Op, *, node: Variable, **kwargs: object) -> Lowering:
    """The function of JAX arrays that computes `op`, to be traced by `jax.jit`.

    Register one for a class of Ops with `@jax_funcify.register(SomeOp)`; registering again
    replaces it. It gets the Op and, by keyword, the `node` with the inputs and their types;
    it returns a function of the inputs' values. Inputs on which the result's shape depends
    (as `infer_shape` says) come as Python numbers, all others as arrays or, where they are
    constants, as NumPy arrays. What it returns must be of the type of `node`: dtype, rank and
    known lengths are checked when JAX traces it. Python numbers take the dtype.
    """
    name = type(op).__name__
    raise MissingLoweringError(
        f"{name} has no JAX implementation: register a function with "
        f"`@weft_jax.jax_funcify.register({name})` in {_home(type(op))}, or compile with "
        "mode='py'"
    )


def uses_builtin_lowering(op: Op) -> bool:
    """Whether nobody has registered a function for `op` but this package.

    >>> import weft_tensor as wt
    >>> uses_builtin_lowering(wt.vector("x").sum().owner.op)
    True
    """
    module = jax_funcify.dispatch(type(op)).__module__ or "a page of documentation"
    return module.partition(".")[0] == __name__.partition(".")[0]


def has_function(op: Op) -> bool:
    """Whether a function is registered for `op`.

    >>> import weft_tensor as wt
    >>> has_function(wt.vector("x").sum().owner.op)
    True
    """
    return jax_funcify.dispatch(type(op)) is not jax_funcify.dispatch(object)


def _home(kind: type[Op]) -> str:
    """Where the implementation of an Op belongs: the same name in every layer."""
    package, *folders = kind.__module__.split(".")
    own = package == "weft_tensor"
    return (
        f"weft_jax/{'/'.join(folders)}.py"
        if own
        else f"the module {kind.__module__}, where the Op is"
    )


@jax_funcify.register(Identity)
def _identity(op: Op, **kwargs: object) -> Lowering:
    return lambda x: x
