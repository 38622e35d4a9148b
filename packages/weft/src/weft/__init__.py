"""Weft: expressions over arrays, differentiated, rewritten and compiled.

`import weft.tensor as wt` serves most users. What is here works for any type of value; where
`weft_graph` and `weft.tensor` have functions of one name, as `shared`, it is the tensors'.
"""

from typing import TYPE_CHECKING

import weft_tensor
from weft_graph import __all__, __version__
from weft_graph.extend import imported_late, no_such_name

if TYPE_CHECKING:
    from weft_tensor import assert_op as assert_op
    from weft_tensor import check_and_raise as check_and_raise
    from weft_tensor import constant as constant
    from weft_tensor import diff as diff
    from weft_tensor import print_value as print_value
    from weft_tensor import shared as shared

if TYPE_CHECKING:
    from weft_graph import *  # type: ignore[assignment]  # of one name, the first counts
else:
    _HOMES = dict.fromkeys(__all__, "weft_graph")
    _OF_TENSORS = "assert_op check_and_raise constant diff print_value shared"
    _HOMES |= dict.fromkeys(_OF_TENSORS.split(), "weft_tensor")

    def _otherwise(name: str) -> object:
        homes = {n: f"weft.tensor.{n}" for n in weft_tensor.__all__} | {n: n for n in __all__}
        homes["tensor"] = "import weft.tensor as wt"
        raise no_such_name(f"module {__name__!r}", name, homes)

    __getattr__, __dir__ = imported_late(__name__, _HOMES, otherwise=_otherwise)


__all__ = [*__all__, "__version__"]
