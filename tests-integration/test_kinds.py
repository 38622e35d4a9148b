"""Ops of users that say what they are: they need no lowering, and fuse with their neighbours."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pytest

import weft.tensor as wt
from weft import Mode, UndefinedGradientError, function, grad
from weft_graph import FunctionGraph
from weft_jax import jax_funcify
from weft_numba import numba_funcify
from weft_numba.analysis.specialise import narrowed
from weft_numba.fusion.grouping import Fused, fuse
from weft_tensor.extend import Cotangents, Shapes, Tensors
from weft_testing import check_op

BACKENDS = pytest.mark.parametrize("backend", ["py", "numba", "jax"])
X = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]])


class Gaussian(wt.TensorOp):
    """exp(-((x - centre) / width)²)."""

    width: float

    def kind(self, *inputs: Any) -> Any:
        return wt.Pointwise(lambda x, centre: wt.exp(-wt.square((x - centre) / self.width)))

    @classmethod
    def examples(cls) -> list[Any]:
        return [
            (cls(2.0), [X, X[0]]),
            (cls(0.5), [X, np.array(1.0)]),
            (cls(1.0), [X[:, :0], X[:, :1]]),
        ]


class Checkered(wt.TensorOp):
    """The elements, those on every other place negated."""

    def infer(self, *types: Any) -> Any:
        return types[0]

    def infer_shape(self, fgraph: Any, node: Any, input_shapes: Any) -> Any:
        return input_shapes

    def kind(self, *inputs: Any) -> Any:
        return wt.Pointwise(lambda x, i, j: wt.where(wt.eq((i + j) % 2, 0), x, -x), positions=True)

    @classmethod
    def examples(cls) -> list[Any]:
        return [(cls(), [X]), (cls(), [X.astype("float32")]), (cls(), [X[:0]])]


class Norm(wt.TensorOp):
    """The Euclidean length of vectors."""

    axis: int

    def kind(self, x: Any) -> Any:
        return wt.Reduction(self.axis, "add", start=wt.square, finish=wt.sqrt)

    @classmethod
    def examples(cls) -> list[Any]:
        return [(cls(0), [X]), (cls(-1), [X]), (cls(1), [X.astype("float32")])]


class Dot(wt.TensorOp):
    """The products of rows, added up."""

    def kind(self, *inputs: Any) -> Any:
        return wt.Reduction(-1, "add", start=wt.mul)

    @classmethod
    def examples(cls) -> list[Any]:
        return [(cls(), [X, X[0]]), (cls(), [X, X[:, :1]])]


class Growth(wt.TensorOp):
    """The products of 1 + r so far."""

    def kind(self, r: Any) -> Any:
        return wt.Scan(0, "mul", start=lambda r: 1 + r)

    @classmethod
    def examples(cls) -> list[Any]:
        return [(cls(), [X]), (cls(), [X[0]])]


class LastFirst(wt.TensorOp):
    """The last axis in front, and a new one behind."""

    def kind(self, x: Any) -> Any:
        return wt.View((x.ndim - 1, *range(x.ndim - 1), None))

    @classmethod
    def examples(cls) -> list[Any]:
        return [(cls(), [X]), (cls(), [X[0]])]


class Upended(wt.TensorOp):
    """Rows in reverse, each turned round as far as the second input says."""

    def infer(self, *types: Any) -> Any:
        return types[0]

    def infer_shape(self, fgraph: Any, node: Any, input_shapes: Any) -> Any:
        return input_shapes[:1]

    def kind(self, x: Any, by: Any) -> Any:
        return wt.Gather(lambda by, i, j: (-1 - i, (j + by) % x.shape[1]))

    @classmethod
    def examples(cls) -> list[Any]:
        return [(cls(), [X, np.array(1)]), (cls(), [X, np.array([[2], [0]])])]


class Binned(wt.TensorOp):
    """The second input, added to the bins that the third says."""

    def kind(self, *inputs: Any) -> Any:
        return wt.Scatter(lambda at, i: (at,), "inc")

    @classmethod
    def examples(cls) -> list[Any]:
        return [(cls(), [np.zeros(4), np.array([0.5, 2.5, 2.25]), np.array([0, 2, 2])])]


class Swish(wt.TensorOp):
    """An Op that says its expansion alone."""

    def expansion(self, x: Any) -> Any:
        return x * wt.sigmoid(x)

    @classmethod
    def examples(cls) -> list[Any]:
        return [(cls(), [X])]


KINDS = [Gaussian, Checkered, Norm, Dot, Growth, LastFirst, Upended, Binned, Swish]


@pytest.mark.cases(1)
@pytest.mark.parametrize("op", KINDS)
def test_all_follows_from_the_kind(op: Any) -> None:
    check_op(op)


def test_values() -> None:
    def value(op: Any, *given: Any) -> Any:
        return op(*given).eval()

    np.testing.assert_allclose(value(Gaussian(2.0), X, 1.0), np.exp(-(((X - 1) / 2) ** 2)))
    np.testing.assert_array_equal(value(Checkered(), X), X * [[1, -1, 1], [-1, 1, -1]])
    np.testing.assert_allclose(value(Norm(0), X), np.linalg.norm(X, axis=0))
    np.testing.assert_allclose(value(Dot(), X, X[0]), X @ X[0])
    np.testing.assert_allclose(value(Growth(), X), np.cumprod(1 + X, axis=0))
    np.testing.assert_array_equal(value(LastFirst(), X), X.T[:, :, None])
    expected = np.stack([np.roll(X[1], -1), X[0]])
    np.testing.assert_array_equal(value(Upended(), X, np.array([[1], [0]])), expected)
    binned = value(Binned(), np.zeros(3), np.array([1.0, 2.0, 4.0]), np.array([0, 2, 2]))
    np.testing.assert_array_equal(binned, [1.0, 0.0, 6.0])


def _kernels(f: Any) -> int:
    """How many loop nests, and other calls, there are in what Numba compiles."""
    return len(re.findall(r"= f[0-9]+[(]", f.source))


x, y = wt.matrix("x"), wt.vector("y")
index = wt.lvector("index")
FUSED = {
    "pointwise": ([x], wt.exp(Gaussian(2.0)(wt.sin(x), 1.0)) + 1),
    "positions": ([x], wt.exp(Checkered()(wt.sin(x)) * 2)),
    "reduction": ([x, y], Dot()(wt.exp(x), y)),
    "scan": ([x], Growth()(x * 0.5)),
    "view": ([x], wt.exp(LastFirst()(x)) + wt.sin(LastFirst()(x))),
    "gather": ([x], wt.exp(Upended()(x, 1)) * x),
    "scatter": ([y, index], Binned()(wt.zeros(9), y * 2 + 1, index)),
    "expansion": ([x], wt.sum(Swish()(x) * 2)),
}


@pytest.mark.parametrize("name", FUSED)
def test_it_is_one_kernel_with_its_neighbours(name: str) -> None:
    inputs, output = FUSED[name]
    values = {x: X, y: X[0], index: np.array([3, 0, 3])}
    given = [values[v] for v in inputs]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f = function(inputs, output, mode=Mode("numba", books=[]))
        np.testing.assert_allclose(f(*given), function(inputs, output, mode="py")(*given))
    assert _kernels(f) == 1, f.source


BY_HAND = {
    "pointwise": ([x], Gaussian(2.0)(wt.sin(x), 1.0), wt.exp(-wt.square((wt.sin(x) - 1.0) / 2.0))),
    "reduction": ([x], Norm(1)(wt.exp(x) + 1), wt.sqrt(wt.sum(wt.square(wt.exp(x) + 1), axis=1))),
    "scan": ([x], Growth()(wt.exp(x)), wt.cumprod(1 + wt.exp(x), axis=0)),
    "view": ([x], wt.exp(LastFirst()(x)), wt.exp(wt.expand_dims(x.T, 2))),
    "mask": ([y], Dot()(y[y > 0], 2.0), wt.sum(y[y > 0] * 2.0)),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_kernels_are_those_of_what_it_stands_for(name: str) -> None:
    inputs, by_kind, hand = BY_HAND[name]
    fused = [
        [step.kernel if isinstance(step, Fused) else step.op for step in fuse(graph.graph)]
        for graph in (narrowed(FunctionGraph(inputs, [v]), assume=True) for v in (by_kind, hand))
    ]
    assert fused[0] == fused[1]


@BACKENDS
def test_inner_graphs_have_them_too(backend: str) -> None:
    body = wt.map(lambda row: Norm(0)(row) + Dot()(row, row), x)
    either = wt.ifelse(x.sum() > 0, Norm(1)(x), wt.zeros(x.shape[0]))
    f = function([x], [body, either], mode=backend)
    norm = np.linalg.norm(X, axis=1)
    for actual, expected in zip(f(X), (norm + norm**2, norm), strict=True):
        np.testing.assert_allclose(actual, expected)


class Twice(wt.TensorOp):
    def kind(self, x: Any) -> Any:
        return wt.Pointwise(lambda x: 2 * x)


class Thrice(Twice):
    """What computes otherwise than what it inherits from is something else."""

    def infer(self, *types: Any) -> Any:
        return types[0]

    def impl(self, x: Any) -> Any:
        return 3 * x


def test_a_class_that_computes_otherwise_has_no_kind() -> None:
    assert Twice()(y).eval({y: X[0]}).tolist() == (2 * X[0]).tolist()
    assert Thrice().kind(y) is None
    with pytest.raises(UndefinedGradientError, match="Thrice has no derivative"):
        grad(Thrice()(y).sum(), y)
    with pytest.warns(Warning, match="Thrice has no Numba implementation"):
        f = function([y], Thrice()(y), mode="numba")
    np.testing.assert_array_equal(f(X[0]), 3 * X[0])


class Lowered(Twice):
    def kind(self, x: Any) -> Any:
        return wt.Pointwise(lambda x: 2 * x)


def test_a_registered_lowering_takes_the_place_of_the_kind() -> None:
    numba_funcify.register(Lowered, lambda op, **kwargs: lambda x: x * 5.0)
    jax_funcify.register(Lowered, lambda op, **kwargs: lambda x: x * 6.0)
    found = [function([y], Lowered()(y), mode=m)(X[0]) / X[0] for m in ("py", "numba", "jax")]
    np.testing.assert_allclose(found, np.multiply.outer([2.0, 5.0, 6.0], np.ones(3)))


class Shrunk(wt.TensorOp):
    """Says that it is pointwise, but halves the length."""

    def infer(self, *types: Any) -> Any:
        return wt.TensorType(types[0].dtype, [None])

    def kind(self, *inputs: Any) -> Any:
        return wt.Pointwise(wt.neg)

    def impl(self, x: Any) -> Any:
        return -x[::2]


class ShrunkByLoops(Shrunk):
    """The same, but backends are to compute it by the name of a function."""

    primitive = True

    def kind(self, *inputs: Any) -> Any:
        return wt.Pointwise("neg")


class Differences(wt.TensorOp):
    def kind(self, x: Any) -> Any:
        return wt.Reduction(0, "sub")


class DifferencesByLoops(Differences):
    primitive = True

    def infer(self, *types: Any) -> Any:
        return wt.TensorType(types[0].dtype, types[0].shape[1:])

    def impl(self, x: Any) -> Any:
        return np.subtract.reduce(x)

    def kind(self, x: Any) -> Any:
        return wt.Reduction(0, "sub")


class Wrong(wt.TensorOp):
    """Says that it is a sum, but is a mean."""

    def kind(self, x: Any) -> Any:
        return wt.Reduction(0, "add")

    def impl(self, x: Any) -> Any:
        return np.mean(x, axis=0)


class Diagonal(wt.TensorOp):
    def kind(self, x: Any) -> Any:
        return wt.View((0, 0))


class Unshaped(wt.TensorOp):
    def kind(self, x: Any) -> Any:
        return wt.Gather(lambda i: (i, i))


class Odd(wt.TensorOp):
    def kind(self, x: Any) -> Any:
        return "pointwise"


class Couple(wt.TensorOp):
    def expansion(self, x: Any) -> Any:
        return [x, 2 * x]


class Silent(wt.TensorOp):
    def kind(self, x: Any) -> Any:
        return None


@pytest.mark.parametrize(
    ("op", "message"),
    [
        (Shrunk(), "its kind, Pointwise, does not say what it computes"),
        (ShrunkByLoops(), "its kind, Pointwise, does not say what it computes"),
        (
            DifferencesByLoops(),
            "DifferencesByLoops: a reduction combines by a function that may be",
        ),
        (Differences(), "may be applied in any order, one of add, mul, .*; not by 'sub'"),
        (Wrong(), "its kind, Reduction, does not say what it computes"),
        (Diagonal(), "elements on a diagonal are a Gather"),
        (Unshaped(), "Unshaped must define `infer`: its kind does not tell the shape"),
        (Odd(), "Odd.kind gave 'pointwise', which no Op can be told by"),
        (Couple(), "Couple.expansion must return one variable, not .*: an Op of several results"),
        (Silent(), "Silent says neither its kind nor an expansion: define `infer` and `impl`"),
    ],
)
def test_check_op_says_what_is_wrong_with_a_kind(op: Any, message: str) -> None:
    given = np.arange(9.0).reshape(3, 3)
    with pytest.raises(AssertionError, match=message):
        check_op(op, given[0] if isinstance(op, Shrunk) else given, backends=[])


class Doubled(wt.TensorOp):
    def infer(self, x: wt.TensorType) -> wt.TensorType:
        return x

    def impl(self, x: np.ndarray) -> np.ndarray:
        return 2 * x

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        return [2 * cotangents[0]]

    def infer_shape(self, fgraph: object, node: object, input_shapes: Shapes) -> Shapes:
        return [input_shapes[0]]


@numba_funcify.register(Doubled)
def _doubled_in_place(op: Doubled, **kwargs: object) -> Any:
    def doubled(x: Any) -> Any:
        x[0] *= 2
        return 2 * x

    return doubled


def test_machine_code_that_writes_to_an_input_is_told_however_often_it_ran() -> None:
    with pytest.raises(AssertionError, match=r"numba: .* input 0 was modified by numba"):
        check_op(Doubled(), X[0], backends=["numba"])
