"""What is kept on disk.

In: a request, or its machine code.
Out: machine code, or nothing.
Next: the linker, which asks all of these.
"""

from weft_numba.cache.files import *
from weft_numba.cache.files import __all__ as __all__
