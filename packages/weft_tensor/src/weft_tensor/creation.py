"""Tensors made of numbers and lengths, by a path that docs name."""

from weft_tensor.ops.creation.creation import *
from weft_tensor.ops.creation.creation import __all__ as __all__
