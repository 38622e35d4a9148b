"""In which direction each method of `minimize` goes, and what it remembers of earlier steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from weft_graph import grad
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import scan
from weft_tensor.ops.creation.creation import eye, zeros
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.arithmetic import maximum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.linalg.eigh import eigh
from weft_tensor.ops.linalg.matmul import outer
from weft_tensor.ops.optimize.problem import evaluated, resolution, size_of
from weft_tensor.ops.reduction.standard import any as any_of
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of

__all__ = ["METHODS", "Method"]

Vector = TensorVariable
Function = Callable[[Vector], TensorVariable]
_PAIRS = 10


class Method(NamedTuple):
    """What is remembered at first, which part of the first direction is gone, the direction, and
    what is remembered after a step: the same after none."""

    start: Callable[[Vector], Any]
    reach: Callable[[Vector], TensorVariable | int]
    direction: Callable[[Function, Vector, Vector, Any], Vector]
    after: Callable[[Any, Vector, Vector, Any], Any]


def _short(jac: Vector) -> TensorVariable:
    """A factor that makes the first step no longer than 1."""
    return 1 / maximum(1.0, sqrt(jac @ jac)).astype(jac.dtype)


def _scale(s: Vector, y: Vector) -> TensorVariable:
    """The inverse of a curvature, from how slopes differ by y over a step s; 1 if unknown."""
    curved = s @ y > 0
    return where(curved, s @ y / where(curved, y @ y, 1), 1)


def _bfgs_after(inverse: Any, s: Vector, y: Vector, first: Any) -> Any:
    """The inverse Hessian that has `inverse @ y = s` (Nocedal and Wright, 2006, (6.17))."""
    before = where(first, _scale(s, y) * eye(lengths_of(s)[0]).astype(s.dtype), inverse)
    curved = s @ y > 0
    rho = where(curved, 1 / where(curved, s @ y, 1), 0)
    moved = before @ y
    cross = outer(s, moved)
    return before - rho * (cross + cross.T) + rho * (rho * (y @ moved) + 1) * outer(s, s)


def _one(x: Vector) -> TensorVariable:
    return as_tensor(1.0).astype(x.dtype)


def _pairs_start(x: Vector) -> Any:
    none = zeros((_PAIRS, lengths_of(x)[0]), dtype=x.dtype)
    return none, none, zeros((_PAIRS,), dtype=x.dtype), _one(x)


def _pairs_direction(fun: Function, x: Vector, jac: Vector, memory: Any) -> Vector:
    """The recursion over the last steps (Nocedal and Wright, 2006, algorithm 7.4)."""
    steps, changes, rhos, scale = memory

    def backward(q: Any, pair: Any) -> Any:
        s, y, rho = pair
        weight = rho * (s @ q)
        return q - weight * y, weight

    def forward(r: Any, pair: Any) -> Any:
        s, y, rho, weight = pair
        return r + (weight - rho * (y @ r)) * s, None

    q, weights = scan(backward, jac, (steps, changes, rhos), reverse=True)
    r, _ = scan(forward, scale * q, (steps, changes, rhos, weights))
    return -r


def _pairs_after(memory: Any, s: Vector, y: Vector, first: Any) -> Any:
    steps, changes, rhos, _ = memory
    curved = s @ y > 0
    rho = where(curved, 1 / where(curved, s @ y, 1), 0)
    rows = [(steps, s), (changes, y), (rhos, rho)]
    kept = [concatenate([index(old, slice(1, None)), new.expand_dims(0)]) for old, new in rows]
    moved = any_of(s.neq(0))
    return tuple([where(moved, *v) for v in zip((*kept, _scale(s, y)), memory, strict=True)])


def _newton_direction(fun: Function, x: Vector, jac: Vector, memory: Any) -> Vector:
    """Newton's step, with the curvatures' absolute values: it leads down from saddles, too."""
    second = lazy_import("weft_tensor.batching.derivatives.jacobian")
    (hessian,) = evaluated(lambda v: [second(grad(fun(v), v), v, disconnected_inputs="ignore")], x)
    values, vectors = eigh(hessian)
    floor = resolution(x) ** 0.5 * size_of(values)
    curvature = maximum(absolute(values), floor)
    is_curved = curvature > 0
    along = (jac @ vectors) / where(is_curved, curvature, 1)
    return -(vectors @ along)


METHODS: Final = {
    "BFGS": Method(
        lambda x: eye(lengths_of(x)[0]).astype(x.dtype),
        _short,
        lambda fun, x, jac, inverse: -(inverse @ jac),
        _bfgs_after,
    ),
    "L-BFGS": Method(_pairs_start, _short, _pairs_direction, _pairs_after),
    "Newton": Method(
        lambda x: (), lambda jac: 1, _newton_direction, lambda memory, s, y, first: memory
    ),
    "gradient": Method(
        _one,
        _short,
        lambda fun, x, jac, scale: -scale * jac,
        lambda scale, s, y, first: where(any_of(s.neq(0)), _scale(s, y), scale),
    ),
}
"""The methods of `minimize`; "gradient" has the steps of Barzilai and Borwein (1988)."""
