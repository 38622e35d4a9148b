"""What to raise where JAX fails to trace a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from weft_graph import LoweringError, Program, Reference

__all__ = ["raiser_of_better"]

_ABOUT_TRACING = (jax.errors.JAXTypeError, jax.errors.JAXIndexError)
"""What JAX raises for implementations that it can't trace, whatever the values."""


def raiser_of_better(reference: Reference, program: Program) -> Callable[..., None]:
    """A function of JAX's error and the inputs' values that raises a better error, if any is.

    An implementation that JAX can't trace: a LoweringError that names the node. Values that
    do not fit: what Python raises for them, so that all backends raise the same types. Memory
    that runs out: a MemoryError, at once.
    """

    def better(error: Exception, *values: Any) -> Exception:
        if isinstance(error, _ABOUT_TRACING):
            found = program.failed_at(error)
            return error if found is None else LoweringError.of("JAX", _gist(error), *found)
        if "RESOURCE_EXHAUSTED" in str(error):
            return MemoryError(_gist(error))
        if any(isinstance(v, jax.Array) and _is_out_of_reach(v) for v in values):
            return error
        with np.errstate(all="ignore"):
            again = reference.error(*map(np.asarray, values))
        try:
            if again is None:
                return error
            if type(again) is not type(error):
                return again
            if program.failed_at(error) is None:  # it failed in XLA, and knows no node
                for note in again.__notes__[-1:]:
                    error.add_note(note)
            return error
        finally:
            del again  # its traceback leads here: neither would die, nor the values

    def raise_better(error: Exception, *values: Any) -> None:
        fault = better(error, *values)
        if fault is not error:
            try:
                raise fault from error
            finally:
                del fault, error

    return raise_better


def _is_out_of_reach(array: jax.Array) -> bool:
    """Whether parts of it are in other processes, or it was state and is overwritten."""
    return array.is_deleted() or not array.is_fully_addressable


def _gist(error: Exception) -> str:
    return str(error).splitlines()[0].rstrip(".:")
