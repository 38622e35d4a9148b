"""Where steps lead, whose derivatives follow from the step at rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import SizeLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.control.structures import flat, packed
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.comparison import logical_not
from weft_tensor.ops.implicit.graph_slopes import leaves_of
from weft_tensor.ops.implicit.linear_systems import custom_linear_solve
from weft_tensor.ops.implicit.roots import custom_root
from weft_tensor.ops.reduction.standard import any as any_of

__all__ = ["fixed_point"]


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
        after = leaves_of(f(x), like, before, "what f returns")
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
        values = leaves_of(f(x), like, flat(x, "")[0], "what f returns")
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
