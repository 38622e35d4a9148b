"""How machine code takes what a program is given, and gives what it computes.

Each value is an argument or a result of its own, but for arrays of one type if there are many:
these are bundles, of which a program reads the elements.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final

from weft_graph import Variable
from weft_graph.extend import load_source
from weft_numba.lowering.numba_types import numba_type
from weft_numba.numba_layer.bundles import Bundle
from weft_tensor import TensorType

__all__ = ["MANY", "Groups", "adapted", "groups", "names", "one_by_one", "signature"]

MANY: Final = 16
"""So many arrays of one type are a bundle."""

Groups = tuple[tuple[int, ...], ...]
"""The positions of values that belong together: one for a value of its own."""


def groups(values: Sequence[Variable]) -> Groups:
    """Which of `values` are given together, in the order of the first of each.

    >>> from weft_tensor import scalar, vector
    >>> groups([scalar("s"), vector("x"), vector("y")])
    ((0,), (1,), (2,))
    >>> len(groups([vector(f"x{k}") for k in range(MANY)]))
    1
    """
    if len(values) < MANY:
        return one_by_one(values)
    alike: dict[Hashable, list[int]] = {}
    for k, v in enumerate(values):
        alike.setdefault(_likeness(v, k), []).append(k)
    result: list[list[int]] = []
    for together in alike.values():
        result += [together] if len(together) >= MANY else [[k] for k in together]
    return tuple(sorted(map(tuple, result)))


def one_by_one(values: Sequence[Variable]) -> Groups:
    """Groups of one value each."""
    return tuple([(k,) for k in range(len(values))])


def _likeness(v: Variable, k: int) -> Hashable:
    """What values of a bundle have in common; the position of a value that is in none."""
    return numba_type(v) if isinstance(v.type, TensorType) and v.type.ndim else k


def names(together: Groups) -> list[str]:
    """How a program, whose parameters are x0, x1, ..., reads each of the values.

    >>> names(((0, 2), (1,)))
    ['x0[0]', 'x1', 'x0[1]']
    """
    name_of: dict[int, str] = {}
    for n, group in enumerate(together):
        for k, position in enumerate(group):
            name_of[position] = f"x{n}[{k}]" if len(group) > 1 else f"x{n}"
    return [name_of[k] for k in range(len(name_of))]


def signature(values: Sequence[Variable]) -> tuple[Any, ...]:
    """Numba's types of the parameters for `values`.

    >>> from weft_tensor import scalar, vector
    >>> signature([scalar("s"), vector("x")])
    (float64, Array(float64, 1, 'C', False, aligned=True))
    """
    types_of = []
    for first, *others in groups(values):
        kind = numba_type(values[first])
        types_of.append(Bundle(kind, 1 + len(others)) if others else kind)
    return tuple(types_of)


def adapted(call: Callable[..., Any], inputs: Groups, returned: Groups) -> Callable[..., Any]:
    """`call`, which takes and gives tuples for bundles, as a function from values to results.

    >>> adapted(lambda pair, x: ((pair[0], x), pair[1]), ((0, 2), (1,)), ((0, 1), (2,)))(1, 2, 3)
    (1, 2, 3)
    """
    if all(len(group) == 1 for group in (*inputs, *returned)):
        return call
    parameters, arguments = _listed("x", inputs)
    results, targets = _listed("r", returned)
    source = (
        f"def run({parameters}):\n    ({targets}) = call({arguments})\n    return ({results})\n"
    )
    run: Callable[..., Any] = load_source("run", source, {"call": call})
    return run


def _listed(letter: str, together: Groups) -> tuple[str, str]:
    """The names of values, one after another, and in groups."""
    count = sum(map(len, together))
    every = "".join(f"{letter}{k}, " for k in range(count))
    groups = "".join(
        f"{letter}{group[0]}, "
        if len(group) == 1
        else f"({''.join(f'{letter}{k}, ' for k in group)}), "
        for group in together
    )
    return every, groups
