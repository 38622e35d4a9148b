"""Bad input: each is an error of Python's type that says what is wrong, and where.

What needs several devices is in eight_devices.py (a mesh that does not divide an axis) and
test_many_devices.py (a process that dies).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import MissingLoweringError, Mode, function
from weft_jax import JAX, JAXLinker, as_jax, wrap_jax
from weft_jax.lowering.x64 import enable_x64

x, y = wt.vector("x"), wt.vector("y")
X = wt.matrix("X")
f = wt.scalar("f")
n = wt.scalar("n", "int64")
k = wt.vector("k", "int64")
small = wt.scalar("small", "int32")
smalls = wt.vector("smalls", "int32")
a, b = wt.vector("a", shape=("m",)), wt.vector("b", shape=("m",))


def device(value: Any) -> Any:
    with enable_x64(True):
        return jnp.asarray(value)


class Case(NamedTuple):
    """Inputs, an output, values that are no good, and the error."""

    inputs: list[Any]
    output: Any
    values: list[Any]
    kind: type[Exception]
    message: str


OF_VALUES: dict[str, Case] = {
    "a negative length": Case([n], wt.zeros(n), [-1], ValueError, "negative"),
    "one on the device": Case([n], wt.zeros(n), [device(-1)], ValueError, "negative"),
    "one of two lengths": Case([n], wt.eye(3, n), [-2], ValueError, "negative"),
    "reshape to a negative length": Case(
        [x, n], x.reshape(n, 2), [np.ones(4), -2], ValueError, r"reshape \(4,\) into \(-2, 2\)"
    ),
    "a negative number of repeats": Case(
        [x, k], wt.repeat(x, k), [np.ones(2), [1, -1]], ValueError, "repeats can't be negative"
    ),
    "a fraction as length": Case([f], wt.eye(f), [2.5], ValueError, "2.5 is not a whole number"),
    "an index": Case(
        [x, n], x[n], [np.ones(3), 3], IndexError, "out of bounds for axis 0 with size 3"
    ),
    "an index on the device": Case(
        [x, n], x[n], [device(np.ones(3)), device(-4)], IndexError, "out of bounds for axis 0"
    ),
    "an index of an update": Case(
        [X, k], X[:, k].inc(1.0), [np.eye(2), [0, 2]], IndexError, "for axis 1 with size 2"
    ),
    "shapes of a product": Case(
        [X, x], X @ x, [np.eye(2), np.ones(3)], ValueError, r"\(2, 2\) and \(3,\) do not fit"
    ),
    "shapes of a sum": Case([x, y], x + y, [np.ones(2), np.ones(3)], ValueError, "broadcast"),
    "shapes of a concatenation": Case(
        [X], wt.concatenate([X, X.T]), [np.ones((2, 3))], ValueError, "dimension"
    ),
}


@pytest.mark.parametrize("name", OF_VALUES)
def test_values_that_are_no_good_are_told_with_the_users_line(name: str) -> None:
    case = OF_VALUES[name]
    g = function(case.inputs, case.output, mode="jax")
    for _ in range(2):
        with pytest.raises(case.kind, match=case.message) as caught:
            g(*case.values)
        assert caught.type is case.kind
        notes = "".join(caught.value.__notes__)
        assert "while computing" in notes
        assert "test_bad_input.py" in notes
    with pytest.raises(case.kind):
        function(case.inputs, case.output, mode="py")(*case.values)


OF_ARGUMENTS: dict[str, Case] = {
    "a fraction": Case([n], wt.zeros(n), [2.5], TypeError, "expected int64, got dtype float64"),
    "a fraction on the device": Case(
        [n], wt.zeros(n), [device(2.0)], TypeError, r"expected int64, got .*: float64\[\]"
    ),
    "another rank": Case([x], x + 1, [np.ones((3, 1))], TypeError, "which has rank 1, got"),
    "more than 64 bits": Case([n], n + 1, [2**70], TypeError, f"int64, but {2**70} does not fit"),
    "more than 32 bits": Case([small], small + 1, [2**31], TypeError, "int32, but .*not fit into"),
    "a list of more": Case([smalls], smalls + 1, [[1, -(2**40)]], TypeError, "does not fit into"),
    "an array of 64 bits": Case(
        [smalls], smalls + 1, [np.array([2**40])], TypeError, "got dtype int64: convert it"
    ),
    "one on the device that is large": Case(
        [smalls],
        smalls + 1,
        [device([2**40])],
        TypeError,
        r"expected int32\[\?\], got .*int64\[1\]",
    ),
}


@pytest.mark.parametrize("name", OF_ARGUMENTS)
def test_arguments_that_are_no_good_are_told_with_the_input(name: str) -> None:
    case = OF_ARGUMENTS[name]
    with pytest.raises(case.kind, match=case.message) as caught:
        function(case.inputs, case.output, mode="jax")(*case.values)
    assert f"input {case.inputs[0]!r}, made at" in str(caught.value)
    assert "test_bad_input.py" in str(caught.value)


def test_integers_of_64_bits_stay_so() -> None:
    g = function([n, k], [n + 1, k * 2], mode="jax")
    for number in (2**40, device(2**40)):
        more, twice = g(number, device([2**40]))
        assert (int(more), int(twice[0])) == (2**40 + 1, 2**41)


def test_a_number_of_python_must_fit_where_it_is_written() -> None:
    with pytest.raises(OverflowError, match="1099511627776 out of bounds for int32"):
        smalls + 2**40


def test_lengths_beyond_all_memory() -> None:
    g = function([n], wt.zeros(n) + 1, mode="jax")
    with pytest.raises(MemoryError, match="allocating"):
        g(2**50)
    with pytest.raises(ValueError, match=f"no memory for an array of {2**62} elements") as caught:
        g(2**62)
    assert "test_bad_input.py" in "".join(caught.value.__notes__)
    assert g(2).tolist() == [1.0, 1.0]


def test_broadcasts_larger_than_memory() -> None:
    given = [np.ones(2**20)] * 2
    checked = wt.exp(a[(a > 2).astype("int64")][:, None] + b)
    for wanted in (a[:, None] * b, [wt.sum(a), wt.exp(a[:, None] + b)], checked):
        g = function([a, b], wanted, mode="jax", on_unused_input="ignore")
        with pytest.raises(MemoryError, match="allocating"):
            g(*given)


def test_lengths_of_one_name() -> None:
    g = function([a, b], a + b, mode="jax")
    with pytest.raises(ValueError, match=r"'m' must have one length .* 3 in a, 2 in b"):
        g(np.ones(3), np.ones(2))


def test_a_length_on_the_device() -> None:
    assert function([n], wt.zeros(n), mode="jax")(device(3)).shape == (3,)


@pytest.mark.parametrize("mode", ["py", "jax"])
def test_a_masked_array_is_refused_by_what_jax_traces_too(mode: str) -> None:
    masked = np.ma.masked_greater([1.0, 1e9], 2.0)
    wrapped: Any = wrap_jax(lambda value: value)
    calls: list[Any] = [as_jax(function([x], x.sum(), mode=mode)), wrapped]
    for call in [*calls, lambda m: wrapped([x, m])]:
        with pytest.raises(TypeError, match="tensors have no mask"):
            call(masked)


def test_a_length_that_jax_traces() -> None:
    g = function([n], wt.zeros(n), mode="jax")
    with pytest.raises(TypeError, match=r"input <n : int64>, made at .*call `as_jax\(f\)` here"):
        jax.jit(g)(3)
    with pytest.raises(TypeError, match=r"one of <n : int64>\): .*`static_argnums` of jax.jit"):
        jax.jit(as_jax(g))(3)


class Unheard(wt.TensorOp):
    """Python alone runs it."""

    def infer(self, *types: Any) -> Any:
        return types[0]

    def impl(self, *values: Any) -> Any:
        return values[0] + 1


def test_an_op_without_implementation_where_segments_are_off() -> None:
    unheard = Unheard()(x)
    assert function([x], unheard, mode="jax")([1.0]).tolist() == [2.0]
    with pytest.raises(MissingLoweringError, match="Unheard has no JAX implementation") as caught:
        function([x], unheard, mode=Mode(JAXLinker(dynamic="static")))
    assert f"register(Unheard)` in the module {__name__}" in str(caught.value)
    assert "unheard = Unheard()(x)" in "".join(caught.value.__notes__)


def test_an_op_of_wefts_without_implementation_names_the_file() -> None:
    kind = type("Roots", (Unheard,), {"__module__": "weft_tensor.polynomials"})
    with pytest.raises(MissingLoweringError, match=r"in weft_jax/polynomials\.py, or"):
        function([x], kind()(x), mode=Mode(JAXLinker(dynamic="error")))


def test_a_mesh_larger_than_what_there_is() -> None:
    count = len(jax.devices()) + 1
    mode = Mode(JAX(mesh=wt.Mesh(data=count), in_specs={X: "data"}))
    with pytest.raises(ValueError, match=f"needs {count} devices, but JAX has {count - 1}"):
        function([X], X.sum(0), mode=mode)(np.eye(2))


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        (x * f, r"<mul : float64\[\?\]>: write .*as_jax\(function\(\[x, f\], ...\)\)"),
        ([x.sum(), f], r"as_jax\(function\(\[x, f\], ...\)\)"),
        (np.sin, r"as_jax\(function\(inputs, outputs\)\)"),
        ([], r"as_jax\(function\(inputs, outputs\)\)"),
    ],
)
def test_as_jax_of_an_expression_says_what_to_pass(given: Any, hint: str) -> None:
    with pytest.raises(
        TypeError, match=f"as_jax takes a compiled function or a FunctionGr.*{hint}"
    ):
        as_jax(given)
