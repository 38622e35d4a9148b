"""One graph on two backends: the same results, or an error that says where they differ."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from weft_graph import Function, FunctionGraph, MissingLoweringError, Mode, Variable, function
from weft_graph.extend import Linker
from weft_tensor import TensorOp
from weft_testing.tolerances import assert_close

__all__ = ["check_lowered", "compare_backends", "compare_jax_and_py", "compare_numba_and_py"]

Assert = Callable[[Any, Any], None]


def compare_jax_and_py(
    graph: FunctionGraph | Sequence[Variable],
    *rest: Any,
    assert_fn: Assert = assert_close,
) -> tuple[Function, Any]:
    """Compile a graph for JAX and for Python, and compare what they compute.

    Called as `compare_jax_and_py(fgraph, test_inputs)` or as
    `compare_jax_and_py(graph_inputs, graph_outputs, test_inputs)`.

    Parameters
    ----------
    test_inputs
        One value per input.
    assert_fn
        Called with (JAX's result, Python's result) for every output; by default they must be
        close. Dtypes and shapes must be equal in any case.

    Returns
    -------
    The function compiled for JAX, and its results.

    Raises
    ------
    AssertionError
        if results, dtypes or shapes differ, or an input was modified.

    Examples
    --------
    >>> from weft_tensor import sin, vector
    >>> x = vector("x")
    >>> compiled, results = compare_jax_and_py([x], [sin(x)], [[0.0, 1.0]])
    >>> results[0].shape
    (2,)
    """
    return compare_backends("jax", graph, *rest, assert_fn=assert_fn)


def compare_numba_and_py(
    graph: FunctionGraph | Sequence[Variable], *rest: Any, assert_fn: Assert = assert_close
) -> tuple[Function, Any]:
    """Compile a graph for Numba and for Python, and compare what they compute.

    Arguments, results and errors are those of `compare_jax_and_py`.

    >>> from weft_tensor import sin, vector
    >>> x = vector("x")
    >>> compiled, results = compare_numba_and_py(FunctionGraph([x], [sin(x)]), [[0.0, 1.0]])
    >>> results[0].shape
    (2,)
    """
    return compare_backends("numba", graph, *rest, assert_fn=assert_fn)


def compare_backends(
    mode: Mode | str,
    graph: FunctionGraph | Sequence[Variable],
    *rest: Any,
    assert_fn: Assert = assert_close,
) -> tuple[Function, Any]:
    """Compare `mode` with the Python backend without any rewriting.

    Arguments, results and errors are those of `compare_jax_and_py`. A linker that
    `flushes_subnormals` is compared with Python for zeros in place of such inputs, too.
    """
    inputs, outputs, values = _read(graph, rest)
    reference = function(inputs, outputs, mode=Mode("py", books=[]))
    compiled = function(inputs, outputs, mode=mode)
    before = [_copy(v) for v in values]
    references = [_listed(reference(*values))]
    _assert_unmodified(values, before, "py")
    result = compiled(*values)
    _assert_unmodified(values, before, compiled.mode.linker.name)
    zeros = [_without_subnormals(v) for v in values]
    if compiled.mode.linker.flushes_subnormals and any(z is not None for z in zeros):
        others = [v if zero is None else zero for v, zero in zip(values, zeros, strict=True)]
        references.append(_listed(reference(*others)))
    variables = [outputs] if isinstance(outputs, Variable) else list(outputs)
    for v, actual, wanted, *others in zip(variables, _listed(result), *references, strict=True):
        place = f"{v!r} by {compiled.mode.linker.name}"
        if isinstance(wanted, np.ndarray):
            assert isinstance(actual, np.ndarray), f"{place} is a {type(actual).__name__}"
            assert actual.dtype == wanted.dtype, f"{place}: {actual.dtype}, not {wanted.dtype}"
            assert actual.shape == wanted.shape, f"{place}: {actual.shape}, not {wanted.shape}"
        if any(_agree(assert_fn, actual, other) for other in others):
            continue
        try:
            assert_fn(actual, wanted)
        except AssertionError as error:
            error.add_note(f"{place} differs from py")
            raise
    return compiled, result


def _read(
    graph: FunctionGraph | Sequence[Variable], rest: tuple[Any, ...]
) -> tuple[Sequence[Variable], Any, Sequence[Any]]:
    """The two forms of calling, as inputs, outputs and values."""
    if isinstance(graph, FunctionGraph):
        if len(rest) != 1:
            raise TypeError("after a FunctionGraph, give the test inputs and nothing else")
        return graph.inputs, list(graph.outputs), list(rest[0])
    if len(rest) != 2:
        raise TypeError("give (fgraph, test_inputs), or (graph_inputs, graph_outputs, test_inputs)")
    return list(graph), rest[0], list(rest[1])


def _listed(results: object) -> list[object]:
    return list(results) if isinstance(results, (list, tuple)) else [results]


def _copy(value: object) -> object:
    return np.array(value) if isinstance(value, np.ndarray) else value


def _without_subnormals(value: object) -> np.ndarray | None:
    """`value` with 0 in place of subnormal numbers; None if it has none."""
    array = np.asarray(value)
    if array.dtype.kind != "f":
        return None
    small = (array != 0) & (np.abs(array) < np.finfo(array.dtype).tiny)
    return np.where(small, np.zeros_like(array), array) if small.any() else None


def _agree(assert_fn: Assert, actual: object, reference: object) -> bool:
    try:
        assert_fn(actual, reference)
    except AssertionError:
        return False
    return True


def _assert_unmodified(values: Iterable[Any], before: Iterable[Any], backend: str) -> None:
    for position, (now, then) in enumerate(zip(values, before, strict=True)):
        if isinstance(now, np.ndarray):
            same = np.array_equal(now, then, equal_nan=now.dtype.kind in "fc")
            assert same, f"input {position} was modified by {backend}"


def check_lowered(node: Variable, linker: Linker) -> None:
    """Raise MissingLoweringError if `linker` knows neither the Op nor all of its expansion."""
    try:
        linker.funcify(node)
    except MissingLoweringError:
        expansion = node.op.expanded(*node.inputs) if isinstance(node.op, TensorOp) else None
        if expansion is None:
            raise
        for inner in FunctionGraph(node.inputs, [expansion]).nodes:
            check_lowered(inner, linker)
