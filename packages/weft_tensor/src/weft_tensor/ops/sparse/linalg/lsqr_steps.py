"""Steps of `lsqr`: two bidiagonal vectors at a time, and what they say of the solution."""

from __future__ import annotations

from typing import Any, NamedTuple

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.creation.creation import zeros
from weft_tensor.ops.elementwise.arithmetic import abs, hypot, sqrt
from weft_tensor.ops.numbers.quotient import quotient
from weft_tensor.ops.sparse.linalg.operators import LinearOperator

__all__ = ["LsqrState", "Pair", "first_pair", "lsqr_begun", "lsqr_step", "next_pair"]


class Pair(NamedTuple):
    """Vectors of Golub and Kahan's bidiagonalization, and the last elements of the bidiagonal."""

    u: Any
    v: Any
    alpha: Any
    beta: Any


class LsqrState(NamedTuple):
    """The solution so far, by the names of Paige and Saunders (1982)."""

    x: Any
    pair: Pair
    w: Any
    rhobar: Any
    phibar: Any
    squares: Any
    """Of the vectors whose norm is that of the inverse."""
    damped: Any
    r1norm: Any
    normr: Any
    normar: Any
    norma: Any
    conda: Any
    normx: Any
    itn: Any


def first_pair(operator: LinearOperator, b: TensorVariable) -> Pair:
    """The pair that begins with b."""
    beta = sqrt(b @ b)
    u = quotient(b, beta)
    v = operator.rmatvec(u)
    alpha = sqrt(v @ v)
    return Pair(u, quotient(v, alpha), alpha, beta)


def next_pair(operator: LinearOperator, s: Pair) -> Pair:
    """The pair after that."""
    u = operator.matvec(s.v) - s.alpha * s.u
    beta = sqrt(u @ u)
    u = quotient(u, beta)
    v = operator.rmatvec(u) - beta * s.v
    alpha = sqrt(v @ v)
    return Pair(u, quotient(v, alpha), alpha, beta)


def lsqr_begun(operator: LinearOperator, b: TensorVariable) -> LsqrState:
    """Before the first step, where x is zero."""
    pair = first_pair(operator, b)
    none = zeros((), b.dtype)
    return LsqrState(
        x=zeros((operator.shape[1],), b.dtype),
        pair=pair,
        w=pair.v,
        rhobar=pair.alpha,
        phibar=pair.beta,
        squares=none,
        damped=none,
        r1norm=pair.beta,
        normr=pair.beta,
        normar=pair.alpha * pair.beta,
        norma=none,
        conda=none,
        normx=none,
        itn=as_tensor(0),
    )


def lsqr_step(s: LsqrState, operator: LinearOperator, damp: TensorVariable) -> LsqrState:
    """One further."""
    pair = next_pair(operator, s.pair)
    norma = sqrt(s.norma**2 + s.pair.alpha**2 + pair.beta**2 + damp**2)
    damped_rho = hypot(s.rhobar, damp)
    psi = quotient(damp, damped_rho) * s.phibar
    phibar = quotient(s.rhobar, damped_rho) * s.phibar
    rho = hypot(damped_rho, pair.beta)
    cosine, sine = quotient(damped_rho, rho), quotient(pair.beta, rho)
    phi, phibar = cosine * phibar, sine * phibar
    ahead = quotient(s.w, rho)
    x = s.x + phi * ahead
    squares = s.squares + ahead @ ahead
    damped = s.damped + psi * psi
    normx = sqrt(x @ x)
    normr = hypot(phibar, sqrt(damped))
    r1 = normr**2 - (damp * normx) ** 2
    return LsqrState(
        x=x,
        pair=pair,
        w=pair.v - sine * pair.alpha * ahead,
        rhobar=-cosine * pair.alpha,
        phibar=phibar,
        squares=squares,
        damped=damped,
        r1norm=sqrt(abs(r1)),
        normr=normr,
        normar=pair.alpha * abs(sine * phi),
        norma=norma,
        conda=norma * sqrt(squares),
        normx=normx,
        itn=s.itn + 1,
    )
