"""Small graphs whose loops are one kernel: the same results, and a way out where XLA refuses."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import weft_tensor as wt
from weft_graph import function, grad
from weft_jax import jax_funcify
from weft_jax.compile import small_kernels
from weft_jax.compile.joined_sums import joined_sums
from weft_jax.compile.small_kernels import in_small_kernels, is_long
from weft_jax.lowering.x64 import enable_x64
from weft_jax.runtime.jit_with_options import InSmallKernels, JitWithOptions

N = 6
VALUES = np.random.default_rng(0).normal(size=N)


def _long(x: Any) -> Any:
    """Enough steps that sums divide."""
    for k in range(12):
        x = x * wt.tanh(x.sum() + k)
    return x


def _compared(build: Callable[[Any], Any], dtype: str = "float64") -> None:
    """Results are those of Python."""
    results = []
    x = wt.vector("x", dtype=dtype, shape=(N,))
    outputs = build(x)
    for mode in ("jax", "py"):
        f = function([x], outputs, mode=mode)
        values = [VALUES, VALUES * 1e3, np.full(N, np.nan), np.full(N, np.inf), np.zeros(N)]
        with np.errstate(all="ignore"):
            results.append([f(v.astype(dtype)) for v in values])
    rtol = 1e-12 if dtype == "float64" else 1e-5
    for one, other in zip(*results, strict=True):
        pairs = zip(one, other, strict=True) if isinstance(one, (list, tuple)) else [(one, other)]
        for a, b in pairs:
            np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol)
            assert a.dtype == b.dtype


BUILDS: dict[str, Callable[[Any], Any]] = {
    "sums": _long,
    "slope": lambda x: grad(wt.exp(_long(x)).sum(), x),
    "scatter": lambda x: grad((_long(x)[np.array([0, 3, 3, 1])] ** 2).sum(), x),
    "product": lambda x: _long(_long(x).reshape((2, 3)) @ np.ones((3, 4))),
    "factor": lambda x: _long(wt.linalg.cholesky(np.eye(N) * (1 + wt.square(_long(x)).sum()))),
    "sort": lambda x: _long(wt.sort(_long(x))),
    "choices": lambda x: wt.where(_long(x) > 0, wt.log1p(wt.abs(x)), wt.cumsum(x)),
    "several": lambda x: [_long(x), wt.argmax(_long(x)), wt.any(_long(x) > 0)],
    "drawn": lambda x: _long(x) + wt.random.normal(wt.random.key(1), size=(N,)),
}


@pytest.mark.cases(5)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", BUILDS)
def test_results_are_those_of_python(name: str, dtype: str) -> None:
    _compared(BUILDS[name], dtype)


def _text(computed: Callable[[Any], Any], length: int) -> str:
    value = jnp.ones(length)
    return jax.jit(in_small_kernels(jax.jit(computed).trace(value))).lower(value).as_text()


def test_one_kernel_holds_what_xla_can_compile_in_one() -> None:
    def computed(x: Any) -> Any:
        for _ in range(30):
            x = jnp.sin(x).sum() * x
        return jnp.sort(x)

    text = _text(computed, 5)
    whole, kernel = text.split("func.func private", 1)
    assert "xla_cpu_small_call" in whole
    assert "sort" in whole
    assert "sine" not in whole
    assert "sine" in kernel


def test_what_is_taken_apart_is_in_the_kernel() -> None:
    """JAX 0.12 has a primitive for it: a cumulative sum of three numbers stood between kernels."""

    def computed(x: Any) -> Any:
        for _ in range(30):
            first, second, third = x
            x = jnp.sin(jnp.stack([first, first + second, first * third]))
        return x

    small: Any = in_small_kernels(jax.jit(computed).trace(jnp.ones(3)))
    names = [step.primitive.name for step in jax.make_jaxpr(small)(jnp.ones(3)).eqns]
    assert names.count("jit") == 1
    assert "unstack" not in names
    np.testing.assert_allclose(small(VALUES[:3]), computed(jnp.asarray(VALUES[:3])), rtol=1e-5)


def test_what_is_scattered_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """From JAX 0.11 on, XLA refused kernels with scatters: all was compiled again, without."""
    refused = []
    compiled = JitWithOptions._compiled

    def seen(self: JitWithOptions, *values: object) -> Any:
        refused.extend([self] * isinstance(self, InSmallKernels))
        return compiled(self, *values)

    monkeypatch.setattr(JitWithOptions, "_compiled", seen)
    x = wt.vector("x", shape=(N,))
    function([x], BUILDS["scatter"](x), mode="jax")(VALUES)
    assert not refused


def test_kernels_ask_for_the_platform_themselves() -> None:
    """XLA ended the process of a model of PyMC's in which three kernels had it as an argument."""

    def turned(x: Any) -> Any:
        return lax.platform_dependent(x, cpu=jnp.flip, default=jnp.negative)

    def computed(x: Any) -> Any:
        for k in range(60):
            x = jnp.sin(x).sum() * x
            x = lax.sort(turned(x)) if k == 30 else x
        return turned(x)

    small = in_small_kernels(jax.jit(computed).trace(jnp.ones(5)))
    names = [step.primitive.name for step in jax.make_jaxpr(small)(jnp.ones(5)).eqns]
    assert names.count("jit") == 2
    assert "platform_index" not in names


def test_what_is_large_stands_apart() -> None:
    def computed(x: Any) -> Any:
        for _ in range(30):
            x = jnp.sin(x) * x
        return x

    texts = [_text(computed, n) for n in (100, 100_000)]
    assert ["xla_cpu_small_call" in text for text in texts] == [True, False]


@pytest.mark.parametrize("length", [0, 1])
def test_few_elements(length: int) -> None:
    x = wt.vector("x", shape=(length,))
    outputs = [_long(x), wt.cumsum(_long(x)), grad(_long(x).sum(), x)]
    value = np.full(length, 0.5)
    for a, b in zip(
        *(function([x], outputs, mode=mode)(value) for mode in ("jax", "py")), strict=True
    ):
        np.testing.assert_allclose(a, b, rtol=1e-12)


@pytest.mark.cases(0)
def test_what_xla_refuses_in_a_kernel_is_compiled_as_before(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(small_kernels, "_ALLOWED", small_kernels._ALLOWED | {"fft"})

    def computed(x: Any) -> Any:
        for _ in range(30):
            x = jnp.sin(x).sum() * x
        return jnp.fft.fft(x).real

    value = np.arange(4.0)
    jitted = InSmallKernels(computed, {})
    for _ in range(2):
        np.testing.assert_allclose(jitted.run(value), computed(value), rtol=1e-6)
    usual: Any = jitted.run
    assert "xla_cpu_small_call" not in usual.lower(value).as_text()


def test_what_takes_nothing_and_gives_one_array_is_not_shared_out_among_threads(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """XLA would print an error, and all be compiled again."""
    draws = wt.random.normal(wt.random.key(3), size=(2500,))
    np.testing.assert_allclose(
        function([], draws, mode="jax")(), function([], draws, mode="py")(), rtol=1e-14
    )
    assert "RET_CHECK" not in capfd.readouterr().err


def test_a_result_may_be_a_number_that_is_known() -> None:
    x = wt.vector("x", shape=(N,))
    (total, one) = function([x], [_long(x), wt.constant(1.0)], mode="jax")(VALUES)
    np.testing.assert_allclose(total, function([x], _long(x), mode="py")(VALUES), rtol=1e-12)
    assert one == 1.0


@pytest.mark.cases(0)
def test_what_is_empty_or_not_read_after_all_is_no_end_of_the_process() -> None:
    """XLA would abort."""

    def computed(x: Any, k: Any, nothing: Any) -> Any:
        y = x + (k - k) + nothing.sum()
        for _ in range(30):
            y = jnp.sin(y).sum() * y
        return y, k

    values = np.arange(3.0, dtype="float32"), np.arange(3, dtype="int32")
    for empty in (0, 2):
        nothing = np.zeros(empty, "float32")
        y, k = InSmallKernels(computed, {}).run(*values, nothing)
        np.testing.assert_allclose(y, computed(*values, nothing)[0], rtol=1e-5)
        assert k.tolist() == [0, 1, 2]


def test_errors_of_calls_are_those_of_the_graph() -> None:
    x, k = wt.vector("x", shape=(N,)), wt.scalar("k", "int64")
    f = function([x, k], _long(x)[k], mode="jax")
    np.testing.assert_allclose(f(VALUES, 2), function([x], _long(x))(VALUES)[2], rtol=1e-12)
    with pytest.raises(IndexError):
        f(VALUES, N)


@pytest.mark.cases(0)
def test_graphs_are_long_unless_something_may_be_large() -> None:
    judged = []
    for shape, repeats in itertools.product([(N,), (5000,), None], (1, 1000)):
        x = wt.vector("x", shape=shape)
        judged.append(is_long(function([x], wt.tile(_long(x), repeats)).graph))
    assert judged == [True, False, False, False, False, False]


def test_what_is_empty_is_in_no_kernel() -> None:
    a = wt.sparse.matrix("a")
    f = function([a], (a + a).sum_duplicates().data, mode="jax")
    places = np.array([1])
    for count in (1, 0):
        parts = {"data": VALUES[:count], "row": places[:count], "col": places[:count]}
        np.testing.assert_array_equal(f(SimpleNamespace(**parts, shape=(7, 5))), 2 * VALUES[:count])


def test_state_of_other_lengths() -> None:
    """A kernel for each, since it is made for what comes first."""
    x, state = wt.vector("x", shape=(N,), dtype="float64"), wt.shared(np.ones(3))
    y = _long(x) * wt.tanh(state).sum()
    f, exact = (function([x], y, mode=mode) for mode in ("jax", "py"))
    for value in (np.ones(3), np.arange(5.0), np.zeros(3)):
        state.set_value(value)
        np.testing.assert_allclose(f(VALUES), exact(VALUES), rtol=1e-12)
    assert is_long(f.graph)


def test_sums_of_one_shape_are_one_loop() -> None:
    """Those that need another stand after it; sums of what is put together stand apart."""
    x = wt.vector("x", shape=(50,))
    z = wt.exp(x)
    several = [(z * k).sum() for k in range(1, 20)] + [wt.concatenate([z, x]).sum()]
    later = [((z - several[0]) ** k).sum() for k in (2, 4)]
    f = function([x], [*several, *later], mode="jax")
    at = np.linspace(-1, 1, 50)
    expected = function([x], [*several, *later], mode="py")(at)
    for one, other in zip(f(at), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    steps = joined_sums(jax.make_jaxpr(_sums)(at, at[:4]).eqns)
    assert [step.primitive.name for step in steps].count("reduce") == 1
    assert [step.primitive.name for step in steps].count("reduce_sum") == 3


def _sums(x: Any, y: Any) -> Any:
    first, second = jnp.sin(x).sum(), jnp.cos(x).sum()
    return first * second, (x - first).sum(), y.sum(), jnp.concatenate([x[1:], x[:1]]).sum()


@pytest.mark.parametrize(("count", "is_one"), [(3, True), (80, False)])
def test_long_functions_of_few_numbers_are_a_kernel(count: int, is_one: bool) -> None:
    x = wt.vector("x")
    share: Any = wt.special.gammaincinv(2.5, x)
    fast, slow = (function([x], share, mode=mode) for mode in ("jax", "py"))
    value = np.linspace(0.1, 0.9, count)
    compute = jax_funcify(share.op, node=share)
    with enable_x64(True):
        text = jax.jit(partial(compute, 2.5)).lower(value).as_text()
    assert ("xla_cpu_small_call" in text) == is_one
    np.testing.assert_allclose(fast(value), slow(value), rtol=1e-12)
