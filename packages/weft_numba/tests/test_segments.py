"""Ops without machine code run in Python, between compiled parts of the function."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import (
    Apply,
    MissingLoweringError,
    Op,
    OpFromGraph,
    PythonFallbackWarning,
    Type,
    function,
    get_value,
    grad,
    set_value,
)
from weft_numba import NumbaLinker, assembly_code, cache, llvm_code, numba_funcify
from weft_tensor import TensorOp, TensorType
from weft_testing import check_op

x, y = wt.vector("x"), wt.vector("y")
XS, YS = np.array([0.5, -1.5, 2.0]), np.array([1.0, 2.0, 4.0])


class Doubled(TensorOp):
    """Twice x, in Python on purpose."""

    runs_in_python: ClassVar[bool] = True

    def infer(self, *types: Any) -> Any:
        return types[0]

    def impl(self, *values: Any) -> Any:
        if np.isnan(values[0]).any():
            raise FloatingPointError("NaN is not doubled")
        return 2.0 * values[0]

    def pullback(
        self, inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        return [2.0 * cotangents[0]]


class MinMax(Op):
    """The smallest and largest element, as the tradition writes Ops."""

    runs_in_python = True

    def make_node(self, x: Any) -> Apply:
        return Apply(self, [x], [wt.scalar(dtype=x.dtype), wt.scalar(dtype=x.dtype)])

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        assert type(inputs[0]) is np.ndarray
        output_storage[0][0] = inputs[0].min()
        output_storage[1][0] = inputs[0].max()


class OnlyArrays(TensorOp):
    """The same number: an array is taken, a number of NumPy's is given."""

    runs_in_python: ClassVar[bool] = True

    def infer(self, *types: Any) -> Any:
        return types[0]

    def impl(self, *values: Any) -> Any:
        assert type(values[0]) is np.ndarray
        return values[0][()]


def test_numbers_are_arrays_for_python_and_for_users() -> None:
    x = wt.dscalar("x")
    same = OnlyArrays()(x)
    f = function([x], [same, OnlyArrays()(same), x, same + 1], mode="numba")
    for value in (np.float64(2.5), 2.5, np.array(2.5)):
        results = f(value)
        assert [type(r) for r in results] == [np.ndarray] * 4
        assert [float(r) for r in results] == [2.5, 2.5, 2.5, 3.5]


class Wrong(TensorOp):
    """Its results are not what it says."""

    runs_in_python: ClassVar[bool] = True
    how: str

    def infer(self, *types: Any) -> Any:
        return types[0]

    def impl(self, *values: Any) -> Any:
        changed: dict[str, Callable[[Any], Any]] = {
            "dtype": lambda x: x.astype("complex128"),
            "rank": lambda x: x[None],
            "length": lambda x: x[1:],
            "narrow": lambda x: x.astype("float32"),
            "order": lambda x: np.asfortranarray(x),
            "list": lambda x: x.tolist(),
            "reversed": lambda x: x[::-1],
        }
        return changed[self.how](values[0])


class Text(Type):
    """Strings: a type that machine code knows nothing of."""

    def filter(self, value: Any) -> Any:
        return str(value)


class Shown(TensorOp):
    runs_in_python: ClassVar[bool] = True

    def infer(self, *types: Any) -> Any:
        return Text()

    def impl(self, *values: Any) -> Any:
        return f"{values[0].sum():.1f}"


class Parsed(Op):
    runs_in_python: ClassVar[bool] = True

    def infer(self, *types: Any) -> Any:
        return TensorType("float64", ())

    def impl(self, *values: Any) -> Any:
        return float(values[0])


def parts(f: Any) -> list[str]:
    return [part.by for part in f.segments]


def test_what_is_around_an_op_of_the_users_is_compiled() -> None:
    f = function([x, y], wt.exp(Doubled()(wt.sin(x) * y)).sum(), mode="numba")
    np.testing.assert_allclose(f(XS, YS), np.exp(2.0 * np.sin(XS) * YS).sum())
    assert parts(f) == ["numba", "py", "numba"]
    assert parts(function([x], wt.exp(x), mode="numba")) == ["numba"]
    assert parts(function([x], Doubled()(x), mode="numba")) == ["py"]


def test_scalars_complex_numbers_and_several_results_cross() -> None:
    for dtype in ("float64", "float32", "complex128", "int8"):
        v = wt.vector("v", dtype)
        smallest, largest = MinMax()(v + v)
        f = function([v], [smallest + largest, largest, v - smallest], mode="numba")
        values = np.array([3, 1, 2], dtype)
        for found, wanted in zip(f(values), [8, 6, values - 2], strict=True):
            assert type(found) is np.ndarray
            assert found.dtype == dtype
            np.testing.assert_array_equal(found, wanted)


def test_gradients_go_through() -> None:
    cost = wt.sum(wt.exp(Doubled()(x)) * y)
    f = function([x, y], grad(cost, [x, y]), mode="numba")
    for found, wanted in zip(f(XS, YS), [2 * np.exp(2 * XS) * YS, np.exp(2 * XS)], strict=True):
        np.testing.assert_allclose(found, wanted)


def test_state_and_updates() -> None:
    total = wt.shared(np.zeros(3), "total")
    step = function([x], total.sum(), updates={total: total + Doubled()(x + 1.0)}, mode="numba")
    assert [float(step(XS)), float(step(XS))] == [0.0, 8.0]
    np.testing.assert_array_equal(get_value(total), 4.0 * (XS + 1.0))
    with pytest.raises(FloatingPointError):
        step([np.nan, 0.0, 0.0])
    np.testing.assert_array_equal(get_value(total), 4.0 * (XS + 1.0))


def test_types_that_machine_code_does_not_have() -> None:
    f = function([x], Parsed()(Shown()(x * 2.0)) + 1.0, mode="numba")
    assert f(XS) == 3.0
    assert parts(f) == ["numba", "py", "numba"]


def test_results_are_never_aliases() -> None:
    f = function([x], [x, Doubled()(x), x.reshape((-1, 1)), wt.constant(XS)], mode="numba")
    values = XS.copy()
    for result in f(values):
        result[...] = 7.0
    np.testing.assert_array_equal(values, XS)
    np.testing.assert_array_equal(f(values)[3], XS)


def test_stretched_and_empty_arrays_after_a_cut() -> None:
    f = function([x, y], Doubled()(x) * y + 1.0, mode="numba")
    np.testing.assert_array_equal(f([2.0], YS), 4.0 * YS + 1.0)
    np.testing.assert_array_equal(f(XS, XS), 2.0 * XS * XS + 1.0)
    assert f(np.zeros(0), np.zeros(0)).shape == (0,)
    with pytest.raises(ValueError, match="while computing mul"):
        f(XS, YS[:2])


def test_an_error_of_perform_names_the_node() -> None:
    bad = Doubled()(wt.sqrt(x))
    f = function([x], wt.exp(bad), mode="numba")
    with np.errstate(invalid="ignore"), pytest.raises(FloatingPointError) as caught:
        f([-1.0])
    (note,) = caught.value.__notes__
    assert "while computing Doubled" in note
    assert "float64 array of shape (1,)" in note
    assert note.endswith("bad = Doubled()(wt.sqrt(x))")


def test_an_error_of_compiled_code_names_the_node() -> None:
    f = function([x], wt.exp(Doubled()(x)[5]), mode="numba")
    with pytest.raises(IndexError, match="while computing") as caught:
        f(XS)
    assert len(caught.value.__notes__) == 1


@pytest.mark.parametrize(("how", "said"), [("dtype", "complex128"), ("rank", r"\(1, 3\)")])
def test_results_that_are_not_of_their_type_are_refused(how: str, said: str) -> None:
    f = function([x], Wrong(how)(x) + 1.0, mode="numba")
    with pytest.raises(TypeError, match=f"Wrong.*{said}") as caught:
        f(XS)
    assert "while computing Wrong" in caught.value.__notes__[0]


@pytest.mark.parametrize("how", ["narrow", "order", "list", "reversed"])
def test_results_that_can_be_converted_are(how: str) -> None:
    f = function([x], Wrong(how)(x) + 1.0, mode="numba")
    np.testing.assert_array_equal(f(XS), (XS[::-1] if how == "reversed" else XS) + 1.0)


class Turned(TensorOp):
    """Its result does not lie in memory as its elements go."""

    def infer(self, *types: Any) -> Any:
        return TensorType(types[0].dtype, types[0].shape[::-1])

    def impl(self, *values: Any) -> Any:
        return values[0].T


class Backwards(TensorOp):
    def infer(self, *types: Any) -> Any:
        return types[0]

    def impl(self, *values: Any) -> Any:
        return values[0][::-1]


@numba_funcify.register(Turned)
def _(op: Turned, **kwargs: Any) -> Any:
    return lambda v: v.T


@numba_funcify.register(Backwards)
def _(op: Backwards, **kwargs: Any) -> Any:
    return lambda v: v[::-1]


def test_what_crosses_is_contiguous() -> None:
    X = wt.matrix("X")
    values = np.arange(6.0).reshape(2, 3)
    for op, wanted in ((Turned(), values.T), (Backwards(), values[::-1])):
        middle = op(X + 0.0)
        f = function([X], [middle + Doubled()(middle), wt.sum(Doubled()(middle))], mode="numba")
        total, _ = f(values)
        np.testing.assert_array_equal(total, 3.0 * wanted)


def test_named_lengths_of_results_are_compared() -> None:
    u = wt.vector("u", shape=("n",))
    f = function([u], Wrong("length")(u) + u, mode="numba")
    with pytest.raises(ValueError, match="the dimension 'n' must have one length"):
        f(XS)


def test_an_op_inside_a_graph_of_its_own() -> None:
    for inlined in (True, False):
        op = OpFromGraph([x], [wt.exp(Doubled()(x)), x + 1.0], inline=inlined)
        first, second = op(wt.sin(x))
        f = function([x], [first * 2.0, second], mode="numba")
        np.testing.assert_allclose(f(XS)[0], 2.0 * np.exp(2.0 * np.sin(XS)))
        assert parts(f) == ["numba", "py", "numba"]


def test_a_warning_says_once_which_op_runs_in_python() -> None:
    class Plain(TensorOp):
        def infer(self, *types: Any) -> Any:
            return types[0]

        def impl(self, *values: Any) -> Any:
            return values[0] + 1.0

    with pytest.warns(PythonFallbackWarning, match="Plain has no Numba implementation") as seen:
        function([x], Plain()(Plain()(wt.exp(x)) * 2.0), mode="numba")
    assert len(seen) == 1
    assert seen[0].filename == __file__
    file = f"{__name__.rpartition('.')[2]}_numba.py"
    for text in ("numba_funcify.register(Plain)", file, "runs_in_python", "µs"):
        assert text in str(seen[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f = function([x], Plain()(wt.cos(x)), mode="numba")
    assert parts(f) == ["numba", "py"]


class Words(Op):
    """Two words of a text."""

    def infer(self, *types: Any) -> Any:
        return types[0], types[0]

    def impl(self, *values: Any) -> Any:
        return tuple(values[0].split())


class Letters(Op):
    """How many letters a text has."""

    def infer(self, *types: Any) -> Any:
        return wt.TensorType("int64")

    def impl(self, *values: Any) -> Any:
        return np.int64(len(values[0]))


@pytest.mark.parametrize("mode", [None, "numba"])
def test_ops_of_other_values_than_tensors_run_in_python_without_a_warning(mode: str | None) -> None:
    text = Text()("text")
    first, second = Words()(text)
    f = function([text], [second, first], mode=mode)
    assert f("ha ho") == ["ho", "ha"]
    assert parts(f) == ["py"]
    g = function([text], Letters()(first) * 2, mode=mode)
    assert g("four letters") == 8


def test_an_op_that_nothing_implements() -> None:
    class Nothing(TensorOp):
        def infer(self, *types: Any) -> Any:
            return types[0]

    with pytest.raises(MissingLoweringError, match="Nothing has no Numba implementation"):
        function([x], Nothing()(x), mode="numba")


def test_check_op_reports_an_op_without_machine_code() -> None:
    with pytest.raises(AssertionError, match="MissingLoweringError: Doubled has no Numba"):
        check_op(Doubled(), XS, backends=["numba"])


HALVED = """
import weft_tensor as wt

class Halved(wt.TensorOp):
    runs_in_python = True

    def infer(self, x):
        return x

    def impl(self, x):
        if x[0] > 9.0:
            raise FloatingPointError("too much")
        return x / 2
"""


def test_all_is_kept_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path / "cache"))
    file = tmp_path / "halved_for_weft.py"
    file.write_text(HALVED, encoding="utf-8")
    os.utime(file, (0, 0))  # what is younger than the process is not trusted
    monkeypatch.syspath_prepend(tmp_path)
    halved = import_module("halved_for_weft").Halved()
    large = wt.constant(np.linspace(0.0, 1.0, 30_000).reshape(3, -1))
    state = wt.shared(np.ones(3), "state")

    def compiled() -> Any:
        middle = halved((wt.exp(x) * y).named("middle")) + state
        outputs = [wt.exp(middle).sum(), (large * middle[:, None]).sum(), x]
        return function([x, y], outputs, updates={state: middle}, mode="numba")

    first = compiled()
    values = first(XS, YS)
    assert cache.info().entries == 3
    assert cache.info().bytes < 200_000
    monkeypatch.setattr("weft_numba.graph_compiler._linked_whole", None)
    set_value(state, np.ones(3))
    again = compiled()
    assert again.log[-1].name == "recall for numba"
    for found, wanted in zip(again(XS, YS), values, strict=True):
        np.testing.assert_array_equal(found, wanted)
    assert again.segments == first.segments
    with pytest.raises(FloatingPointError) as caught:
        again([9.0, 1.0, 1.0], YS)
    assert "middle = halved(" in caught.value.__notes__[0]


def test_an_op_that_no_other_process_can_find_is_no_hindrance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path / "cache"))

    class Local(Doubled):
        pass

    for _ in range(2):
        f = function([x], wt.exp(Local()(wt.sin(x))), mode="numba")
        np.testing.assert_allclose(f(XS), np.exp(2.0 * np.sin(XS)))
    assert cache.info().entries == 2


def test_a_long_chain_of_parts() -> None:
    v: Any = x
    for _ in range(300):
        v = Doubled()(v)
    for _ in range(20):
        v = Doubled()(v.reshape((-1,)) * 0.25)
    f = function([x], v, mode="numba")
    assert parts(f).count("numba") == 20
    np.testing.assert_array_equal(f(XS), XS * 2.0**280)


def test_any_lengths_by_link() -> None:
    from_link, program = NumbaLinker().link(function([x, y], Doubled()(x) + y, mode="py").graph)
    np.testing.assert_array_equal(from_link(XS, np.ones(1))[0], 2.0 * XS + 1.0)
    assert "segment1" in program.source


def test_the_profile_names_the_op() -> None:
    f = function([x], wt.exp(Doubled()(wt.sin(x))), mode="numba")
    found = f.profile(XS, repeat=1)
    assert {t.ops for t in found.timings} == {"sin", "Doubled", "exp"}


@pytest.mark.cases(0)
def test_the_code_of_all_compiled_parts_can_be_read() -> None:
    f = function([x], wt.cos(Doubled()(wt.sin(x))), mode="numba")
    assert all(name in llvm_code(f) for name in ("sin", "cos"))
    assert "weft_function" in assembly_code(f)
