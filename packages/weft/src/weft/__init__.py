"""Weft: expressions over arrays, differentiated, rewritten and compiled.

`import weft.tensor as wt` serves most users. What is here works for any type of value; where
`weft_graph` and `weft.tensor` have functions of one name, as `shared`, it is the tensors'.
"""

import sys
from typing import TYPE_CHECKING

from weft_graph import __all__, __version__
from weft_graph.extend import imported_late, no_such_name, without_collecting

with without_collecting():  # of what is imported nothing is garbage
    from weft_tensor import assert_op as assert_op
    from weft_tensor import check_and_raise as check_and_raise
    from weft_tensor import constant as constant
    from weft_tensor import diff as diff
    from weft_tensor import print_value as print_value
    from weft_tensor import shared as shared

if TYPE_CHECKING:
    from weft_graph import *  # type: ignore[assignment]  # of one name, the first counts
else:
    _of_graphs = {n: "weft_graph" for n in __all__ if n not in globals()}
    _late, __dir__ = imported_late(__name__, _of_graphs)

    def __getattr__(name: str) -> object:
        if name in _of_graphs:
            return _late(name)
        tensors = getattr(sys.modules.get("weft_tensor"), "__all__", ())
        offered = {n: f"weft.tensor.{n}" for n in tensors} | {n: n for n in __all__}
        offered["tensor"] = "import weft.tensor as wt"
        raise no_such_name(f"module {__name__!r}", name, offered)


__all__ = [*__all__, "__version__"]
