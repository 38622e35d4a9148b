"""Steps of `lsmr`: what two bidiagonal vectors at a time say of its solution."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.creation.creation import zeros, zeros_like
from weft_tensor.ops.elementwise.arithmetic import abs, hypot, maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.numbers.quotient import quotient
from weft_tensor.ops.sparse.linalg.lsqr_steps import Pair, first_pair, next_pair
from weft_tensor.ops.sparse.linalg.operators import LinearOperator

__all__ = ["LsmrState", "lsmr_begun", "lsmr_step"]


class _Residual(NamedTuple):
    """What the norm of the residual is found by (Fong and Saunders, 2011, section 5.1)."""

    betadd: Any
    betad: Any
    rhod: Any
    tautilde: Any
    thetatilde: Any
    damped: Any


class LsmrState(NamedTuple):
    """The solution so far, by the names of Fong and Saunders (2011)."""

    x: Any
    pair: Pair
    h: Any
    hbar: Any
    alphabar: Any
    zeta: Any
    zetabar: Any
    rho: Any
    rhobar: Any
    cbar: Any
    sbar: Any
    residual: _Residual
    largest: Any
    smallest: Any
    squares: Any
    """Of the bidiagonal."""
    normr: Any
    normar: Any
    norma: Any
    conda: Any
    normx: Any
    itn: Any


def lsmr_begun(operator: LinearOperator, b: TensorVariable) -> LsmrState:
    """Before the first step, where x is zero."""
    pair = first_pair(operator, b)
    none = zeros((), b.dtype)
    one = none + 1
    x = zeros((operator.shape[1],), b.dtype)
    return LsmrState(
        x=x,
        pair=pair,
        h=pair.v,
        hbar=zeros_like(x),
        alphabar=pair.alpha,
        zeta=none,
        zetabar=pair.alpha * pair.beta,
        rho=one,
        rhobar=one,
        cbar=one,
        sbar=none,
        residual=_Residual(pair.beta, none, one, none, none, none),
        largest=none,
        smallest=none + np.inf,
        squares=pair.alpha**2,
        normr=pair.beta,
        normar=pair.alpha * pair.beta,
        norma=pair.alpha,
        conda=one,
        normx=none,
        itn=as_tensor(0),
    )


def lsmr_step(s: LsmrState, operator: LinearOperator, damp: TensorVariable) -> LsmrState:
    """One further."""
    pair = next_pair(operator, s.pair)
    chat, shat, alphahat = _turned(s.alphabar, damp)
    c, sine, rho = _turned(alphahat, pair.beta)
    theta, alphabar = sine * pair.alpha, c * pair.alpha
    thetabar = s.sbar * rho
    cbar, sbar, rhobar = _turned(s.cbar * rho, theta)
    zeta, zetabar = cbar * s.zetabar, -sbar * s.zetabar
    hbar = s.h - quotient(thetabar * rho, s.rho * s.rhobar) * s.hbar
    x = s.x + quotient(zeta, rho * rhobar) * hbar

    r = s.residual
    ctilde, stilde, rhotilde = _turned(r.rhod, thetabar)
    thetatilde, rhod = stilde * rhobar, ctilde * rhobar
    betad = -stilde * r.betad + ctilde * c * chat * r.betadd
    betadd = -sine * chat * r.betadd
    tautilde = quotient(s.zeta - r.thetatilde * r.tautilde, rhotilde)
    taud = quotient(zeta - thetatilde * tautilde, rhod)
    damped = r.damped + (shat * r.betadd) ** 2
    normr = sqrt(damped + (betad - taud) ** 2 + betadd**2)

    squares = s.squares + pair.beta**2
    largest = maximum(s.largest, where(s.itn > 0, s.rhobar, 0))
    smallest = minimum(s.smallest, where(s.itn > 0, s.rhobar, np.inf))
    last = s.cbar * rho
    return LsmrState(
        x=x,
        pair=pair,
        h=pair.v - quotient(theta, rho) * s.h,
        hbar=hbar,
        alphabar=alphabar,
        zeta=zeta,
        zetabar=zetabar,
        rho=rho,
        rhobar=rhobar,
        cbar=cbar,
        sbar=sbar,
        residual=_Residual(betadd, betad, rhod, tautilde, thetatilde, damped),
        largest=largest,
        smallest=smallest,
        squares=squares + pair.alpha**2,
        normr=normr,
        normar=abs(zetabar),
        norma=sqrt(squares),
        conda=quotient(maximum(largest, last), minimum(smallest, last)),
        normx=sqrt(x @ x),
        itn=s.itn + 1,
    )


def _turned(a: TensorVariable, b: TensorVariable) -> tuple[Any, Any, Any]:
    """The rotation that turns (a, b) onto the first axis: cosine, sine and the length."""
    length = hypot(a, b)
    return quotient(a, length), quotient(b, length), length
