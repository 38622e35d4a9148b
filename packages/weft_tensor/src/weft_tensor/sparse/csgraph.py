"""Graphs: `wt.sparse.csgraph`, with names of `scipy.sparse.csgraph`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from weft_tensor.front.keywords import take_keywords
from weft_tensor.front.unknown_name import unknown_name
from weft_tensor.ops.sparse.graphs.components import connected_components, minimum_spanning_tree
from weft_tensor.ops.sparse.graphs.laplacians import laplacian
from weft_tensor.ops.sparse.graphs.paths import (
    bellman_ford,
    dijkstra,
    floyd_warshall,
    johnson,
    shortest_path,
)

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        raise unknown_name(__name__, name, {n: n for n in __all__}, "scipy.sparse.csgraph")


__all__ = [
    "bellman_ford",
    "connected_components",
    "dijkstra",
    "floyd_warshall",
    "johnson",
    "laplacian",
    "minimum_spanning_tree",
    "shortest_path",
]

take_keywords(globals())
