"""Functions of arrays and of matrices that random graphs draw from, as Weft and NumPy have them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import scipy  # imports its parts when they are asked for, which takes longer than all of Weft

import weft_tensor as wt

__all__ = ["OF_ARRAYS", "OF_MATRICES", "STRUCTURES", "USES"]

Both = tuple[Callable[[Any], Any], Callable[[Any], Any]]
"""What makes an expression, and what computes its value."""

_KERNEL: Final = np.array([1.0, -0.5, 0.25])


def _eigh_again(a: np.ndarray) -> Any:
    values, vectors = np.linalg.eigh(a)
    return (vectors * np.sqrt(values)) @ vectors.T


def _weft_eigh_again(a: Any) -> Any:
    values, vectors = wt.linalg.eigh(a)
    return (vectors * wt.sqrt(values)) @ vectors.T


OF_ARRAYS: Final[dict[str, Both]] = {
    "argmax": (lambda v: wt.argmax(v, axis=-1), lambda v: np.argmax(v, axis=-1)),
    "argmin": (lambda v: wt.argmin(v, axis=0), lambda v: np.argmin(v, axis=0)),
    "argsort": (
        lambda v: wt.argsort(v, axis=-1, stable=True),
        lambda v: np.argsort(v, axis=-1, stable=True),
    ),
    "cummax": (lambda v: wt.cummax(v, axis=0), lambda v: np.maximum.accumulate(v, axis=0)),
    "cummin": (lambda v: wt.cummin(v, axis=-1), lambda v: np.minimum.accumulate(v, axis=-1)),
    "median": (lambda v: wt.median(v, axis=-1), lambda v: np.median(v, axis=-1)),
    "quantile": (lambda v: wt.quantile(v, 0.3, axis=0), lambda v: np.quantile(v, 0.3, axis=0)),
    "searchsorted": (
        lambda v: wt.searchsorted(wt.sort(v.ravel()), 0.3),
        lambda v: np.searchsorted(np.sort(v.ravel()), 0.3),
    ),
    "nonzero": (lambda v: wt.nonzero(v.ravel() > 0.3)[0], lambda v: np.nonzero(v.ravel() > 0.3)[0]),
    "masked": (lambda v: v[v > 0.3].sum(), lambda v: v[v > 0.3].sum()),
    "variance": (lambda v: wt.var(v, axis=-1), lambda v: np.var(v, axis=-1)),
    "logsumexp": (
        lambda v: wt.logsumexp(v / 4, axis=0),
        lambda v: scipy.special.logsumexp(v / 4, axis=0),
    ),
    "softmax": (lambda v: wt.softmax(v / 4, axis=-1), lambda v: scipy.special.softmax(v / 4, -1)),
    "normal": (
        lambda v: wt.stats.norm.logpdf(wt.tanh(v), 0.5, 2.0),
        lambda v: scipy.stats.norm.logpdf(np.tanh(v), 0.5, 2.0),
    ),
    "diff": (lambda v: wt.diff(v, axis=0), lambda v: np.diff(v, axis=0)),
    "roll": (lambda v: wt.roll(v, 2, axis=-1), lambda v: np.roll(v, 2, axis=-1)),
    "convolve": (
        lambda v: wt.convolve(v.ravel(), _KERNEL),
        lambda v: np.convolve(v.ravel(), _KERNEL),
    ),
    "filter": (
        lambda v: wt.signal.lfilter([1.0, 0.5], [1.0, -0.3], v),
        lambda v: scipy.signal.lfilter([1.0, 0.5], [1.0, -0.3], v),
    ),
    "fft": (lambda v: wt.fft.fft(v), lambda v: np.fft.fft(v)),
    "rfft": (
        lambda v: wt.fft.irfft(2 * wt.fft.rfft(v), v.shape[-1]),
        lambda v: np.fft.irfft(2 * np.fft.rfft(v), v.shape[-1]),
    ),
    "fftshift": (lambda v: wt.fft.fftshift(v), lambda v: np.fft.fftshift(v)),
    "map": (
        lambda v: wt.map(lambda row: wt.tanh(row) * row.sum(), v),
        lambda v: np.stack([np.tanh(row) * row.sum() for row in v]),
    ),
}
"""Of arrays of at least one axis, none of length 0."""

OF_MATRICES: Final[dict[str, Both]] = {
    "slogdet": (lambda a: wt.slogdet(a)[1], lambda a: np.linalg.slogdet(a)[1]),
    "eigvalsh": (wt.linalg.eigvalsh, np.linalg.eigvalsh),
    "eigh": (_weft_eigh_again, _eigh_again),
    "svdvals": (wt.linalg.svdvals, np.linalg.svdvals),
    "qr": (
        lambda a: wt.abs(wt.linalg.qr(a)[1]),
        lambda a: np.abs(np.linalg.qr(a)[1]),
    ),
    "triangular": (
        lambda a: wt.solve_triangular(wt.cholesky(a), a[0], lower=True),
        lambda a: scipy.linalg.solve_triangular(np.linalg.cholesky(a), a[0], lower=True),
    ),
    "expm": (
        lambda a: wt.linalg.expm(a / wt.trace(a)),
        lambda a: scipy.linalg.expm(a / np.trace(a)),
    ),
    "sqrtm": (wt.linalg.sqrtm, lambda a: np.real(scipy.linalg.sqrtm(a))),
    "pinv": (wt.linalg.pinv, np.linalg.pinv),
    "power": (
        lambda a: wt.matrix_power(a / wt.trace(a), 3),
        lambda a: np.linalg.matrix_power(a / np.trace(a), 3),
    ),
}
"""Of positive definite matrices."""

STRUCTURES: Final[dict[str, Both]] = {
    "whole": (lambda a: a, lambda a: a),
    "diagonal": (lambda a: wt.diag(wt.diagonal(a)), lambda a: np.diag(np.diagonal(a))),
    "triangular": (wt.tril, np.tril),
    "factor": (wt.cholesky, np.linalg.cholesky),
    "transpose": (lambda a: a.T, lambda a: a.T),
    "scaled": (lambda a: 2.0 * a, lambda a: 2.0 * a),
    "identity": (lambda a: wt.eye(a.shape[0]), lambda a: np.eye(len(a))),
    "kronecker": (lambda a: wt.kron(a, wt.eye(2)), lambda a: np.kron(a, np.eye(2))),
    "low rank": (
        lambda a: wt.diag(wt.diagonal(a)) + a[:, :1] @ a[:, :1].T,
        lambda a: np.diag(np.diagonal(a)) + a[:, :1] @ a[:, :1].T,
    ),
}
"""Matrices made of positive definite ones, as Weft and as NumPy have it."""
USES: Final[dict[str, tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]]] = {
    "inverse": (lambda a, b: wt.inv(a), lambda a, b: np.linalg.inv(a)),
    "inverse @": (lambda a, b: wt.inv(a) @ b, lambda a, b: np.linalg.inv(a) @ b),
    "@ inverse": (lambda a, b: b.T @ wt.inv(a), lambda a, b: b.T @ np.linalg.inv(a)),
    "solve": (lambda a, b: wt.solve(a, b), lambda a, b: np.linalg.inv(a) @ b),
    "form": (lambda a, b: b.T @ wt.solve(a, b), lambda a, b: b.T @ np.linalg.inv(a) @ b),
    "product": (lambda a, b: a @ b, lambda a, b: a @ b),
    "det": (lambda a, b: wt.det(a), lambda a, b: np.linalg.det(a)),
    "log det": (lambda a, b: wt.log(wt.det(a)), lambda a, b: np.log(np.linalg.det(a))),
    "trace": (lambda a, b: wt.trace(a @ a.T), lambda a, b: np.trace(a @ a.T)),
    "diagonal": (lambda a, b: wt.diagonal(a @ a), lambda a, b: np.diagonal(a @ a)),
    "with itself": (lambda a, b: wt.inv(a) @ a, lambda a, b: np.eye(len(a))),
    "sums": (lambda a, b: a @ b + a.T @ b, lambda a, b: (a + a.T) @ b),
    "all": (
        lambda a, b: wt.solve(a, b).sum() + wt.log(wt.det(a)),
        lambda a, b: (np.linalg.inv(a) @ b).sum() + np.log(np.linalg.det(a)),
    ),
}
"""What is computed of such a matrix and of a vector or a matrix."""
