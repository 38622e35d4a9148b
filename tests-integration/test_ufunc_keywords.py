"""What NumPy's functions of scalars take besides numbers: `where`, `out`, `dtype`; `reduceat`."""

from __future__ import annotations

from typing import Any, Final, cast

import numpy as np
import pytest

import weft.tensor as wt
from weft_testing import Case, case, check_function, check_grad

rng = np.random.default_rng(0)

M: Final = rng.normal(size=(3, 4))
MASK: Final = rng.integers(0, 2, (3, 4)) > 0
ROW: Final = np.array([True, False, True, False])
ENDS: Final = np.array([[0.0, -1.0, np.nan, np.inf], [2.0, -0.0, -np.inf, 1.0]])

LOG: Final[Any] = wt.log
ONE: Final = ["sqrt", "log", "isnan", "fabs"]
TWO: Final = ["divide", "power", "less", "fmin"]


def masked(name: str) -> Any:
    """NumPy's function with zeros at the places that it leaves as they are."""
    function = getattr(np, name)

    def compute(*values: Any, where: Any, out: Any = None) -> Any:
        rest = np.zeros_like(function(*values)) if out is None else out
        shape = np.broadcast_shapes(*[np.shape(v) for v in (*values, where, rest)])
        rest = np.broadcast_to(rest, shape).copy()
        return function(*values, where=where, out=rest)

    return compute


def places(name: str) -> list[Case]:
    values: list[tuple[Any, ...]] = [(M,), (ENDS,), (M.astype("float32"),)]
    if name in TWO:
        values = [(M, M[0]), (ENDS, ENDS[::-1].copy()), (np.float32(2.0), M.astype("float32"))]
    truth = name in ("isnan", "less")
    rest = [ROW, np.array(True)] if truth else [np.array(7.0), rng.normal(size=4)]
    return [
        *(case(*v, where=mask) for v in values for mask in (ROW, np.array(False), ROW[:1])),
        *(case(*v, where=ROW, out=r) for v in values[:2] for r in rest),
        case(*(v[:2] for v in values[0]), where=MASK[:2])
        if name in ONE
        else case(M, M, where=MASK),
        case(*values[0], where=np.array([1, 0, 1, 0])),
        case(*values[0], where=np.ones(3, bool)),
        *(case(*[x[..., :0] for x in v], where=ROW[:0]) for v in values[:1]),
    ]


@pytest.mark.parametrize("name", ONE + TWO)
def test_places_that_a_mask_leaves_are_those_of_out(name: str, few: Any) -> None:
    cases = places(name)
    compute = getattr(wt, name)
    assert check_function(compute, masked(name), cases, ["py"]) >= 12
    check_function(compute, masked(name), few(cases, 4), few(["numba", "jax"], 1))


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_nothing_comes_back_from_places_that_a_mask_leaves(mode: str) -> None:
    x, y = wt.vector("x"), wt.vector("y")
    ratio = wt.divide(x, y, out=wt.zeros_like(x), where=wt.neq(y, 0))
    root = wt.sqrt(wt.sub(x, 1, where=x > 0), out=-x, where=x > 1)
    slopes = [*wt.grad(ratio.sum(), [x, y]), wt.grad(root.sum(), x)]
    forward = [wt.pushforward(v, [x], [wt.ones_like(x)]) for v in (ratio, root)]
    f = wt.function([x, y], [ratio, root, *slopes, *forward], mode=mode)
    found = f([4.0, 0.0, 1.0, -1.0], [2.0, 0.0, 0.0, 5.0])
    to_root = [0.5 / np.sqrt(3.0), -1, -1, -1]
    expected = [
        [2.0, 0.0, 0.0, -0.2],
        [np.sqrt(3.0), 0.0, -1.0, 1.0],
        [0.5, 0.0, 0.0, 0.2],
        [-1.0, 0.0, 0.0, 0.04],
        to_root,
        [0.5, 0.0, 0.0, 0.2],
        to_root,
    ]
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-14)


def test_both_derivatives_with_masks() -> None:
    point = np.abs(M) + 0.5
    check_grad(lambda x, y: wt.divide(x, y, where=MASK, out=x * y), [point, point[0]])
    check_grad(lambda x: wt.log(x, where=ROW), [point])
    check_grad(lambda x, y: wt.hypot(x, y, where=MASK), [np.float64(1.5), point[0]])
    check_grad(lambda x: wt.fabs(x, where=ROW, out=x**2), [M])


@pytest.mark.parametrize(
    ("name", "values", "dtype"),
    [
        ("add", (np.array([100], "int8"), np.array([100], "int8")), "int64"),
        ("add", (np.array([100], "int8"), np.array([100], "int8")), "int8"),
        ("divide", (np.arange(3), 2), "float32"),
        ("sqrt", (np.arange(3.0),), "float32"),
        ("sqrt", (np.arange(3.0),), "complex128"),
        ("multiply", (np.ones(2, bool), 2), "float64"),
        ("less", (np.arange(3.0), 1), bool),
        ("maximum", (np.array([3], "uint8"), np.array([4], "uint8")), float),
        ("float_power", (np.arange(3), 2), "float64"),
    ],
)
def test_functions_compute_in_a_dtype(name: str, values: Any, dtype: Any) -> None:
    found, expected = getattr(wt, name)(*values, dtype=dtype).eval(), getattr(np, name)
    np.testing.assert_array_equal(found, expected(*values, dtype=dtype), strict=True)


def test_conversions_follow_the_rule_of_casting() -> None:
    x = wt.vector("x")
    total = wt.add(x, 1, dtype="int32", casting="unsafe")
    assert total.eval({x: [1.5, -2.5]}).tolist() == [2, -1]
    parts = wt.divide([7, 8], 2, where=[True, False], out=np.array([0, 5]), casting="unsafe")
    assert parts.dtype == "int64"
    assert parts.eval().tolist() == [3, 5]


def test_functions_of_numpy_take_them_with_variables() -> None:
    x = wt.vector("x")
    log, fmax, add, divide = cast("tuple[Any, ...]", (np.log, np.fmax, np.add, np.divide))
    found: list[Any] = [log(x, where=x > 0), fmax(x, 1, where=ROW[:2]), add(x, 1, dtype="f4")]
    assert found[2].dtype == "float32"
    values: Any = wt.function([x], found)([-1.0, np.e])
    expected: Any = [[0, 1], [1, 0], [0, 1 + np.e]]
    np.testing.assert_allclose(np.stack(values), expected, rtol=1e-6)
    with pytest.raises(TypeError, match="take one beside `where`, and give it"):
        divide(x, 2, out=np.zeros(2), where=[True, False])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda x: wt.log(x, out=x), r"log has nothing to write to out=: write y = log\(...\)"),
        (lambda x: wt.add(x, 1, out=x, where=True), "what stands in the other places"),
        (lambda x: LOG(x, were=True), "log got an unexpected keyword argument 'were'"),
        (lambda x: wt.fmax(x, 1, were=True), r"fmax\(\) got an unexpected keyword argument"),
        (lambda x: wt.log(x, where=x), "where= of log takes bools, not <x"),
        (lambda x: wt.log(x, dtype=int), "its input of float64 to int64 by the rule 'same_kind'"),
        (lambda x: wt.divide(1, 2, dtype=int), "true_div has no results of int64"),
        (lambda x: wt.equal(x, 2, dtype=float), "eq has no results of float64"),
        (lambda x: wt.log(x, out=np.arange(3), where=x > 0), "its result of float64 to int64"),
    ],
)
def test_what_does_not_go_together(call: Any, said: str) -> None:
    with pytest.raises(TypeError, match=said):
        call(wt.vector("x"))


PARTS: Final = ["add", "multiply", "maximum", "minimum"]


@pytest.mark.parametrize("name", PARTS)
def test_parts_are_reduced_as_by_numpy(name: str, few: Any) -> None:
    cases = [
        *(case(M, np.array(i), a) for i, a in (([0, 2], 0), ([1], 0), ([0, 1, 3], 1), ([2], -1))),
        case(np.array([100, 100, -1], "int8"), np.array([0, 2])),
        case(ENDS, np.array([0, 2]), axis=1),
        case(M.astype("float32"), np.array([0, 1, 2])),
        case(rng.normal(size=(2, 0, 3)), np.array([1])),
        case(np.arange(4), np.array([0, 3]), dtype="float64"),
    ]
    compute, reference = getattr(wt, name).reduceat, getattr(np, name).reduceat
    assert check_function(compute, reference, cases, ["py"]) >= 9
    check_function(compute, reference, few(cases, 3), few(["numba", "jax"], 1))
    check_grad(lambda x: compute(x, [0, 2]), [M])


def test_parts_that_overlap_are_an_error() -> None:
    x, i = wt.vector("x"), wt.lvector("i")
    f = wt.function([x, i], wt.add.reduceat(x, i))
    assert f([1.0, 2.0, 3.0], [0, 2]).tolist() == [3.0, 3.0]
    for wrong in ([2, 1], [1, 1], [-1, 1], [0, 3]):
        with pytest.raises(AssertionError, match="takes indices that increase"):
            f([1.0, 2.0, 3.0], wrong)
    with pytest.raises(TypeError, match="a vector of integers as indices"):
        wt.add.reduceat(x, [0.5])


@pytest.mark.parametrize("name", ["isnan", "isinf", "isfinite"])
def test_questions_about_whole_numbers_at_some_places(name: str) -> None:
    x, rest = np.array([[1, 2], [3, 4]]), np.full((2, 2), 7.0)
    where = np.array([True, False])
    found = getattr(wt, name)(x, where=where, out=rest).eval()
    np.testing.assert_array_equal(found, getattr(np, name)(x, where=where, out=rest.copy()))
