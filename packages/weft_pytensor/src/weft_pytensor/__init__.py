"""PyTensor's graphs and PyMC's models on Weft.

`from_pytensor` makes a graph of Weft's of PyTensor's, `to_pytensor` an Op of PyTensor's of a graph
of Weft's. Importing this package makes the modes WEFT (the same as WEFT_NUMBA), WEFT_JAX and
WEFT_PY known to `pytensor.function`, and changes nothing else of PyTensor.
"""

from weft_graph import treat_as_internal
from weft_pytensor import ops as _ops  # noqa: F401  # fills the table
from weft_pytensor.convert.from_pytensor import Converted, from_pytensor
from weft_pytensor.convert.host import NoConverterError, NoConverterWarning
from weft_pytensor.convert.to_pytensor import WeftOp, to_pytensor
from weft_pytensor.mode.linker import WeftLinker, register_modes
from weft_pytensor.models.compiled import CompiledModel, compile_pymc

__version__ = "0.1.0"

__all__ = [
    "CompiledModel",
    "Converted",
    "NoConverterError",
    "NoConverterWarning",
    "WeftLinker",
    "WeftOp",
    "compile_pymc",
    "from_pytensor",
    "to_pytensor",
]

treat_as_internal("weft_pytensor")
register_modes()
