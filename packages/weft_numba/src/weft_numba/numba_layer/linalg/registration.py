"""Functions of one matrix, or of each of a stack, registered for classes of Ops."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from weft_graph import Op, Variable
from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.numba_layer.linalg.batched_matrix import MatrixOperation, Part, callable_operation
from weft_numba.numba_layer.linalg.lanes import for_lanes

__all__ = ["register_matrix", "register_square"]


def register_square(
    kind: type[Op],
    name: str,
    write: Callable[..., Any],
    letters: tuple[str, ...],
    failure: str = "",
    *,
    small: Callable[..., Any] | None = None,
    most: int = 4,
) -> None:
    """Register what computes Ops of one class, of a square matrix or each of a stack.

    `letters` are those of the axes of each result, `failure` is the message of the LinAlgError;
    `small` writes the same for several matrices of at most so many rows at once.
    """

    @numba_funcify.register(kind)
    def funcify(op: Op, *, node: Variable, parallel: bool = False, **kwargs: object) -> Any:
        kinds: list[Any] = list(getattr(node.type, "items", (node.type,)))
        x: Any = node.inputs[0].type
        results = tuple(Part(p, t.dtype) for p, t in zip(letters, kinds, strict=True))
        of_one = (Part("nn", x.dtype),)
        message = f"{name}: {failure}"
        lanes = for_lanes(small, x, most)
        return callable_operation(
            MatrixOperation(
                name,
                of_one,
                results,
                write,
                message,
                work="nnn",
                parallel=parallel,
                lanes=lanes,
            )
        )


def register_matrix(
    kind: type[Op],
    described: Callable[[Any], tuple[str, Callable[..., Any], str]],
    failure: str,
    *,
    small: Callable[..., Any] | None = None,
) -> None:
    """Register what computes Ops of one class, of a matrix or each of a stack.

    `described` gives for an Op its name here, what writes it (see `MatrixOperation`), and the
    letters of the axes of the matrix and of each result: "mn ms sn"; `small` is as above.
    """
    descriptions = cache(described)

    @numba_funcify.register(kind)
    def funcify(op: Op, *, node: Variable, parallel: bool = False, **kwargs: object) -> Any:
        name, write, letters = descriptions(op)
        operand, *results = letters.split()
        kinds: list[Any] = list(getattr(node.type, "items", (node.type,)))
        x: Any = node.inputs[0].type
        parts = tuple([Part(p, t.dtype) for p, t in zip(results, kinds, strict=True)])
        return callable_operation(
            MatrixOperation(
                name,
                (Part(operand, x.dtype),),
                parts,
                write,
                f"{name}: {failure}",
                work=operand + operand[-1],
                parallel=parallel,
                lanes=for_lanes(small, x),
            )
        )
