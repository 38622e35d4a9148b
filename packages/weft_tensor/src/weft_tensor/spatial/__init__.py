"""Space: `wt.spatial`, with names of `scipy.spatial`; rotations are in `wt.spatial.transform`, too.

In: vectors along the last axis, matrices, angles.
Out: rotations, distances, figures laid upon each other.
Next: graphs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from weft_tensor import distance as distance
from weft_tensor.front.keywords import take_keywords
from weft_tensor.front.unknown_name import unknown_name
from weft_tensor.spatial import transform as transform
from weft_tensor.spatial.figures import (
    distance_matrix,
    geometric_slerp,
    minkowski_distance,
    procrustes,
)
from weft_tensor.spatial.neighbours import KDTree
from weft_tensor.spatial.rigid import RigidTransform
from weft_tensor.spatial.rotation import Rotation, Slerp
from weft_tensor.spatial.rotation_spline import RotationSpline

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        raise unknown_name(__name__, name, {n: n for n in __all__}, "scipy.spatial")


cKDTree = KDTree
"""SciPy's other name of it."""

__all__ = [
    "KDTree",
    "RigidTransform",
    "Rotation",
    "RotationSpline",
    "Slerp",
    "cKDTree",
    "distance_matrix",
    "geometric_slerp",
    "minkowski_distance",
    "procrustes",
]

take_keywords(globals())
