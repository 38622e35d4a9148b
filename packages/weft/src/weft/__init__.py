"""Weft: expressions over arrays, differentiated, rewritten and compiled.

`import weft.tensor as wt` serves most users; what is here works for any type of value.
"""

import sys
from typing import TYPE_CHECKING, Any

from weft_graph import *
from weft_graph import __all__, __version__, no_such_name

__all__ = [*__all__, "__version__"]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        tensors = getattr(sys.modules.get("weft_tensor"), "__all__", ())
        offered = {n: f"weft.tensor.{n}" for n in tensors} | {n: n for n in __all__}
        offered["tensor"] = "import weft.tensor as wt"
        raise no_such_name(f"module {__name__!r}", name, offered)
