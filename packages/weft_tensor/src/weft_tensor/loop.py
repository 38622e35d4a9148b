"""Loops as JAX has them: `wt.loop.scan` and its like."""

from weft_tensor.front.keywords import take_keywords
from weft_tensor.ops.control.loops import fori_loop, scan, while_loop

__all__ = ["fori_loop", "scan", "while_loop"]

take_keywords(globals())
