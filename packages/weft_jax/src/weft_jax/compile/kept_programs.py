"""What JAX has compiled for a CPU, on disk: later processes neither trace nor lower nor compile it.

A first call that takes 580 ms of a model of 230 nodes takes 40 so.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import blake2b
from typing import Any, Final

import jax
import numpy as np
from jax.experimental.serialize_executable import deserialize_and_load, serialize
from jaxlib import lapack

from weft_graph.extend import disk_cache

__all__ = ["KeptProgram", "NotKeptError", "keep_program"]

_PLACES: Final = ("cache", "_dir", "dump", "_log")
"""Settings of JAX that have these in their names do not change what is compiled."""
_WATCHING: Final = ("jax_debug_infs", "jax_debug_nans", "jax_disable_jit")
"""With these, JAX looks at what it runs."""


class NotKeptError(Exception):
    """What a call needs is not on disk: it is to be compiled."""


class KeptProgram:
    """What an earlier process has compiled, in the place of what compiles it.

    It is read when it is called first, and is for arguments of these shapes and dtypes alone:
    others are an error.
    """

    def __init__(self, entry: str, static: tuple[int, ...]) -> None:
        self._entry = entry
        self._static = static
        self.run: Callable[..., Any] = self._first

    def _first(self, *values: object) -> object:
        run = _loaded(self._entry, self._static, values)
        result = run(*values)
        # What JAX 0.10 hands each call on to, which takes it half a microsecond.
        self.run = getattr(run, "_call", None) or run
        return result


def keep_program(
    entry: str, jitted: Any, static: tuple[int, ...], values: Sequence[Any], about: str
) -> None:
    """Keep what JAX has compiled for `values`, if other processes can use it."""
    key = _key(entry, static, values)
    if key is None or disk_cache.directory() is None:
        return
    try:
        payload, _, tree = serialize(jitted.trace(*values).lower().compile())
        if b"python_cpu_callback" in payload:  # the address of a function
            return
        structure = jax.tree.unflatten(tree, range(tree.num_leaves))
        data = pickle.dumps((payload, structure))
    except Exception:  # JAX can't with all programs, nor with all versions
        return
    disk_cache.store(key, data, about)


def _loaded(entry: str, static: tuple[int, ...], values: Sequence[Any]) -> Callable[..., Any]:
    """The program for `values`; NotKeptError if there is none, or it is of no use."""
    key = _key(entry, static, values)
    content = None if key is None else disk_cache.load(key)
    if content is None:
        raise NotKeptError
    try:
        payload, structure = pickle.loads(content)
        if b"lapack" in payload:
            _with_lapack()
        inputs = jax.tree.structure((tuple(_arrays(static, values)), {}))
        devices = jax.devices()
        compiled: Callable[..., Any] = deserialize_and_load(
            payload, inputs, jax.tree.structure(structure), execution_devices=devices
        )
    except Exception as error:  # as above
        raise NotKeptError from error
    if not static:
        return compiled
    shapes = [values[k] for k in static]

    def run(*arguments: Any) -> Any:
        if [arguments[k] for k in static] != shapes:
            raise NotKeptError
        return compiled(*_arrays(static, arguments))

    return run


@cache
def _with_lapack() -> None:
    """Have JAX find the functions of LAPACK, which it looks for when it lowers."""
    prepare: Any = lapack.prepare_lapack_call  # which has no types
    prepare("potrf", np.dtype("float64"))


def _arrays(static: tuple[int, ...], values: Sequence[Any]) -> list[Any]:
    return [value for k, value in enumerate(values) if k not in static]


def _key(entry: str, static: tuple[int, ...], values: Sequence[Any]) -> str | None:
    """Under which key the program for `values` is kept; None if it is not."""
    if jax.default_backend() != "cpu" or jax.device_count() > 1:
        return None
    settings = {
        name: str(getattr(jax.config, name, value))
        for name, value in sorted(jax.config.values.items())
        if not any(part in name for part in _PLACES)
    }
    arrays = _arrays(static, values)
    if not all(settings.get(name, "False") == "False" for name in _WATCHING):
        return None
    if not all(isinstance(v, (np.ndarray, jax.Array)) for v in arrays):
        return None
    kinds = [(v.dtype.str, v.shape, getattr(v, "weak_type", False)) for v in arrays]
    described = repr((settings, [values[k] for k in static], kinds))
    return f"{entry}-{blake2b(described.encode(), digest_size=12).hexdigest()}"
