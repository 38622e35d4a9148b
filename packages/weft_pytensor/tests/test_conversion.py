"""PyTensor's expressions give the same values on Weft, and where they don't they say so."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest
from pytensor.graph.basic import Apply
from pytensor.graph.op import Op
from pytensor.tensor.blockwise import Blockwise
from pytensor.tensor.shape import Shape_i
from pytensor.tensor.special import log_softmax, softmax

import weft.tensor as wt
from weft_graph import digest
from weft_pytensor import NoConverterError, NoConverterWarning, from_pytensor

pytestmark = pytest.mark.filterwarnings("default")  # PyTensor's own
x, a = pt.dvector("x"), pt.dscalar("a")
m, k = pt.dmatrix("m"), pt.lvector("k")
stack = pt.tensor3("stack", dtype="float64")
positive = m @ m.T + pt.eye(3)
X = np.array([0.5, -1.0, 2.0])
M = np.array([[1.0, 2, 3], [0, 1, 4], [5, 6, 0.5]])
VALUES = {x: X, a: np.array(0.7), m: M, k: np.array([2, 0, 1]), stack: np.stack([M, M + 1])}

GROUPS: dict[str, Callable[[], list[Any]]] = {
    "functions of numbers": lambda: [
        *(pt.exp(x), pt.log1p(x**2), pt.sigmoid(x), pt.softplus(x), pt.log1mexp(-(x**2))),
        *(pt.gammaln(x**2 + 1), pt.digamma(x**2 + 1), pt.erf(x), pt.erfcx(x), pt.sqr(x)),
        *(pt.clip(x, -0.5, 1), pt.switch(x > 0, x, -x), pt.round(x * 1.7), x // 0.3, x % 0.3),
        *(pt.maximum(x, 0), pt.arctan2(x, 2), pt.gammainc(2.0, x**2), pt.betainc(2.0, 3.0, 0.4)),
        *(pt.and_(x > 0, x < 1), pt.xor(k, 1), pt.invert(k), k / 2, pt.cast(x, "int32"), x * k),
        *(
            pt.isnan(x),
            pt.second(x, 1.0),
            pt.second(np.ones((3, 1)), x[None]),
            pt.sign(x),
            pt.reciprocal(x),
            pt.iround(x),
        ),
    ],
    "shapes": lambda: [
        *(m.T, m.reshape((-1,)), m.reshape((x.shape[0], 3)), x.dimshuffle("x", 0), m[None].shape),
        *(pt.concatenate([x, m[:, 0]]), pt.stack([x, 2 * x]), pt.tile(x, 2), pt.repeat(x, 2)),
        *(pt.arange(x.shape[0]), pt.eye(3, k=1), pt.zeros_like(m), pt.full((2, 3), a), pt.diag(m)),
        *(pt.diag(x), pt.tri(3), pt.flatten(stack), pt.broadcast_to(x, (2, 3)), x.shape[0] + 1),
        *(
            *pt.split(x, splits_size=[1, 2], n_splits=2),
            pt.expand_dims(x, 1),
            pt.moveaxis(stack, 0, 2),
            pt.roll(x, 1),
        ),
        *(pt.outer(x, x), pt.atleast_2d(x), pt.specify_shape(x, (3,)), pt.join(1, m, m)),
        stack.reshape((m.shape[0], pt.constant(-1, dtype="int8"))),
    ],
    "indices": lambda: [
        *(x[1], x[-1], x[1:], x[::-1], m[:, 1], m[1, ::2], m[k], m[k, k], m[:, k], m[k][:, None]),
        *(x[x > 0], m[m > 1], m[x > 0], stack[:, k, 1], stack[0, :, k], pt.take(m, k, axis=1)),
        *(pt.set_subtensor(x[1:], 0.0), pt.inc_subtensor(m[k, k], x), pt.set_subtensor(m[k], a)),
        *(pt.inc_subtensor(x[k % 2], 1.0), pt.nonzero(x > 0)[0], pt.fill_diagonal(m, a)),
    ],
    "reductions": lambda: [
        *(m.sum(), m.sum(axis=0), m.prod(axis=1), m.max(), m.min(axis=0), m.mean(), m.std(axis=1)),
        *(pt.argmax(m, axis=0), pt.argmin(m), (m > 0).all(axis=0), (m > 5).any(), k.sum()),
        *(pt.logsumexp(m, axis=1), pt.cumsum(x), pt.cumprod(m, axis=1), pt.var(m, axis=0)),
        *(softmax(m, axis=0), log_softmax(m, axis=1), softmax(m), pt.max(stack, axis=(0, 2))),
        *(pt.sort(x), pt.argsort(x), pt.sort(m, axis=0), pt.searchsorted(pt.sort(x), a)),
        *(pt.unique(k % 2), pt.diff(x), pt.bincount(k), pt.median(m, axis=0)),
    ],
    "linear algebra": lambda: [
        *(
            m @ x,
            x @ m @ x,
            stack @ m,
            pt.dot(m, m),
            pt.linalg.cholesky(positive),
            pt.linalg.inv(m),
        ),
        *(pt.linalg.solve(m, x), pt.linalg.solve_triangular(pt.tril(m), x, lower=True)),
        *(pt.linalg.det(m), *pt.linalg.slogdet(positive), *pt.linalg.eigh(positive)[:1]),
        *(pt.linalg.svd(m, compute_uv=False), pt.linalg.qr(m)[1] ** 2, pt.linalg.expm(m / 10)),
        *(
            pt.linalg.kron(m, m),
            pt.linalg.block_diag(m, m),
            pt.linalg.cholesky(stack @ stack.mT + pt.eye(3)),
            pt.linalg.pinv(m),
            pt.linalg.matrix_power(m, 3),
        ),
        pt.linalg.cho_solve((pt.linalg.cholesky(positive), True), x),
    ],
    "derivatives that PyTensor took": lambda: [
        *pytensor.grad(pt.linalg.slogdet(positive)[1] + pt.logsumexp(x * a), [m, x, a]),
        *pytensor.grad(pt.gammaln(x**2 + 1).sum() + m[k, k].prod() + pt.sort(x)[-1], [x, m]),
        *pytensor.grad(pt.linalg.solve(positive, x).sum() + pt.cumsum(x)[1] ** 2, [m, x]),
        *pytensor.grad((softmax(m, axis=1) ** 2).sum() + pt.max(x) * a, [m, x, a]),
    ],
}


def assert_equal(theirs: Sequence[Any], ours: Sequence[Any], what: Sequence[Any]) -> None:
    for one, other, v in zip(theirs, ours, what, strict=True):
        one, other = np.asarray(one), np.asarray(other)
        assert one.dtype == other.dtype, v
        np.testing.assert_allclose(other, one, rtol=1e-9, atol=1e-12, err_msg=str(v))


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("group", GROUPS)
def test_same_values(group: str, mode: str) -> None:
    outputs = GROUPS[group]()
    inputs = list(VALUES)
    theirs = pytensor.function(inputs, outputs, mode="FAST_COMPILE", on_unused_input="ignore")
    graph = from_pytensor(outputs, inputs, host="error")
    ours = wt.function(graph.inputs, list(graph.outputs), mode=mode, on_unused_input="ignore")
    values = list(VALUES.values())
    assert_equal(theirs(*values), ours(*values), outputs)


def test_names_types_and_places() -> None:
    v = pt.tensor("v", dtype="float32", shape=(None, 3))
    graph = from_pytensor([pt.exp(v).sum(axis=1)], [v])
    (ours,) = graph.inputs
    assert (ours.name, ours.dtype, ours.type.shape[1]) == ("v", "float32", 3)
    assert "test_conversion.py" in str(graph.outputs[0].place)


def test_integers_are_computed_with_as_pytensor_does() -> None:
    """Whose functions of 8 bits are of 32 bits at least, where NumPy's are of 16, or integers."""
    small = pt.bvector("small")
    outputs = [pt.reciprocal(small), pt.exp(small), small / small, pt.sqrt(small), small**0.5]
    theirs = pytensor.function([small], outputs, mode="FAST_COMPILE")
    graph = from_pytensor(outputs, [small])
    ours = wt.function(graph.inputs, list(graph.outputs), mode="py")
    value = np.array([3, 10], "int8")
    for one, other, v in zip(theirs(value), ours(value), outputs, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(other, one, rtol=1e-6, err_msg=str(v))


def test_exponents_stay_numbers() -> None:
    """So that their derivatives take no powers: PyTensor's operands all have the same rank."""
    graph = from_pytensor((x - m) ** 2)
    slope = wt.grad(graph.outputs[0].sum(), graph.inputs[0])
    f = wt.function(graph.inputs, slope, mode="py")
    assert not [v for v in f.graph.nodes if str(v.op) in ("pow", "expand_dims[0]", "where")]
    assert from_pytensor(pt.dscalar("s").dimshuffle("x") * 2).outputs[0].ndim == 1


def test_ranges_in_rows() -> None:
    start, stop = pt.lvector("start"), pt.lvector("stop")
    rows = Blockwise(pt.arange(0, a.astype("int64"), 1).owner.op, "(),(),()->(n)")(
        start, stop, pt.constant(np.array([2]))
    )
    graph = from_pytensor(rows, [start, stop], host="error")
    f = wt.function(graph.inputs, graph.outputs[0], mode="py")
    assert f([0, 1], [5, 6]).tolist() == [[0, 2, 4], [1, 3, 5]]


def test_inputs_may_be_results() -> None:
    inner = pt.exp(x)
    graph = from_pytensor(inner * 2, [inner])
    assert graph.outputs[0].inputs[0] is graph.inputs[0]


def test_shared_variables_are_kept_in_step() -> None:
    weight = pytensor.shared(np.array([1.0, 2.0, 3.0]), "weight")
    graph = from_pytensor((weight * x).sum(), [x])
    f = wt.function(graph.inputs, graph.outputs[0])
    assert f(X) == 4.5
    weight.set_value(np.zeros(3))
    assert f(X) == 0.0


class Squared(Op):  # type: ignore[misc]  # PyTensor has no types here
    """An Op that Weft knows nothing of."""

    def make_node(self, v: Any) -> Apply[Any]:
        return Apply(self, [pt.as_tensor(v)], [pt.as_tensor(v).type()])

    def perform(self, node: Apply[Any], inputs: Sequence[Any], outputs: Any) -> None:
        outputs[0][0] = inputs[0] ** 2

    def L_op(self, inputs: Any, outputs: Any, slopes: Any) -> Any:
        return [2 * inputs[0] * slopes[0]]

    pullback = L_op


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_others_run_on_the_host(mode: str) -> None:
    with pytest.warns(NoConverterWarning, match="Squared"):
        graph = from_pytensor(Squared()(x).sum())
    f = wt.function(
        graph.inputs, [*graph.outputs, wt.grad(graph.outputs[0], graph.inputs[0])], mode=mode
    )
    total, slope = f(X)
    assert total == 5.25
    np.testing.assert_array_equal(slope, 2 * X)


def test_no_key_is_made_of_what_runs_on_the_host() -> None:
    """PyTensor's nodes lead to their whole graphs, which took seconds to go through."""
    graph = from_pytensor(Squared()(pt.exp(x)), host="allow")
    with pytest.raises(TypeError, match="graphs that lead to themselves"):
        digest(graph.outputs[0])


def test_the_host_may_be_forbidden() -> None:
    with pytest.raises(NoConverterError, match=r"register\(Squared\)") as caught:
        from_pytensor(Squared()(x), host="error")
    assert "Squared" in str(caught.value)


def test_users_add_converters() -> None:
    class Tripled(Squared):
        pass

    from_pytensor(Tripled()(x), host="allow")  # what was looked for is looked for again

    @from_pytensor.register(Tripled)
    def tripled(op: Any, v: Any) -> Any:
        return 3 * v

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        graph = from_pytensor(Tripled()(x))
    assert graph.outputs[0] is 3 * graph.inputs[0]


def test_what_is_no_array() -> None:
    from pytensor.tensor.type_other import SliceType

    with pytest.raises(TypeError, match="only arrays, numbers, random generators"):
        from_pytensor(SliceType()("s"))
    with pytest.raises(TypeError, match="no class of PyTensor's Ops"):
        from_pytensor.register(int)


def test_numbers_of_32_bits() -> None:
    x, y = pt.fvector("x"), pt.dvector("y")
    half = pt.constant(0.5, dtype="float32")
    root = pt.sqrt(half)
    count = pt.constant(10, dtype="int8")
    outputs = [x * root, root, y + pt.gammaln(half), y * pt.log(count), y - pt.gammaln(count + 1)]
    theirs = pytensor.function([x, y], outputs, mode="FAST_COMPILE")([1.0], [1.0])
    graph = from_pytensor(outputs, [x, y])
    assert [v.dtype for v in graph.outputs] == [v.dtype for v in outputs]
    ours: Any = wt.function(graph.inputs, graph.outputs, mode="py")([1.0], [1.0])
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(one, other)


def test_factors_of_64_bits() -> None:
    """PyTensor puts products together before it rounds: a third of 32 bits is none of 64."""
    x = pt.dvector("x")
    two, three = (pt.constant(n, dtype="float32") for n in (2, 3))
    third, shares = pt.reciprocal(three), two / three
    count = pt.reciprocal(pt.constant(7, dtype="int8"))
    outputs = [x * third, x / shares, x * (third * shares), x + third, (x - third) * third]
    outputs += [x * pt.reciprocal(pt.sqrt(three)), x * shares**-2, x * shares**2, x * count]
    outputs += [x * pt.exp(third), x * (two / pt.sqrt(three)), x.sum() * third, x * (shares - 1)]
    theirs = pytensor.function([x], outputs, mode="FAST_COMPILE")([1.3, 0.7])
    graph = from_pytensor(outputs, [x])
    ours: Any = wt.function(graph.inputs, graph.outputs, mode="py")([1.3, 0.7])
    for one, other, v in zip(ours, theirs, outputs, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-15, err_msg=str(v))


def test_slopes_at_the_limits_of_clip() -> None:
    """They are whole, as PyTensor's."""
    x = pt.dvector("x")
    ours = from_pytensor(pt.clip(x, 0, np.inf), [x])
    slope = wt.function(ours.inputs, wt.grad(ours.outputs[0].sum(), ours.inputs[0]), mode="py")
    np.testing.assert_array_equal(slope([-1.0, 0.0, 1.0]), [0, 1, 1])


def test_lengths_that_are_known_are_tensors() -> None:
    """As PyTensor's rewrites compare them."""
    rows = pt.matrix("rows", shape=(None, 3))
    same = pt.eq(Shape_i(1)(rows), Shape_i(0)(rows))
    (ours,), (found,) = from_pytensor([same])
    assert [found.eval({ours: np.ones((n, 3))}).item() for n in (2, 3)] == [False, True]
