"""Compare special functions with the data of SciPy's own tests.

`python -m tools.special_data MODE [NAME ...]` evaluates each function of `wt.special` for which
SciPy's tests have data (Boost's and others), compiled for the mode, in 64 bits, and prints where it
is further than 1e-12 of the result from both the data and SciPy's own function, the worst first.
Next to zeros of oscillating functions no function is near.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any, Final

import numpy as np
import scipy.special

import weft.tensor as wt

__all__ = ["main", "sets_of_data", "worst"]

_TOLERANCE: Final = 1e-12


def sets_of_data() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """The names, the columns of arguments and the results, of real numbers.

    >>> name, arguments, results = next(sets_of_data())
    >>> arguments.shape[1] == len(results)
    True
    """
    for case in import_module("scipy.special.tests.test_data").BOOST_TESTS:
        data: Any = getattr(case, "values", [case])[0]
        name, columns, results = data.func.__name__, data.param_columns, data.result_columns
        is_table = data.data.ndim == 2 and all(isinstance(k, int) for k in columns)
        if is_table and results is not None and len(results) == 1 and hasattr(wt.special, name):
            table = data.data.astype("float64")
            yield name, table[:, list(columns)].T, table[:, results[0]]


def worst(mode: Any, name: str, arguments: np.ndarray, results: np.ndarray) -> tuple[float, str]:
    """The largest error of a function, and where that is.

    >>> worst("py", "gamma", np.array([[5.0, 1.0]]), np.array([24.0, 1.0]))[0] < 1e-15
    True
    """
    inputs = [wt.vector(f"x{k}") for k in range(len(arguments))]
    compiled = wt.function(inputs, getattr(wt.special, name)(*inputs), mode=mode)
    with np.errstate(all="ignore"):
        ours, theirs = compiled(*arguments), getattr(scipy.special, name)(*arguments)
        errors = np.minimum(*[_apart(ours, right) for right in (results, theirs)])
    k = int(np.argmax(errors))
    return float(errors[k]), f"{name}{tuple(arguments[:, k].tolist())}: {ours[k]}, not {results[k]}"


def _apart(ours: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The relative error; none where the result is too small for a number, or both are none."""
    alike = (ours == right) | (np.isnan(ours) & np.isnan(right))
    error = np.abs(ours - right) / np.abs(right)
    error = np.where(np.isnan(error), np.inf, error)
    return np.where(alike | (np.abs(right) < np.finfo(float).tiny), 0.0, error)


def main(mode: str, *names: str) -> None:
    """Print what is further away, and how many sets were compared."""
    errors = [
        worst(mode, name, arguments, results)
        for name, arguments, results in sets_of_data()
        if not names or name in names
    ]
    for error, place in sorted(errors, reverse=True):
        if error > _TOLERANCE:
            print(f"{error:.1e} {place}")
    print(f"{len(errors)} sets of data")


if __name__ == "__main__":
    main(*sys.argv[1:])
