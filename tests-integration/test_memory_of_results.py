"""Whose memory results have: never an input's, whatever an Op of a user's returns or overwrites."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from itertools import combinations
from typing import Any, ClassVar

import numba
import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import (
    Apply,
    FunctionGraph,
    Op,
    PythonFallbackWarning,
    Type,
    function,
    get_value,
    wrap_py,
)
from weft_graph.extend import memory_of
from weft_numba import numba_funcify

BACKENDS = pytest.mark.parametrize("mode", ["py", "numba", "jax"])
x = wt.vector("x")


class OfOneType(wt.TensorOp):
    def infer(self, *types: Any) -> Any:
        return types[0]


class Backwards(OfOneType):
    def impl(self, *values: Any) -> Any:
        return values[0][::-1]


class Same(OfOneType):
    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        output_storage[0][0] = inputs[0]


class Both(wt.TensorOp):
    """Two results in one memory, which is that of no input."""

    def infer(self, *types: Any) -> Any:
        return types[0], types[0]

    def impl(self, *values: Any) -> Any:
        made = values[0] + 1
        return made, made[:]


class Seen(OfOneType):
    """As the tradition says that a result is a view."""

    view_map: ClassVar = {0: [0]}

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        output_storage[0][0] = inputs[0][:]


class AddOne(wt.TensorOp):
    """As the tradition says that a result overwrites an input."""

    __props__ = ("inplace",)
    inplace: bool

    def __init__(self, inplace: bool) -> None:
        own = {"inplace": inplace, "destroy_map": {0: [0]}} if inplace else {"inplace": inplace}
        self.__dict__.update(own)

    def make_node(self, x: Any) -> Apply:
        return Apply(self, [wt.as_tensor(x)], [x.type()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        (value,) = inputs
        if self.inplace:
            value += 1
        output_storage[0][0] = value if self.inplace else value + 1

    def infer_shape(self, fgraph: Any, node: Any, shapes: Any) -> Any:
        return shapes


@wrap_py(itypes=[wt.dvector], otypes=[wt.dvector], infer_shape=lambda fgraph, node, shapes: shapes)
def tail(value: Any) -> Any:
    return value[::-1]


VIEWS: list[Callable[..., Any]] = [
    Backwards(),
    Same(),
    Seen(),
    tail,
    lambda v: Backwards()(Same()(v)),
    lambda v: wt.reshape(Same()(v), (-1, 1)),
    lambda v: Both()(v)[0],
    wt.real,
    lambda v: wt.ifelse(v[0] >= 0, v, v + 1),
    lambda v: wt.ifelse(v[0] >= 0, wt.exp(v), v),
    lambda v: wt.map(Same(), wt.reshape(v, (2, 2))),
]


def compiled(*args: Any, **kwargs: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PythonFallbackWarning)
        return function(*args, **kwargs)


@BACKENDS
@pytest.mark.parametrize("view", VIEWS)
def test_results_do_not_share_memory_with_inputs(mode: str, view: Callable[..., Any]) -> None:
    y = view(x)
    f = compiled([x], [y, y, x], mode=mode)
    given = np.arange(4.0)
    results = f(given)
    kept = [np.array(r) for r in results]
    given[:] = -1.0
    for k, (result, before) in enumerate(zip(results, kept, strict=True)):
        assert not np.may_share_memory(result, given)
        assert np.array_equal(result, before)
        assert not any(np.may_share_memory(result, other) for other in results[k + 1 :])


@BACKENDS
@pytest.mark.parametrize(
    "view", [*VIEWS[:6], lambda v: wt.repeat(v, 2), lambda v: wt.tile(v, 2), lambda v: v[:2] * 1.0]
)
def test_a_result_that_may_be_a_view_is_none(mode: str, view: Callable[..., Any]) -> None:
    """It is copied only if it is one at a call."""
    f = compiled([x], view(x), mode=mode)
    given = np.arange(4.0)
    result = f(given)
    expected = np.array(result)
    assert not np.may_share_memory(result, given)
    given[:] = -1.0
    f(given)
    assert np.array_equal(result, expected)


@BACKENDS
def test_two_results_of_one_op_have_memory_of_their_own(mode: str) -> None:
    f = compiled([x], Both()(x), mode=mode)
    first, second = f(np.zeros(3))
    assert not np.may_share_memory(first, second)


def squares(a: Any) -> Any:
    """The same twice, of every row."""
    return wt.map(lambda row: (row**2, row**2), a)


def powers(a: Any) -> Any:
    """A last value twice, and all values twice."""
    last = wt.fori_loop(0, 3, lambda i, pair: (pair[0] * a, pair[1] * a), (a, a))
    return [*last, *wt.scan(lambda: (a @ a, a @ a), n_steps=3)]


SEVERAL: list[Callable[..., Any]] = [
    *(wt.linalg.qr, wt.linalg.svd, wt.linalg.eigh, wt.linalg.eig, wt.linalg.schur, wt.linalg.lu),
    *(wt.linalg.slogdet, squares, powers),
]


@BACKENDS
@pytest.mark.parametrize("several", SEVERAL)
def test_results_of_one_op_are_not_copied_for_each_other(mode: str, several: Any) -> None:
    a = wt.dmatrix("a")
    results = list(several(a))
    assert set(memory_of(FunctionGraph([a], results))) == {"itself"}
    found = compiled([a], results, mode=mode)(np.array([[4.0, 1.0], [1.0, 3.0]]))
    for one, other in combinations(found, 2):
        assert not np.may_share_memory(one, other) or not one.flags.writeable


@BACKENDS
@pytest.mark.parametrize("view", [Backwards(), Same(), Seen(), tail])
def test_state_does_not_share_memory_with_inputs(mode: str, view: Callable[..., Any]) -> None:
    state = wt.shared(np.zeros(3))
    f = compiled([x], view(state), updates={state: view(x)}, mode=mode)
    given = np.arange(3.0)
    f(given)
    before = get_value(state)
    given[:] = -1.0
    assert np.array_equal(get_value(state), before)
    result = np.array(f(given))
    f(given)
    assert np.array_equal(result, before if view in (Same(), Seen()) else before[::-1])


@BACKENDS
def test_ops_that_overwrite_their_input_overwrite_a_copy(mode: str) -> None:
    """Neither the user's array changes, nor what others read of it, nor constants or state."""
    state, fixed = wt.shared(np.zeros(2)), wt.constant(np.zeros(2))
    over = AddOne(True)
    y = x * 2
    outputs = [over(x), x * 1, over(y), y * 1, over(over(y)), over(state), over(fixed), fixed * 1]
    f = compiled([x], outputs, mode=mode)
    plain = compiled([x], [AddOne(False)(x), x * 1, y + 1, y, y + 2, state + 1, fixed + 1, fixed])
    for _ in range(2):
        given = np.zeros(2)
        results = f(given)
        assert not given.any()
        for actual, expected in zip(results, plain(given), strict=True):
            assert np.array_equal(actual, expected)
    assert not get_value(state).any()
    read_only = np.zeros(2)
    read_only.flags.writeable = False
    assert np.array_equal(f(read_only)[0], [1.0, 1.0])


def test_machine_code_that_overwrites_its_input_overwrites_a_copy() -> None:
    class Over(AddOne):
        """With an implementation for Numba."""

    @numba_funcify.register(Over)
    def numba_over(op: Over, *, node: Any, **kwargs: Any) -> Any:
        @numba.njit
        def over(value):  # type: ignore[no-untyped-def]
            value += 1
            return value

        return over

    f = function([x], [Over(True)(x), x * 1, Over(True)(x * 2)], mode="numba")
    given = np.ones(2)
    assert [r.tolist() for r in f(given)] == [[2.0, 2.0], [1.0, 1.0], [3.0, 3.0]]
    assert given.tolist() == [1.0, 1.0]


def test_machine_code_that_returns_its_input_is_copied() -> None:
    class Kept(Backwards):
        """With an implementation for Numba."""

    @numba_funcify.register(Kept)
    def numba_kept(op: Kept, *, node: Any, **kwargs: Any) -> Any:
        return numba.njit(lambda value: value)

    given = np.ones(2)
    assert not np.may_share_memory(function([x], Kept()(x), mode="numba")(given), given)


def test_what_overwrites_an_input_that_there_is_not() -> None:
    class Wrong(Same):
        destroy_map: ClassVar = {0: [3]}

    with pytest.raises(ValueError, match=r"destroy_map.*input 3.*has 1"):
        compiled([x], Wrong()(x), mode="py")


def test_results_that_are_known_to_be_new_are_not_copied() -> None:
    class Known(OfOneType):
        view_of = ()

        def impl(self, *values: Any) -> Any:
            made.append(values[0] + 1)
            return made[-1]

    made: list[Any] = []
    result = function([x], Known()(x), mode="py")(np.ones(2))
    assert result is made[0]


def test_all_ops_of_weft_say_whose_memory_their_results_have() -> None:
    def below(kind: type[Op]) -> set[type[Op]]:
        return {kind}.union(*map(below, kind.__subclasses__()))

    def is_ours(kind: type[Op]) -> bool:  # tests make up modules, docstrings classes
        name = kind.__module__
        is_there = getattr(sys.modules.get(name), kind.__name__, None) is kind
        return is_there and name.startswith("weft_tensor.")

    silent = {k.__name__ for k in filter(is_ours, below(wt.TensorOp)) if k.view_of is None}
    assert silent == {"TensorOp"}


def test_values_that_are_no_arrays() -> None:
    class Words(Type):
        def copy(self, value: Any) -> Any:
            return list(value)

    class Longer(Op):
        destroy_map: ClassVar = {0: [0]}

        def infer(self, *types: Type) -> Type:
            return types[0]

        def impl(self, *values: Any) -> Any:
            values[0].append("more")
            return values[0]

    words = Words()("words")
    given = ["a"]
    assert function([words], Longer()(words), mode="py")(given) == ["a", "more"]
    assert given == ["a"]
