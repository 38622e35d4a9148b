"""Examples of rules about shapes, indices, reductions and choices."""

from __future__ import annotations

from typing import Any

import numpy as np

import weft_tensor as wt
from packages.weft_rewrites.tests.examples.operands import (
    ABOVE,
    ONES,
    ROW,
    SMALL,
    TWO,
    C,
    K,
    N,
    S,
    T,
    V,
    W,
    X,
    at,
    diag,
    n,
)
from weft_graph import assume
from weft_tensor.extend import SCALAR, Slice, SliceLength, broadcast_length

__all__ = ["EXAMPLES"]

ROWS, COLUMNS = wt.exp(X).shape
IN_ONE = wt.ifelse(C[0], X, wt.zeros_like(X))
IN_OTHER = wt.ifelse(wt.logical_not(C[0]), wt.zeros_like(X), X)
IN_ONE_TOO = wt.ifelse(C[0], X[::-1], wt.zeros_like(X))
IN_OTHER_TOO = wt.ifelse(wt.logical_not(C[0]), wt.zeros_like(X), X[::-1])

BELOW = wt.exp(W - W.max())
TRIPLE = wt.tanh(wt.stack([V[0], V[1], S]))
LONG = wt.tanh(K / 3.0) * wt.arange(12.0)
TABLE = LONG.reshape((3, 4))
PLACES = wt.expand_dims(wt.arange(3), 1) + wt.arange(9)
WEIGHTS = wt.sin(K + wt.arange(9.0))

EXAMPLES: dict[str, list[Any]] = {
    "stack of one": [wt.stack([X])],
    "what is computed in one case": [
        made
        for one, too in ((IN_ONE, IN_ONE_TOO), (IN_OTHER, IN_OTHER_TOO))
        for made in (
            *(one * X, one / X, one @ X.T, X.T @ one, one + too, one - too, -one),
            *(one.astype("float32"), one.expand_dims(0), one.T, one.sum(axis=0), one.sum()),
            wt.sum_to(one, [n, X.shape[1]]),
        )
    ],
    "a row that is computed in one case": [
        wt.ifelse(C[0], ROW, wt.zeros_like(ROW)).squeeze(0),
        wt.ifelse(C[0], wt.zeros_like(ROW), ROW).squeeze(0),
    ],
    "check(x, True, c) = check(x, c)": [
        wt.check_and_raise(X, True),
        wt.assert_op(X, wt.broadcast_to(True, X.shape), wt.isfinite(S) | wt.isnan(S) | wt.isinf(S)),
    ],
    "ifelse that is decided": [
        *(wt.ifelse(c, X, -X) for c in (np.True_, np.False_)),
        wt.IfElse(1)(C[0], X, X),
    ],
    "result of an ifelse that is decided": [
        wt.ifelse(np.False_, [X, S], [-X, -S])[0],
        wt.ifelse(np.True_, [X, S], [-X, -S])[1],
        wt.ifelse(C[0], [X, S], [X, -S])[0],
    ],
    "transpose that keeps the order": [wt.Transpose((0, 1))(X)],
    "transpose of a transpose": [wt.Transpose((2, 0, 1))(wt.Transpose((1, 0, 2))(X[:, :, None]))],
    "no new axes": [wt.ExpandDims(())(X)],
    "expand_dims of expand_dims": [X.expand_dims((0, 2)).expand_dims((1, 3, 5))],
    "expand_dims of squeeze": [wt.ExpandDims((0,))(wt.Squeeze((0,))(ROW))],
    "no axes to squeeze": [wt.Squeeze(())(X)],
    "squeeze of squeeze": [ONES.squeeze(0).squeeze(1)],
    "squeeze of expand_dims": [
        X.expand_dims((0, 2, 4)).squeeze((2, 4)),
        ROW.expand_dims((0, 3)).squeeze((1, 3)),
    ],
    "reshape to the same shape": [wt.Reshape()(X, *X.shape)],
    "reshape of reshape": [X.ravel().reshape((3, -1)), X.expand_dims(0).reshape((-1,))],
    "part of a part of known length": [
        LONG[8:2:-2][1:],
        LONG[2:8][::3],
        LONG[:4][::-1],
        LONG[3:4][0],
        LONG[::-1][::-1],
        TABLE[1:][0],
        TABLE[:, ::-1][1:, :2],
        TABLE[0][1:],
        TABLE[:, 1:][0, -1],
        TABLE[1:, 0][0],
    ],
    "squeeze of a part of known length": [
        LONG[3:4].squeeze(0),
        TABLE[2:, 1:].squeeze(0),
        TABLE[1:, :1].squeeze(1),
    ],
    "reshape of one element to a scalar": [TABLE[:1, 2:3].reshape(()), LONG[3:4].reshape(())],
    "reshape of squeeze": [ROW.squeeze(0).reshape((-1, 1))],
    "function of two with the same new axes": [V.expand_dims(1) * wt.cos(W).expand_dims(1)],
    "function of a number with new axes and a number": [S.expand_dims((0, 1)) - T],
    "function of a number and a number with new axes": [S / T.expand_dims(0)],
    "index that takes everything": [wt.Index((Slice(None, None, None), Slice(0, None, 1)))(X)],
    "places behind new axes": [
        wt.exp(X).expand_dims((0, 1))[:, :, [1, 0], [0, 1]],
        V.expand_dims(0)[:, [1, 1]],
    ],
    "new axes by indexing": [X[:, None, 0], V[None, :, None], X[None, ::-1, None, S.ndim]],
    "element of a stack": [wt.stack([S, SMALL[0, 0], 2 * S])[1], wt.stack([X, -X])[-1]],
    "function of expand_dims": [wt.exp(X.expand_dims(1))],
    "cast of expand_dims": [X.expand_dims((0, 3)).astype("float32")],
    "reduction over no axes": [op(())(SMALL) for op in (wt.Sum, wt.Max, wt.Any_, wt.Prod)],
    "reduction of the same reduction": [
        op((0,))(op((1,))(X[:, None, :])) for op in (wt.Sum, wt.Prod, wt.Max, wt.Min, wt.All)
    ]
    + [wt.Sum((1,))(wt.Sum((0,))(SMALL[:, None, :]))],
    "reduction of expand_dims": [
        wt.sum(X.expand_dims((0, 2)), (0, 1)),
        wt.max(X.expand_dims(1), (0, 2)),
        wt.any(SMALL.expand_dims(0), 0),
    ],
    "reduction over axes of length 1": [wt.sum(ROW, 0), wt.prod(ROW)],
    "full reduction of a transpose": [wt.sum(X.T)],
    "sum(-x) = -sum(x)": [wt.sum(-X, 0)],
    "length that the type knows": [wt.Length(1)(X)],
    "length by name": [wt.Length(0)(wt.exp(V) * W), wt.Length(1)(S * V.expand_dims(0))],
    "length of an elementwise function": [wt.Length(0)(wt.exp(SMALL.astype("float32")) * S)],
    "length of all but the first, or all but the last": [
        SliceLength(part)(n + 1) for part in (Slice(1, None, None), Slice(None, -1, None))
    ],
    "length of all but some: which these are does not matter": [
        SliceLength(part)(n) for part in (Slice(1, -2, None), Slice(None, -3, 1))
    ],
    "length of all but some of all but some": [
        SliceLength(Slice(1, None, None))(SliceLength(Slice(2, None, None))(n))
    ],
    "length before a place and from there on": [
        SliceLength(Slice(None, k, None))(*sizes) + SliceLength(Slice(k, None, None))(*sizes)
        for k, sizes in ((SCALAR, (n, X.shape[1])), (-2, (n,)))
    ],
    "length of as many as a slice of the axis takes": [
        SliceLength(part)(n, SliceLength(Slice(3, None, None))(n))
        for part in (Slice(None, SCALAR, None), Slice(SCALAR, None, 1))
    ],
    "length of a part of a sum of lengths": [
        SliceLength(Slice(None, SCALAR, None))(ROWS + 2 * COLUMNS, ROWS),
        SliceLength(Slice(SCALAR, None, 1))(ROWS + COLUMNS + ROWS, ROWS),
        SliceLength(Slice(SCALAR, SCALAR, None))(ROWS + COLUMNS + 3, COLUMNS, COLUMNS + 2),
        SliceLength(Slice(0, SCALAR, None))(COLUMNS, COLUMNS),
        SliceLength(Slice(2, SCALAR, None))(COLUMNS + 5, COLUMNS + 4),
        SliceLength(Slice(SCALAR, SCALAR, None))(ROWS + COLUMNS, ROWS, ROWS),
    ],
    "length by infer_shape": [
        wt.Length(0)(X @ X.T),
        wt.Length(1)(wt.exp(SMALL) + S),
        wt.Length(0)(wt.ifelse(C[0], [X, S], [X[1:], -S])[0]),
        wt.Length(0)(wt.stack([X, X])),
    ],
    "broadcast_length of what is broadcast already": [
        broadcast_length(n, n),
        broadcast_length(X.shape[0], broadcast_length(n, X.shape[0])),
        broadcast_length(
            broadcast_length(broadcast_length(X.shape[0], n), C.shape[0]),
            broadcast_length(n, X.shape[0]),
        ),
    ],
    "sum_to decided by types": [
        wt.SumTo()(X, X.shape[0], wt.constant(1)),
        wt.SumTo()(V, W.shape[0]),
    ],
    "broadcast_to the same shape": [wt.BroadcastTo()(V, W.shape[0])],
    "broadcast_to of broadcast_to": [V.broadcast_to(2, n).broadcast_to(3, 2, n)],
    "broadcast_to of new axes in front": [
        wt.BroadcastTo()(V.expand_dims((0, 2)), *map(wt.constant, (2, 4, 5)))
    ],
    "elementwise function of new axes in front": [
        X + S.expand_dims((0, 1)),
        V.expand_dims(1) * W.expand_dims(0),
    ],
    "elementwise function of what broadcasts by itself": [
        V + S.broadcast_to(W.shape[0]),
        X * S.broadcast_to(X.shape),
    ],
    "elementwise function of repeated elements": [
        wt.exp(S.broadcast_to(3)),
        S.broadcast_to(n, 2) + V[1].broadcast_to(n, 2),
        S * V.broadcast_to(3, n),
        wt.arctan2(S.broadcast_to(3), wt.specify_shape(V[1:2], 1)),
        V.broadcast_to(3, n) * wt.specify_shape(W[:1], 1),
    ],
    "cast of repeated elements": [S.broadcast_to(n).astype("float32")],
    "sum of a repeated number": [wt.full((n, 3), 2.5).sum(), wt.full(0, 2.5).sum()],
    "log(sum(exp(x))), shifted": [
        wt.log(wt.exp(W).sum()),
        wt.log(wt.exp(X).sum(0)),
        wt.log(wt.exp(X).sum()),
        wt.log(wt.exp(X).sum(1)),
        wt.log(wt.exp(wt.full(3, -float("inf")) + S).sum()),
        wt.log((V * wt.exp(W)).sum()),
    ],
    "exp(x) / sum(exp(x)), shifted": [
        wt.exp(W) / wt.exp(W).sum(),
        wt.exp(X) / wt.exp(X).sum(1, keepdims=True),
        wt.exp(X) / wt.exp(X).sum(0),
        wt.exp(X.T) / wt.exp(X.T).sum(0, keepdims=True),
        wt.exp(W[1]) * V / wt.exp(W).sum(),
        wt.exp(W)[1] / wt.exp(W).sum(),
    ],
    "exp(x) * (y / sum(exp(x))), shifted": [
        wt.exp(W) * (S / wt.exp(W).sum()),
        wt.exp(W) * (1 / wt.exp(W).sum()),
        wt.exp(X) * wt.expand_dims(V[1] / wt.exp(X).sum(1), 1),
    ],
    "exp(x - max(x)) / sum(exp(x - max(x))), of a constant maximum": [
        BELOW / BELOW.sum(),
        BELOW * V / (BELOW * V).sum(),
    ],
    "max(x) + log(sum(exp(x - max(x)))), of a constant maximum": [
        W.max() + wt.log(BELOW.sum()),
        wt.log((V * BELOW).sum()) + W.max(),
        X.max(0) + wt.log(wt.exp(X - X.max(0)).sum(0)),
    ],
    "x - max(x) - log(sum(exp(x - max(x)))), of a constant maximum": [
        (W - W.max()) - wt.log(BELOW.sum()),
    ],
    "mean(x²) - mean(x)² = mean((x - mean(x))²)": [
        wt.square(V).sum() / n.astype("float64") - wt.square(V.sum() / n.astype("float64")),
        wt.square(X).sum(1) / 3.0 - wt.square(X.sum(1) / 3.0),
    ],
    "part of a part": [
        X[1:][0],
        X[:, 1:][:, 1],
        X[::-1][::-1],
        X[::-1][0],
        V[1:][2:],
        V[:3][1:],
        X[0][1],
        V[2:][1],
        X[:3][::2],
    ],
    "row of a transpose": [
        X.T[0],
        X.expand_dims(0).transpose((2, 1, 0))[1, ::-1],
        wt.stack([V, 2 * V, V**2]).T[1:, ::2],
    ],
    "some of a stack": [
        wt.stack([V, 2 * V, V**2])[::2],
        wt.stack([V, 2 * V])[::-1, 1:],
        wt.stack([S, 2 * S, S**2])[1:],
        wt.stack([V.astype("float32"), V, V**2])[:1],
        wt.stack([V, 2 * V, V**2])[-1:],
        wt.stack([V, 2 * V])[1, 0],
    ],
    "row of what was set": [
        wt.stack([V, 2 * V, V**2])[::2].set(wt.stack([V - 1, V + 1]))[-1],
        wt.stack([V, 2 * V, V**2])[::2].inc(wt.stack([V - 1, V + 1]))[2],
        wt.stack([V, 2 * V, V**2])[::-2].inc(wt.stack([V - 1, V + 1]))[0],
        wt.stack([V, 2 * V, V**2])[::2].set(wt.stack([V - 1, V + 1]))[1],
        wt.stack([V, 2 * V, V**2])[1:].set(wt.stack([S, 2 * S])[:, None])[1],
        wt.stack([V, 2 * V], axis=1)[:, ::-1].inc(wt.stack([V - 1, V + 1], axis=1))[:, 1],
        wt.stack([S, 2 * S, S**2])[1:].set(wt.stack([S - 1, S + 1]))[1],
    ],
    "reading at known places what was set": [
        wt.zeros((3, 4))[[0, 2, -1], [1, 3, 0]].set(TRIPLE)[[2, 0], [0, 1]],
        wt.zeros((3, 4))[[0, 2, 2], [1, 3, 3]].set(TRIPLE)[[2, 2], [3, -1]],
        wt.zeros((3, 4))[[0, 1, 2], [1, 3, 0]].set(TRIPLE)[[0, 1, 2], [1, 3, 0]],
        wt.exp(TRIPLE)[[0, 2]].set(TRIPLE[:2].astype("float32"))[[2, 0, 2]],
        wt.exp(TRIPLE)[[0, 2]].set(TRIPLE[:2])[[1, 1]],
    ],
    "increment by zeros": [V[1:].inc(wt.zeros(1)), X[:, ::2].inc(wt.zeros(1))],
    "element of a concatenation": [
        wt.concatenate([X[0], V])[2],
        wt.concatenate([V, X[0], X[1]])[-5],
    ],
    "element of what is repeated": [
        S.broadcast_to(4)[2],
        X[0].broadcast_to(2, 3)[-1],
        S.expand_dims((0, 1)).broadcast_to(4, 3)[:, 1],
        S.broadcast_to(4, 3)[:, -1],
    ],
    "element of arange(n)": [wt.arange(wt.constant(7))[3], wt.arange(wt.constant(7))[-3]],
    "reading what was just set": [
        V[2].set(S)[2],
        V[2].set(S)[1],
        V[1:3].set(S)[1:3],
        X[:, 1].set(K)[:, 1],
        diag(V)[wt.arange(n), wt.arange(n)],
    ],
    "set over what was set": [V[2].set(S)[2].set(1.5), X[0].set(1.0)[0].set(X[1])],
    "increments merged": [V[2].inc(S)[2].inc(2 * S), X[0].inc(X[1])[0].inc(X[2])],
    "x + increment of zeros = increment of x": [
        X + wt.broadcast_to(0.0, X.shape)[0].inc(X[1]),
        V[0].inc(V[1]) + wt.broadcast_to(0.0, V.shape)[2].inc(S),
    ],
    "setting what is there": [V[2].set(V[2]), X[:, 1].set(X[:, 1])],
    "increment by nothing": [V[2].inc(0.0)],
    "cumsum(x)[-1] = sum(x)": [wt.cumsum(V)[-1], wt.cumsum(X, 0)[-1]],
    "cumprod(x)[-1] = prod(x)": [wt.cumprod(V)[-1]],
    "first of sums or products so far": [wt.cumsum(V)[0], wt.cumprod(X, 0)[0]],
    **{
        f"{name} of c * x or x / c for a number c that is known": [
            reduced(X * 2.5, 0),
            reduced(-0.5 * V),
            reduced(V / -3.0),
            reduced(X / 3.0, 0),
        ]
        for name, reduced in (("max", wt.max), ("min", wt.min))
    },
    "all(not x) = not any(x)": [wt.all(wt.logical_not(C))],
    "any(not x) = not all(x)": [wt.any(wt.logical_not(SMALL > 0), 0)],
    "argmax(-x) = argmin(x)": [wt.argmax(-X[:3], 1)],
    "argmin(-x) = argmax(x)": [wt.argmin(-X[:3], 1)],
    **{
        f"{op} of c * x and 0, where c is 1 or more in size": [
            wt.Elemwise(op)(2.5 * X, 0),
            wt.Elemwise(op)(-1.5 * V, 0),
        ]
        for op in ("gt", "ge", "lt", "le", "eq", "neq")
    },
    "max(-x) = -min(x)": [wt.max(-X, 0)],
    "min(-x) = -max(x)": [wt.min(-X, 0)],
    "prod(exp(x)) = exp(sum(x))": [wt.prod(wt.exp(X), 0)],
    "sort(x)[-1] = max(x)": [wt.sort(V)[-1]],
    "sort(x)[0] = min(x) where nothing is NaN": [
        wt.sort(N)[0],
        *(at(wt.sort(assume(V, not_nan=True))[0], V=v) for v in ([2.0, -0.0, 0.0], [0.0, -0.0])),
    ],
    "sort(x)[0] = min(x), of those that are not NaN": [
        wt.sort(V)[0],
        *(at(wt.sort(V)[0], V=v) for v in ([np.nan] * 3, [np.nan, np.inf], [2.0, -0.0, 0.0])),
    ],
    "full": [
        made(wt.full(shape, S))
        for made in (wt.sum, wt.prod, wt.max, wt.min)
        for shape in ((5,), (2, 3))
    ],
    "sort of what is sorted or reversed": [wt.sort(wt.sort(X, 0), 0), wt.sort(V[::-1])],
    "max(sort(x)) = max(x)": [at(wt.max(wt.sort(V)), V=[0.0, -0.0, -1.0, -2.0])],
    "min(sort(x)) = min(x)": [at(wt.min(wt.sort(V)), V=[1.0, 1.0, 0.0, -0.0])],
    "sum in another order": [wt.sum(wt.sort(X, 0), 0), wt.sum(V[::-1])],
    "max in another order": [wt.max(wt.sort(X, 0)), wt.max(V[::-1])],
    "min in another order": [wt.min(wt.sort(X, 1), 1), wt.min(V[::-1])],
    "fold one of several results": [
        wt.ifelse(
            wt.constant(True),
            [wt.constant(1.0), wt.constant(2)],
            [wt.constant(3.0), wt.constant(4)],
        )[1],
    ],
    "both halves in zeros": [
        wt.zeros(n)[TWO:].inc(V[TWO:]) + wt.zeros(n)[:TWO].inc(W[:TWO]),
        W + wt.zeros(n)[:3].inc(V[:3]) + wt.zeros(n)[3:].inc(V[3:]),
        wt.zeros((n, n))[:, TWO:].inc(S) + wt.zeros((n, n))[:, :TWO].inc(N.expand_dims(1)),
    ],
    "log(prod(x)) = sum(log(x)) where x is not negative": [
        wt.log(wt.prod(wt.square(X))),
        wt.log(wt.prod(ABOVE, 1)),
    ],
    **{
        f"{name} of x + c or c - x for a number c that is known": [
            reduced(X + 2.5, 0),
            reduced(V - 0.5),
            reduced(1.5 - V),
            reduced(V + 1.5),
        ]
        for name, reduced in (("max", wt.max), ("min", wt.min))
    },
    "reduction of windows": [
        wt.sum(LONG[PLACES], 1),
        wt.max(LONG[PLACES] ** 2.0, 1),
        wt.any(LONG[PLACES] > 0, (0, 1)),
        wt.sum(wt.square(LONG[PLACES] - wt.expand_dims(WEIGHTS[:3], 1)), 1),
        wt.sum(LONG[PLACES] * WEIGHTS, 1),
    ],
    "windows times a vector": [LONG[PLACES] @ WEIGHTS],
}
