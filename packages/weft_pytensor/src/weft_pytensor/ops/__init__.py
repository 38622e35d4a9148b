"""What makes each node: PyTensor's node and Weft's inputs come in, Weft's results go out.

The faces `from_pytensor` and the modes use the table that these modules fill.
"""

from weft_pytensor.ops import control as control
from weft_pytensor.ops import elementwise as elementwise
from weft_pytensor.ops import indexing as indexing
from weft_pytensor.ops import linalg as linalg
from weft_pytensor.ops import pymc as pymc
from weft_pytensor.ops import random as random
from weft_pytensor.ops import reduction as reduction
from weft_pytensor.ops import scalar_loops as scalar_loops
from weft_pytensor.ops import scan as scan
from weft_pytensor.ops import shape as shape
from weft_pytensor.ops import signal as signal
from weft_pytensor.ops import sorting as sorting
from weft_pytensor.ops import sparse as sparse
from weft_pytensor.ops import tridiagonal as tridiagonal
