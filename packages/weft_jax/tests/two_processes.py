"""A script for `weft_jax.interop.launch`: training by rows in several processes, told as JSON.

With "die" as argument, process 1 ends in the middle.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import jax
import numpy as np

import weft_tensor as wt
from weft_graph import function, grad
from weft_jax import JAX, connect, distribute

rank, count = connect()
folder = Path(sys.argv[1])
mesh = wt.Mesh(data=jax.device_count())
rng = np.random.default_rng(0)
rows = rng.normal(size=(8 * mesh.size, 3))
targets = (rows[:, 0] > 0).astype(float)

X, y = wt.dmatrix("X", shape=("n", "p")), wt.dvector("y", shape=("n",))
w = wt.dvector("w", shape=("p",))
p = wt.sigmoid(X @ w)
cost = -wt.mean(y * wt.log(p) + (1 - y) * wt.log(1 - p)) + 0.01 * wt.sum(w**2)
slope = grad(cost, w)


mode = JAX(mesh=mesh, in_specs={"n": "data"})
step = function([X, y, w], [cost, slope], mode=mode)
mine = slice(rank * len(rows) // count, (rank + 1) * len(rows) // count)
here = [distribute(a[mine], mesh, "data", local=True) for a in (rows, targets)]
weights = np.zeros(3)
for k in range(20):
    if sys.argv[2:] == ["die"] and rank == 1 and k == 3:
        os._exit(3)
    value, g = step(*here, weights)
    weights -= np.asarray(g)
whole, _ = step(rows, targets, weights)
text = step.lower_text("hlo", rows, targets, weights)
fitted = function(
    [X, w], X @ w, mode=JAX(mesh=mesh, in_specs={"n": "data"}, out_specs={"n": "data"})
)
spread = fitted(here[0], distribute(weights, mesh))
total = function([y], wt.sum(y), mode=JAX(mesh=mesh, in_specs={"n": "data"}))
M, v = wt.dmatrix("M"), wt.dvector("v")
product = function([M, v], M @ v, mode=JAX(mesh=mesh, in_specs={M: "data"}))
try:
    product(here[0], np.ones(7))
except (TypeError, ValueError) as caught:
    error = str(caught)
result = {
    "error": error,
    "rank": rank,
    "devices": jax.device_count(),
    "weights": weights.tolist(),
    "cost": float(whole),
    "fitted": fitted(rows, weights).tolist(),
    "spread": [spread.is_fully_addressable, float(total(spread))],
    "sums": len(re.findall(r" all-reduce(?:-start)?\(", text)),
    "others": len(re.findall(r" (?:all-gather|collective-permute|all-to-all)", text)),
}
(folder / f"{rank}.json").write_text(json.dumps(result))
