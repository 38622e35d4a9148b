"""Examples of rules about matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

import weft_tensor as wt
from packages.weft_rewrites.tests.examples.operands import (
    A1,
    B1,
    BY_LOG_DET,
    EIGHT,
    FACTOR,
    LARGE,
    MIRRORED,
    PARTLY,
    ROW,
    SYMMETRIC,
    TWO,
    M,
    S,
    T,
    V,
    W,
    X,
    Z,
    at,
    diag,
    n,
)

__all__ = ["EXAMPLES"]

FAR_APART = (
    (1e-200, 1e200, 1, (1e200, 1e200)),
    (1e200, 1e200, 1, (1e200, 1e200)),
    (1e-300, 1.0, 1, (np.inf, -1e300)),
    (1e-300, 1e300, -1, (1.0, 1.0)),
    (-1.0, 1.0, -1, (1.0, 1.0)),
    (1.0, np.inf, 1, (0.0, np.nan)),
    (-np.inf, 1.0, 1, (1.0, 0.0)),
    (0.0, 1.0, -1, (1.0, 2.0)),
    (np.nan, 1.0, 1, ()),
)
OPPOSITE = [np.array([[x] * 3, [2.0] * 3]) for x in (-1.7, -2.0, -np.inf)]
FACTORS: dict[str, Any] = {
    "Cholesky": wt.linalg.cholesky,
    "CumSum": wt.cumsum,
    "Det": wt.linalg.det,
    "Eigvalsh": wt.linalg.eigvalsh,
    "Inverse": wt.linalg.inv,
    "Nonzero": lambda a: wt.nonzero(a > 2)[0],
    "Solve": lambda a: wt.linalg.solve(a, [[1.0], [2.0], [3.0]]),
    "SolveTriangular": lambda a: wt.linalg.solve_triangular(a, [[1.0], [2.0], [3.0]]),
    "Sum": wt.sum,
}


def layer_slope(weights: Any, bias: Any) -> Any:
    """The derivative of a layer, of which the bias or the weights may have one row for all."""
    slope = wt.exp(wt.isnan(weights).sum(axis=1) + bias)
    (k,) = slope.shape
    return wt.sum_to(wt.eye(k) * slope, [k, weights.shape[0]]) @ weights


def diagonal(x: Any) -> Any:
    """`wt.diagonal(x)` as it is after the first phase."""
    i = wt.arange(wt.minimum(x.shape[-2], x.shape[-1]))
    return x[..., i, i]


PLACES = wt.argsort(V)
SELECTED, PLACED = wt.eye(n)[PLACES], wt.eye(n)[:, PLACES]
EXAMPLES: dict[str, list[Any]] = {
    "product of a transposed matrix and a vector": [X.T @ X[:, 0], X[0] @ X.T],
    "product with diag(b)": [
        diag(V) @ W,
        at(diag(V) @ M, V=[2.0, 0.5, -1.0], M=PARTLY),
        W @ diag(X[:, 1]),
        W @ diag(V),
        X.T @ diag(X[:, 0]),
    ],
    "det(diag(b)) = prod(b)": [wt.det(diag(V))],
    "sum(diag(b)) = sum(b)": [wt.sum(diag(V)), wt.sum(diag(X[:, 0]))],
    "inv(diag(b)) = diag(1 / b)": [wt.inv(diag(V))],
    "solve(diag(b), c) = c / b": [wt.Solve()(diag(wt.abs(V) + 0.5), W.expand_dims(1))],
    "cholesky(diag(b)) = diag(sqrt(b)) for positive b": [wt.cholesky(diag(1 + wt.square(V)))],
    "eigvalsh(diag(b)) = sort(b)": [
        wt.linalg.eigvalsh(diag(-1 - wt.square(wt.tanh(wt.nan_to_num(V))))),
        wt.linalg.eigvalsh(diag(wt.concatenate([[1.0], V[:1], [2.0]]))),
    ],
    "expm(diag(b)) = diag(exp(b))": [wt.linalg.expm(diag(v)) for v in (V, V * 300)],
    "products with rows or columns of an identity matrix": [
        pair
        for selected in (SELECTED, SELECTED.T, PLACED, PLACED.T)
        for pair in (
            *(selected @ x for x in (W, -wt.stack([W, V], 1))),
            *(x @ selected for x in (W, -wt.stack([W, V]))),
            *(at(v, V=[0.2, -1.0, 0.5], M=PARTLY) for v in (selected @ M, M @ selected)),
        )
    ],
    "diagonal of a product": [
        diagonal(X @ X.T),
        diagonal(X.T @ wt.cos(X)),
        diagonal(wt.stack([X, wt.cos(X)]) @ X.T),
        diagonal(X.T @ wt.stack([X, wt.cos(X)])),
        diagonal(wt.stack([X, X * S]) @ wt.stack([X, wt.cos(X)]).mT),
    ],
    "diagonal of an elementwise function": [
        (V.expand_dims(1) * W)[wt.arange(n), wt.arange(n)],
        diagonal(2 * wt.sin(X)),
    ],
    "diagonal of a transpose": [diagonal(X.T)],
    "diagonal of an identity matrix": [wt.eye(n)[wt.arange(n), wt.arange(n)], diagonal(wt.eye(4))],
    "inv(A) @ b = solve(A, b)": [
        wt.inv(SYMMETRIC) @ wt.cos(EIGHT * S),
        wt.inv(SYMMETRIC) @ MIRRORED,
        wt.cos(EIGHT * S) @ wt.inv(SYMMETRIC),
        MIRRORED @ wt.inv(SYMMETRIC),
    ],
    "inv(A)[:, k] = solve(A, e), inv(A)[k] = solve(A.T, e), e of 0 but at k": [
        wt.inv(LARGE)[:, 2],
        wt.inv(LARGE)[-1],
        wt.inv(LARGE)[3, 4],
    ],
    "solve(A @ B, x) = solve(B, solve(A, x)) for square A and B": [
        wt.Solve()(SYMMETRIC @ (SYMMETRIC + 1.0), wt.cos(EIGHT * S).expand_dims(1)),
        at(wt.Solve()((S * SYMMETRIC) @ (S * SYMMETRIC), wt.ones((8, 1))), K=0, S=1e200),
    ],
    "inv(inv(A)) = A": [wt.inv(wt.inv(SYMMETRIC))],
    "det(inv(A)) = 1 / det(A)": [wt.det(wt.inv(SYMMETRIC))],
    "det(A.T) = det(A)": [wt.det((SYMMETRIC * (1 + wt.tanh(EIGHT * S))).T)],
    "log(det(A)) = slogdet(A)": [wt.log(wt.det(SYMMETRIC)), wt.log(wt.det(-SYMMETRIC[:7, :7]))],
    "log(abs(det(A))) = slogdet(A)": [wt.log(wt.abs(wt.det(-SYMMETRIC[:7, :7])))],
    "sum(A @ B) = sum(A, 0) @ sum(B, 1)": [
        wt.sum(X @ X.T),
        wt.sum(X.T @ wt.cos(X), 0),
        wt.sum(X @ X.T, 0),
        at(wt.sum(M @ X, 0), M=[[np.inf], [-2.0]], X=np.full((1, 3), 1e308)),
        wt.sum(X.T @ X),
        wt.sum(X.T @ X, 1),
    ],
    "sums of products of matrices": [
        wt.sum(X.expand_dims(2) * wt.cos(X).expand_dims(1), 0),
        wt.sum(X.T.expand_dims(2) * wt.cos(X), 1),
        wt.sum(X.T.expand_dims(1) * wt.cos(X.T), 2),
        *(
            at(sums, M=np.array(m), X=x)
            for x in OPPOSITE
            for sums, m in (
                (wt.sum(M.expand_dims(2) * X.expand_dims(1), 0), [[1e308], [1e308]]),
                (wt.sum(M.expand_dims(2) * X, 1), [[1e308, 1e308]]),
                (wt.sum(M.expand_dims(1) * X.T, 2), [[1e308, 1e308]]),
            )
        ),
    ],
    "outer(x, y) @ b = x * (y @ b)": [
        (V.expand_dims(1) * W) @ W,
        (V.expand_dims(1) * X[:, 1]) @ V,
        (X[:, 0].expand_dims(1) * W) @ X[:, 1],
        (V.expand_dims(1) * X[:, 1]) @ X,
    ],
    "(s * A) @ (t * B) = A @ (s * t * B) for numbers s and t": [
        (S * ROW) @ (ROW.T * S),
        (2 * V.expand_dims(1)) @ (S * W.expand_dims(0)),
        (S * X) @ (wt.constant([[1e-200], [0.0], [-0.0]]) * S),
        (S * wt.constant([[1e-200]])) @ (wt.constant([[1e-200]]) * S),
        (2 * X[:1]) @ (X.T * S),
        *(
            at((S * A1) @ (T * B1), S=1e200, T=1e-200, A1=np.full((1, 3), 1e200), B1=b)
            for b in (np.full((3, 2), 1.0), np.full((3, 2), 1e-200))
        ),
        (2 * X[0].expand_dims(0)) @ (wt.constant([[0.5, 1.0], [2.0, 3.0], [-1.0, 0.25]]) * S),
    ],
    "(s * A) @ x = s * (A @ x) for numbers s and vectors x": [
        (S * X) @ X[0],
        X[:, 0] @ (X / S),
        X[:, 0] @ (X * S),
        (X / S) @ X[0],
        *(
            at(made, S=s, M=np.full((2, len(v)), m) * [1, sign][: len(v)], V=v)
            for made in ((S * M) @ V, V @ (S * M.T), (M / S) @ V, V @ (M.T / S))
            for s, m, sign, v in FAR_APART
        ),
        (-X.T) @ X[:, 0],
        X[:, 0] @ -X,
    ],
    "row of an identity matrix": [wt.eye(5)[2], wt.eye(3, 4, 1)[-1]],
    "sum(outer(x, y)) = sum(x) * sum(y)": [wt.sum(V.expand_dims(1) * X[:, 1])],
    **{f"fold {name} of constants": [of(wt.eye(3) * 2.0 + 1.0)] for name, of in FACTORS.items()},
    "transpose of what is symmetric": [wt.inv(SYMMETRIC).T, (X @ X.T).T],
    "inverse of what is orthogonal": [wt.inv(wt.linalg.qr(SYMMETRIC)[0])],
    "inverse of what is triangular": [wt.inv(FACTOR)],
    "determinant of what is triangular": [wt.det(FACTOR), wt.det(FACTOR.T)],
    "cholesky(L Lᵀ) = L": [wt.cholesky(FACTOR @ FACTOR.T)],
    "derivative through a Cholesky factor": [
        wt.solve_triangular(FACTOR.T, wt.solve_triangular(FACTOR.T, MIRRORED).T)
    ],
    "product with a diagonal matrix": [
        wt.eye(3) @ X.T,
        X @ wt.eye(3, dtype="float32"),
        (wt.eye(n) * V) @ wt.exp(W).expand_dims(1),
        (S * wt.eye(n)) @ W,
        at(X @ (S * wt.eye(3)), X=PARTLY, S=2),
        X.T @ (wt.eye(n) * V),
        W @ (wt.eye(n) * V),
    ],
    "product with a diagonal matrix, summed if the other has one row": [
        layer_slope(X[: wt.maximum(n, TWO)], V[:1]),
        layer_slope(X[:1], V[:TWO]),
    ],
    "products with a matrix of equal rows": [
        *(wt.broadcast_to(x, (2, 3)) @ B1 for x in (V[:3], S)),
        *(X @ wt.broadcast_to(x, (3, 2)) for x in (W[:2], S)),
        at(X @ wt.broadcast_to(S, (3, 2)), X=[[1e308] * 3], S=0.01),
        at(X @ wt.broadcast_to(S, (3, 2)), X=[[1e308, 1.0, -1e308]], S=1e300),
    ],
    "column @ row = column * row": [V.expand_dims(1) @ V.expand_dims(0), ROW.T @ (ROW * S)],
    "solve(a, -b) = -solve(a, b)": [
        wt.solve(SYMMETRIC, -(BY_LOG_DET * S)),
        wt.solve(SYMMETRIC, (-wt.cos(EIGHT * S)).expand_dims(1)),
    ],
    "solve_triangular(a, -b) = -solve_triangular(a, b)": [
        wt.solve_triangular(FACTOR, (-(S * BY_LOG_DET)).T, lower=True),
    ],
    "x @ A of a stack x = product of its rows, one below the other": [
        wt.stack([X, X * S]) @ B1,
    ],
    "x @ b of a stack x = product of its rows, one below the other, with b": [
        wt.stack([X, X * S]) @ V[:3],
        wt.stack([X, X * S])[None] @ V[:3],
    ],
    "sum(x @ y) of stacks = product of what lies side by side": [
        wt.sum(wt.stack([X, X * S]).mT @ wt.stack([X * T, wt.cos(X)]), 0),
    ],
    "solve(a, b) of a stack b = solve(a, its columns side by side)": [
        wt.solve(SYMMETRIC, wt.stack([BY_LOG_DET, BY_LOG_DET * S]), b_ndim=2),
    ],
    "solve_triangular(a, b) of a stack b = solve_triangular(a, its columns side by side)": [
        wt.solve_triangular(
            FACTOR[None], wt.stack([BY_LOG_DET.T, BY_LOG_DET.T * S]), lower=True, b_ndim=2
        ),
    ],
    "ifft(fft(x)) = x": [wt.fft.ifft(wt.fft.fft(v)) for v in (Z, V)],
    "irfft(rfft(x)) = x": [wt.fft.irfft(wt.fft.rfft(v), v.shape[-1]) for v in (V, X)],
    "ifftshift(fftshift(x)) = x": [wt.fft.ifftshift(wt.fft.fftshift(V, 0), 0)],
    "cholesky of what is diagonal": [wt.cholesky(wt.eye(n) * wt.maximum(wt.abs(S), 0.5))],
}
