"""Graphs of Weft's as Ops of PyTensor: in each of its modes, with derivatives, and back again."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest

import weft.tensor as wt
from weft_graph import MissingInputError, Type
from weft_pytensor import WeftOp, from_pytensor, to_pytensor

pytestmark = pytest.mark.filterwarnings("default")  # PyTensor's own
A, x = wt.matrix("A", shape=("m", "n")), wt.vector("x", shape=("n",))
scale, k = wt.scalar("scale", dtype="float64"), wt.lscalar("k")
cost = wt.log1p(wt.exp(A @ x)).sum() * scale + k
OP = to_pytensor([cost, A @ x, wt.concatenate([x, x * scale])], [A, x, scale, k], name="parts")
THEIRS = [pt.dmatrix("a"), pt.dvector("v"), pt.dscalar("s"), pt.lscalar("j")]
VALUES: list[Any] = [np.arange(6.0).reshape(2, 3), np.ones(3), 0.5, 4]


def parts(a: Any, v: Any, s: Any, j: Any) -> list[Any]:
    """The same in PyTensor's words."""
    return [pt.log1p(pt.exp(a @ v)).sum() * s + j, a @ v, pt.concatenate([v, v * s])]


def with_slopes(results: Any) -> list[Any]:
    total = results[0] + (results[1] ** 2).sum() + results[2].sum()
    first = pytensor.grad(total, THEIRS[:3])
    second = pytensor.grad(first[2] + (first[1] ** 2).sum(), THEIRS[1])
    return [*results, *first, second]


@pytest.mark.parametrize("mode", ["FAST_COMPILE", "NUMBA", "JAX", "WEFT"])
def test_values_and_slopes(mode: str) -> None:
    expected = pytensor.function(THEIRS, with_slopes(parts(*THEIRS)), mode="FAST_COMPILE")(*VALUES)
    results = pytensor.function(THEIRS, with_slopes(OP(*THEIRS)), mode=mode)(*VALUES)
    for one, other in zip(results, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_forward_derivative() -> None:
    a, v, s, j = THEIRS
    tangent = pt.dvector("tangent")
    node = OP(a, v, s, j)[0].owner
    ours = OP.R_op(node.inputs, [None, tangent, None, None])
    expected = pytensor.grad(parts(*THEIRS)[0], v).dot(tangent)
    f = pytensor.function([*THEIRS, tangent], [ours[0], expected], mode="FAST_COMPILE")
    np.testing.assert_allclose(*f(*VALUES, np.arange(3.0)))
    assert to_pytensor(k + 1, [k]).R_op([j], [None]) == [None]


def test_lengths_ask_for_no_values() -> None:
    _, product, joined = OP(*THEIRS)
    f = pytensor.function(THEIRS, [product.shape[0], joined.shape[0]], on_unused_input="ignore")
    assert [int(n) for n in f(*VALUES)] == [2, 6]
    assert OP not in [node.op for node in f.maker.fgraph.apply_nodes]
    assert OP(pt.ones((2, 3)), *THEIRS[1:])[1].type.shape == (2,)
    assert to_pytensor(wt.exp(x), [x])(pt.ones(3)).type.shape == (3,)
    free = wt.vector("free")
    assert to_pytensor(wt.exp(free), [free])(pt.ones(3)).type.shape == (3,)


def test_what_depends_on_nothing() -> None:
    """As PyTensor has it: no connection where there is none, zero for integers."""
    v, j = THEIRS[1], THEIRS[3]
    first, second = to_pytensor([x * 2, wt.floor(scale)], [x, scale])(v, THEIRS[2])
    with pytest.raises(pytensor.gradient.DisconnectedInputError):
        pytensor.grad(first.sum(), THEIRS[2])
    assert pytensor.grad(second, THEIRS[2]).eval({THEIRS[2]: 1.5}) == 0
    rounded = to_pytensor(wt.round(x).astype("int64").sum() * k, [x, k])(v, j)
    assert pytensor.grad(rounded.astype("float64") * v[0], v).eval({v: [2.0], j: 3}).tolist() == [6]


def test_back_again() -> None:
    v = THEIRS[1]
    free = wt.vector("free")
    op = to_pytensor(wt.exp(free).sum(), [free])
    graph = from_pytensor(op(v), [v], host="error")
    assert graph.outputs[0] is wt.exp(graph.inputs[0]).sum()
    other = wt.vector("other")
    assert op == to_pytensor(wt.exp(other).sum(), [other]) == pickle.loads(pickle.dumps(op))
    assert op != to_pytensor(wt.exp(free).prod(), [free])
    assert isinstance(op, WeftOp)


def test_errors() -> None:
    a, v, s, j = THEIRS
    message = (
        r"WeftOp\(parts\): input 1 must be Weft's float64\[n\], not PyTensor's Matrix\(float64"
    )
    with pytest.raises(TypeError, match=message):
        OP(a, a, s, j)
    with pytest.raises(TypeError, match=r"input 3 must be Weft's int64, not .*float64"):
        OP(a, v, s, s)
    with pytest.raises(TypeError, match="takes 4 inputs, got 1"):
        OP(a)
    with pytest.raises(TypeError, match="no variable of Weft's"):
        to_pytensor(v, [x])
    with pytest.raises(MissingInputError, match="scale"):
        to_pytensor(cost, [A, x, k])
    with pytest.raises(TypeError, match="is shared: give its value as an input"):
        to_pytensor(wt.shared(np.ones(3), name="w") * x, [x])
    with pytest.raises(TypeError, match="only arrays can go there"):
        to_pytensor(Type()("f"), [])
