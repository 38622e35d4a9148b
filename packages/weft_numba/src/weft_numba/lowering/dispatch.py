"""`numba_funcify`: the table from Op classes to Numba functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import singledispatch
from typing import Any, Final

from numba.core.dispatcher import Dispatcher

from weft_graph import MissingLoweringError, Op, Variable
from weft_graph.extend import Identity
from weft_numba.lowering.njit_source import compiled

__all__ = [
    "ANY_ORDER",
    "BY_ROW",
    "EXPRESSIONS",
    "IN_LINES",
    "has_function",
    "numba_funcify",
    "uses_builtin_lowering",
]


@singledispatch
def numba_funcify(op: Op, *, node: Variable, **kwargs: object) -> Callable[..., Any]:
    """The function, compilable by Numba, that computes `op`.

    Register one for a class of Ops with `@numba_funcify.register(SomeOp)`; registering
    again replaces it. It gets the Op and, by keyword, the `node` with the inputs and their
    types and what else the linker tells (`exact`, `parallel`); it returns a function (plain, or
    made by `numba.njit`) of the inputs' values. Tensors of rank 0 are plain scalars there, all
    others are arrays; the result must be the same, of the dtype and rank of `node`, which is
    checked. Inputs must not be modified.
    """
    name = type(op).__name__
    raise MissingLoweringError(
        f"{name} has no Numba implementation: register a function with "
        f"`@weft_numba.numba_funcify.register({name})`, or compile with mode='py'"
    )


def uses_builtin_lowering(op: Op) -> bool:
    """Whether nobody has registered a function for `op` but this package.

    Only then may other code of this package compute it.

    >>> import weft_tensor as wt
    >>> uses_builtin_lowering(wt.vector("x").sum().owner.op)
    True
    """
    module = numba_funcify.dispatch(type(op)).__module__ or "a page of documentation"
    return module.partition(".")[0] == __name__.partition(".")[0]


BY_ROW: Final[dict[type[Op], str]] = {}
"""Ops that are computed by a row of a table, each for itself; and how to write one."""

EXPRESSIONS: Final[dict[type[Op], Callable[[Any, Sequence[str]], str]]] = {}
"""What an Op is in source, from the names of its inputs: no function that Numba would compile."""


IN_LINES: Final[dict[type[Op], Callable[[Any, Variable, Sequence[str], Any], list[str]]]] = {}
"""What writes an Op's lines into a program, from the names of its inputs and what is known of the
lengths of the graph around it; gives the names of the results."""


ANY_ORDER: Final[set[type[Op]]] = set()
"""Ops whose functions take transposes as they are."""


def has_function(op: Op) -> bool:
    """Whether a function is registered for `op`.

    >>> import weft_tensor as wt
    >>> has_function(wt.sort(wt.vector("x")).op), has_function(wt.sum(wt.vector("x")).op)
    (True, False)
    """
    is_registered = numba_funcify.dispatch(type(op)) is not numba_funcify.dispatch(object)
    return is_registered or type(op) in IN_LINES


@numba_funcify.register(Identity)
def _identity(op: Op, **kwargs: object) -> Dispatcher:
    return compiled("def lowered(x):\n    return x\n")
