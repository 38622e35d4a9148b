"""Write docs/ops.md, what each Op has on which backend: `python -m tools.op_matrix`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import weft.tensor  # noqa: F401  # all Ops are to be known
import weft_tensor
from tools.workspace import ROOT
from weft_graph import FunctionGraph, MissingLoweringError, Op, Variable, ancestors
from weft_jax import jax_funcify
from weft_numba import numba_funcify
from weft_numba.analysis.uses import Plan
from weft_numba.llvm.scalar.table import row as machine_code
from weft_numba.lowering.dispatch import IN_LINES
from weft_tensor import (
    QZ,
    Elemwise,
    Hessenberg,
    Map,
    Schur,
    SymmetricPivots,
    TensorOp,
    TensorType,
    as_tensor,
    vectorize_graph,
)
from weft_tensor.extend import SCALARS
from weft_testing import tensor_ops

PAGE: Final = ROOT / "docs" / "ops.md"

_HEAD = """\
# Ops and backends

Every Op computes in Python by NumPy and SciPy. On Numba it is a part of *loops*, which are fused
with their neighbours' and written as machine code, or a *function* that the compiled program
calls (views are read through where that is possible), or *lines* of that program itself, or what
its expansion makes of *other Ops*; nothing goes back to Python. On JAX it is traced into the one
compiled function, or its expansion is, or, where XLA can't know the length of a result, it runs
between two of them. The *kind* is what the Op says of itself (`TensorOp.kind`): Numba fuses by it,
and an Op without one is opaque. `check_op` compares all cells of a line with each other and the
derivatives with finite differences, as a test. One that is *undefined* is an error to ask for:
factors that depend on an order jump where it changes.

[*Batching*](batching.md) applies the Op, or others, to whole arrays, or, slower, a *map*; there is
*none* where lengths of results depend on all inputs. It is compared with a loop, as a test.
"""
_FUNCTIONS = """\
## Functions of numbers

They are applied to each element, with broadcasting: `weft_tensor.Elemwise`. The kinds of number
that Numba has machine code for: f floating point, i integers, u unsigned integers, b truth
values, c complex numbers; others are converted first, as NumPy does.
"""


_UNDEFINED: Final = (Hessenberg, QZ, Schur, SymmetricPivots)
"""Ops whose results have no derivatives."""


class Line(NamedTuple):
    """What one Op has; an empty cell is something that is missing."""

    name: str
    kind: str
    numba: str
    jax: str
    derivative: str
    batching: str
    summary: str


def structured() -> Iterator[Line]:
    """The Ops that are classes of their own."""
    for kind in tensor_ops():
        if isinstance(kind, type) and kind.__module__.startswith("weft_"):
            cells = _numba(kind), _jax(kind), _derivative(kind), _batching(kind), _summary(kind)
            yield Line(kind.__name__, _kind(kind), *cells)


def functions() -> Iterator[Line]:
    """The rows of the scalar table."""
    for name, row in sorted(SCALARS.items()):  # whatever was imported first
        if not hasattr(weft_tensor, name):
            continue  # an example of the documentation
        kinds = " ".join(kind for kind in "fiubc" if machine_code(name, kind))
        has_own = bool(row.derivative) or row.pullback is not None
        derivative = "yes" if has_own else "zero"
        yield Line(name, "pointwise", kinds, _traced(name), derivative, "yes", row.summary)


def _nodes(kind: Any) -> Iterator[tuple[list[Any], Any]]:
    """The Op of each example on inputs of its types."""
    for op, values in kind.examples():
        constants = [as_tensor(value) for value in values]
        inputs = [TensorType(c.dtype, c.type.shape)() for c in constants]
        made = op(*inputs)
        yield inputs, made if isinstance(made, Variable) else made[0]


def _kind(kind: Any) -> str:
    for _, node in _nodes(kind):
        said = node.op.kind(*node.inputs) if isinstance(node.op, TensorOp) else None
        if said is not None:
            return type(said).__name__.lower()
    return "opaque"


def _numba(kind: Any) -> str:
    has_function = numba_funcify.dispatch(kind) is not numba_funcify.dispatch(Op)
    if kind in IN_LINES:
        return "lines"
    for inputs, node in _nodes(kind):
        if node in Plan(FunctionGraph(inputs, [node]), assume=True).iteration_space:
            return "loops"
    if has_function:
        return "function"
    return "other Ops" if kind.expansion is not TensorOp.expansion else ""


def _jax(kind: Any) -> str:
    if jax_funcify.dispatch(kind) is not jax_funcify.dispatch(Op):
        return "yes"
    return "other Ops" if kind.expansion is not TensorOp.expansion else ""


def _derivative(kind: Any) -> str:
    if not any(node.type.differentiable for _, node in _nodes(kind)):
        return "none"
    if kind in _UNDEFINED:
        return "undefined"
    return "yes" if kind.pullback is not Op.pullback else ""


def _batching(kind: Any) -> str:
    """How the Op of an example is batched, as far as one of its inputs can be."""
    for inputs, node in _nodes(kind):
        for v in inputs:
            new = TensorType(v.type.dtype, (2, *v.type.shape))()
            try:
                made = vectorize_graph(node, {v: new})
            except ValueError:  # lengths depend on it
                continue
            is_mapped = any(isinstance(a.op, Map) for a in ancestors([made]))
            return "map" if is_mapped and kind is not Map else "yes"
    return "none"


def _traced(name: str) -> str:
    node = Elemwise(name)(*SCALARS[name].example[:-1])
    try:
        jax_funcify(node.op, node=node)
    except MissingLoweringError:
        return ""
    return "yes"


def _summary(kind: type[Op]) -> str:
    return (kind.__doc__ or "").partition("\n")[0].replace("|", r"\|")


def table(lines: Iterator[Line], first: str) -> str:
    """A table in Markdown."""
    rows = [f"| {first} | kind | Numba | JAX | derivative | batching | |", "| --- " * 7 + "|"]
    rows += [f"| `{name}` | {' | '.join(cells)} |" for name, *cells in lines]
    return "\n".join(rows)


def page() -> str:
    """Return the page that the tables of the packages make."""
    parts = [_HEAD, table(structured(), "Op"), "", _FUNCTIONS, table(functions(), "function")]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
