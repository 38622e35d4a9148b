"""One factorisation for all that is asked of a matrix.

A pass, because it has to know all users: a matrix of which one thing is asked stays as it is.
"""

from __future__ import annotations

from typing import Any, Final

import weft_tensor as wt
from weft_graph import FunctionGraph, Item
from weft_graph.extend import changing, remake
from weft_tensor import (
    SVD,
    Det,
    Eig,
    Eigh,
    Eigvals,
    Eigvalsh,
    Inverse,
    LUFactor,
    SingularValues,
    SlogDet,
    Solve,
    TensorVariable,
    Transpose,
)
from weft_tensor.extend import lengths_of

__all__ = ["is_worth_factors", "share_factors", "solved_by_factors"]

_ASKED: Final = (Solve, Inverse, Det, SlogDet)
_VALUES: Final = (Eigvals, Eigvalsh, SingularValues)
_SWAPPED: Final = Transpose((1, 0))
_FEW: Final = 16
"""Up to so many rows, factors take less time than what is done with them."""


@changing("rounding", "zero sign", "nan", "inf", "error")
def share_factors(graph: FunctionGraph) -> FunctionGraph:
    """`graph` with one LU factorisation for the systems, inverse and determinant of a matrix.

    Those of its transpose count, too. Where there are eigenvectors or singular vectors, the values
    are those that belong to them.

    >>> A, b = wt.matrix("A"), wt.vector("b")
    >>> once = FunctionGraph([A, b], [wt.solve(A, b), wt.slogdet(A)[1]])
    >>> kinds = [type(v.op).__name__ for v in share_factors(once).nodes]
    >>> kinds.count("LUFactor"), "SlogDet" in kinds
    (1, False)
    """
    if graph.op_classes.isdisjoint((*_ASKED, *_VALUES)):
        return graph
    graph = _with_values_of_vectors(graph)
    asked: dict[Any, list[Any]] = {}
    nodes: Any = graph.nodes
    for v in nodes:
        if type(v.op) in _ASKED and is_worth_factors(v.inputs[0]):
            asked.setdefault(_untransposed(v.inputs[0])[0], []).append(v)
    shared_by = {v: x for x, users in asked.items() if len(users) > 1 for v in users}
    if not shared_by:
        return graph
    factors: dict[Any, _Factors] = {}
    new_of: dict[Any, Any] = {v: v for v in graph.inputs}
    for v in nodes:
        if v in new_of:
            continue
        inputs = tuple([new_of.get(x, x) for x in v.inputs])
        new_of[v] = same = remake(v, inputs)
        x = shared_by.get(v.inputs[0] if type(v.op) is Item else v)
        if x is None or type(v.op) is SlogDet:
            continue
        if x not in factors:
            factors[x] = _Factors(new_of[x])
        new = factors[x].part(v.op.index) if type(v.op) is Item else factors[x].of(same)
        if v.type.accepts(new.type):
            new_of[v] = new
    return graph.with_outputs([new_of.get(v, v) for v in graph.outputs])


def _with_values_of_vectors(graph: FunctionGraph) -> FunctionGraph:
    """`graph`, in which eigenvalues and singular values are taken from where their vectors are.

    So it is where values alone have a derivative. LAPACK may have the eigenvalues of 75 rows and
    more in another order if it is asked for no vectors.
    """
    nodes: Any = set(graph.nodes)
    new_of: dict[Any, Any] = {}
    for v in nodes:
        for values in _beside_vectors(v) if type(v.op) in _VALUES else ():
            if values.inputs[0] in nodes:
                new_of[v] = values
    return graph.replace(new_of) if new_of else graph


def _beside_vectors(v: Any) -> list[TensorVariable]:
    """The same values where vectors are computed, too."""
    (x,) = v.inputs
    if type(v.op) is SingularValues:
        return [SVD(full_matrices=full)(x)[1] for full in (False, True)]
    return [(Eig() if type(v.op) is Eigvals else Eigh(v.op.lower))(x)[0]]


def solved_by_factors(solution: Any) -> TensorVariable:
    """What `Solve` gives, from the factors of its matrix, which other right sides may share."""
    return _Factors(_untransposed(solution.inputs[0])[0]).of(solution)


def is_worth_factors(x: Any) -> bool:
    """Whether it is a real matrix, and not known to be small."""
    is_small = any(isinstance(n, int) and n <= _FEW for n in x.type.shape)
    return x.ndim == 2 and x.type.numpy_dtype.kind == "f" and not is_small


def _untransposed(x: Any) -> tuple[Any, bool]:
    """The matrix, or what it is the transpose of, and whether it is one."""
    return (x.inputs[0], True) if x.op == _SWAPPED else (x, False)


class _Factors:
    """What is asked of a matrix, by its factors."""

    def __init__(self, x: TensorVariable) -> None:
        self.packed, self.pivots, self.order = LUFactor()(x)
        self.length = lengths_of(x)[0]

    def _diagonal(self) -> TensorVariable:
        i = wt.arange(self.length)
        return self.packed[i, i]

    def of(self, v: Any) -> TensorVariable:
        """The solution, inverse or determinant."""
        if type(v.op) is Det:
            return wt.prod(self._diagonal()) * self._sign()
        transposed = _untransposed(v.inputs[0])[1]
        if type(v.op) is Inverse:
            inverse = self._solved(wt.eye(self.length, dtype=v.dtype), False)
            return inverse.mT if transposed else inverse
        return self._solved(v.inputs[1], transposed)

    def part(self, index: int) -> TensorVariable:
        """The sign of the determinant, or the logarithm of its size."""
        numbers = self._diagonal()
        if index:
            return wt.sum(wt.log(wt.abs(numbers)))
        return wt.prod(wt.sign(numbers)) * self._sign()

    def _sign(self) -> TensorVariable:
        """That of the exchanges of rows."""
        moved = wt.sum(wt.neq(self.pivots, wt.arange(self.length)).astype("int64"))
        return (1 - 2 * (moved % 2)).astype(self.packed.dtype)

    def _solved(self, right: TensorVariable, transposed: bool) -> TensorVariable:
        if not transposed:
            ordered = right[..., self.order, :]
            half = wt.solve_triangular(self.packed, ordered, 0, True, True, b_ndim=2)
            return wt.solve_triangular(self.packed, half, b_ndim=2)
        turned = self.packed.mT
        half = wt.solve_triangular(turned, right, lower=True, b_ndim=2)
        solution = wt.solve_triangular(turned, half, unit_diagonal=True, b_ndim=2)
        return solution[..., wt.argsort(self.order), :]
