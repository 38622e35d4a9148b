"""Rotations, where SciPy has them: `wt.spatial.transform`."""

from __future__ import annotations

from weft_tensor.spatial.rotation import Rotation, Slerp

__all__ = ["Rotation", "Slerp"]
