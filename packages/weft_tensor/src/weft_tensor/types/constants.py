"""The numbers that NumPy names."""

from __future__ import annotations

from typing import Final

import numpy as np

__all__ = ["e", "euler_gamma", "inf", "nan", "newaxis", "pi"]

pi: Final = float(np.pi)
e: Final = float(np.e)
inf: Final = float("inf")
nan: Final = float("nan")
euler_gamma: Final = float(np.euler_gamma)
newaxis: Final = None
