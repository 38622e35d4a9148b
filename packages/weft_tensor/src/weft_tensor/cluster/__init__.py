"""Clusters of observations: `wt.cluster`, with the names of `scipy.cluster.vq`.

In: rows of matrices.
Out: centres, and which of them is nearest to each row.
Next: graphs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from weft_tensor.cluster import hierarchy
from weft_tensor.cluster.means import kmeans, kmeans2, vq, whiten
from weft_tensor.front.keywords import take_keywords
from weft_tensor.front.unknown_name import unknown_name

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        raise unknown_name(__name__, name, {n: n for n in __all__}, "scipy.cluster.vq")


__all__ = ["hierarchy", "kmeans", "kmeans2", "vq", "whiten"]

take_keywords(globals())
