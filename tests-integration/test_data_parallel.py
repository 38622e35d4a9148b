"""The demo's model, trained on rows that devices share: as if there were one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import jax
import numpy as np
import pytest

from weft_jax.interop.launch import environments

ROOT = Path(__file__).parent.parent

SCRIPT = """
import json, sys
import numpy as np
from scipy.optimize import minimize
import jax
import weft.tensor as wt
from tools.demo_model import log_posterior, objective
from weft_jax import JAX

if sys.argv[1] == "breast cancer":
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
else:
    X = np.random.default_rng(0).normal(size=(25, 2))
    y = X[:, 0] + X[:, 1] ** 2 > 0.5
X, y = (X - X.mean(0)) / X.std(0), y.astype(float)
graph = log_posterior()
found = {"devices": jax.device_count(), "rows": len(X)}
many = JAX(mesh=wt.Mesh(data=jax.device_count()), in_specs={"n": "data"}, uneven="pad")
for name, mode in {"many": many, "one": "jax"}.items():
    f = wt.function(graph.inputs, graph.outputs, mode=mode)
    fit = minimize(objective(f, X, y), np.zeros(1 + X.shape[1]), jac=True, method="L-BFGS-B",
                   options={"ftol": 1e-14, "gtol": 1e-8})
    found[name] = [fit.x.tolist(), float(fit.fun)]
text = wt.function(graph.inputs, graph.outputs, mode=many).lower_text(
    "hlo", 0.0, np.zeros(X.shape[1]), X, y
)
found["collectives"] = [text.count(f" {c}(") for c in ("all-reduce", "all-gather", "all-to-all")]
print(json.dumps(found))
"""


@pytest.mark.cases("few")
@pytest.mark.parametrize(
    ("data", "devices"), [("breast cancer", 8), ("few", 2)], ids=["breast cancer", "few"]
)
def test_devices_share_rows(data: str, devices: int) -> None:
    (env,) = environments(1, devices, {**os.environ, "XLA_FLAGS": ""})
    command = [sys.executable, "-c", SCRIPT, data]
    done = subprocess.run(
        command, capture_output=True, check=False, cwd=ROOT, env=env, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["devices"], found["rows"] % devices) == (devices, 1)
    assert found["collectives"] == [1 if jax.__version_info__ >= (0, 6) else 3, 0, 0]
    (many, least), (one, wanted) = found["many"], found["one"]
    np.testing.assert_allclose(least, wanted, rtol=1e-10)
    np.testing.assert_allclose(many, one, rtol=1e-4, atol=1e-5)
