"""The JAX backend of Weft: `mode="jax"`."""

from weft_jax.analysis.shape_policy import DynamicShapeError
from weft_jax.compile.compile_stats import RecompileWarning
from weft_jax.compile.persistent_cache import cache_compilations
from weft_jax.interop.as_jax import as_jax
from weft_jax.interop.wrap_jax import JAXFunction, JAXOp, wrap_jax
from weft_jax.linker import JAXLinker
from weft_jax.lowering.dispatch import jax_funcify
from weft_jax.ops.control import barrier as checkpointing
from weft_jax.ops.control import effects, map, op_from_graph
from weft_jax.ops.control import ifelse as branching
from weft_jax.ops.control.map import DynamicShapeInLoopError
from weft_jax.ops.creation import creation
from weft_jax.ops.elementwise import cast
from weft_jax.ops.elementwise import table as elemwise
from weft_jax.ops.indexing import index as indexing
from weft_jax.ops.indexing import nonzero, searchsorted
from weft_jax.ops.indexing import sort as sorting
from weft_jax.ops.linalg import lu
from weft_jax.ops.linalg import matmul as products
from weft_jax.ops.linalg import solve_det_cholesky as linalg
from weft_jax.ops.parallel import collectives, shard_map
from weft_jax.ops.parallel.mesh import connect, distribute
from weft_jax.ops.parallel.sharding import JAX
from weft_jax.ops.reduction import cumulative
from weft_jax.ops.reduction import standard as reduction
from weft_jax.ops.shape import concatenate as joining
from weft_jax.ops.shape import length
from weft_jax.ops.shape import reshape as shape
from weft_jax.runtime.runtime_checks import require

_LOWERINGS = (
    branching,
    cast,
    checkpointing,
    collectives,
    creation,
    cumulative,
    effects,
    elemwise,
    indexing,
    joining,
    length,
    linalg,
    lu,
    map,
    nonzero,
    op_from_graph,
    products,
    reduction,
    shape,
    shard_map,
    searchsorted,
    sorting,
)
"""The modules that fill the table when they are imported."""

__version__ = "0.1.0"

__all__ = [
    "JAX",
    "DynamicShapeError",
    "DynamicShapeInLoopError",
    "JAXFunction",
    "JAXLinker",
    "JAXOp",
    "RecompileWarning",
    "as_jax",
    "cache_compilations",
    "connect",
    "distribute",
    "jax_funcify",
    "require",
    "wrap_jax",
]
