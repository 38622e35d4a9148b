"""`jax_funcify`, by the path that errors and tutorials name."""

from weft_jax.lowering.dispatch import *
from weft_jax.lowering.dispatch import __all__ as __all__
