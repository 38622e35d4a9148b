"""Steps to the least residual in spaces of a symmetric matrix, which may be indefinite."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.creation.creation import zeros, zeros_like
from weft_tensor.ops.elementwise.arithmetic import hypot, sqrt
from weft_tensor.ops.numbers.quotient import quotient

__all__ = ["minres_steps"]

Product = Callable[[Any], TensorVariable]


class _Turned(NamedTuple):
    """What the steps of `minres` carry: two vectors of Lanczos', two of the solution's basis.

    `seen` is what the preconditioner makes of the second one.
    """

    x: Any
    before: Any
    after: Any
    seen: Any
    basis: Any
    basis_before: Any
    beta: Any
    beta_before: Any
    cosine: Any
    sine: Any
    dbar: Any
    epsilon: Any
    phi: Any
    square: Any
    nit: Any


def minres_steps(
    product: Product,
    near: Product,
    b: TensorVariable,
    start: TensorVariable,
    limit: Any,
    most: TensorVariable,
) -> _Turned:
    """Steps of `minres`, to where the square of the residual r, `r @ near(r)`, is within `limit`.

    By Paige and Saunders (1975).
    """

    def body(s: _Turned) -> _Turned:
        v = quotient(s.seen, s.beta)
        w = product(v) - quotient(s.beta, s.beta_before) * s.before
        alpha = v @ w
        w = w - quotient(alpha, s.beta) * s.after
        seen = near(w)
        beta = sqrt(w @ seen)
        delta = s.cosine * s.dbar + s.sine * alpha
        gbar = s.sine * s.dbar - s.cosine * alpha
        gamma = hypot(gbar, beta)
        cosine, sine = quotient(gbar, gamma), quotient(beta, gamma)
        basis = quotient(v - s.epsilon * s.basis_before - delta * s.basis, gamma)
        phi = sine * s.phi
        return _Turned(
            x=s.x + cosine * s.phi * basis,
            before=s.after,
            after=w,
            seen=seen,
            basis=basis,
            basis_before=s.basis,
            beta=beta,
            beta_before=s.beta,
            cosine=cosine,
            sine=sine,
            dbar=-s.cosine * beta,
            epsilon=s.sine * beta,
            phi=phi,
            square=phi * phi,
            nit=s.nit + 1,
        )

    residual = b - product(start)
    seen, none = near(residual), zeros_like(residual)
    square = residual @ seen
    beta = sqrt(square)
    zero = zeros((), residual.dtype)
    first = _Turned(
        start, none, residual, seen, none, none, beta, zero, zero - 1, zero, zero, zero, beta,
        square, as_tensor(0),
    )  # fmt: skip
    end: _Turned = while_loop(lambda s: (s.square > limit) & (s.nit < most), body, first)
    return end
