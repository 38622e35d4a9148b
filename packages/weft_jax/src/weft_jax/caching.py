"""Machine code that outlives the process, if its user wants that."""

from __future__ import annotations

from os import PathLike, fspath
from typing import Any

import jax

__all__ = ["cache_compilations"]


def cache_compilations(directory: str | PathLike[str]) -> None:
    """Let JAX keep in `directory` what it compiles, for later processes.

    This sets JAX's own options, for all of the process: call it once, before the first
    function runs. JAX still traces each function; XLA then need not compile it.

    >>> import tempfile
    >>> cache_compilations(tempfile.mkdtemp())
    >>> jax.config.update("jax_compilation_cache_dir", None)  # no longer
    """
    config: Any = jax.config
    config.update("jax_compilation_cache_dir", fspath(directory))
    config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    config.update("jax_persistent_cache_min_entry_size_bytes", -1)
