"""How far vectors are apart: `wt.distance`, with the names of `scipy.spatial.distance`.

In: vectors, or rows of matrices.
Out: distances.
Next: graphs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from weft_tensor.distance.booleans import (
    dice,
    jaccard,
    rogerstanimoto,
    russellrao,
    sokalsneath,
    yule,
)
from weft_tensor.distance.metrics import (
    braycurtis,
    canberra,
    chebyshev,
    cityblock,
    correlation,
    cosine,
    euclidean,
    hamming,
    jensenshannon,
    mahalanobis,
    minkowski,
    seuclidean,
    sqeuclidean,
)
from weft_tensor.distance.pairs import (
    HausdorffResult,
    cdist,
    directed_hausdorff,
    pdist,
    squareform,
)
from weft_tensor.front.keywords import take_keywords
from weft_tensor.front.unknown_name import unknown_name

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        raise unknown_name(__name__, name, {n: n for n in __all__}, "scipy.spatial.distance")


__all__ = [
    "HausdorffResult",
    "braycurtis",
    "canberra",
    "cdist",
    "chebyshev",
    "cityblock",
    "correlation",
    "cosine",
    "dice",
    "directed_hausdorff",
    "euclidean",
    "hamming",
    "jaccard",
    "jensenshannon",
    "mahalanobis",
    "minkowski",
    "pdist",
    "rogerstanimoto",
    "russellrao",
    "seuclidean",
    "sokalsneath",
    "sqeuclidean",
    "squareform",
    "yule",
]

take_keywords(globals())
