"""`check_function`: a function of tensors against the one that it is named after."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import entry_points
from typing import Any, NamedTuple

import numpy as np

from weft_graph import Variable, function
from weft_tensor import TensorType
from weft_testing.tolerances import assert_same

__all__ = ["Case", "case", "check_function"]


class Case(NamedTuple):
    """One call: arrays among the arguments become inputs, all else is given as it is."""

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]

    def __str__(self) -> str:
        arguments = [*map(_described, self.args), *(f"{k}={v!r}" for k, v in self.kwargs.items())]
        return f"({', '.join(arguments)})"


def case(*args: object, **kwargs: object) -> Case:
    """A call to be checked by `check_function`.

    >>> print(case(np.zeros((2, 3)), 1, keepdims=True))
    (float64[2, 3], 1, keepdims=True)
    """
    return Case(args, kwargs)


def check_function(
    compute: Callable[..., object],
    reference: Callable[..., object],
    cases: Iterable[Case],
    backends: Sequence[str] | None = None,
) -> int:
    """Check a function of tensors against NumPy's, or another of arrays, on all backends.

    Every array among the arguments becomes an input of unknown lengths. Dtypes, shapes and
    values must be the same; where the reference raises, ours must raise an error, when the
    expression is written or at the call.

    Parameters
    ----------
    compute
        The function of tensors; it may return several in a tuple or list.
    reference
        The function of arrays.
    cases
        What `case` returns.
    backends
        Names of backends; by default all that are installed.

    Returns
    -------
    The number of cases.

    Raises
    ------
    AssertionError
        listing all that is wrong.

    Examples
    --------
    >>> from weft_tensor import mean
    >>> check_function(mean, np.mean, [case(np.arange(3.0)), case(np.ones((2, 2)), axis=1)])
    2
    """
    if backends is None:
        backends = ["py", *sorted({e.name for e in entry_points(group="weft.linkers")} - {"py"})]
    cases = list(cases)
    right: list[tuple[Case, list[np.ndarray]]] = []
    problems: list[str] = []
    for each in cases:
        reference_outcome = _outcome(reference, each)
        if isinstance(reference_outcome, Exception):
            problems += _not_refused(compute, each, reference_outcome)
        else:
            right.append((each, reference_outcome))
    for backend in backends:
        if _difference(compute, right, backend):
            alone = [(pair[0], _difference(compute, [pair], backend)) for pair in right]
            faults = [f"{each}: {backend}: {text}" for each, text in alone if text]
            problems += faults or [f"all cases in one function: {backend}"]
    if problems:
        raise AssertionError("\n\n".join([f"{len(problems)} problems", *problems]))
    return len(cases)


def _described(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)}"
    if isinstance(value, (list, tuple)) and any(isinstance(v, np.ndarray) for v in value):
        return f"[{', '.join(map(_described, value))}]"
    return repr(value)


def _outcome(reference: Callable[..., object], each: Case) -> list[np.ndarray] | Exception:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return list(map(np.asarray, _listed(reference(*each.args, **each.kwargs))))
        except Exception as error:
            return error


def _listed(results: object) -> list[Any]:
    return list(results) if isinstance(results, (list, tuple)) else [results]


def _symbolic(value: Any, inputs: list[Variable], arrays: list[np.ndarray]) -> object:
    """`value` with an input in place of each array in it."""
    if isinstance(value, np.ndarray):
        inputs.append(TensorType(value.dtype, [None] * value.ndim)(f"x{len(inputs)}"))
        arrays.append(value)
        return inputs[-1]
    if type(value) in (list, tuple):
        return type(value)([_symbolic(v, inputs, arrays) for v in value])
    return value


def _built(
    compute: Callable[..., object], each: Case, inputs: list[Variable], arrays: list[np.ndarray]
) -> list[Any]:
    args = [_symbolic(v, inputs, arrays) for v in each.args]
    kwargs = {k: _symbolic(v, inputs, arrays) for k, v in each.kwargs.items()}
    return _listed(compute(*args, **kwargs))


def _difference(
    compute: Callable[..., object], pairs: Sequence[tuple[Case, list[np.ndarray]]], backend: str
) -> str | None:
    """Where `backend` differs for these cases, in one function: that compiles sooner."""
    inputs: list[Variable] = []
    arrays: list[np.ndarray] = []
    outputs: list[Any] = []
    references: list[np.ndarray] = []
    try:
        with np.errstate(all="ignore"):
            for each, right in pairs:
                results = _built(compute, each, inputs, arrays)
                assert len(results) == len(right), f"{len(results)} results, not {len(right)}"
                outputs += results
                references += right
            compiled = function(inputs, outputs, mode=backend)
            for actual, target in zip(compiled(*arrays), references, strict=True):
                assert_same(actual, target)
    except Exception as error:
        notes = "\n".join(getattr(error, "__notes__", []))
        return f"{type(error).__name__}: {error}\n{notes}".rstrip()
    return None


def _not_refused(compute: Callable[..., object], each: Case, error_type: Exception) -> list[str]:
    """What is wrong if what the reference refuses is not refused, too."""
    inputs: list[Variable] = []
    arrays: list[np.ndarray] = []
    try:
        with np.errstate(all="ignore"):
            function(inputs, _built(compute, each, inputs, arrays), mode="py")(*arrays)
    except Exception as error:
        if isinstance(error, type(error_type)) or isinstance(error_type, type(error)):
            return []
        return [f"{each}: {type(error).__name__}: {error}, where the reference has {error_type!r}"]
    return [f"{each}: no error, where the reference has {error_type!r}"]
