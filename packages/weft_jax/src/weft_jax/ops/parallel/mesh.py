"""The devices of a mesh, and arrays that are divided among them."""

from __future__ import annotations

import os
from typing import Any

import jax
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

from weft_jax.lowering.x64 import enable_x64
from weft_tensor import Mesh
from weft_tensor.extend import Spec, as_spec

__all__ = ["COUNT", "RANK", "WHERE", "connect", "device_mesh", "distribute", "sharding_of"]
WHERE, COUNT, RANK = "JAX_COORDINATOR_ADDRESS", "JAX_NUM_PROCESSES", "JAX_PROCESS_ID"
"""What `weft_jax.interop.launch` tells the processes that it starts, in their environment."""


def connect(timeout: int = 60) -> tuple[int, int]:
    """Meet the other processes that `weft_jax.interop.launch` has started; call it before all else.

    Returns the place of this process, from 0, and the number of processes. A process that was
    not launched so is the only one. Where something else starts the processes, call
    `jax.distributed.initialize` instead.

    >>> connect()
    (0, 1)
    """
    if COUNT in os.environ:
        configure: Any = jax.config.update
        configure("jax_cpu_collectives_implementation", "gloo")  # older versions have no default
        jax.distributed.initialize(
            os.environ[WHERE],
            num_processes=int(os.environ[COUNT]),
            process_id=int(os.environ[RANK]),
            initialization_timeout=timeout,
        )
    return jax.process_index(), jax.process_count()


def device_mesh(mesh: Mesh) -> jax.sharding.Mesh:
    """The first of all devices that JAX has, in the grid of `mesh`.

    Raises ValueError if there are too few.

    >>> device_mesh(Mesh(data=1)).shape["data"]
    1
    """
    devices = jax.devices()
    if len(devices) < mesh.size:
        raise ValueError(
            f"{mesh} needs {mesh.size} devices, but JAX has {len(devices)}; to try things out, "
            f"make some of one CPU: python -m weft_jax.interop.launch --devices {mesh.size} SCRIPT"
        )
    grid = np.array(devices[: mesh.size], dtype=object).reshape(mesh.shape)
    return jax.sharding.Mesh(grid, mesh.names)


def sharding_of(mesh: Mesh, spec: Spec) -> NamedSharding:
    """JAX's name for an array of which the devices of `mesh` hold the parts that `spec` says.

    >>> tuple(sharding_of(Mesh(data=1), (("data",), ())).spec)
    ('data', None)
    """
    partition: Any = PartitionSpec
    return NamedSharding(device_mesh(mesh), partition(*(names or None for names in spec)))


def distribute(x: Any, mesh: Mesh, *spec: Any, local: bool = False) -> jax.Array:
    """An array of JAX that is divided among the devices of `mesh`, to be passed again and again.

    Parameters
    ----------
    x
        The whole array; every process gives the same. With `local`, what this process has of
        it: the array is what all processes have, one behind another.
    mesh
        The devices.
    *spec
        As for `shard`: for each axis the name of an axis of the mesh, several names, or None.

    Examples
    --------
    >>> x = distribute(np.arange(3.0), Mesh(data=1), "data")
    >>> tuple(x.sharding.spec), x.dtype
    (('data',), dtype('float64'))
    """
    array = np.asarray(x)
    own_spec = as_spec(spec, array.ndim, "distribute:")
    mesh.check(own_spec, "the array")
    if not local:
        mesh.split(array, own_spec, "the array")
    return put(array, sharding_of(mesh, own_spec), local=local)


def put(
    array: np.ndarray | jax.Array, sharding: NamedSharding, *, local: bool = False
) -> jax.Array:
    """`array`, in its own dtype, on the devices of `sharding`."""
    make: Any = jax
    placed: jax.Array
    with enable_x64(True):
        if local:
            placed = make.make_array_from_process_local_data(sharding, array)
        elif jax.process_count() == 1 or isinstance(array, jax.Array):
            placed = jax.device_put(array, sharding)
        else:
            placed = jax.make_array_from_callback(array.shape, sharding, lambda part: array[part])
    return placed
