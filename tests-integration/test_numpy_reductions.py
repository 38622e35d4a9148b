"""Reductions of what a mask leaves, from a beginning, and extremes so far, are NumPy's."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest

import weft.tensor as wt
from weft_testing import Case, case, check_function, check_grad

rng = np.random.default_rng(0)

ARRAYS: Final = [
    rng.normal(size=(3, 4)),
    rng.normal(size=(1, 4)).astype("float32"),
    rng.integers(-9, 9, (2, 4)),
    rng.integers(0, 200, (3, 4)).astype("uint8"),
    rng.integers(0, 2, (3, 4)) > 0,
    rng.normal(size=(2, 4)) + 1j * rng.normal(size=(2, 4)),
    np.array([[1.0, np.nan, np.inf, -np.inf], [0.0, -0.0, 2.0, 1.0]]),
    np.zeros((0, 4)),
]
ROW: Final = np.array([True, False, True, True])
WAYS: Final[list[dict[str, Any]]] = [
    {},
    {"axis": 0},
    {"axis": -1, "keepdims": True},
    {"axis": (0, 1)},
]


def left(*, initial: tuple[Any, ...] = ()) -> list[Case]:
    """Each array by rows and wholly, with a mask, with a beginning, and with both."""
    starts: list[dict[str, Any]] = [{"initial": v} for v in initial]
    more: list[dict[str, Any]] = [*starts, *({"where": ROW} | s for s in starts)]
    if not initial or initial[0] == 3:
        more.append({"where": ROW})
    masks = [np.ones((3, 1), bool), np.zeros((3, 4), bool), np.array(True)]
    begun = starts[0] if starts else {}
    return [
        *(case(x, **way, **m) for x in ARRAYS for way in WAYS for m in more[:4]),
        *(case(ARRAYS[0], where=mask, **begun) for mask in masks),
        *(case(ARRAYS[0], 1, where=mask, **begun) for mask in masks),
        case(ARRAYS[0], where=np.array([1, 0, 1, 1]), **begun),
        case(ARRAYS[0], where=np.ones((2, 3, 4), bool), **begun),
        case(ARRAYS[0], where=np.ones(3, bool), **begun),
    ]


def extremes() -> list[Case]:
    whole = [x for x in ARRAYS if x.dtype.kind != "c"]
    return [
        *(case(x, **w, initial=2) for x in whole for w in WAYS),
        *(case(x, **w, initial=1, where=ROW) for x in whole for w in WAYS),
        case(np.zeros((0, 2), "int64"), axis=0, initial=7),
        case(np.zeros((2, 0), "int8"), axis=1, initial=7),
        case(np.zeros((0,), bool), initial=True),
        case(ARRAYS[0], initial=np.nan),
        case(ARRAYS[0], where=ROW),
        case(ARRAYS[2], initial=1.75),
        case(np.array(2.0), initial=3),
    ]


def spread() -> list[Case]:
    return [
        *left(),
        *(case(x, **way, ddof=1, where=ROW) for x in ARRAYS[:3] for way in WAYS),
        *(case(x, **way, correction=1) for x in ARRAYS[:3] for way in WAYS),
        *(case(x, 0, mean=x[:1] * 1.5) for x in ARRAYS[:7]),
        case(ARRAYS[0], ddof=1, correction=1),
    ]


def so_far() -> list[Case]:
    kinds: list[dict[str, Any]] = [{"axis": 0}, {"axis": -1, "include_initial": True}]
    return [
        *(case(x, **k) for x in ARRAYS for k in kinds),
        *(case(x[0], **k) for x in ARRAYS[:-1] for k in ({}, {"include_initial": True})),
        case(ARRAYS[0], axis=1, dtype="float32", include_initial=True),
        case(ARRAYS[4], axis=1, dtype="int8"),
        case(np.array(2.5)),
        case(ARRAYS[0]),
        case(ARRAYS[0], axis=2),
    ]


CASES: Final[dict[str, Any]] = {
    "all": left,
    "any": left,
    "cumulative_prod": so_far,
    "cumulative_sum": so_far,
    "max": extremes,
    "mean": left,
    "min": extremes,
    "prod": lambda: left(initial=(3, 1.5)),
    "std": spread,
    "sum": lambda: left(initial=(3, 1.5)),
    "var": spread,
}


@pytest.mark.parametrize("name", CASES)
def test_they_are_numpys(name: str, is_numpys: Any) -> None:
    is_numpys(name, CASES[name](), 30)


@pytest.mark.parametrize(("name", "ufunc"), [("cummax", np.maximum), ("cummin", np.minimum)])
def test_extremes_so_far(name: str, ufunc: Any, few: Any) -> None:
    def reference(x: Any, axis: int | None = None) -> Any:
        return ufunc.accumulate(np.ravel(x) if axis is None else x, 0 if axis is None else axis)

    real = [x for x in ARRAYS if x.dtype.kind != "c"]
    more = [rng.integers(0, 3, (2, 3, 4)), np.zeros((2, 0)), np.array(3.0), np.ones(1)]
    more += [rng.normal(size=5).astype("float32"), rng.integers(-9, 9, 7).astype("int8")]
    cases = [
        *(case(x) for x in [*real, *more]),
        *(case(x, axis) for x in [*real, *more] for axis in (0, -1) if x.ndim),
        case(ARRAYS[0], 2),
    ]
    compute = getattr(wt, name)
    assert check_function(compute, reference, cases, ["py"]) >= 30
    check_function(compute, reference, few(cases, 4), few(["numba", "jax"], 1))
    with pytest.raises(TypeError, match="takes real numbers"):
        compute(ARRAYS[5], 0)


def test_functions_of_two_numbers_have_the_methods_of_numpys() -> None:
    x, value = wt.matrix("x"), np.array([[2.0, 1.0, 3.0], [0.0, 4.0, -1.0]])
    least = wt.minimum.accumulate(x, axis=1)
    gaps, products = wt.sub.outer(x[0], x[1]), wt.mul.reduce(x)
    found = wt.function([x], [least, gaps, products, wt.gt.outer(x[0], x[1])])(value)
    expected = np.minimum.accumulate(value, axis=1), np.subtract.outer(*value), value.prod(0)
    for a, b in zip(found, (*expected, np.greater.outer(*value)), strict=True):
        np.testing.assert_array_equal(a, b)
    with pytest.raises(TypeError, match=r"numpy.add.at: .* write x = x\[i\].inc\(y\)"):
        wt.add.at(x, 0, 1.0)


def test_extremes_so_far_have_the_derivative_of_the_first(few: Any) -> None:
    x = wt.vector("x")
    for compute, values in ((wt.cummax, [1.0, 3.0, 3.0, 2.0]), (wt.cummin, [2.0, 0.0, 0.0, 1.0])):
        gradient = wt.grad((compute(x) * [1.0, 2.0, 4.0, 8.0]).sum(), x)
        for mode in few(("py", "numba", "jax"), 2):
            assert wt.function([x], gradient, mode=mode)(values).tolist() == [1.0, 14.0, 0.0, 0.0]
    point = rng.normal(size=(4, 3))
    for axis in (None, 0, 1):
        check_grad(lambda x, axis=axis: wt.cummax(x, axis), [point])
        check_grad(lambda x, axis=axis: wt.cummin(x, axis), [point])


@pytest.mark.cases(0)
def test_both_derivatives_of_what_a_mask_leaves() -> None:
    point = [ARRAYS[0]]
    ways: list[dict[str, Any]] = [{"where": ROW}, {"where": ROW, "axis": 1}]
    for name in ("sum", "prod", "mean", "var", "std"):
        for way in ways:
            check_grad(lambda x, name=name, way=way: getattr(wt, name)(x, **way), point)
    for name in ("max", "min"):
        for way in ways:
            check_grad(
                lambda x, name=name, way=way: getattr(wt, name)(x, **way, initial=0.3), point
            )


def test_sums_are_accumulated_in_another_dtype() -> None:
    x = wt.fvector("x")
    values = np.array([2.0**24, 1, 1, -(2.0**24)], "float32")
    total = x.sum(acc_dtype="float64")
    assert total.dtype == "float32"
    assert total.eval({x: values}) == 2
    assert wt.sum(wt.bvector("b"), acc_dtype="int16").dtype == "int64"
    assert wt.sum(x, dtype="float64", acc_dtype="float32").dtype == "float64"


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_shares_of_what_a_mask_leaves(mode: str) -> None:
    x, mask = wt.matrix("x"), wt.tensor("mask", dtype="bool", shape=(None, None))
    shares, logs = wt.softmax(x, 1, where=mask), wt.log_softmax(x, 1, where=mask)
    total = wt.logsumexp(x, 1, where=mask)
    slopes = [
        wt.grad(cost, x)
        for cost in ((shares**2).sum(), wt.where(mask, logs, 0).sum(), (total**2).sum())
    ]
    f = wt.function([x, mask], [shares, logs, total, *slopes], mode=mode)
    left = np.array([[True, False, True, True], [False, False, False, True]])
    value = np.where(left, ARRAYS[0][:2], [1e4, np.nan, np.inf, -np.inf])
    found = f(value, left)
    for row, chosen, part, log, whole in zip(value, left, *found[:3], strict=True):
        powers = np.exp(row[chosen])
        np.testing.assert_allclose(part[chosen], powers / powers.sum())
        np.testing.assert_allclose(log[chosen], np.log(powers / powers.sum()), atol=1e-15)
        np.testing.assert_allclose(whole, np.log(powers.sum()))
        assert not part[~chosen].any()
        assert np.isneginf(log[~chosen]).all()
    assert all(np.isfinite(slope).all() and not slope[~left].any() for slope in found[3:])
    check_grad(lambda x: wt.softmax(x, 1, where=ROW), [ARRAYS[0]])
    check_grad(lambda x: wt.logsumexp(x, (0, 1), where=ROW), [ARRAYS[0]])
    if mode == "py":
        nothing = wt.softmax([1.0, 2.0], where=[False, False])
        assert nothing.eval().tolist() == [0.0, 0.0]
    with pytest.raises(TypeError, match="where= of softmax takes bools"):
        wt.softmax(x, where=x)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("name", ["cumsum", "cumprod", "cummax", "cummin"])
def test_so_far_from_the_end(name: str, mode: str) -> None:
    import jax

    point = np.array([[1.0, 3.0, 2.0], [4.0, -1.0, np.nan]])
    x, f = wt.matrix("x"), getattr(wt, name)
    both = wt.function([x], [f(x, axis, reverse=True) for axis in (0, 1)], mode=mode)(point)
    with jax.enable_x64():
        expected = [getattr(jax.lax, name)(jax.numpy.asarray(point), a, True) for a in (0, 1)]
    for found, value in zip(both, expected, strict=True):
        np.testing.assert_allclose(found, value)
    assert wt.function([x], f(x, 1, reverse=True), mode=mode)(point[:, :0]).shape == (2, 0)
    check_grad(lambda x: f(x, 1, reverse=True), [point[:, :2]])
