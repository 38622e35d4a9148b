"""What the examples of rules are made of."""

from __future__ import annotations

from typing import Any

import numpy as np

import weft_tensor as wt
from weft_graph import graph_inputs

X = wt.matrix("X", shape=(None, 3))
V = wt.vector("V", shape=("n",))
W = wt.vector("W", shape=("n",))
S, T = wt.scalar("S"), wt.scalar("T")
SMALL = wt.matrix("SMALL", dtype="int8")
C = wt.vector("C", dtype="bool")
Z = wt.vector("Z", dtype="complex128")
ROW = wt.matrix("ROW", shape=(1, None))
ONES = wt.tensor3("ONES", shape=(1, None, 1))
K = wt.scalar("K", dtype="int8")
N = wt.vector("N", dtype="int8", shape=("n",))
n = V.shape[0]
TWO = wt.minimum(wt.maximum(K.astype("int64"), 2), 2)
BETWEEN = wt.tanh(SMALL.astype("float64"))
ABOVE, BELOW = wt.maximum(BETWEEN, 0.5), wt.minimum(BETWEEN, -0.5)
HILBERT = [[1 / (i + j + 1) for i in range(8)] for j in range(8)]
SYMMETRIC = wt.eye(8) + (2 + wt.tanh(K / 3)) * wt.constant(HILBERT)
FACTOR = wt.cholesky(SYMMETRIC)
LARGE = 5.0 * wt.eye(20) + wt.tanh(S) * wt.cos(wt.arange(20.0).expand_dims(1) * wt.arange(20.0))
EIGHT = wt.arange(8)
BY_LOG_DET = FACTOR.T @ wt.zeros((8, 8))[EIGHT, EIGHT].inc(1.0 / FACTOR[EIGHT, EIGHT])
MIRRORED = wt.where(EIGHT.expand_dims(1) >= EIGHT, BY_LOG_DET, BY_LOG_DET.T)
M, A1, B1 = wt.matrix("M"), wt.matrix("A1", shape=(1, 3)), wt.matrix("B1", shape=(3, 2))
PARTLY = np.array([[1.0, np.nan, -2.0], [0.5, 2.0, 1.0], [-0.0, 1.0, 0.0]])


def at(made: Any, **values: Any) -> tuple[Any, list[Any]]:
    """An example at certain values, which show what a rule may change."""
    inputs: list[Any] = graph_inputs([made])
    return made, [np.asarray(values[v.name], v.dtype) for v in inputs]


def diag(b: Any) -> Any:
    """`wt.diag(b)` as it is after the first phase."""
    i = wt.arange(b.shape[0])
    return wt.zeros((b.shape[0], b.shape[0]))[i, i].set(b)
