"""What is kept on disk.

In: a task, or its machine code.
Out: machine code, or nothing.
Next: the linker, which asks all of these.
"""

from weft_numba.cache.disk import *
from weft_numba.cache.disk import __all__ as __all__
