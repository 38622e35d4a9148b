"""The JAX backend of Weft: `mode="jax"`."""

from weft_jax import (
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
    sorting,
)
from weft_jax.caching import cache_compilations
from weft_jax.checks import require
from weft_jax.compiles import RecompileWarning
from weft_jax.dispatch import jax_funcify
from weft_jax.forbidding import DynamicShapeError
from weft_jax.linker import JAXLinker
from weft_jax.map import DynamicShapeInLoopError
from weft_jax.mesh import connect, distribute
from weft_jax.sharding import JAX
from weft_jax.traceable import as_jax
from weft_jax.wrap import JAXFunction, JAXOp, wrap_jax

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
