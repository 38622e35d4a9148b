"""Rotations and rigid motions, where SciPy has them: `wt.spatial.transform`."""

from __future__ import annotations

from weft_tensor.spatial.rigid import RigidTransform
from weft_tensor.spatial.rotation import Rotation, Slerp
from weft_tensor.spatial.rotation_spline import RotationSpline

__all__ = ["RigidTransform", "Rotation", "RotationSpline", "Slerp"]
