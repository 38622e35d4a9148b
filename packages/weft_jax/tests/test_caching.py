from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import jax
import pytest

from weft_jax import cache_compilations

CODE = """
import sys, weft_tensor as wt
from weft_graph import function
from weft_jax import cache_compilations
cache_compilations(sys.argv[1])
x = wt.vector("x")
assert function([x], wt.exp(x).sum(), mode="jax")([0.0, 0.0]) == 2.0
"""


@pytest.mark.cases(0)
def test_a_second_process_finds_what_the_first_compiled(tmp_path: Path) -> None:
    def entries() -> set[str]:
        subprocess.run([sys.executable, "-c", CODE, str(tmp_path)], check=True)
        return {path.name for path in tmp_path.iterdir() if path.name.endswith("-cache")}

    first = entries()
    assert first
    assert entries() == first


def test_a_directory_that_others_may_write_to_is_refused(tmp_path: Path) -> None:
    config: Any = jax.config
    before = config.jax_compilation_cache_dir
    cache_compilations(tmp_path / "new" / "own")
    assert (tmp_path / "new" / "own").stat().st_mode & 0o777 == 0o700
    config.update("jax_compilation_cache_dir", before)
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    with pytest.raises(PermissionError, match="open, but others may write to it"):
        cache_compilations(tmp_path / "open")
    assert config.jax_compilation_cache_dir == before
