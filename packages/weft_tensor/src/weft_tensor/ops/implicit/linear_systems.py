"""Solutions of linear equations, whose derivatives are solutions as well."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from weft_graph import OpFromGraph
from weft_graph.extend import closed_over
from weft_tensor.build.convert import as_tensor
from weft_tensor.ops.control.structures import flat, packed
from weft_tensor.ops.creation.creation import zeros_like
from weft_tensor.ops.implicit.graph_slopes import GraphSlopes, leaves_of, of_structures

_NO_TRANSPOSE = (
    "custom_linear_solve: the reverse derivative solves the transposed system: give "
    "transpose_solve, or symmetric=True if matvec is its own transpose"
)

__all__ = ["custom_linear_solve"]


def custom_linear_solve(
    matvec: Callable[[Any], Any],
    b: Any,
    solve: Callable[[Callable[[Any], Any], Any], Any],
    transpose_solve: Callable[[Callable[[Any], Any], Any], Any] | None = None,
    symmetric: bool = False,
) -> Any:
    """The x with `matvec(x) = b`, found by `solve`, with the derivatives of such a solution.

    Derivatives are solutions as well, found in the same way. See `jax.lax.custom_linear_solve`.

    Parameters
    ----------
    matvec
        A linear function of x, a tensor or a nested structure of them, which returns the like.
        Derivatives are taken with respect to what it uses besides.
    b
        The right-hand side: of the same structure, dtypes and shapes as x.
    solve
        Takes `matvec`, or another linear function, and a right-hand side, and returns x.
    transpose_solve
        The same of the transpose of `matvec`; the reverse derivative needs it.
    symmetric
        Whether `matvec` is its own transpose: then `solve` serves for both.

    Raises
    ------
    TypeError
        if a function returns another structure, or other dtypes or ranks; and when a reverse
        derivative is taken, without `transpose_solve` of what is not symmetric.

    Examples
    --------
    >>> from weft_graph import grad
    >>> from weft_tensor import vector
    >>> d, b = vector("d"), vector("b")
    >>> divide = lambda matvec, b: b / matvec(b * 0 + 1)
    >>> x = custom_linear_solve(lambda x: d * x, b, divide, symmetric=True)
    >>> [v.eval({d: [2.0, 4.0], b: [1.0, 1.0]}) for v in (x, grad(x.sum(), d))]
    [array([0.5 , 0.25]), array([-0.25  , -0.0625])]
    """
    first = [as_tensor(v) for v in flat(b, "")[0]]
    count = len(first)
    like = packed(b, range(count))
    side = [v.type() for v in first]
    solution = leaves_of(solve(matvec, packed(like, side)), like, side, "what solve returns")
    at = [v.type() for v in side]
    product = leaves_of(matvec(packed(like, at)), like, side, "what matvec returns")
    others = closed_over([*solution, *product], [*side, *at])
    of = GraphSlopes(OpFromGraph([*at, *others], product, inline=False), count)

    def pushforward(
        inputs: Sequence[Any], outputs: Sequence[Any], tangents: Sequence[Any]
    ) -> Sequence[Any]:
        same = inputs[count:]
        changes = of.moved(outputs, same, [*[None] * count, *tangents[count:]])
        sides = [
            _difference(t, m, x) for t, m, x in zip(tangents[:count], changes, outputs, strict=True)
        ]
        linear = of_structures(like, of.product(same))
        answer = custom_linear_solve(linear, packed(like, sides), solve, transpose_solve, symmetric)
        return flat(answer, "")[0]

    def pullback(
        inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        same = inputs[count:]
        backward = solve if symmetric else transpose_solve
        if backward is None:
            raise TypeError(_NO_TRANSPOSE)
        transposed = of.product(same) if symmetric else of.transposed(same)
        answer = custom_linear_solve(
            of_structures(like, transposed), packed(like, cotangents), backward, solve, symmetric
        )
        weights = flat(answer, "")[0]
        return [*weights, *of.pulled(outputs, same, [-v for v in weights])[count:]]

    op = OpFromGraph([*side, *others], solution, "custom_linear_solve", pullback, pushforward)
    return packed(like, op.make_node(*first, *others).outputs)


def _difference(a: Any, b: Any, like: Any) -> Any:
    if a is None:
        return zeros_like(like) if b is None else -b
    return a if b is None else a - b
