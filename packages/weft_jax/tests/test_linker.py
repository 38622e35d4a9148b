"""What functions compiled with JAX promise: dtypes, NumPy results, memory, threads, errors."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import jax
import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import MissingLoweringError, Mode, Op, Variable, function, grad
from weft_jax import JAXLinker, jax_funcify, require
from weft_jax.lowering.x64 import enable_x64
from weft_jax.runtime import jit_with_options

x = wt.vector("x")
y = wt.vector("y")
k = wt.vector("k", "int64")
d = wt.vector("d", "int64")
n = wt.scalar("n", "int64")
X = wt.matrix("X")
VALUES = np.array([1.0, 1e30, -0.5])


def compiled(inputs: Sequence[Any], outputs: Any) -> Any:
    """Compiled as it is written, without rewriting."""
    return function(inputs, outputs, mode=Mode("jax", books=[]))


@pytest.mark.parametrize("dtype", wt.DTYPES)
def test_dtypes_stay(dtype: str) -> None:
    a = wt.vector("a", dtype)
    value = np.array([0, 1, 3], dtype)
    result = compiled([a], [a, a[1]])(value)
    assert [r.dtype for r in result] == [dtype, dtype]
    np.testing.assert_array_equal(result[0], value)


@pytest.mark.cases(0)
def test_hundreds_of_inputs_and_outputs() -> None:
    many = [wt.scalar(f"x{k}") for k in range(300)]
    add_up = sum(many[1:], many[0])
    found = compiled(many, [*(add_up for _ in many[1:]), many[0]])(*range(300))
    assert [len(found), float(found[0]), float(found[-1])] == [300, 300 * 299 / 2, 0.0]


def test_global_setting_stays_32_bit() -> None:
    before = jax.config.values["jax_enable_x64"]
    result = compiled([x], [x * 2, wt.arange(x.shape[0])])(np.array([1.0, 1e300]))
    assert (result[0].dtype, result[1].dtype) == ("float64", "int64")
    assert result[0][1] == 2e300
    assert jax.config.values["jax_enable_x64"] is before is False
    assert jax.numpy.arange(2.0).dtype == "float32"


def test_a_users_own_code_of_32_bits_is_the_same_before_between_and_after() -> None:
    traced = []

    @jax.jit
    def own(values: Any) -> Any:
        traced.append(values.dtype)
        return values * 2, jax.random.normal(jax.random.key(0), values.shape)

    f = compiled([x], x * 2)
    found = []
    for _ in range(3):
        found.append(own(VALUES))
        assert f(found[-1][0]).dtype == f(VALUES).dtype == "float64"
    assert traced == ["float32"]
    for doubled, drawn in found:
        assert (doubled.dtype, drawn.dtype) == ("float32", "float32")
        assert (drawn == found[0][1]).all()
    assert jax.grad(lambda v: own(v)[0].sum())(VALUES).dtype == "float32"


def test_importing_changes_nothing_that_others_could_feel() -> None:
    program = """
import logging, os, warnings, jax
def state():
    logger = logging.getLogger("jax")
    known = logger.level, logger.handlers, logger.filters, warnings.filters
    return repr((dict(jax.config.values), dict(os.environ), known))
before = state()
import weft_jax
assert state() == before
assert not jax._src.xla_bridge._backends, "JAX has looked for devices"
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_large_integers_are_exact() -> None:
    assert compiled([n], n + 1)(2**62 + 1) == 2**62 + 2


@pytest.mark.parametrize("ndim", [0, 1, 2])
def test_results_are_numpy_arrays(ndim: int) -> None:
    a = wt.TensorType("float64", [None] * ndim)("a")
    for result in compiled([a], [a + 1, a])(np.ones((2,) * ndim)):
        assert type(result) is np.ndarray
        assert result.shape == (2,) * ndim


def test_results_do_not_change_with_overwritten_inputs() -> None:
    f = compiled([x], [x * 2, x[::-1], wt.exp(x).sum(), x])
    values = np.zeros(20_000)
    for repetition in range(50):
        values[:] = repetition / 10
        doubled, backward, total, same = f(values)
        values[:] = np.nan
        assert (doubled == repetition / 5).all()
        assert (backward == repetition / 10).all()
        assert (same == repetition / 10).all()
        np.testing.assert_allclose(total, 20_000 * np.exp(repetition / 10))


def test_results_share_no_memory_with_inputs_constants_and_each_other() -> None:
    c = np.arange(4.0)
    values = np.ones((4, 4))
    outputs = [X, X, X.T, X[0], X.reshape(-1), wt.constant(c) + 0, wt.constant(c), X.T]
    results = compiled([X], outputs)(values)
    for i, result in enumerate(results):
        assert not np.shares_memory(result, values)
        assert not np.shares_memory(result, c)
        if result.flags.writeable:
            assert not any(np.shares_memory(result, other) for other in results[:i])


def test_inputs_stay_as_they_are() -> None:
    values = np.arange(4.0)
    kept = values.copy()
    compiled([x], [x[1:].set(0.0), x.sum(), x[::-1].inc(x)])(values)
    np.testing.assert_array_equal(values, kept)


@pytest.mark.parametrize(
    "values",
    [
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.arange(24.0).reshape(4, 6)[::2, ::-2],
        np.broadcast_to(np.arange(3.0), (2, 3)),
        np.zeros((0, 3)),
        np.frombuffer(b"\0" + np.arange(6.0).tobytes(), "u1")[1:].view("f8").reshape(2, 3),
    ],
    ids=["fortran", "strided", "read-only", "empty", "unaligned"],
)
def test_any_layout(values: Any) -> None:
    result = compiled([X], [X + 1, X.T, X.sum(0)])(values)
    for actual, expected in zip(result, [values + 1, values.T, values.sum(0)], strict=True):
        np.testing.assert_array_equal(actual, expected)


def test_threads() -> None:
    f = compiled([x, k], [wt.tanh(x).sum(), x[k]])

    def call(size: int) -> bool:
        values = np.arange(float(size))
        for _ in range(20):
            total, last = f(values, [size - 1])
            if not np.isclose(total, np.tanh(values).sum()) or last != size - 1:
                return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(call, range(1, 9)))


class Halved(Op):
    """Half of a vector of even integers."""

    def infer(self, *types: Any) -> Any:
        return types[0]


@pytest.fixture
def traces() -> list[Any]:
    found: list[Any] = []

    @jax_funcify.register(Halved)
    def jax_funcify_halved(op: Halved, *, node: Variable, **kwargs: Any) -> Any:
        def halved(value: Any) -> Any:
            found.append(value.shape)
            require(value % 2 == 0, ArithmeticError("there are odd numbers"))
            return value // 2

        return halved

    return found


def test_traces_once_per_shape(traces: list[Any]) -> None:
    f = compiled([k], Halved()(k))
    for values in ([2, 4], [0, 0], [8, 6], [2], [4]):
        np.testing.assert_array_equal(f(np.array(values)), np.array(values) // 2)
    assert traces == [(2,), (1,)]


def test_own_checks_raise_at_every_call(traces: list[Any]) -> None:
    f = compiled([k], Halved()(k))
    for _ in range(3):
        with pytest.raises(ArithmeticError, match="odd numbers"):
            f(np.array([2, 3]))
        np.testing.assert_array_equal(f(np.array([2, 4])), [1, 2])
    assert traces == [(2,)]


def test_registering_again_replaces(traces: list[Any]) -> None:
    jax_funcify.register(Halved, lambda op, **kwargs: lambda value: value * 0)
    np.testing.assert_array_equal(compiled([k], Halved()(k))(np.array([2, 4])), [0, 0])


class Unknown(Op):
    """Without any implementation."""

    def infer(self, *types: Any) -> Any:
        return types[0]


def test_missing_implementation_says_what_to_write() -> None:
    with pytest.raises(MissingLoweringError, match="Unknown has no JAX implementation") as caught:
        compiled([x], Unknown()(x))
    assert "@weft_jax.jax_funcify.register(Unknown)" in str(caught.value)
    assert "while computing Unknown" in "".join(caught.value.__notes__)


def test_require_is_for_traced_code() -> None:
    with pytest.raises(RuntimeError, match="weft_jax traces"):
        jax.jit(lambda value: require(value > 0, ValueError()))(1.0)


ERRORS: dict[str, tuple[Sequence[Any], Any, Sequence[Any], type[Exception]]] = {
    "index": ([x, n], x[n], [np.ones(3), 3], IndexError),
    "negative index": ([x, n], x[n], [np.ones(3), -4], IndexError),
    "index of no elements": ([x, n], x[n], [np.ones(0), 0], IndexError),
    "static index": ([x], x[3], [np.ones(3)], IndexError),
    "index array": ([x, k], x[k], [np.ones(3), [0, 3]], IndexError),
    "index array of no elements": ([x, k], x[k], [np.ones(0), [0]], IndexError),
    "index arrays": ([X, k, d], X[k, d], [np.eye(3), [0, 1], [0, 1, 2]], IndexError),
    "set": ([x, n], x[n].set(1.0), [np.ones(3), 3], IndexError),
    "inc": ([x, k], x[k].inc(1.0), [np.ones(3), [0, -4]], IndexError),
    "set of another length": ([x, y], x[:2].set(y), [np.ones(3), np.ones(3)], ValueError),
    "cholesky": ([X], wt.cholesky(X), [-np.eye(2)], np.linalg.LinAlgError),
    "cholesky of no square": ([X], wt.cholesky(X), [np.ones((2, 3))], np.linalg.LinAlgError),
    "inv": ([X], wt.inv(X), [np.zeros((2, 2))], np.linalg.LinAlgError),
    "solve": ([X], wt.solve(X, X), [np.zeros((2, 2))], np.linalg.LinAlgError),
    "solve_triangular": ([X], wt.solve_triangular(X, X), [np.zeros((2, 2))], np.linalg.LinAlgError),
    "power": ([k, d], k**d, [[2, 3], [1, -1]], ValueError),
    "add": ([x, y], x + y, [np.ones(2), np.ones(3)], ValueError),
    "matmul": ([X, x], X @ x, [np.eye(2), np.ones(3)], ValueError),
    "dot": ([x, y], x @ y, [np.ones(2), np.ones(3)], ValueError),
    "concatenate": ([X], wt.concatenate([X, X.T]), [np.ones((2, 3))], ValueError),
    "reshape": ([x], x.reshape(2, 2), [np.ones(3)], ValueError),
    "squeeze": ([X], X.squeeze(0), [np.eye(2)], ValueError),
    "max of nothing": ([x], x.max(), [np.ones(0)], ValueError),
    "fraction": ([x], wt.eye(x[0]), [np.array([2.5])], ValueError),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_are_those_of_python_at_every_call(name: str) -> None:
    inputs, output, values, kind = ERRORS[name]
    with pytest.raises(kind):
        function(inputs, output, mode=Mode("py", books=[]))(*values)
    f = compiled(inputs, output)
    for _ in range(3):
        with pytest.raises(kind) as caught:
            f(*values)
        assert caught.type is kind
        notes = "".join(caught.value.__notes__)
        assert "while computing" in notes
        assert "test_linker.py" in notes


def test_gradient_of_what_does_not_broadcast_is_an_error() -> None:
    with pytest.raises(ValueError, match="sum"):
        function([X, x], grad((X * x).sum(), x), mode="jax")(np.ones((4, 3)), np.ones(2))


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8", "uint64"])
@pytest.mark.parametrize(
    "operation",
    [lambda a, b: a // b, lambda a, b: a % b, wt.fmod, lambda a, b: a << b, lambda a, b: a >> b],
    ids=["floor_div", "mod", "fmod", "left_shift", "right_shift"],
)
def test_integers_at_their_limits(dtype: str, operation: Any) -> None:
    limits = np.iinfo(dtype)
    numbers = np.array([limits.min, 1, 0, 5, 7, limits.max, limits.max - 4], dtype)
    if limits.min:
        numbers = np.concatenate([numbers, -numbers])
    a, b = wt.vector("a", dtype), wt.vector("b", dtype)
    output = operation(a[:, None], b)
    with np.errstate(all="ignore"):
        expected = function([a, b], output, mode=Mode("py", books=[]))(numbers, numbers)
    actual = compiled([a, b], output)(numbers, numbers)
    np.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint64"])
def test_integer_powers(dtype: str) -> None:
    a, b = wt.vector("a", dtype), wt.vector("b", dtype)
    values = np.array([0, 1, 2, 3, 5, 63, 64, 65, 127], dtype)
    np.testing.assert_array_equal(
        compiled([a, b], a[:, None] ** b)(values, values), values[:, None] ** values
    )


def test_sees_nothing_of_indices_where_the_result_is_empty() -> None:
    result = compiled([X, k, d], X[k, d])(np.eye(3), np.zeros(0, "int64"), [5])
    assert result.shape == (0,)


def test_reductions_are_one_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """XLA is told so, but for large sums of 32 bits; the results are the same."""
    given: list[Any] = []
    jit = jax.jit

    def noted(function: Any, **keywords: Any) -> Any:
        given.append(keywords.get("compiler_options"))
        return jit(function, **keywords)

    monkeypatch.setattr(jax, "jit", noted)
    x = wt.vector("x", "float32")
    f = function([x], (x * x).sum(), mode="jax")
    assert given == [None]
    assert f(np.ones(2**21, "float32")) == 2**21
    assert given == [None]
    assert f(np.ones(500, "float32")) == f(np.ones(500, "float32")) == 500
    made = len(given)
    assert made > 1
    g = function([X], (X * X).sum(), mode="jax")
    assert g(np.ones((1500, 1500))) == g(np.ones((1500, 1500))) == 1500**2
    assert len(given) == made + 2
    assert bool(given[-1]) == ("xla_disable_hlo_passes" not in jit_with_options._unknown)


@pytest.mark.parametrize(
    "output",
    [
        (y > 0) * x,
        x * (y > 0).astype("float64"),
        (y > 0).astype("complex128") * x,
        x / (y > 0),
        grad(X.max(axis=1).sum(), X),
        grad(wt.maximum(x * y, 0).sum(), y),
        wt.where(y > 0, 1.0, 0.0) * x,
        (y > 0) @ x,
        wt.exp(x) ** (y - 1),
        wt.exp2(x) ** (y - 1),
        (-3.0) ** wt.exp2(wt.abs(y) + 2),
        1 / wt.sign(-(y - 1)),
        wt.mod(-4 * y, 2),
    ],
    ids=str,
)
def test_what_xla_simplifies_stays_right(output: Variable) -> None:
    nan, inf = np.nan, np.inf
    values = np.array([nan, inf, 1, nan]), np.array([1.0, -1, -1, -1]), np.full((2, 2), nan)
    with np.errstate(all="ignore"):
        expected = function([x, y, X], output, mode="py")(*values)
        as_written = function([x, y, X], output, mode=Mode("py", books=[]))(*values)
    np.testing.assert_array_equal(function([x, y, X], output, mode="jax")(*values), expected)
    np.testing.assert_allclose(compiled([x, y, X], output)(*values), as_written, rtol=1e-15)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_powers_of_two_are_precise(dtype: str) -> None:
    x = wt.vector("x", dtype)
    info = np.finfo(dtype)
    whole = np.arange(info.minexp, info.maxexp)
    drawn = np.random.default_rng(0).uniform(info.minexp, info.maxexp, 10_000)
    special = [-np.inf, np.inf, np.nan, -0.0, info.minexp * 3, info.maxexp, info.max, -info.max]
    values = np.concatenate([whole, drawn, special]).astype(dtype)
    found = function([x], wt.exp2(x), mode="jax")(values)
    with np.errstate(over="ignore"):
        right = np.exp2(values)
    np.testing.assert_array_equal(found[: len(whole)], np.ldexp(np.ones(1, dtype), whole))
    np.testing.assert_array_equal(found[-len(special) :], right[-len(special) :])
    np.testing.assert_allclose(found, right, rtol=3 * float(info.eps))


@pytest.mark.parametrize("n", [2, 3])
def test_slopes_of_determinants_of_small_matrices(n: int) -> None:
    """By minors, and where these are not finite as for larger matrices."""
    A = wt.tensor("A", shape=(None, None, None))
    slope = grad(wt.sum(wt.det(A)), A)
    found, right = (function([A], slope, mode=mode) for mode in ("jax", "py"))
    x = np.random.default_rng(0).normal(size=(6, n, n))
    x[0], x[1, :, 0], x[2, 0] = 0, 0, x[2, 1]
    for changed in (1.0, 1e200, np.nan):
        x[4] *= changed
        np.testing.assert_allclose(found(x), right(x), rtol=1e-10, atol=1e-12)


def test_arrays_of_jax_are_let_in_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(linker: Any, variable: Any, value: Any) -> Any:
        raise TypeError("not as it is")

    x, n = wt.matrix("x", shape=(None, 3)), wt.scalar("n", "int64")
    with enable_x64(True):
        value, two = jax.numpy.ones((2, 3)), jax.numpy.array(2)
        function([x, n], x * n, mode="jax")(value, two)  # such were seen
        monkeypatch.setattr(JAXLinker, "filter", refuses)
        f = function([x, n], x * n, mode="jax")
        assert f(value, two).tolist() == [[2.0] * 3] * 2
        for wrong in (value[:, :2], value[0], value.astype("float32")):
            with pytest.raises(TypeError, match="not as it is"):
                f(wrong, two)
        with pytest.raises(TypeError, match="not as it is"):
            jax.jit(f)(value, two)
