from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CODE = """
import sys, weft_tensor as wt
from weft_graph import function
from weft_jax import cache_compilations
cache_compilations(sys.argv[1])
x = wt.vector("x")
assert function([x], wt.exp(x).sum(), mode="jax")([0.0, 0.0]) == 2.0
"""


def test_a_second_process_finds_what_the_first_compiled(tmp_path: Path) -> None:
    def entries() -> set[str]:
        subprocess.run([sys.executable, "-c", CODE, str(tmp_path)], check=True)
        return {path.name for path in tmp_path.iterdir() if path.name.endswith("-cache")}

    first = entries()
    assert first
    assert entries() == first
