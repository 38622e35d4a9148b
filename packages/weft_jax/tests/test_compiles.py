"""What functions for JAX tell of their compiling; how much of it is kept; what is refused."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import Mode, function
from weft_jax import JAXLinker, RecompileWarning
from weft_jax.analysis.shape_policy import DynamicShapeError
from weft_jax.compile.compile_stats import Specialised

n = wt.scalar("n", "int64")
v = wt.vector("v", "int64")
x = wt.vector("x")


def compiled(inputs: Any, outputs: Any, dynamic: Any) -> Any:
    return function(inputs, outputs, mode=Mode(JAXLinker(dynamic=dynamic)))


def test_stats_count_compiles_and_name_lengths() -> None:
    f: Any = function([x, n], wt.arange(n) + x[0], mode="jax")
    assert f.compile_stats.compiles == 0
    for size in (2, 3, 2, 3):
        f([1.0], size)
    stats = f.compile_stats
    assert stats.compiles == 2
    assert stats.keys == ((2,), (3,))
    assert stats.trace_seconds > 0
    assert stats.compile_seconds > 0


def test_other_shapes_are_counted_though_no_length_depends_on_values() -> None:
    f: Any = function([x], wt.exp(x), mode="jax")
    for length in (1, 2, 2, 1):
        f(np.ones(length))
    assert f.compile_stats.compiles == 2
    assert f.compile_stats.keys == ()


def test_segments_tell_who_runs_them() -> None:
    f: Any = function([x], wt.exp(x[x > 0]), mode="jax")
    assert [s.by for s in f.segments] == ["jax", "py"]
    f([1.0])
    assert repr(f.segments[0]).endswith("by jax, compiled 1 times>")
    assert repr(f.segments[1]).endswith("by py>")


def test_many_lengths_warn_once_and_name_the_length() -> None:
    f = function([n], wt.arange(n // 2), mode="jax")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for size in range(2, 32):
            f(size)
    with pytest.warns(RecompileWarning, match=r"16 lengths .*14, 15, 16.*n // 2") as caught:
        f(32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f(34)
    assert len(caught) == 1


@pytest.mark.cases(0)
def test_a_bounded_number_is_kept_and_what_was_used_last() -> None:
    made: list[Any] = []

    def traced(size: int, value: Any) -> Any:
        made.append(size)
        return value + size

    run = Specialised(traced, 1)
    for size in range(64):
        run(size, 1.0)
    run(0, 1.0)
    run(64, 1.0)  # forgets 1, not 0
    assert run(0, 1.0) == 1.0
    assert made == list(range(65))
    assert run(1, 1.0) == 2.0
    assert made == [*range(65), 1]
    assert len(run.made) == 64


def test_static_allows_integer_inputs() -> None:
    for inputs, made, values in (
        ([n], wt.arange(n), (3,)),
        ([x, n], x[:n], (np.ones(4), 2)),
        ([v], wt.zeros(v.sum()), (np.array([1, 2]),)),
        ([x], wt.exp(x[x > 0]).sum(), (np.ones(4),)),
    ):
        expected = function(inputs, made, mode="py")(*values)
        np.testing.assert_allclose(compiled(inputs, made, "static")(*values), expected)


def test_static_refuses_lengths_from_data() -> None:
    with pytest.raises(
        DynamicShapeError,
        match=r"nonzero\[0\], made at .*test_compiles.* values of <x : float64\[\?\]> "
        r"\(sum\[0\] ← gt ← <x.*dynamic='static'",
    ):
        compiled([x], wt.cumsum(x[x > 0]), "static")


def test_error_refuses_lengths_from_any_value() -> None:
    with pytest.raises(DynamicShapeError, match=r"values of <n : int64> .*shapes alone"):
        compiled([n], wt.arange(n), "error")
    run = compiled([x], wt.arange(x.shape[0] // 2), "error")
    np.testing.assert_array_equal(run(np.ones(5)), [0, 1])


def test_unknown_words_are_refused() -> None:
    with pytest.raises(ValueError, match="'auto', 'static' or 'error', not 'never'"):
        JAXLinker(dynamic="never")  # type: ignore[arg-type]  # the point of the test


def test_log1p_of_what_is_not_negative_is_xlas_alone() -> None:
    """A second logarithm, for numbers below -0.3, takes three times as long in sums."""
    texts = [
        function([x], wt.log1p(y).sum(), mode="jax").lower_text("stablehlo", np.ones(3))
        for y in (wt.square(x), x)
    ]
    assert ["select" in text for text in texts] == [False, True]
