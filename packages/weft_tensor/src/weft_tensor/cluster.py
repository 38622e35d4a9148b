"""Clusters: `wt.cluster`, with the names of `scipy.cluster.vq`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from weft_tensor.front.unknown_name import unknown_name
from weft_tensor.ops.summaries.clusters import kmeans, kmeans2, vq, whiten

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        raise unknown_name(__name__, name, {n: n for n in __all__}, "scipy.cluster.vq")


__all__ = ["kmeans", "kmeans2", "vq", "whiten"]
