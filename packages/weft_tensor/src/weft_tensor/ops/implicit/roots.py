"""Roots of functions, whose derivatives are those of the functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from weft_graph import OpFromGraph, replace
from weft_graph import pullback as pulled_back
from weft_graph.extend import closed_over
from weft_tensor.build.convert import as_tensor
from weft_tensor.ops.control.structures import flat, packed
from weft_tensor.ops.creation.creation import zeros_like
from weft_tensor.ops.implicit.graph_slopes import GraphSlopes, leaves_of, of_structures

__all__ = ["custom_root"]


def custom_root(
    f: Callable[[Any], Any],
    initial_guess: Any,
    solve: Callable[[Callable[[Any], Any], Any], Any],
    tangent_solve: Callable[[Callable[[Any], Any], Any], Any],
) -> Any:
    """An x at which `f(x)` is zero, found by `solve`, with the derivatives that follow from `f`.

    By the implicit function theorem: they are exact at a root, however it was found, and no step
    of `solve` is kept for them. See `jax.lax.custom_root`.

    Parameters
    ----------
    f
        Takes x, a tensor or a nested structure of them (dict, list, tuple, dataclass), and returns
        the like. Derivatives are taken with respect to what it uses besides.
    initial_guess
        Where the search begins; no derivative depends on it.
    solve
        Takes `f` and the initial guess, and returns the root: of the guess' structure.
    tangent_solve
        Takes a linear function g, the derivative of `f` at the root, and y, and returns the v with
        `g(v) = y`: for a scalar `lambda g, y: y / g(1.0)`. It is differentiated in reverse mode.

    Raises
    ------
    TypeError
        if a function returns another structure than it is given, or other dtypes or ranks.

    Examples
    --------
    >>> from weft_graph import grad
    >>> from weft_tensor import abs, scalar, while_loop
    >>> a = scalar("a")
    >>> def newton(f, x):
    ...     step = lambda x: x - f(x) / (2 * x)
    ...     return while_loop(lambda x: abs(f(x)) > 1e-12, step, x)
    >>> root = custom_root(lambda x: x * x - a, 1.0, newton, lambda g, y: y / g(1.0))
    >>> [round(float(v.eval({a: 4.0})), 9) for v in (root, grad(root, a))]
    [2.0, 0.25]
    """
    first = [as_tensor(v) for v in flat(initial_guess, "")[0]]
    count = len(first)
    like = packed(initial_guess, range(count))
    guess = [v.type() for v in first]
    solution = leaves_of(solve(f, packed(like, guess)), like, guess, "what solve returns")
    at = [v.type() for v in solution]
    residual = leaves_of(f(packed(like, at)), like, guess, "what f returns")
    others = closed_over([*solution, *residual], [*guess, *at])
    of = GraphSlopes(OpFromGraph([*at, *others], residual, inline=False), count)

    def pushforward(
        inputs: Sequence[Any], outputs: Sequence[Any], tangents: Sequence[Any]
    ) -> Sequence[Any]:
        same = inputs[count:]
        changes = of.moved(outputs, same, [*[None] * count, *tangents[count:]])
        if all(v is None for v in changes):
            return changes
        sides = [zeros_like(x) if v is None else -v for x, v in zip(outputs, changes, strict=True)]
        answer = tangent_solve(of_structures(like, of.linear(outputs, same)), packed(like, sides))
        return leaves_of(answer, like, outputs, "what tangent_solve returns")

    def pullback(
        inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        same = inputs[count:]
        sides = [x.type() for x in outputs]
        answer = tangent_solve(of_structures(like, of.linear(outputs, same)), packed(like, sides))
        leaves = leaves_of(answer, like, outputs, "what tangent_solve returns")
        slopes: Sequence[Any] = pulled_back(leaves, sides, cotangents, disconnected_inputs="ignore")
        zeros = [zeros_like(x) for x in outputs]
        free: Sequence[Any] = replace(slopes, dict(zip(sides, zeros, strict=True)))
        weights = [-v for v in free]
        return [*[None] * count, *of.pulled(outputs, same, weights)[count:]]

    op = OpFromGraph([*guess, *others], solution, "custom_root", pullback, pushforward)
    return packed(like, op.make_node(*first, *others).outputs)
