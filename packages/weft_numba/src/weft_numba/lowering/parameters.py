"""Functions of many parameters, which machine code gets in tuples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from llvmlite.ir import IRBuilder, Value

__all__ = ["MOST", "arguments", "one_by_one", "with_parameters"]

MOST: Final = 30
"""The most arguments that a call is given one by one."""


def with_parameters(count: int, typed: Any) -> Callable[..., object]:
    """`typed` as a function of so many parameters, which Numba counts: `arguments` of a call."""
    if count <= MOST:
        return one_by_one(count, typed)
    return one_by_one(-(-count // MOST), partial(_of_tuples, typed))


def one_by_one(count: int, typed: Any) -> Callable[..., object]:
    """The same, but of parameters that are no tuples, however many."""
    names = "".join(f", x{k}" for k in range(count))
    namespace: dict[str, Any] = {"typed": typed}
    exec(f"def kernel(context{names}):\n    return typed(context{names})\n", namespace)
    kernel: Callable[..., object] = namespace["kernel"]
    return kernel


def arguments(names: Sequence[str]) -> str:
    """What stands between the parentheses of a call of what `with_parameters` made.

    More than 30 are given in tuples of 30: Python puts these into a list one by one, of which
    Numba before 0.68 makes tuples of every length.

    >>> arguments(["x", "y"])
    'x, y'
    """
    if len(names) <= MOST:
        return ", ".join(names)
    chunks = [names[k : k + MOST] for k in range(0, len(names), MOST)]
    return ", ".join([f"({', '.join(chunk)},)" for chunk in chunks])


def _of_tuples(typed: Any, context: object, *tuples: Any) -> Any:
    """`typed`, of what is in tuples."""
    sig, write = typed(context, *[kind for group in tuples for kind in group])

    def spread(context: Any, builder: IRBuilder, outer: Any, args: Sequence[Value]) -> Value:
        values = [
            builder.extract_value(value, k)
            for value, group in zip(args, outer.args, strict=True)
            for k in range(len(group))
        ]
        return write(context, builder, sig, values)

    return sig.return_type(*tuples), spread
