"""Filters by zeros, poles and a factor: how these move, and the polynomials that they make."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from math import pi
from typing import Any

import numpy as np

from weft_graph import Constant
from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import full, zeros
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import neq
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.polynomials.fitting import roots
from weft_tensor.ops.polynomials.polynomials import poly, polymul, polyval
from weft_tensor.ops.reduction.standard import prod
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.reshape import atleast_1d
from weft_tensor.ops.signal.design.chosen_places import frequencies_by_poles
from weft_tensor.ops.signal.responses import angles_of

__all__ = [
    "bilinear",
    "bilinear_zpk",
    "freqs",
    "freqs_zpk",
    "freqz_zpk",
    "lp2bp_zpk",
    "lp2bs_zpk",
    "lp2hp_zpk",
    "lp2lp_zpk",
    "sos2tf",
    "tf2zpk",
    "zpk2tf",
]

Roots = tuple[TensorVariable, TensorVariable, TensorVariable]
"""Zeros, poles, and a factor."""


def _roots(z: TensorLike, p: TensorLike, k: TensorLike, name: str) -> tuple[Any, Any, Any, int]:
    """Zeros, poles, the factor, and how many poles more there are than zeros."""
    zeros_of, poles = (as_floating(v) for v in (z, p))
    counts: Any = [v.type.shape[0] if v.ndim == 1 else None for v in (zeros_of, poles)]
    if None in counts or counts[0] > counts[1]:
        raise ValueError(
            f"{name} takes vectors of known numbers of zeros and poles, of which there are no "
            f"fewer, not {zeros_of!r} and {poles!r}{called()}"
        )
    return zeros_of, poles, as_floating(k), counts[1] - counts[0]


def _joined(*parts: TensorVariable) -> TensorVariable:
    kind = "complex128" if any(v.is_complex for v in parts) else "float64"
    return concatenate([v.astype(kind) for v in parts], 0)


def _factor(z: TensorVariable, p: TensorVariable) -> TensorVariable:
    """The quotient of products, which is real, as roots come in conjugate pairs."""
    ratio = prod(z) / prod(p)
    return ratio.real if ratio.is_complex else ratio


def lp2lp_zpk(z: TensorLike, p: TensorLike, k: TensorLike, wo: TensorLike = 1.0) -> Roots:
    """Another end of what passes, for a filter of what is below 1. See `scipy.signal.lp2lp_zpk`.

    The functions of roots take vectors of known lengths, complex ones in conjugate pairs, and have
    derivatives by all that they take. ValueError for others, and for more zeros than poles.

    >>> [v.eval().tolist() for v in lp2lp_zpk([], [-1.0], 1.0, 3.0)]
    [[], [-3.0], 3.0]
    """
    zeros_of, poles, factor, degree = _roots(z, p, k, "lp2lp_zpk")
    return zeros_of * wo, poles * wo, factor * as_floating(wo) ** degree


def lp2hp_zpk(z: TensorLike, p: TensorLike, k: TensorLike, wo: TensorLike = 1.0) -> Roots:
    """What is above `wo` passes, for a filter of what is below 1. See `scipy.signal.lp2hp_zpk`.

    >>> [v.eval().tolist() for v in lp2hp_zpk([], [-2.0], 1.0, 3.0)]
    [[0.0], [-1.5], 0.5]
    """
    zeros_of, poles, factor, degree = _roots(z, p, k, "lp2hp_zpk")
    moved = _joined(wo / zeros_of, zeros(degree, "float64"))
    return moved, wo / poles, factor * _factor(-zeros_of, -poles)


def _both_sides(v: TensorVariable, wo: TensorLike) -> TensorVariable:
    away = sqrt(v.astype("complex128") ** 2 - as_floating(wo) ** 2)
    return concatenate([v + away, v - away], 0)


def lp2bp_zpk(
    z: TensorLike, p: TensorLike, k: TensorLike, wo: TensorLike = 1.0, bw: TensorLike = 1.0
) -> Roots:
    """What is about `wo`, `bw` wide, passes, for a filter of what is below 1.

    See `scipy.signal.lp2bp_zpk`.

    >>> abs(lp2bp_zpk([], [-1.0], 1.0, 3.0, 2.0)[1]).eval()
    array([3., 3.])
    """
    zeros_of, poles, factor, degree = _roots(z, p, k, "lp2bp_zpk")
    low, high = (_both_sides(v * (as_floating(bw) / 2), wo) for v in (zeros_of, poles))
    return _joined(low, zeros(degree, "float64")), high, factor * as_floating(bw) ** degree


def lp2bs_zpk(
    z: TensorLike, p: TensorLike, k: TensorLike, wo: TensorLike = 1.0, bw: TensorLike = 1.0
) -> Roots:
    """What is about `wo`, `bw` wide, is stopped, for a filter of what is below 1.

    See `scipy.signal.lp2bs_zpk`.

    >>> lp2bs_zpk([], [-1.0], 1.0, 3.0, 2.0)[0].imag.eval()
    array([ 3., -3.])
    """
    zeros_of, poles, factor, degree = _roots(z, p, k, "lp2bs_zpk")
    low, high = (_both_sides((as_floating(bw) / 2) / v, wo) for v in (zeros_of, poles))
    middle = as_floating(wo) * full(degree, 1j)
    return _joined(low, middle, -middle), high, factor * _factor(-zeros_of, -poles)


def bilinear_zpk(z: TensorLike, p: TensorLike, k: TensorLike, fs: TensorLike) -> Roots:
    """A filter in steps, `fs` in a unit of time, for one in time. See `scipy.signal.bilinear_zpk`.

    >>> [v.eval().tolist() for v in bilinear_zpk([], [-2.0], 2.0, 1.0)]
    [[-1.0], [0.0], 0.5]
    """
    zeros_of, poles, factor, degree = _roots(z, p, k, "bilinear_zpk")
    twice = 2.0 * as_floating(fs)
    moved, ends = ((twice + v) / (twice - v) for v in (zeros_of, poles))
    gain = factor * _factor(twice - zeros_of, twice - poles)
    return _joined(moved, full(degree, -1.0)), ends, gain


def zpk2tf(z: TensorLike, p: TensorLike, k: TensorLike) -> tuple[TensorVariable, TensorVariable]:
    """The polynomials of zeros, with the factor, and of poles: real. See `scipy.signal.zpk2tf`.

    >>> [v.eval() for v in zpk2tf([-1.0], [0.5j, -0.5j], 2.0)]
    [array([2., 2.]), array([1.  , 0.  , 0.25])]
    """
    zeros_of, poles, factor, _ = _roots(z, p, k, "zpk2tf")
    b, a = (poly(v) for v in (zeros_of, poles))
    return factor * (b.real if b.is_complex else b), a.real if a.is_complex else a


def tf2zpk(b: TensorLike, a: TensorLike) -> Roots:
    """The zeros, poles and factor of two polynomials. See `scipy.signal.tf2zpk`.

    Raises ValueError for what are no vectors. Zeros at the front are left out of coefficients that
    are known; of variables the first one must not be 0: ValueError at the call.

    >>> [v.eval().real.tolist() for v in tf2zpk([2.0, 2.0], [1.0, -0.5])]
    [[-1.0], [0.5], 2.0]
    """
    ahead, behind = (as_floating(v) for v in (b, a))
    if (ahead.ndim, behind.ndim) != (1, 1):
        raise ValueError(f"tf2zpk takes vectors, not {ahead!r} and {behind!r}{called()}")
    ahead, behind = (_from_first(v, name) for v, name in ((ahead, "b"), (behind, "a")))
    return roots(ahead), roots(behind), index(ahead, 0) / index(behind, 0)


def _from_first(v: TensorVariable, name: str) -> TensorVariable:
    """Without zeros at the front; where these are not known, there must be none."""
    if isinstance(v.op, Constant):
        leading = np.flatnonzero(v.op.value)
        return index(v, slice(leading[0] if leading.size else -1, None))
    message = f"tf2zpk: the first of the coefficients {name} must not be 0: leave it out"
    return check_and_raise(v, neq(index(v, 0), 0), ValueError, message)


def sections_of(sos: TensorLike, name: str) -> list[TensorVariable]:
    """Sections of second order, a vector of 6 each."""
    rows = as_floating(sos)
    count: Any = rows.type.shape[0] if rows.ndim == 2 else None
    if not isinstance(count, int) or not count:
        raise ValueError(f"{name} takes a known number of sections of 6, not {rows!r}{called()}")
    return [index(rows, k) for k in range(count)]


def sos2tf(sos: TensorLike) -> tuple[TensorVariable, TensorVariable]:
    """The polynomials of sections of second order. See `scipy.signal.sos2tf`.

    Raises ValueError for another shape than (n_sections, 6), of a known number.

    >>> [v.eval().tolist() for v in sos2tf([[1.0, 0.0, 0.0, 1.0, 0.5, 0.0]])]
    [[1.0, 0.0, 0.0], [1.0, 0.5, 0.0]]
    """
    first, *others = sections_of(sos, "sos2tf")
    b, a = first[:3], first[3:]
    for row in others:
        b, a = polymul(b, row[:3]), polymul(a, row[3:])
    return b, a


def bilinear(
    b: TensorLike, a: TensorLike, fs: TensorLike = 1.0
) -> tuple[TensorVariable, TensorVariable]:
    """The polynomials of a filter in steps, for one in time. See `scipy.signal.bilinear`.

    Raises ValueError for what are no vectors of known lengths.

    >>> [v.eval().tolist() for v in bilinear([2.0], [1.0, 2.0])]
    [[0.5, 0.5], [1.0, 0.0]]
    """
    parts = [as_floating(v) for v in (b, a)]
    counts: Any = [v.type.shape[0] if v.ndim == 1 else None for v in parts]
    if None in counts:
        raise ValueError(f"bilinear takes vectors of known lengths, not {parts}{called()}")
    order = max(counts) - 1
    one, other = np.array([1.0, -1.0]), np.array([1.0, 1.0])
    powers = [[one] * d + [other] * (order - d) for d in range(order + 1)]
    rows = np.array([reduce(np.convolve, p, np.ones(1)) for p in powers])
    scale = (2.0 * as_floating(fs)) ** np.arange(order, -1, -1)
    ahead, behind = (
        matmul(v * scale[order + 1 - n :], rows[::-1][order + 1 - n :])
        for v, n in zip(parts, counts, strict=True)
    )
    first = index(behind, 0)
    return ahead / first, behind / first


def _frequencies(worN: TensorLike | None, choose: Callable[[Any], Any]) -> TensorVariable:
    """Those given, or as many as that, chosen."""
    at = as_tensor(200 if worN is None else worN)
    is_count = not at.ndim and at.dtype[0] in "iu"
    return choose(at) if is_count else as_floating(atleast_1d(at))


def freqs(
    b: TensorLike, a: TensorLike, worN: TensorLike | None = 200
) -> tuple[TensorVariable, TensorVariable]:
    """The angular frequencies of `worN`, and the complex factor of a filter in time at each.

    An integer is how many, between powers of 10 around poles and zeros. See `scipy.signal.freqs`.

    >>> freqs([1.0], [1.0, 1.0], [0.0, 1.0])[1].eval()
    array([1. +0.j , 0.5-0.5j])
    """
    at = _frequencies(worN, lambda n: frequencies_by_poles(*tf2zpk(b, a)[:2], n))
    return at, polyval(b, 1j * at) / polyval(a, 1j * at)


def at_roots(z: Any, p: Any, k: Any, at: TensorVariable) -> TensorVariable:
    """The value of a filter at places."""
    ahead, behind = (prod(at.expand_dims(-1) - v, -1) for v in (z, p))
    return k * ahead / behind


def freqs_zpk(
    z: TensorLike, p: TensorLike, k: TensorLike, worN: TensorLike | None = 200
) -> tuple[TensorVariable, TensorVariable]:
    """`freqs` of zeros, poles and a factor. See `scipy.signal.freqs_zpk`.

    >>> freqs_zpk([], [-1.0], 1.0, [0.0, 1.0])[1].eval()
    array([1. +0.j , 0.5-0.5j])
    """
    zeros_of, poles = as_floating(z), as_floating(p)
    at = _frequencies(worN, lambda n: frequencies_by_poles(zeros_of, poles, n))
    return at, at_roots(zeros_of, poles, as_floating(k), 1j * at)


def freqz_zpk(
    z: TensorLike,
    p: TensorLike,
    k: TensorLike,
    worN: TensorLike | None = 512,
    whole: bool = False,
    fs: float = 2 * pi,
) -> tuple[TensorVariable, TensorVariable]:
    """`freqz` of zeros, poles and a factor. See `scipy.signal.freqz_zpk`.

    >>> freqz_zpk([-1.0], [0.0], 0.5, 2)[1].eval().round(4)
    array([1. +0.j , 0.5-0.5j])
    """
    angles = angles_of(worN, whole, fs, False)
    at = exp(1j * angles)
    factors = at_roots(as_floating(z), as_floating(p), as_floating(k), at)
    return angles * (fs / (2 * pi)), factors
