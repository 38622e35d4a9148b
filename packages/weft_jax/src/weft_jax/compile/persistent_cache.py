"""Machine code that outlives the process, if its user wants that."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path
from typing import Any

import jax

from weft_graph.extend import written_by_others

__all__ = ["cache_compilations"]


def cache_compilations(directory: str | PathLike[str]) -> None:
    """Let JAX keep in `directory` what it compiles, for later processes.

    This sets JAX's own options, for all of the process: call it once, before the first
    function runs. JAX still traces each function; XLA then need not compile it.

    What lies there is run: the directory is made for this user alone, and it is a
    PermissionError if others may write to one that is there.

    >>> import tempfile
    >>> before = jax.config.jax_compilation_cache_dir
    >>> cache_compilations(tempfile.mkdtemp())
    >>> jax.config.update("jax_compilation_cache_dir", before)  # no longer
    """
    if "://" not in fspath(directory):  # JAX takes places in clouds as well
        _make_own(Path(directory))
    config: Any = jax.config
    config.update("jax_compilation_cache_dir", fspath(directory))
    config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    config.update("jax_persistent_cache_min_entry_size_bytes", -1)


def _make_own(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if reason := written_by_others(folder.stat()):
        raise PermissionError(
            f"JAX would run what is in {folder}, but {reason}: give a directory that only you "
            "may write to"
        )
