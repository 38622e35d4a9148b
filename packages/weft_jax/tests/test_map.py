"""`map` in JAX: the loop, checks inside, and lengths that depend on values inside."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import FunctionGraph, Mode, OpFromGraph, function, grad
from weft_jax import JAX, DynamicShapeError, DynamicShapeInLoopError, JAXLinker, as_jax

rng = np.random.default_rng(0)
ROWS, WEIGHTS = rng.normal(size=(4, 3)), rng.normal(size=3)
x, y = wt.matrix("x"), wt.matrix("y")
v, w = wt.vector("v"), wt.vector("w")
k = wt.scalar("k", "int64")
places = wt.vector("places", "int64")
HOST = Mode(JAX(dynamic_loops="host"))


def assert_same(outputs: Any, values: dict[Any, Any], mode: Any = "jax") -> Any:
    """Results are those of Python; gives the function."""
    expected = function(list(values), outputs, mode="py")(*values.values())
    f = function(list(values), outputs, mode=mode)
    for a, b in zip(f(*values.values()), expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
    return f


@pytest.mark.parametrize("n", [0, 1, 4])
def test_values_and_derivatives(n: int) -> None:
    results = wt.map(lambda a, c: (wt.exp(a) * w, (a @ w) * c, a > 0), (x, v))
    cost = (results[0] ** 2).sum() + wt.sin(results[1]).sum()
    values = {x: rng.normal(size=(n, 3)), v: rng.normal(size=n), w: WEIGHTS}
    f = assert_same([*results, *grad(cost, [x, v, w])], values)
    assert [part.by for part in f.segments] == ["jax"]


def test_the_loop_is_a_loop_for_xla() -> None:
    f: Any = function([x], wt.map(lambda a: wt.sort(a)[1], x), mode="jax")
    assert f.lower_text("jaxpr", ROWS).count("scan[") == 1


def test_other_dtypes_and_ranks() -> None:
    z = wt.tensor("z", "complex64", (None, None, None))
    i = wt.vector("i", "uint8")
    results = wt.map(lambda a, b: (a.T * 2, b + 1, a.sum(axis=0) > b), (z, i))
    numbers = (rng.normal(size=(4, 2, 3)) + 1j).astype("complex64")
    assert_same(results, {z: numbers, i: np.arange(4, dtype="uint8")})


def test_a_map_in_a_map_and_in_a_choice() -> None:
    inner = wt.map(lambda row: wt.map(lambda e: e * w * row[0], row), x)
    chosen = wt.ifelse(w[0] > 0, inner, inner + 1.0)
    assert_same([chosen, *grad((inner**2).sum(), [x, w])], {x: ROWS, w: WEIGHTS})


def test_a_choice_in_a_map() -> None:
    def root(number: Any) -> Any:
        checked = wt.check_and_raise(number, number >= 0, ValueError, "negative")
        return wt.ifelse(number >= 0, wt.sqrt(checked), 0.0)

    assert_same([wt.map(root, v)], {v: np.array([4.0, -4.0])})


def test_random_numbers() -> None:
    keys = wt.random.split(wt.random.key(k), 50)
    assert_same([wt.map(lambda key: wt.random.normal(key, size=3), keys)], {k: np.int64(7)})


def test_lengths_from_shapes_and_from_what_is_the_same_for_all() -> None:
    results = wt.map(lambda a: (a[: a.shape[0] // 2], a[:k], wt.arange(k) * a.sum()), x)
    f = assert_same(results, {x: ROWS, k: np.int64(2)})
    assert len(f.compile_stats.keys) == 1
    assert f(ROWS, 3)[2].shape == (4, 3)


def test_a_mask_that_is_reduced_needs_no_length() -> None:
    assert_same([wt.map(lambda a: a[a > 0].sum(), x)], {x: ROWS})


def test_an_op_without_a_lowering_runs_in_python_with_its_loop() -> None:
    class Doubled(wt.TensorOp):
        def infer(self, *types: Any) -> Any:
            return types[0]

        def impl(self, *values: Any) -> Any:
            return 2 * values[0]

    f = assert_same([wt.exp(wt.map(lambda a: Doubled()(a) * w, x))], {x: ROWS, w: WEIGHTS})
    assert [part.by for part in f.segments] == ["py", "jax"]


def test_checks_inside_raise() -> None:
    def root(number: Any) -> Any:
        checked = wt.check_and_raise(number, number >= 0, ValueError, "negative")
        return wt.sqrt(wt.check_and_raise(checked, number < 9, OverflowError, "large"))

    f = function([v], [wt.map(root, v), v.sum()], mode="jax")
    assert f([4.0, 1.0])[0].tolist() == [2.0, 1.0]
    for value, kind in ((-1.0, ValueError), (10.0, OverflowError)):
        with pytest.raises(kind) as caught:
            f([4.0, value])
        assert "wt.check_and_raise(" in "\n".join(caught.value.__notes__)


def test_indices_inside_are_checked() -> None:
    outputs = wt.map(lambda i: v[i] * 2.0, places)
    f = function([v, places], outputs, mode="jax")
    assert f([1.0, 2.0], [1, -2]).tolist() == [4.0, 2.0]
    with pytest.raises(IndexError, match="out of bounds for axis 0 with size 2"):
        f([1.0, 2.0], [1, 2])
    clipped = function([v, places], outputs, mode=Mode(JAXLinker(bounds="clip")))
    assert clipped([1.0, 2.0], [1, 2]).tolist() == [4.0, 4.0]


def test_lengths_that_differ() -> None:
    f = function([x, v], wt.map(lambda a, b: a * b, (x, v)), mode="jax")
    with pytest.raises(ValueError, match="sequence 1 has length 4, sequence 0 has 3"):
        f(np.ones((3, 2)), np.ones(4))


@pytest.mark.cases(0)
def test_as_jax() -> None:
    graph = FunctionGraph([x, w], [wt.map(lambda a: wt.sin(a * w), x).sum()])
    slope = jax.grad(lambda *values: as_jax(graph)(*values)[0], argnums=1)
    found = slope(ROWS.astype("float32"), WEIGHTS.astype("float32"))
    np.testing.assert_allclose(found, (np.cos(ROWS * WEIGHTS) * ROWS).sum(0), rtol=1e-5)


def test_without_compiling() -> None:
    results = wt.map(lambda a: (a * w).sum(), x)
    assert_same([results], {x: ROWS, w: WEIGHTS}, Mode(JAXLinker(disable_jit=True)))


def chosen_and_summed(row: Any) -> Any:
    return wt.cumsum(row[row > 0.125]).sum() * w


def test_a_length_by_values_inside_is_an_error_that_names_the_line() -> None:
    mapped = wt.map(chosen_and_summed, x)
    for linker in (JAXLinker(), JAXLinker(dynamic="static"), JAXLinker(dynamic="error")):
        with pytest.raises(DynamicShapeInLoopError) as caught:
            function([x, w], mapped, mode=Mode(linker))
        message = str(caught.value)
        assert "row[row > 0.125]" in message
        assert "(sum[0] ← gt ← an element : float64[?])" in message
        assert "dynamic_loops='host'" in message
        assert "wt.map(chosen_and_summed, x)" in "\n".join(caught.value.__notes__)
    with pytest.raises(DynamicShapeInLoopError):
        as_jax(FunctionGraph([x, w], [mapped]))
    assert issubclass(DynamicShapeInLoopError, DynamicShapeError)


def test_a_length_by_values_of_the_outer_element_is_an_error() -> None:
    mapped = wt.map(lambda n: wt.map(lambda e: wt.arange(n) * e, v).sum(), places)
    with pytest.raises(DynamicShapeInLoopError, match="an element : int64"):
        function([places, v], mapped, mode="jax")


@pytest.mark.cases(0)
@pytest.mark.parametrize("place", ["alone", "in a choice", "in a map", "in an op"])
def test_python_runs_a_loop_with_such_lengths(place: str) -> None:
    outputs = wt.map(chosen_and_summed, x)
    values: dict[Any, Any] = {x: ROWS, w: WEIGHTS}
    if place == "in a choice":
        outputs = wt.ifelse(w[0] > 9, outputs, outputs * 2.0)
    elif place == "in a map":
        outputs = wt.map(lambda c: wt.map(chosen_and_summed, x * c), v)
        values[v] = np.array([1.0, -2.0])
    elif place == "in an op":
        outputs = OpFromGraph([x, w], [outputs])(x, w)
    assert_same([wt.exp(outputs), *grad(outputs.sum(), [x, w])], values, HOST)


def test_who_runs_what_of_such_a_loop() -> None:
    f: Any = function([x, w], wt.exp(wt.map(chosen_and_summed, x)), mode=HOST)
    assert [part.by for part in f.segments] == ["py", "jax"]
    usual: Any = function([x, w], wt.exp(wt.map(lambda a: a * w, x)), mode=HOST)
    assert [part.by for part in usual.segments] == ["jax"]


def test_no_elements_and_other_shapes_where_python_runs_the_loop() -> None:
    f = function([places], wt.map(lambda n: wt.arange(n) * 2.0, places), mode=HOST)
    assert f([2, 2]).tolist() == [[0.0, 2.0], [0.0, 2.0]]
    with pytest.raises(ValueError, match=r"\(2,\) for element 0 and \(3,\) for element 1"):
        f([2, 3])
    with pytest.raises(ValueError, match="there is no element"):
        f(np.zeros(0, "int64"))


def test_what_can_not_be_asked() -> None:
    with pytest.raises(ValueError, match="must be 'error' or 'host'"):
        JAXLinker(dynamic_loops="never")  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(ValueError, match="needs dynamic='auto'"):
        JAXLinker(dynamic="static", dynamic_loops="host")
