"""Batched graphs are what a Python loop over the elements gives: for every Op, on every backend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import pytest

import weft.tensor as wt
from weft import Op, OpFromGraph, checkpoint, custom_pullback, function, grad
from weft_jax import DynamicShapeInLoopError
from weft_tensor import Elemwise, Map, TensorType, as_tensor
from weft_tensor.extend import vectorize_node
from weft_testing import check_batches, examples_of, tensor_ops

Few = Callable[[Sequence[Any], int], Sequence[Any]]
MODES: Final = ["py", "numba", "jax"]

LENGTHS: Final[dict[str, Callable[[Any, int], bool]]] = {
    "Arange": lambda op, k: True,
    "BroadcastTo": lambda op, k: k > 0,
    "Eye": lambda op, k: k < 2,
    "Iota": lambda op, k: True,
    "Nonzero": lambda op, k: k > 0,
    "Recurrence": lambda op, k: k == 0 and not op.conditional,
    "Reshape": lambda op, k: k > 0,
    "SlidingDot": lambda op, k: k == 3,
    "SumTo": lambda op, k: k > 0,
}
"""Ops of which inputs say, or decide, how long results are: these can't be batched."""


def _is_refused(kind: Any, op: Any, which: frozenset[int]) -> bool:
    decides = LENGTHS.get(_name(kind))
    return decides is not None and any(decides(op, k) for k in which)


OPS: Final[list[Any]] = [op for op in tensor_ops() if not isinstance(op, Elemwise)]


def _name(op: Any) -> str:
    return op.__name__ if isinstance(op, type) else op.name


def _examples(kind: Any) -> list[tuple[Op, list[np.ndarray]]]:
    return [(op, [_array(v) for v in values]) for op, values in examples_of(kind)]


def _array(value: Any) -> np.ndarray:
    constant: Any = as_tensor(value).op
    return np.asarray(constant.value)


def _batches(n_inputs: int) -> list[frozenset[int]]:
    """Which inputs to batch: all, each alone."""
    alone = [frozenset([k]) for k in range(n_inputs)]
    return alone if n_inputs < 2 else [frozenset(range(n_inputs)), *alone]


def _computed(inputs: Any, outputs: Any, values: Any, mode: str) -> list[np.ndarray]:
    with np.errstate(all="ignore"):
        results: list[np.ndarray] = function(inputs, outputs, mode=mode)(*values)
    return results


@pytest.mark.parametrize("kind", OPS, ids=_name)
def test_batched_ops_are_loops_over_elements(kind: Any, few: Few) -> None:
    """Each example, with all inputs and each alone of the batch."""
    for op, values in few(_examples(kind), 2):
        for which in _batches(len(values)):
            if _is_refused(kind, op, which):
                inputs: list[Any] = [TensorType(v.dtype, [None] * v.ndim)() for v in values]
                new = {
                    v: TensorType(v.dtype, [None, *v.type.shape])()
                    for k, v in enumerate(inputs)
                    if k in which
                }
                with pytest.raises(ValueError, match="can't be batched"):
                    wt.vectorize_graph(op.make_node(*inputs).outputs, new)
            else:
                check_batches(op, values, which, "py")


COMPILED: Final = [
    (op, values, which)
    for kind in OPS
    for op, values in _examples(kind)[:2]
    for which in _batches(len(values))
    if not _is_refused(kind, op, which)
]


@pytest.mark.cases("jax")
@pytest.mark.parametrize("mode", MODES[1:])
def test_batched_ops_on_backends(mode: str, few: Few) -> None:
    """Examples in turn, which are others for each backend."""
    for op, values, which in few(COMPILED, 6):
        try:
            check_batches(op, values, which, mode)
        except DynamicShapeInLoopError:  # a length that each element has of its own
            assert mode == "jax"
            assert any(values[k].dtype.kind == "i" for k in which)


X, XS = np.array([0.5, -1.0, 2.0]), np.arange(24.0).reshape(2, 4, 3) / 8 - 1


def test_leading_axes_broadcast() -> None:
    """Of several variables, in any number; lengths of 1 that are known, or found in the call."""
    x, y = wt.vector("x", shape=(3,)), wt.scalar("y")
    out = wt.cumsum(x) * y + y.sum()
    for a, b in (
        ((2, 4), (4,)),
        ((1, 4), (2, 1)),
        ((), (5,)),
        ((3,), (2, 3)),
        ((1,), ()),
        ((), ()),
    ):
        for known in (True, False):
            shapes = [(*(n if known else None for n in s), *own) for s, own in ((a, (3,)), (b, ()))]
            xs, ys = (TensorType("float64", shape)() for shape in shapes)
            values = [np.random.default_rng(1).normal(size=s) for s in ((*a, 3), b)]
            made = wt.vectorize_graph(out, {x: xs, y: ys})
            (found,) = _computed([xs, ys], [made], values, "py")
            u, v = values[0], values[1]
            wanted = np.cumsum(u, -1) * v[..., None] + v[..., None]
            np.testing.assert_allclose(found, wanted)


def test_results_keep_their_structure_and_what_is_not_batched() -> None:
    """A result that does not depend on the batch stays the same variable."""
    x, y = wt.vector("x"), wt.vector("y")
    xs = wt.matrix("xs")
    still = wt.exp(y)
    found = wt.vectorize_graph({"a": [x + still], "b": still}, {x: xs})
    assert found["b"] is still
    assert found["a"][0].ndim == 2
    assert wt.vectorize_graph(x + 1, {}) is x + 1


def test_whole_axes_and_no_loop() -> None:
    """Elementwise functions, reductions, indexing and linear algebra need no map."""
    x = wt.matrix("x", shape=(3, 3))
    spd = x @ x.T + wt.eye(3)
    out = [
        wt.linalg.solve(spd, x[:, 0]) + wt.linalg.cholesky(spd)[1],
        wt.linalg.slogdet(spd)[1] + x.sum(),
        wt.sort(x, axis=0)[wt.argmax(x, axis=0)],
        x[:, [0, 2]].reshape((2, 3)).T.ravel().var(),
        wt.concatenate([x, wt.ones((1, 3))])[-1],
        x[1:, ::-1].std(axis=0),
    ]
    xs = wt.tensor3("xs")
    made = wt.vectorize_graph(out, {x: xs})
    f = function([xs], made, mode="py")
    assert not any(isinstance(v.op, Map) for v in f.graph.nodes)
    values = np.random.default_rng(3).normal(size=(4, 3, 3))
    single = function([x], out, mode="py")
    for k, wanted in enumerate(zip(*map(single, values), strict=True)):
        np.testing.assert_allclose(f(values)[k], np.stack(wanted), rtol=1e-9, atol=1e-12)


class Reversed(Op):
    """An Op that says nothing but how to compute it."""

    def infer(self, *types: Any) -> Any:
        return types[0]

    def impl(self, *values: Any) -> Any:
        return values[0][::-1].copy()


class Ruled(Reversed):
    """The same, with a rule."""


@vectorize_node.register
def _ruled(op: Ruled, node: Any, inputs: Any) -> Any:
    return inputs[0][:, ::-1]


class Broken(Reversed):
    """A rule that gives something else."""


@vectorize_node.register
def _broken(op: Broken, node: Any, inputs: Any) -> Any:
    return wt.exp(inputs[0]).sum()


def test_ops_of_users() -> None:
    """By a map without a rule, as the graph shows; by the rule that is registered."""
    x, xs = wt.vector("x"), wt.matrix("xs")
    for op, is_mapped in ((Reversed(), True), (Ruled(), False)):
        f = function([xs], wt.vectorize_graph(op(x), {x: xs}), mode="py")
        assert any(isinstance(v.op, Map) for v in f.graph.nodes) == is_mapped
        np.testing.assert_array_equal(f(XS[0]), XS[0, :, ::-1])
    with pytest.raises(TypeError, match="the batching rule of Broken"):
        wt.vectorize_graph(Broken()(x), {x: wt.tensor3()})


@pytest.mark.cases("numba", "py")
@pytest.mark.parametrize("mode", MODES)
def test_draws_are_those_of_each_key(mode: str) -> None:
    """A batch of keys gives the draws of each; one key for many parameters, the same for all."""
    key = wt.random.key(7)
    seeds = wt.random.split(key, 4)
    mu, k = wt.scalar("mu"), seeds[0].type("k")
    draw = mu + wt.random.normal(k, size=3)
    found = function(
        [], wt.vectorize_graph(draw, {k: seeds, mu: [1.0, 2.0, 3.0, 4.0]}), mode=mode
    )()
    wanted = [
        function([], 1.0 + i + wt.random.normal(seeds[i], size=3), mode=mode)() for i in range(4)
    ]
    np.testing.assert_allclose(found, np.stack(wanted), rtol=1e-12)
    same = wt.vectorize_graph(mu + wt.random.normal(key, size=3), {mu: [1.0, 2.0]})
    first, second = function([], same, mode=mode)()
    np.testing.assert_allclose(first + 1, second)


def test_graphs_inside_are_batched() -> None:
    """OpFromGraph, checkpoint, custom_pullback and map get the axis within, derivatives too."""
    x, w = wt.vector("x"), wt.vector("w")
    xs = wt.matrix("xs")

    @custom_pullback
    def clipped(x: Any, w: Any) -> Any:
        return wt.minimum(x * w, 1.0)

    @clipped.define
    def slopes(inputs: Any, outputs: Any, cotangents: Any) -> Any:
        (g,) = cotangents
        return [2 * g * inputs[1], 3 * g * inputs[0]]

    inner = OpFromGraph([x, w], [wt.dot(x, w), x - w], name="inner")
    costs: list[Callable[[], Any]] = [
        lambda: sum(v.sum() for v in inner(x, w)),
        lambda: checkpoint(lambda u: wt.exp(u * w).sum())(x),
        lambda: clipped(x, w).sum(),
        lambda: wt.map(lambda p, q: wt.sin(p) * q * w.sum(), (x, w)).sum(),
    ]
    for make in costs:
        cost = make()
        many = wt.vectorize_graph(cost, {x: xs})
        rows, weights = XS[0], X
        slopes_x = grad(cost, [x, w])
        single = function([x, w], [cost, *slopes_x], mode="py")
        each = [np.stack(v) for v in zip(*[single(row, weights) for row in rows], strict=True)]
        f = function([xs, w], [many, *grad(many.sum(), [xs, w])], mode="py")
        value, by_x, by_w = f(rows, weights)
        np.testing.assert_allclose(value, each[0])
        np.testing.assert_allclose(by_x, each[1])
        np.testing.assert_allclose(by_w, each[2].sum(0))
        many_slopes = function([xs, w], wt.vectorize_graph(slopes_x, {x: xs}), mode="py")
        for a, b in zip(many_slopes(rows, weights), each[1:], strict=True):
            np.testing.assert_allclose(np.broadcast_to(a, b.shape), b)


def test_branches_become_choices() -> None:
    """A condition for each element: both sides, then where."""
    x, xs = wt.scalar("x"), wt.vector("xs")
    out = wt.ifelse(x > 0, wt.exp(x), -x)
    made = wt.vectorize_graph(out, {x: xs})
    np.testing.assert_allclose(made.eval({xs: X}), np.where(X > 0, np.exp(X), -X))
    u, v = wt.vector("u"), wt.vector("v")
    made = wt.vectorize_graph(wt.ifelse(x > 0, u, v), {x: xs})
    assert made.eval({xs: X, u: [1.0, 2.0], v: [3.0, 4.0]}).tolist() == [[1, 2], [3, 4], [1, 2]]
    with pytest.raises(ValueError, match="both cases must be of one shape"):
        made.eval({xs: X, u: [1.0], v: [3.0, 4.0]})
    two = wt.ifelse(x > 0, wt.ones(2), wt.ones(3))
    with pytest.raises(ValueError, match="Give both cases the same shape"):
        wt.vectorize_graph(two, {x: xs})


def test_lengths_that_the_old_type_knows_are_checked() -> None:
    """What was written for three elements is not computed for four."""
    x, xs = wt.vector("x", shape=(3,)), wt.matrix("xs")
    made = wt.vectorize_graph(wt.mean(x), {x: xs})
    assert made.eval({xs: np.ones((2, 3))}).tolist() == [1, 1]
    with pytest.raises(ValueError, match="must have length 3"):
        made.eval({xs: np.ones((2, 4))})


def test_what_cannot_be_batched_says_why() -> None:
    """Lengths by values, with the Op and the line; shapes and dtypes that do not fit."""
    x, n, xs = wt.vector("x"), wt.lscalar("n"), wt.matrix("xs")
    for out in (x[x > 0], wt.nonzero(x)[0], wt.unique(x)):
        with pytest.raises(ValueError, match=r"nonzero.*made at .*test_batching.*can't be batched"):
            wt.vectorize_graph(out, {x: xs})
    for out in (wt.arange(n), wt.zeros(n), x.reshape((n, -1))):
        with pytest.raises(ValueError, match="can't be batched: lengths that it is given differ"):
            wt.vectorize_graph(out, {n: wt.lvector("ns")})
    with pytest.raises(TypeError, match="can't stand in the place of"):
        wt.vectorize_graph(x, {x: wt.imatrix()})
    with pytest.raises(TypeError, match="can't stand in the place of"):
        wt.vectorize_graph(x, {x: wt.scalar()})
    with pytest.raises(TypeError, match="replaces tensor variables"):
        wt.vectorize_graph(x, {"x": xs})
    with pytest.raises(TypeError, match="outputs that are variables"):
        wt.vectorize_graph([1.0], {x: xs})
    y = wt.vector("y", shape=(3,))
    with pytest.raises(ValueError, match="does not have the shape"):
        wt.vectorize_graph(y, {y: wt.matrix(shape=(2, 4))})
    with pytest.raises(ValueError, match=r"leading axes of .* do not fit"):
        wt.vectorize_graph(x + y, {x: wt.matrix(shape=(2, 3)), y: wt.matrix(shape=(4, 3))})


class Norm(wt.TensorOp):
    """The length of vectors, divided by a scale."""

    def kind(self, *inputs: Any) -> Any:
        return wt.Reduction(-1, "add", start=lambda x, s: wt.square(x / s), finish=wt.sqrt)


class Growth(wt.TensorOp):
    """Products of all factors so far."""

    def kind(self, *inputs: Any) -> Any:
        return wt.Scan(0, "mul", start=lambda x: 1 + x)


class Turned(wt.TensorOp):
    """The last axis first."""

    def kind(self, *inputs: Any) -> Any:
        return wt.View((1, None, 0))


class Rolled(wt.TensorOp):
    """Rows in reverse, each rolled."""

    def infer(self, *types: Any) -> Any:
        return types[0]

    def infer_shape(self, fgraph: Any, node: Any, input_shapes: Any) -> Any:
        return input_shapes[:1]

    def kind(self, *inputs: Any) -> Any:
        x, _ = inputs
        return wt.Gather(lambda by, i, j: (-1 - i, (j + by) % x.shape[1]))


class Binned(wt.TensorOp):
    """Numbers added into bins."""

    def infer(self, *types: Any) -> Any:
        return types[0]

    def kind(self, *inputs: Any) -> Any:
        return wt.Scatter(lambda at, i: (at,), "inc")


class Checkered(Rolled):
    """The elements, those on every other place negated, times a number."""

    def kind(self, *inputs: Any) -> Any:
        def of(x: Any, by: Any, i: Any, j: Any) -> Any:
            return wt.where(wt.eq((i + j) % 2, 0), x, -x) * by

        return wt.Pointwise(of, positions=True)


@pytest.mark.parametrize("mode", MODES)
def test_kinds_of_users_need_no_rule(mode: str) -> None:
    """An Op that only says what it is."""
    x, places = XS[0], np.array([0, 2, 2, 1])
    cases: list[tuple[Any, list[Any]]] = [
        (Norm(), [x, np.array(2.0)]),
        (Growth(), [x]),
        (Turned(), [x]),
        (Rolled(), [x, np.array([1, 0, 2])]),
        (Binned(), [X, x[:, 0], places]),
        (Checkered(), [x, np.array(2.0)]),
    ]
    for op, values in cases:
        for which in _batches(len(values))[: 4 if mode == "py" else 1]:
            check_batches(op, values, which, mode)
