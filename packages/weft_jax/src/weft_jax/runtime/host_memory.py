"""Memory of the host that a GPU writes to: to fetch a few bytes from its own takes 100 µs."""

from __future__ import annotations

from functools import cache
from typing import Any

import jax

from weft_graph import FunctionGraph
from weft_jax.analysis.printing import prints

__all__ = ["is_one_gpu", "near"]


@cache
def is_one_gpu() -> bool:
    """Whether JAX computes on one GPU."""
    return jax.default_backend() == "gpu" and jax.device_count() == 1


def near(values: Any, graph: FunctionGraph) -> Any:
    """`values`, which JAX traces of `graph`, where the host reads them at once.

    Where `graph` prints, JAX can't compile that.
    """
    if not is_one_gpu() or prints(graph):
        return values
    return jax.device_put(values, jax.memory.Space.Host)
