"""What to raise where JAX fails to trace a function."""

from __future__ import annotations

from collections.abc import Callable

import jax
import numpy as np

from weft_graph import FunctionGraph, LoweringError
from weft_graph.extend import Reference, names_node, node_note, retold, says_more
from weft_jax.compile.tracing import Run, failed_step
from weft_jax.lowering.on_host import on_host
from weft_jax.runtime.runtime_checks import Bounds

__all__ = ["error_translator", "forget_frames", "with_translated_errors"]

_ABOUT_TRACING = (jax.errors.JAXTypeError, jax.errors.JAXIndexError)
"""What JAX raises for implementations that it can't trace, whatever the values."""
_ON_FRAMES = "JAX has removed its internal frames"
"""In a note that JAX adds to errors that it lets through; users here know nothing of frames."""


def error_translator(graph: FunctionGraph, bounds: Bounds) -> Callable[..., None]:
    """A function of JAX's error and the values of the graph's inputs: raises a better error.

    An implementation that JAX can't trace: a LoweringError that names the node. Values that
    do not fit: what Python raises for them, so that all backends raise the same types, and tell
    the index that is out of bounds. Memory that runs out: a MemoryError, at once. If there is no
    better one, the error gets a note on the node that it came from.
    """
    reference = Reference(graph)

    def better(error: Exception, *values: object) -> Exception:
        forget_frames(error)
        is_known = names_node(error) and type(error) is not IndexError  # which lacks the index
        may_lack_words = is_known and type(error) is ValueError
        if isinstance(error, FloatingPointError) or (is_known and not may_lack_words):
            return error
        step = failed_step(error)
        if isinstance(error, _ABOUT_TRACING):
            return error if step is None else LoweringError.of("JAX", _gist(error), *step)
        if "RESOURCE_EXHAUSTED" in str(error):
            return MemoryError(_gist(error))
        again = None
        if not any(isinstance(v, jax.Array) and _is_out_of_reach(v) for v in values):
            with np.errstate(all="ignore"):
                again = reference.error(*map(on_host, values))
        try:
            if bounds == "clip" and type(again) is IndexError:  # it is none here
                return error
            if again is not None and type(again) is not type(error) and not is_known:
                return again
            if again is not None and (type(error) is IndexError or says_more(error, again)):
                return retold(error, again)
            if is_known:
                return error
            if step is not None and not names_node(error):
                error.add_note(node_note(*step))
            elif again is not None:  # it failed in XLA, and knows no node
                for note in again.__notes__[-1:]:
                    error.add_note(note)
            return error
        finally:
            del again  # its traceback leads here: neither would die, nor the values

    def translate_error(error: Exception, *values: object) -> None:
        fault = better(error, *values)
        if fault is not error:
            try:
                raise fault from error
            finally:
                del fault, error

    return translate_error


def with_translated_errors(run: Run, translate_error: Callable[..., None]) -> Run:
    """`run`, where nobody else asks `translate_error` about its errors."""

    def translated_run(*values: object) -> object:
        try:
            return run(*values)
        except Exception as error:
            translate_error(error, *values)
            raise

    return translated_run


def forget_frames(error: Exception) -> None:
    """Take away what JAX says of its own frames.

    >>> error = ValueError("too long")
    >>> error.add_note("For simplicity, JAX has removed its internal frames from the traceback")
    >>> forget_frames(error)
    >>> error.__notes__
    []
    """
    notes = getattr(error, "__notes__", None)
    if notes:
        notes[:] = [note for note in notes if _ON_FRAMES not in note]


def _is_out_of_reach(array: jax.Array) -> bool:
    """Whether parts of it are in other processes, or it was state and is overwritten."""
    return array.is_deleted() or not array.is_fully_addressable


def _gist(error: Exception) -> str:
    return str(error).splitlines()[0].rstrip(".:")
