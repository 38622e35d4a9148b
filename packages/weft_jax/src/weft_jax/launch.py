"""Starting many processes, by the path that docs name."""

from weft_jax.interop.launch import *
from weft_jax.interop.launch import __all__ as __all__
