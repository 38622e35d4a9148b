"""What implementations of Ops return is what the Ops promise, or an error says what it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import jax.numpy as jnp
import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import Apply, Op, OpFromGraph, Variable, function, get_value, shared, wrap_py
from weft_jax import jax_funcify
from weft_numba import numba_funcify

x = wt.vector("x")
BACKENDS = pytest.mark.parametrize("mode", ["py", "numba", "jax"])
COMPILED = pytest.mark.parametrize("mode", ["numba", "jax"])
VALUES = np.arange(1.0, 5.0)


class InPython(wt.TensorOp):
    """Its only implementation is in Python, and is `returned`."""

    runs_in_python: ClassVar[bool] = True
    returned: Callable[..., Any]

    def infer(self, *types: Any) -> Any:
        return types[0]

    def impl(self, *values: Any) -> Any:
        return self.returned(*values)


class Performed(InPython):
    """The same in the tradition's way."""

    def make_node(self, *inputs: Any) -> Apply:
        return Apply(self, list(inputs), [inputs[0].type()])

    def perform(self, node: Apply, inputs: Sequence[Any], output_storage: Any) -> None:
        output_storage[0][0] = self.returned(*inputs)


class Two(InPython):
    def infer(self, *types: Any) -> Any:
        return types[0], wt.TensorType("int64")


class Lowered(InPython):
    """Python is right; what compiled code does is `returned`."""

    runs_in_python: ClassVar[bool] = False

    def impl(self, *values: Any) -> Any:
        return values[0] * 1.0

    def infer_shape(self, fgraph: Any, node: Any, input_shapes: Any) -> Any:
        return [input_shapes[0]]


class LoweredTwo(Lowered):
    def infer(self, *types: Any) -> Any:
        return types[0], wt.TensorType(types[0].dtype)

    def impl(self, *values: Any) -> Any:
        return values[0] * 1.0, values[0].sum()

    def infer_shape(self, fgraph: Any, node: Any, input_shapes: Any) -> Any:
        return [input_shapes[0], ()]


@numba_funcify.register(Lowered)
@jax_funcify.register(Lowered)
def _(op: Lowered, *, node: Variable, **kwargs: Any) -> Any:
    return op.returned


def float32(v: Any) -> Any:
    return v.astype(np.float32)


def integer(v: Any) -> Any:
    return v.astype(np.int64)


def complex_(v: Any) -> Any:
    return v.astype(np.complex128)


def column(v: Any) -> Any:
    return v.reshape((-1, 1))


def element(v: Any) -> Any:
    return v[0]


def twice(v: Any) -> Any:
    return v, v


def nothing(v: Any) -> Any:
    return None


def other_end(v: Any) -> Any:
    return v.astype(">f8")


def backwards(v: Any) -> Any:
    return v[::-1]


def listed(v: Any) -> Any:
    return v.tolist()


def read_only(v: Any) -> Any:
    made = v + 0.0
    made.flags.writeable = False
    return made


def misaligned(v: Any) -> Any:
    made = np.zeros(v.nbytes + 1, np.uint8)[1:].view(np.float64)
    made[:] = v
    return made


def shorter(v: Any) -> Any:
    return v[1:]


def uses(y: Any) -> list[Any]:
    """What is computed of a result: nothing, in one loop nest, by a view, by a call, in a body."""
    body = wt.matrix("body")
    return [y, y + 1, y[1:] * 2, wt.sort(y), y[wt.arange(y.shape[0])], wt.sum(y * y) + body]


OTHER = [
    (column, r"float64.*\(4, 1\)|float64\[(\?, \?|4, 1)\]"),
    (element, r"float64"),
    (twice, "a tuple of 2"),
    (nothing, "None"),
    (complex_, "complex128"),
]


@BACKENDS
@pytest.mark.parametrize("kind", [InPython, Performed])
@pytest.mark.parametrize(("returned", "said"), OTHER)
def test_python_must_return_what_was_promised(
    mode: str, kind: Any, returned: Any, said: str
) -> None:
    for y in uses(kind(returned)(x))[:3]:
        with pytest.raises(TypeError, match=rf"Python implementation of .* returned.*{said}") as e:
            function([x], y, mode=mode)(VALUES)
        assert "but the Op promises float64[?]" in str(e.value)
        (note,) = [n for n in e.value.__notes__ if n.startswith("while computing")]
        assert f"while computing {kind.__name__}" in note


@BACKENDS
@pytest.mark.parametrize(
    "returned", [float32, integer, other_end, backwards, listed, read_only, misaligned]
)
def test_what_loses_nothing_is_converted(mode: str, returned: Any) -> None:
    f = function([x], uses(InPython(returned)(x))[:5], mode=mode)
    wanted = function([x], uses(x)[:5], mode="py")(np.array(returned(VALUES), np.float64))
    for result, right in zip(f(VALUES), wanted, strict=True):
        assert result.dtype == np.dtype("float64")
        np.testing.assert_array_equal(result, right)


@BACKENDS
@pytest.mark.parametrize("returned", [lambda v: v, lambda v: (v,), lambda v: (v, 1, 2), nothing])
def test_several_results_are_as_many_as_promised(mode: str, returned: Any) -> None:
    first, second = Two(returned)(x)
    with pytest.raises(TypeError, match=r"returned .*but the Op promises"):
        function([x], [first, second + 1], mode=mode)(VALUES)


@BACKENDS
def test_each_of_several_results_is_converted(mode: str) -> None:
    first, second = Two(lambda v: [v.tolist(), np.int8(3)])(x)
    one, two = function([x], [first, second], mode=mode)(VALUES)
    assert (one.dtype, two.dtype, two) == ("float64", "int64", 3)


@BACKENDS
def test_lengths_that_are_known_are_promised_too(mode: str) -> None:
    v = wt.vector("v", shape=(4,))
    y = InPython(shorter)(v)
    for output in (y, y[3] + 1, wt.sum(y)):
        with pytest.raises(TypeError, match=r"shape \(3,\), but the Op promises float64\[4\]"):
            function([v], output, mode=mode)(VALUES)


@BACKENDS
def test_of_constants_as_well(mode: str) -> None:
    y = InPython(column)(wt.constant(VALUES))
    with pytest.raises(TypeError, match=r"\(4, 1\), but the Op promises float64\[4\]"):
        function([], y + 1, mode=mode)()


@BACKENDS
def test_a_wrapped_function_is_checked(mode: str) -> None:
    wrapped = wrap_py(column, itypes=[wt.dvector], otypes=[wt.dvector])
    with pytest.raises(TypeError, match=r"column returned .*\(4, 1\)"):
        function([x], wrapped(x) + 1, mode=mode)(VALUES)


@pytest.mark.cases(3)
@COMPILED
@pytest.mark.parametrize(("returned", "said"), [*OTHER, (float32, "float32"), (integer, "int64")])
def test_compiled_code_must_return_what_was_promised(mode: str, returned: Any, said: str) -> None:
    name = {"numba": "Numba", "jax": "JAX"}[mode]
    for y in uses(Lowered(returned)(x))[:5]:
        with pytest.raises(TypeError, match=rf"{name} implementation of .* returned.*{said}") as e:
            function([x], y, mode=mode)(VALUES)
        assert "but the Op promises float64[?]" in str(e.value)
        (note,) = [n for n in e.value.__notes__ if n.startswith("while computing")]
        assert "for y in uses(Lowered(returned)(x))[:5]:" in note


@pytest.mark.cases(0)
@COMPILED
def test_code_inside_bodies_is_checked_too(mode: str) -> None:
    X = wt.matrix("X")
    bad = Lowered(float32)(x)
    places = [
        wt.map(lambda row: wt.sum(Lowered(float32)(row)), X),
        OpFromGraph([x], [bad + 1], inline=False)(X[0]),
        OpFromGraph([x], [bad, bad + 1], inline=True)(X[0])[1],
        wt.ifelse(X[0, 0] > 0, Lowered(float32)(X[0]) + 1, X[1] + 2),
        OpFromGraph([x], [wt.sort(Lowered(twice)(x))], inline=False)(X[0]),
    ]
    for y in places:
        with pytest.raises(TypeError, match="but the Op promises float64") as caught:
            function([X], y, mode=mode)(np.ones((2, 2)))
        assert "while computing Lowered" in "".join(caught.value.__notes__)


@COMPILED
def test_several_results_of_compiled_code(mode: str) -> None:
    for returned in (twice, nothing, element, lambda v: (v,), lambda v: (v, v[0], v[0])):
        for output in LoweredTwo(returned)(x):
            with pytest.raises(TypeError, match=r"but the Op promises \(float64\[\?\], float64\)"):
                function([x], output + 1, mode=mode)(VALUES)
    first, second = LoweredTwo(lambda v: (v, v[0]))(x)
    assert function([x], first.sum() + second, mode=mode)(VALUES) == 11.0


def test_jax_gives_numbers_of_no_dtype_the_promised_one() -> None:
    n = wt.scalar("n", "float32")
    for returned in (lambda v: 2, lambda v: 2.0, lambda v: jnp.where(v > 0, 2, 3)):
        result = function([n], Lowered(returned)(n) * 1, mode="jax")(np.float32(1))
        assert (result.dtype, result) == ("float32", 2.0)
    for wrong in (lambda v: 2j, lambda v: np.float64(2), lambda v: "2"):
        with pytest.raises(TypeError, match="but the Op promises float32"):
            function([n], Lowered(wrong)(n) * 1, mode="jax")(np.float32(1))


@pytest.mark.cases(0)
def test_lengths_of_compiled_code_are_as_promised() -> None:
    """By a number, by a name, and by `infer_shape`: loop nests rely on all of these."""
    for length in (4, "n", None):
        v = wt.vector("v", shape=(length,))
        for y in uses(Lowered(shorter)(v))[:5]:
            with pytest.raises(ValueError, match="another length than its Op promises") as caught:
                function([v], y + 0 * v.sum(), mode="numba")(VALUES)
            assert "while computing Lowered" in "".join(caught.value.__notes__)
        good = Lowered(backwards)(v)
        result = function([v], good[1:] + v[1:], mode="numba")(VALUES)
        np.testing.assert_array_equal(result, [5.0, 5.0, 5.0])
    with pytest.raises(TypeError, match=r"float64\[3\], but the Op promises float64\[4\]"):
        function([v4 := wt.vector(shape=(4,))], Lowered(shorter)(v4) * 2, mode="jax")(VALUES)


class Bare(Op):
    """Without `infer_shape`, nothing is promised of a length that has no name."""

    def infer(self, *types: Any) -> Any:
        return types[0]


@numba_funcify.register(Bare)
def _(op: Bare, **kwargs: Any) -> Any:
    return lambda v: v[1:]


def test_no_more_is_asked_than_was_promised() -> None:
    assert function([x], Bare()(x) * 2, mode="numba")(VALUES).tolist() == [4.0, 6.0, 8.0]


@BACKENDS
def test_a_new_value_of_state_is_of_its_type(mode: str) -> None:
    state = shared(wt.TensorType("float64", (3,)), np.zeros(3), "state")
    f = function([x], state.sum(), updates={state: x * 2}, mode=mode)
    f(np.ones(3))
    with pytest.raises(
        (TypeError, ValueError), match=r"new value of <state : float64\[3\]>.*\[3\]"
    ):
        f(VALUES)
    assert get_value(state).tolist() == [2.0, 2.0, 2.0]
    assert f(np.ones(3)) == 6.0


def test_large_state_stays_where_its_new_value_is_refused() -> None:
    state = shared(wt.TensorType("float64", (20_000,)), np.ones(20_000), "state")
    moved = wt.concatenate([state, x])[2 * x.shape[0] :]
    f = function([x], state.sum(), updates={state: moved}, mode="jax")
    f([])
    with pytest.raises(TypeError, match=r"new value of <state : float64\[20000\]>"):
        f(VALUES)
    assert get_value(state).shape == (20_000,)
    assert f([]) == 20_000.0
