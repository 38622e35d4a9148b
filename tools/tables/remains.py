"""What compilers leave of expressions: the Ops that are computed, and their weights.

`python -m tools.tables.remains NAME` says it of all expressions as JSON, for one library.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from tools.bench.models import MODELS
from tools.tables.structures import EXPRESSIONS

__all__ = ["PEERS", "Left", "left", "weft_names"]

Kinds = Counter[str]

_FREE: Final = frozenset(
    (
        *("BroadcastTo", "Cast", "DimShuffle", "ExpandDims", "Index", "Length", "MakeVector"),
        *("Reshape", "ScalarFromTensor", "Shape", "Shape_i", "SpecifyShape", "Split", "Squeeze"),
        *("StopGradient", "Subtensor", "TensorFromScalar", "Transpose", "Unbroadcast"),
    )
)
_HEAVY: Final = {
    "Matmul": 30, "Dot": 30, "Gemm": 30, "Gemv": 5, "Dot22": 30, "Dot22Scalar": 30, "Sort": 10,
    "SortOp": 10,    "Inverse": 300, "MatrixInverse": 300, "Solve": 200, "LUFactor": 100, "LU": 100,
    "SolveTriangular": 100, "CholeskySolve": 100, "Cholesky": 100, "Det": 100, "LogDet": 100,
    "SLogDet": 100, "SlogDet": 100, "Slogdet": 100, "LUSolve": 30, "SLogDeterminant": 100,
    "BatchedDot": 30, "Ger": 3,
}  # fmt: skip
"""What an Op takes, next to an elementwise one of a vector or of a matrix, at n = 9 or so."""
_JOINING: Final = frozenset({"Add", "Mul"})
"""Functions that take any number of operands at once."""


BLOCKS: Final = {"regression": 5, "hierarchical": 5, "mixture": 3, "mvn": 3}
"""Blocks of the models of `tools.bench.models`."""


class Left(NamedTuple):
    """The Ops that are left, their weight, how many they are of two operands each, and joined."""

    ops: tuple[str, ...]
    weight: float
    steps: int = 0
    joined: int = 0


def _scale(ndim: int) -> float:
    """An element is nothing beside a vector, a matrix is several vectors."""
    return (0.1, 1, 5, 25)[ndim]


class Peer(NamedTuple):
    """A library: what expressions mention, and how it measures what is left of some."""

    tensors: Any
    names: dict[str, Any]
    gradients: Callable[..., Any]
    measure: Callable[[list[Any]], Left]


def _weighed(ops: list[tuple[str, list[int]]]) -> Left:
    """The weight by name and by the largest rank of what the Op takes and makes."""
    total, count = 0.0, 0
    for name, ranks in ops:
        if name in _FREE:
            continue
        heavy = _HEAVY.get(name)
        steps = max(1, len(ranks) - 2) if name in _JOINING else 1
        count += steps
        if heavy is None:
            total += _scale(max(ranks)) * steps
        elif name in ("Matmul", "Dot"):
            total += {(2, 2): 30, (1, 1): 1}.get((ranks[0], ranks[1]), 5)
        elif name == "SolveTriangular" and ranks[1] == 1:
            total += 5
        else:
            total += heavy
    names = tuple(sorted(name for name, _ in ops if name not in _FREE))
    return Left(names, total, count, len(names))


def weft_names() -> dict[str, Any]:
    """What expressions mention, in Weft."""
    import weft.tensor as wt

    names: dict[str, Any] = {
        name: getattr(wt, name) for name in dir(wt) if not name.startswith("_")
    }
    names |= {v: wt.vector(v) for v in "bcxy"} | {m: wt.matrix(m) for m in "ABC"}
    names |= {
        "s": wt.scalar("s"),
        "inv": wt.inv, "det": wt.det, "solve": wt.solve, "cholesky": wt.cholesky,
        "diag_of": wt.diagonal,
        "concatenate": lambda *parts: wt.concatenate(parts),
        "stack": lambda *parts: wt.stack(parts),
        "full": lambda value, n: wt.full((n,), value),
        "set_at": lambda x, k, value: x[k].set(value),
        "inc_at": lambda x, k, value: x[k].inc(value),
        "shape0": lambda x: x.shape[0],
    }  # fmt: skip
    return names


def _weft() -> Peer:
    import weft.tensor as wt
    from weft_graph import FunctionGraph, Item, Mode, TupleType, rewrite_graph

    books = Mode("py").books

    def measure(outputs: list[Any]) -> Left:
        graph = rewrite_graph(FunctionGraph(outputs=outputs), books)
        ops = [
            (_name(v.op), [_width(v, i) for i in v.inputs if hasattr(i, "ndim")] + _rank(v))
            for v in graph.nodes
            if not isinstance(v.op, Item)
        ]
        left = _weighed(ops)
        within = [v for v in graph.nodes if str(v.op).capitalize() in _JOINING]
        within = [v for v in within if _is_within(v, graph)]
        return left._replace(joined=left.joined - len(within))

    def _is_within(v: Any, graph: Any) -> bool:
        """Whether a sum is a term of one other alone, or a product a factor."""
        users = graph.users[v]
        return v not in graph.outputs and len(users) == 1 and users[0][0].op is v.op

    def _width(v: Any, i: Any) -> int:
        """The rank of what a system is solved for; a column counts as a vector."""
        is_column = type(v.op).__name__ == "SolveTriangular" and i.type.shape[-1] == 1
        return 1 if is_column else int(i.ndim)

    def _rank(v: Any) -> list[int]:
        return [0] if isinstance(v.type, TupleType) else [v.ndim]

    return Peer(wt, weft_names(), wt.grad, measure)


def _name(op: Any) -> str:
    kind = type(op).__name__
    return str(op) if kind == "Elemwise" else kind


def _pytensor() -> Peer:
    import pytensor
    import pytensor.tensor as pt
    from pytensor.graph.fg import FunctionGraph

    pytensor.config.cxx = ""
    names: dict[str, Any] = {n: getattr(pt, n) for n in dir(pt) if not n.startswith("_")}
    names |= {v: pt.dvector(v) for v in "bcxy"} | {m: pt.dmatrix(m) for m in "ABC"}
    names |= {
        "s": pt.dscalar("s"),
        "inv": pt.linalg.inv, "det": pt.linalg.det, "solve": pt.linalg.solve,
        "cholesky": pt.linalg.cholesky,
        "diag_of": pt.diagonal,
        "concatenate": lambda *parts: pt.concatenate(parts),
        "stack": lambda *parts: pt.stack(parts),
        "full": lambda value, n: pt.full((n,), value),
        "set_at": lambda x, k, value: x[k].set(value),
        "inc_at": lambda x, k, value: x[k].inc(value),
        "shape0": lambda x: x.shape[0],
    }  # fmt: skip
    mode = pytensor.compile.mode.get_mode("NUMBA").excluding("fusion", "inplace")

    def measure(outputs: list[Any]) -> Left:
        graph = FunctionGraph(outputs=outputs, clone=True)
        mode.optimizer.rewrite(graph)
        return _weighed([part for n in graph.toposort() for part in _parts(n)])

    def _parts(node: Any) -> list[tuple[str, list[int]]]:
        inner = getattr(getattr(node.op, "scalar_op", None), "fgraph", None)
        if inner is None:
            return [(_foreign(node), _ranks(node))]
        return [  # several elementwise functions in one: all have the rank of the whole
            (str(n.op).split("{")[0].capitalize(), [max(_ranks(node))] * (1 + len(n.inputs)))
            for n in inner.toposort()
        ]

    def _ranks(node: Any) -> list[int]:
        return [getattr(v.type, "ndim", 0) for v in (*node.inputs, *node.outputs)]

    def _foreign(node: Any) -> str:
        op = node.op
        kind = type(op).__name__
        if kind == "Blockwise":
            return type(op.core_op).__name__
        return str(op).split("{")[0] if kind == "Elemwise" else kind

    return Peer(pt, names, pytensor.grad, measure)


PEERS: Final = {"weft": _weft, "pytensor": _pytensor}
"""By name, what makes it."""


def left(peer: str) -> dict[str, Left]:
    """What is left of each expression."""
    library = PEERS[peer]()
    return {text: library.measure([eval(text, library.names)]) for text in EXPRESSIONS}


def left_of_models(peer: str) -> dict[str, Left]:
    """What is left of the log-densities of models, with their gradients."""
    library = PEERS[peer]()
    found = {}
    for name, blocks in BLOCKS.items():
        density = MODELS[name](library.tensors, blocks)
        outputs = [density.value, *library.gradients(density.value, density.parameters)]
        found[name] = library.measure(outputs)
    return found


if __name__ == "__main__":
    sys.setrecursionlimit(100_000)  # PyTensor's gradient recurses over the graph
    json.dump([f(sys.argv[1]) for f in (left, left_of_models)], sys.stdout)
