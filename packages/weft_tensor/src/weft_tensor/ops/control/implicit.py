"""Solutions of equations, whose derivatives are those of the equations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from weft_graph import OpFromGraph, replace
from weft_graph import pullback as pulled_back
from weft_graph.extend import closed_over, leaves_like
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import SizeLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.control.structures import flat, packed
from weft_tensor.ops.creation.creation import zeros_like
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.comparison import logical_not
from weft_tensor.ops.reduction.standard import any as any_of

__all__ = ["custom_linear_solve", "custom_root", "fixed_point"]

_NO_TRANSPOSE = (
    "custom_linear_solve: the reverse derivative solves the transposed system: give "
    "transpose_solve, or symmetric=True if matvec is its own transpose"
)


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
    >>> from weft_tensor import scalar
    >>> a = scalar("a")
    >>> def newton(f, x):
    ...     step = lambda x: x - f(x) / (2 * x)
    ...     return while_loop(lambda x: absolute(f(x)) > 1e-12, step, x)
    >>> root = custom_root(lambda x: x * x - a, 1.0, newton, lambda g, y: y / g(1.0))
    >>> [round(float(v.eval({a: 4.0})), 9) for v in (root, grad(root, a))]
    [2.0, 0.25]
    """
    first = [as_tensor(v) for v in flat(initial_guess, "")[0]]
    count = len(first)
    like = packed(initial_guess, range(count))
    guess = [v.type() for v in first]
    solution = _leaves(solve(f, packed(like, guess)), like, guess, "what solve returns")
    at = [v.type() for v in solution]
    residual = _leaves(f(packed(like, at)), like, guess, "what f returns")
    others = closed_over([*solution, *residual], [*guess, *at])
    of = _Slopes(OpFromGraph([*at, *others], residual, inline=False), count)

    def pushforward(
        inputs: Sequence[Any], outputs: Sequence[Any], tangents: Sequence[Any]
    ) -> Sequence[Any]:
        same = inputs[count:]
        changes = of.moved(outputs, same, [*[None] * count, *tangents[count:]])
        if all(v is None for v in changes):
            return changes
        sides = [zeros_like(x) if v is None else -v for x, v in zip(outputs, changes, strict=True)]
        answer = tangent_solve(_on(like, of.linear(outputs, same)), packed(like, sides))
        return _leaves(answer, like, outputs, "what tangent_solve returns")

    def pullback(
        inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        same = inputs[count:]
        sides = [x.type() for x in outputs]
        answer = tangent_solve(_on(like, of.linear(outputs, same)), packed(like, sides))
        leaves = _leaves(answer, like, outputs, "what tangent_solve returns")
        slopes: Sequence[Any] = pulled_back(leaves, sides, cotangents, disconnected_inputs="ignore")
        zeros = [zeros_like(x) for x in outputs]
        free: Sequence[Any] = replace(slopes, dict(zip(sides, zeros, strict=True)))
        weights = [-v for v in free]
        return [*[None] * count, *of.pulled(outputs, same, weights)[count:]]

    op = OpFromGraph([*guess, *others], solution, "custom_root", pullback, pushforward)
    return packed(like, op.make_node(*first, *others).outputs)


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
    solution = _leaves(solve(matvec, packed(like, side)), like, side, "what solve returns")
    at = [v.type() for v in side]
    product = _leaves(matvec(packed(like, at)), like, side, "what matvec returns")
    others = closed_over([*solution, *product], [*side, *at])
    of = _Slopes(OpFromGraph([*at, *others], product, inline=False), count)

    def pushforward(
        inputs: Sequence[Any], outputs: Sequence[Any], tangents: Sequence[Any]
    ) -> Sequence[Any]:
        same = inputs[count:]
        changes = of.moved(outputs, same, [*[None] * count, *tangents[count:]])
        sides = [
            _difference(t, m, x) for t, m, x in zip(tangents[:count], changes, outputs, strict=True)
        ]
        answer = custom_linear_solve(
            _on(like, of.product(same)), packed(like, sides), solve, transpose_solve, symmetric
        )
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
            _on(like, transposed), packed(like, cotangents), backward, solve, symmetric
        )
        weights = flat(answer, "")[0]
        return [*weights, *of.pulled(outputs, same, [-v for v in weights])[count:]]

    op = OpFromGraph([*side, *others], solution, "custom_linear_solve", pullback, pushforward)
    return packed(like, op.make_node(*first, *others).outputs)


def fixed_point(
    f: Callable[[Any], Any], init: Any, tol: float | None = None, max_steps: SizeLike = 1000
) -> Any:
    """The x with `f(x) = x` to which the steps `x = f(x)` lead.

    Derivatives, in both modes, follow from `f` at that point: they are found by steps of the same
    kind, and no step is kept.

    Parameters
    ----------
    f
        Takes x, a tensor or a nested structure of them, and returns the like.
    init
        Where to begin; no derivative depends on it.
    tol
        It ends where no element is changed by more than `tol * (1 + abs(x))`; by default 1000
        times what the dtype resolves.
    max_steps
        If that many steps don't lead there, ValueError is raised when it is computed.

    Raises
    ------
    TypeError
        if `f` returns another structure, or other dtypes or ranks.

    Examples
    --------
    >>> from weft_graph import grad
    >>> from weft_tensor import exp, scalar
    >>> a = scalar("a")
    >>> x = fixed_point(lambda x: exp(-a * x), 0.5)
    >>> [round(float(v.eval({a: 1.0})), 6) for v in (x, grad(x, a))]
    [0.567143, -0.205247]
    """
    first = [as_tensor(v) for v in flat(init, "")[0]]
    like = packed(init, range(len(first)))

    def residual(x: Any) -> Any:
        before = flat(x, "")[0]
        after = _leaves(f(x), like, before, "what f returns")
        return packed(like, [new - old for new, old in zip(after, before, strict=True)])

    def solve(residual: Callable[[Any], Any], start: Any) -> Any:
        return _repeated(f, start, like, tol, max_steps)

    def linear(g: Callable[[Any], Any], side: Any) -> Any:
        """The v with g(v) = side, where g(v) is how f moves with x, less v."""

        def step(v: Any) -> Any:
            parts = zip(flat(v, "")[0], flat(g(v), "")[0], flat(side, "")[0], strict=True)
            return packed(like, [old + product - y for old, product, y in parts])

        start = packed(like, [-y for y in flat(side, "")[0]])
        return _repeated(step, start, like, tol, max_steps)

    return custom_root(
        residual,
        packed(like, first),
        solve,
        lambda g, side: custom_linear_solve(g, side, linear, linear),
    )


def _repeated(
    f: Callable[[Any], Any], start: Any, like: Any, tol: float | None, max_steps: SizeLike
) -> Any:
    """Where the steps `x = f(x)` end; a ValueError if they don't."""

    def moving(pair: Any) -> TensorVariable:
        olds, news = (flat(part, "")[0] for part in pair)
        flags = [_differs(old, new, tol) for old, new in zip(olds, news, strict=True)]
        result = flags[0]
        for other in flags[1:]:
            result = result | other
        return result

    def after(x: Any) -> Any:
        values = _leaves(f(x), like, flat(x, "")[0], "what f returns")
        return packed(like, values)

    pair = while_loop(
        moving, lambda pair: (pair[1], after(pair[1])), (start, after(start)), max_steps
    )
    message = "fixed_point: the steps lead to no fixed point: allow more max_steps, or a larger tol"
    at_rest = logical_not(moving(pair))
    values = [check_and_raise(v, at_rest, ValueError, message) for v in flat(pair[1], "")[0]]
    return packed(like, values)


def _differs(old: TensorVariable, new: TensorVariable, tol: float | None) -> TensorVariable:
    allowed = 1000 * float(np.finfo(old.dtype).eps) if tol is None else tol
    return any_of(logical_not(absolute(new - old) <= allowed * (1 + absolute(new))))


def _leaves(value: Any, like: Any, templates: Sequence[Any], what: str) -> list[TensorVariable]:
    """The leaves of what a function returned, of the dtypes and ranks of `templates`."""
    leaves = [as_tensor(v) for v in leaves_like(value, like, what)]
    for v, other in zip(leaves, templates, strict=True):
        if (v.dtype, v.ndim) != (other.dtype, other.ndim):
            raise TypeError(f"{what} must be of the dtype and rank of {other.type}, not {v.type}")
    return leaves


def _on(like: Any, function: Callable[[Sequence[Any]], Sequence[Any]]) -> Callable[[Any], Any]:
    """`function`, of lists, as one of structures."""
    return lambda v: packed(
        like, function([as_tensor(part) for part in leaves_like(v, like, "what it is given")])
    )


def _difference(a: Any, b: Any, like: Any) -> Any:
    if a is None:
        return zeros_like(like) if b is None else -b
    return a if b is None else a - b


class _Slopes:
    """Derivatives of a graph, by the first `count` inputs and by others."""

    def __init__(self, op: OpFromGraph, count: int) -> None:
        self.op, self.count = op, count

    def _found(
        self,
        mode: Literal["pullback", "pushforward"],
        values: Sequence[Any],
        seeds: Sequence[Any],
    ) -> list[Any]:
        present = tuple([k for k, v in enumerate(seeds) if v is not None])
        derivative, places = self.op.derivative(mode, present)
        if derivative is None:
            return [None for _ in places]
        results = derivative.body([*values, *[seeds[k] for k in present]])
        return [results[p] if isinstance(p, int) else None for p in places]

    def moved(self, at: Sequence[Any], others: Sequence[Any], tangents: Sequence[Any]) -> list[Any]:
        """Tangents of the results; None for zero."""
        return self._found("pushforward", [*at, *others], tangents)

    def pulled(
        self, at: Sequence[Any], others: Sequence[Any], cotangents: Sequence[Any]
    ) -> list[Any]:
        """Cotangents of all inputs; None for zero."""
        return self._found("pullback", [*at, *others], cotangents)

    def linear(self, at: Sequence[Any], others: Sequence[Any]) -> Callable[..., list[Any]]:
        """How results move with the first inputs."""

        def product(v: Sequence[Any]) -> list[Any]:
            changes = self.moved(at, others, [*v, *[None] * len(others)])
            return [zeros_like(x) if m is None else m for x, m in zip(at, changes, strict=True)]

        return product

    def product(self, others: Sequence[Any]) -> Callable[..., list[Any]]:
        """The graph itself, which is linear."""
        return lambda v: self.op.body([*v, *others])

    def transposed(self, others: Sequence[Any]) -> Callable[..., list[Any]]:
        """The transpose of the graph, which is linear."""

        def product(v: Sequence[Any]) -> list[Any]:
            at = [zeros_like(x) for x in v]
            slopes = self.pulled(at, others, v)[: self.count]
            return [zeros_like(x) if m is None else m for x, m in zip(v, slopes, strict=True)]

        return product
