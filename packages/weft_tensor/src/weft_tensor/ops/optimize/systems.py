"""Roots of systems of equations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import isfinite, where
from weft_tensor.ops.implicit.roots import custom_root
from weft_tensor.ops.optimize.damped_step import damped_step
from weft_tensor.ops.optimize.downhill.minimum import OptimizeResult
from weft_tensor.ops.optimize.problem import (
    begun,
    by_options,
    evaluated,
    first_of_pair,
    flattened,
    iterations,
    resolution,
    size_of,
    solve_linear,
    tuple_of,
)
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import reshape

__all__ = ["root"]

_OPTIONS: Final = {"xtol": "tol", "maxiter": "maxiter", "maxfev": "maxiter", "maxfun": "maxiter"}
_METHODS: Final = (
    *("hybr", "lm", "broyden1", "broyden2", "anderson", "linearmixing", "diagbroyden"),
    *("excitingmixing", "krylov", "df-sane"),
)
Residual = Callable[[TensorVariable], tuple[TensorVariable, TensorVariable]]


class _State(NamedTuple):
    x: Any
    fun: Any
    jac: Any
    damping: Any
    nit: Any
    nfev: Any
    at_root: Any
    going: Any


def root(
    fun: Callable[..., Any],
    x0: TensorLike,
    args: Any = (),
    method: str | None = None,
    jac: Any = None,
    tol: float | None = None,
    callback: None = None,
    options: Mapping[str, Any] | None = None,
    *,
    maxiter: SizeLike | None = None,
) -> OptimizeResult:
    """The x near `x0` at which all elements of `fun(x, *args)` are zero. See `scipy.optimize.root`.

    It goes by Newton's steps, shortened as Levenberg and Marquardt do where they lead to larger
    values. Derivatives of x, in both modes, by what `fun` uses besides follow from the equations,
    and no step is kept for them; those by `x0` are zero. They hold where `success` does.

    Parameters
    ----------
    fun
        Takes a tensor like `x0`, and `args`, and returns one of the same shape.
    x0
        Where to begin: real numbers of any shape.
    args
        Further arguments: a tuple, or the only one.
    method
        One of SciPy's names; all are the same search.
    jac
        With `jac=True`, `fun` returns a pair, of which the first is taken. Nothing else is looked
        at: derivatives are made.
    tol
        It ends where a step changes no element by more than `tol * (1 + the largest)`. By default
        the square root of what the dtype resolves: the error is then about its square.
    callback
        None: a graph calls nothing between its steps.
    options
        `xtol` for `tol`, and `maxiter`, `maxfev` or `maxfun`.
    maxiter
        How many steps are made at most: 100 for each element of `x0` by default.

    Raises
    ------
    TypeError
        for complex numbers.
    ValueError
        for another method, other options and a callback; if `fun` returns another rank than it
        takes, or, when it is computed, another shape.

    Examples
    --------
    >>> from weft_graph import grad
    >>> from weft_tensor import scalar, stack
    >>> a = scalar("a")
    >>> end = root(lambda x: stack([x[0] * x[1] - a, x[0] - 2 * x[1]]), [1.0, 1.0])
    >>> end.x.eval({a: 8.0}).round(6), grad(end.x[0], a).eval({a: 8.0}).round(6).item()
    (array([4., 2.]), 0.25)
    """
    if method not in (None, *_METHODS):
        raise ValueError(f"root: method is one of {', '.join(_METHODS)}, not {method!r}{called()}")
    if callback is not None:
        raise ValueError(f"root: a graph calls nothing between its steps: no callback{called()}")
    given = by_options("root", options, _OPTIONS, {"tol": tol, "maxiter": maxiter})
    tol, maxiter = given["tol"], given["maxiter"]
    start = begun(x0, "root: x0")
    vector, flat = flattened(first_of_pair(fun, jac), start, tuple_of(args))
    shape: Any = lengths_of(start)
    n = lengths_of(vector)[0]
    most = iterations(maxiter, 100 * maximum(n, 1))
    small = resolution(vector) ** 0.5 if tol is None else tol

    def residual(v: TensorVariable) -> TensorVariable:
        value = flat(v)
        if value.ndim != start.ndim:
            raise ValueError(f"root: fun must return the shape of x0, not {value!r}{called()}")
        return reshape(value, (n,)).astype(vector.dtype)

    def both(v: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
        return evaluated(_with_jacobian(residual), v)

    end = _descended(both, vector, most, small)
    x = custom_root(residual, end.x, lambda f, v: v, lambda g, y: solve_linear(g, y))
    finite = isfinite(size_of(end.fun)) & isfinite(size_of(end.jac))
    status = where(end.at_root, 0, where(~finite, 3, where(end.nit >= most, 1, 2)))
    at = reshape(x, shape)
    slopes = reshape(both(x)[1], [*shape, *shape])
    return OptimizeResult(
        at, reshape(residual(x), shape), slopes, end.nit, end.nfev, status, end.at_root
    )


def _with_jacobian(residual: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def both(v: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
        value = residual(v)
        slopes = lazy_import("weft_tensor.batching.derivatives.jacobian")(value, v)
        return value, slopes

    return both


def _descended(both: Residual, start: TensorVariable, most: TensorVariable, small: float) -> _State:
    """Where steps lead from `start`.

    The damping goes to zero with the residual, so that the last steps are Newton's.
    """
    value, slopes = both(start)
    initial = sqrt(value @ value)

    def body(state: _State) -> _State:
        before = state.fun @ state.fun
        nearness = minimum(1, sqrt(before) / where(initial > 0, initial, 1))
        step = damped_step(state.jac, state.fun, state.damping * nearness)
        x = state.x + step
        new, jac = both(x)
        ready = isfinite(size_of(new)) & isfinite(size_of(jac))
        better = ready & (new @ new < before)
        left = state.fun + state.jac @ step
        at_root = (size_of(step) <= small * (1 + size_of(state.x))) & (left @ left <= before / 100)
        at, value, slopes = (
            where(better, a, b) for a, b in zip((x, new, jac), state[:3], strict=True)
        )
        damping = where(better, maximum(state.damping / 10, 1e-12), state.damping * 10)
        at_root = at_root | size_of(value).eq(0)
        going = ~at_root & (damping < 1e16)
        return _State(at, value, slopes, damping, state.nit + 1, state.nfev + 1, at_root, going)

    ready = isfinite(size_of(value)) & isfinite(size_of(slopes))
    zero = size_of(value).eq(0)
    damping = as_tensor(1e-3).astype(start.dtype)
    first = _State(start, value, slopes, damping, as_tensor(0), as_tensor(1), zero, ready & ~zero)
    end: _State = while_loop(lambda s: s.going & (s.nit < most), body, first)
    return end
