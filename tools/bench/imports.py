"""What imports cost, each in fresh processes, in turns."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tools.bench.bounds import IMPORT, Bound, Judgement, judge
from tools.workspace import ROOT

STATEMENTS = (
    "pass",
    "import weft_graph",
    "import numpy",
    "import weft_tensor",
    "import weft.tensor",
    "import numba",
    "import weft_numba",
    "import jax",
    "import weft_jax",
    "import pytensor",
    "import pytensor.tensor",
)

BOUNDS = (
    Bound("import weft_graph", "pass", 1.0, plus=0.06, figure=IMPORT),
    Bound("import weft_tensor", "import numpy", 1.0, plus=0.1, figure=IMPORT),
    Bound("import weft.tensor", "import numpy", 1.5, figure=IMPORT),
    Bound("import weft_numba", "import numba", 1.0, plus=0.2, figure=IMPORT),
)


@dataclass
class ImportCost:
    """What a process takes that runs one statement: seconds of wall and CPU, per round."""

    statement: str
    error: str = ""
    walls: list[float] = field(default_factory=list)
    cpus: list[float] = field(default_factory=list)

    @property
    def wall(self) -> float | None:
        """The least time by the wall clock."""
        return min(self.walls, default=None)

    @property
    def cpu(self) -> float | None:
        """The least time of the CPU, without the process's end."""
        return min(self.cpus, default=None)

    def as_json(self) -> dict[str, Any]:
        """Return it as plain values."""
        plain = {"statement": self.statement, "error": self.error}
        return {**plain, "wall": self.wall, "cpu": self.cpu}


def measure_imports(
    rounds: int, limit: float, statements: Sequence[str] = STATEMENTS
) -> list[ImportCost]:
    """Return the cost of each statement, the best of so many rounds.

    Bytecode is there, as it is where packages are installed.
    """
    costs = [ImportCost(statement) for statement in statements]
    with tempfile.TemporaryDirectory(prefix="weft-bench-") as bytecode:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": bytecode}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for cost in costs:
            time_once(cost, limit, environment)  # writes bytecode, fills the disk's cache
            cost.walls.clear()
            cost.cpus.clear()
        for _ in range(rounds):
            for cost in costs:
                if not cost.error:
                    time_once(cost, limit, environment)
    return costs


def time_once(cost: ImportCost, limit: float, environment: Mapping[str, str]) -> None:
    """Run the statement in a fresh process and add what it took."""
    code = f"{cost.statement}\nimport time; print(time.process_time())"
    command = [sys.executable, "-c", code]
    start = time.perf_counter()
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=limit
        )
    except subprocess.TimeoutExpired:
        cost.error = f"no end after {limit:.0f} s"
        return
    wall = time.perf_counter() - start
    if done.returncode:
        cost.error = (done.stderr.strip().splitlines() or ["it failed"])[-1]
        return
    cost.walls.append(wall)
    cost.cpus.append(json.loads(done.stdout.splitlines()[-1]))


def import_judgements(costs: Sequence[ImportCost]) -> list[Judgement]:
    """Return what the bounds say, by the CPU: the machine may be busy."""
    figures = {c.statement: {IMPORT: c.cpu} for c in costs if c.cpu is not None}
    return judge("imports", BOUNDS, figures, {c.statement: c.error for c in costs if c.error})
