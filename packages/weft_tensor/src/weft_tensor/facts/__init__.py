"""Facts about tensors: `wt.facts`.

In: a tensor variable.
Out: True, False or None.
Next: weft_rewrites, which asks.
"""

from weft_tensor.facts import elementwise, factors, matrices
from weft_tensor.facts.definitions import *
from weft_tensor.facts.definitions import __all__ as __all__

_FACT_RULES = (elementwise, factors, matrices)
"""The modules that say, when they are imported, which facts follow from which."""
