"""What `weft` takes from `weft_graph`: all that `weft_tensor` has no function of its own for."""

from weft_graph import *
from weft_graph import __all__ as _offered
from weft_tensor import __all__ as _of_tensors

__all__ = sorted(set(_offered) - set(_of_tensors))
