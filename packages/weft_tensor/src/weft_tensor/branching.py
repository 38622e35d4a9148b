"""`ifelse`, by a path that docs name."""

from weft_tensor.ops.control.ifelse import *
from weft_tensor.ops.control.ifelse import __all__ as __all__
