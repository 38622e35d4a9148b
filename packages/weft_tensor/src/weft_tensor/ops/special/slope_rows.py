"""Slopes in parameters, which are sums of their own, as functions of the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, wraps
from math import inf, nan
from typing import Any, Final

from weft_graph import replace
from weft_graph.extend import sweep_forward
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.op import binary, quaternary, ternary
from weft_tensor.ops.elementwise.table import LOOP, Interval, floating
from weft_tensor.ops.shape.broadcast_to import broadcast_arrays
from weft_tensor.types.tensor_type import TensorType

__all__ = [
    *("doubled", "pathed_row", "root_row", "slope_row", "slopes_beside_scale", "slopes_by_steps"),
]

Form = Callable[..., Any]
_DEFINE: Final[dict[int, Any]] = {2: binary, 3: ternary, 4: quaternary}
"""What makes a function of the table, by how many arguments it has."""


def doubled(form: Form) -> Form:
    """`form` of real numbers, computed in 64 bits whatever the dtype."""

    @wraps(form)
    def compute(*inputs: TensorVariable) -> Any:
        if any(v.is_complex for v in inputs):
            raise TypeError(f"not defined for {inputs}: it takes real numbers")
        return form(*[v.astype("float64") for v in inputs]).astype(inputs[0].dtype)

    return compute


def slopes_beside_scale(along: Form, of_scale: Form) -> dict[str, Form]:
    """The slopes of a function of a complex number z, the last, that is scaled by a real one.

    They are `along(*inputs)` times that of z, and what the scale has: the function times the real
    part of `of_scale(z)` times that of z.
    """

    def pullback(*inputs: Any) -> Sequence[Any]:
        *of, out, g = inputs
        scale = (g * out.conj()).real * of_scale(of[-1]).conj()
        return (*[None] * (len(of) - 1), g * along(*of).conj() + scale)

    def pushforward(*inputs: Any) -> Any:
        of, out, tangent = inputs[: len(inputs) // 2], inputs[len(inputs) // 2], inputs[-1]
        return along(*of) * tangent + out * (of_scale(of[-1]) * tangent).real

    return {"pullback": pullback, "pushforward": pushforward}


def slope_row(
    name: str,
    of: str,
    domain: tuple[Interval, ...],
    example: tuple[float, ...],
    form: Form,
    argument: str = "first",
) -> Callable[..., TensorVariable]:
    """The derivative `name` of a function in an argument; its own are those of each step."""
    row: Callable[..., TensorVariable] = _DEFINE[len(domain)](
        name,
        None,
        f"The derivative of `{of}` in its {argument} argument.",
        domain,
        example,
        lambda *inputs: slopes_by_steps(form, *inputs),
        summation=doubled(form),
        dtypes=floating,
        cost=LOOP,
    )
    return row


def root_row(
    name: str,
    summary: str,
    domain: tuple[Interval, ...],
    example: tuple[float, ...],
    found: Form,
    slopes_at: Form,
) -> Callable[..., TensorVariable]:
    """The function `found` of a share and parameters, which a search computes.

    Its slopes are those that `slopes_at` has, of the result, the share and the parameters, none of
    which depends on another.
    """

    def slopes(*inputs: TensorVariable) -> list[Any]:
        *arguments, out = inputs
        at = broadcast_arrays(out, *arguments)
        free = [v.type() for v in at]
        return list(replace(slopes_at(*free), dict(zip(free, at, strict=True))))

    row: Callable[..., TensorVariable] = _DEFINE[len(domain)](
        name, None, summary, domain, example, slopes,
        summation=doubled(found), dtypes=floating, cost=LOOP,
    )  # fmt: skip
    return row


def slopes_by_steps(form: Form, *inputs: TensorVariable) -> Sequence[TensorVariable]:
    """The derivatives of `form` in each of its inputs, those of its steps; last, the result.

    >>> from weft_tensor import scalar
    >>> x, y = scalar("x"), scalar("y")
    >>> [s.eval({x: 2.0, y: 3.0}).item() for s in slopes_by_steps(pow, x, y, x)]
    [12.0, 5.545177444479562]
    """
    *arguments, out = inputs
    arrays = broadcast_arrays(*[v.astype("float64") for v in arguments])
    variables, slopes = _slopes_of(form, len(arguments), arrays[0].type.shape)
    moved: Any = replace(slopes, dict(zip(variables, arrays, strict=True)))
    return [slope.astype(out.dtype) for slope in moved]


@cache
def _slopes_of(form: Form, arity: int, shape: tuple[Any, ...]) -> tuple[Any, Any]:
    variables = [TensorType("float64", shape)() for _ in range(arity)]
    result, one = form(*variables), 0 * variables[0] + 1
    return variables, [sweep_forward([result], {v: one})[0] for v in variables]


def pathed_row(
    define: Callable[..., Any], name: str, summary: str, form: Form, domain: Any,
    positive: Sequence[int], at: tuple[float, ...], results: tuple[float, ...],
    of_slopes: Form | None = None,
) -> Any:  # fmt: skip
    """A function that is an integral: what it is at a place, and its slopes there.

    `form` takes the arguments, then these again, of which the path is made: that has no share in
    the slopes, which are those of `of_slopes`, if it is given. NaN unless those at the places
    `positive` are, and all are finite.
    """
    slopes = [
        slope_row(f"{name}_slope{k}", name, domain, (*at, result),
                  _where_valid(_slope_on_path(of_slopes or form, k), positive), f"{k + 1}.")
        for k, result in enumerate(results[1:])
    ]  # fmt: skip
    return define(
        name, None, summary, domain, (*at, results[0]),
        lambda *inputs: [slope(*inputs[:-1]) for slope in slopes],
        summation=doubled(_where_valid(form, positive)), dtypes=floating, cost=LOOP,
    )  # fmt: skip


def _where_valid(form: Form, positive: Sequence[int]) -> Form:
    def compute(*inputs: TensorVariable) -> TensorVariable:
        valid = inputs[positive[0]] > 0
        for place in positive[1:]:
            valid = valid & (inputs[place] > 0)
        for v in inputs:
            valid = valid & (abs(v) < inf)
        inside = [where(valid, v, 1.0) for v in inputs]
        return where(valid, form(*inside, *inside), nan)

    return compute


def _slope_on_path(form: Form, place: int) -> Form:
    def compute(*inputs: TensorVariable) -> Any:
        arguments = inputs[: len(inputs) // 2]
        path = [TensorType("float64", v.type.shape)() for v in arguments]
        v = arguments[place]
        moved: Any = sweep_forward([form(*arguments, *path)], {v: 0 * v + 1})
        return replace(moved, dict(zip(path, arguments, strict=True)))[0]

    return compute
