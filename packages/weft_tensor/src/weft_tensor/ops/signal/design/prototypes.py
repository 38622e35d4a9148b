"""Filters in time that pass what is below 1: their zeros, poles and factor, as numbers.

Those in closed form are computed here: SciPy's module of signals takes longer to import than such a
filter to compile. Where m goes from 1 - N to N - 1 in steps of two, the poles are at the angles
pi m / (2 N): on a circle, on ellipses (Chebyshev's first kind), or their inverses (the second).
"""

from __future__ import annotations

from math import log, perm
from typing import Any

import numpy as np
from scipy import special

from weft_graph.extend import called

__all__ = ["bessel", "butter", "cheby1", "cheby2", "ellip"]

Prototype = tuple[Any, Any, Any]


def butter(order: int) -> Prototype:
    """The flattest.

    >>> butter(2)[1].round(4)
    array([-0.7071+0.7071j, -0.7071-0.7071j])
    """
    return np.empty(0), -np.exp(1j * _angles(order)), 1.0


def cheby1(order: int, lost: float) -> Prototype:
    """That whose ripples are where it passes.

    >>> cheby1(1, 3.0)[1].round(4)
    array([-1.0024-0.j])
    """
    ripple = _excess(lost)
    p = -np.sinh(np.arcsinh(1 / ripple) / max(order, 1) + 1j * _angles(order))
    return np.empty(0), p, np.prod(-p).real / (1.0 if order % 2 else np.hypot(1, ripple))


def cheby2(order: int, lost: float) -> Prototype:
    """That whose ripples are where it does not pass.

    >>> cheby2(2, 20.0)[0].imag.round(4)
    array([-1.4142,  1.4142])
    """
    angles = _angles(order)
    turned = angles[2 * np.arange(order) != order - 1]  # what is in the middle has no zero
    width = np.arcsinh(_excess(lost)) / max(order, 1)
    p = -1 / (np.sinh(width) * np.cos(angles) + 1j * np.cosh(width) * np.sin(angles))
    z = 1j / np.sin(turned)
    return z, p, (np.prod(-p) / np.prod(-z)).real


def ellip(order: int, lost: float, stopped: float) -> Prototype:
    """That whose ripples are everywhere.

    Orfanidis, Lecture Notes on Elliptic Filter Design (2006), equations 47 to 65.

    >>> ellip(2, 1.0, 40.0)[0].imag.round(4)
    array([ 9.9376, -9.9376])
    """
    if order < 2:
        return cheby1(order, lost)
    ripple = _excess(lost)
    little = (ripple / _excess(stopped)) ** 2
    if not little > 0:
        raise ValueError(f"no filter loses {lost} and {stopped} decibels{called()}")
    m = _degree(order, little)
    quarter, of_little = special.ellipk(m), special.ellipk(little)
    s, c, d, _ = special.ellipj(np.arange(1 - order % 2, order, 2) * quarter / order, m)
    z = 1j / (np.sqrt(m) * s[s > 0])
    back = special.ellipkinc(np.arctan(1 / ripple), 1 - little)
    sv, cv, dv, _ = special.ellipj(quarter * back / (order * of_little), 1 - m)
    p = -(c * d * sv * cv + 1j * s * dv) / (1 - (d * sv) ** 2)
    z, p = np.concatenate([z, z.conj()]), np.concatenate([p, p[s > 0].conj()])
    k = (np.prod(-p) / np.prod(-z)).real
    return z, p, k if order % 2 else k / np.hypot(1, ripple)


def _degree(order: int, little: float) -> Any:
    """The parameter of the elliptic functions, by its nome, a power of that of `little`."""
    nome = np.exp(-np.pi * special.ellipkm1(little) / special.ellipk(little) / order)
    ks = np.arange(8)
    above, below = (nome ** (ks * (ks + 1))).sum(), 1 + 2 * (nome ** ((ks + 1) ** 2)).sum()
    return 16 * nome * (above / below) ** 4


def bessel(order: int, norm: str) -> Prototype:
    """That which delays all alike: its poles are the zeros of a reversed Bessel polynomial.

    >>> bessel(2, "delay")[1].round(4), bessel(2, "delay")[2]
    (array([-1.5+0.866j, -1.5-0.866j]), 3.0)
    """
    _angles(order)
    if not order:
        return np.empty(0), np.empty(0, complex), 1.0
    p, last = _bessel_poles(order), perm(2 * order, order) // 2**order
    if norm == "phase":
        return np.empty(0), p / np.exp(log(last) / order), 1.0
    width = _half_power(p) if norm == "mag" else 1.0
    return np.empty(0), p / width, width**-order * last


def _bessel_poles(n: int) -> Any:
    """The zeros of x**n y(1 / x) for Bessel's polynomial y of degree `n`, all at once.

    By Aberth's steps, from where Campos and Calderon's formula (2011, arXiv:1105.0957) puts them.
    The polynomial is x**(n + 1/2) exp(x) K(x) of order n + 1/2 but for a factor, and what its
    slope is of it 1 less the Bessel functions K of orders n - 1/2 and n + 1/2 by one another.
    """
    if n == 1:
        return np.array([-1 + 0j])
    k, s, r = np.arange(1, n + 1), n**5 - 3 * n**4 + 2 * n**2, n**3 + 2 * n**2
    imaginary = [16 - 8 * n, 12 * (n**2 - n - 2), 2 * (4 + 12 * n - 6 * n**2 - n**3)]
    imaginary.append(5 * n**3 - 6 * n - n**4)
    p = 1 / (np.polyval([6 / r, -6 * (n + 1) / r, 0], k) + 1j * np.polyval(imaginary, k) / s)
    for _ in range(50):
        others = p[:, None] - p + np.diag(np.full(n, np.inf))
        slope = 1 - special.kve(n - 0.5, p) / special.kve(n + 0.5, p)
        step = 1 / (slope - (1 / others).sum(1))
        p = p - step
        if (abs(step) <= 1e-15 * abs(p)).all():
            break
    return (p + p[::-1].conj()) / 2


def _angles(order: int) -> Any:
    if order < 0:
        raise ValueError(f"the order of a filter is 0 or more, not {order}{called()}")
    return np.pi / (2 * max(order, 1)) * np.arange(1 - order, order, 2)


def _excess(lost: float) -> Any:
    """How far the square of what is lost, in decibels, is above 1: the root of that."""
    return np.sqrt(np.expm1(0.1 * np.log(10.0) * lost))


def _half_power(p: Any) -> Any:
    """Where what these poles pass is half of what it is at 0, by Newton's steps."""
    w = np.sqrt((2 * len(p) - 1) * np.log(2.0))
    for _ in range(20):
        squares = (w - p.imag) ** 2 + p.real**2
        off = np.log(squares / abs(p) ** 2).sum() - np.log(2.0)
        w = w - off / (2 * (w - p.imag) / squares).sum()
    return w
