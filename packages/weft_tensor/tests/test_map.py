"""`map` in Python: values, types, shapes, derivatives, and what is refused."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import FunctionGraph, OpFromGraph, digest, function, grad, pushforward
from weft_tensor.extend import inferred_shapes

rng = np.random.default_rng(0)
ROWS, OTHERS, WEIGHTS = rng.normal(size=(4, 3)), rng.normal(size=(4, 3)), rng.normal(size=3)
x, y = wt.matrix("x"), wt.matrix("y")
v, w = wt.vector("v"), wt.vector("w")


def computed(output: Any, values: dict[Any, Any]) -> Any:
    return function(list(values), output, mode="py")(*values.values())


def test_a_function_of_each_row() -> None:
    found = computed(wt.map(lambda row: wt.sort(row)[0], x), {x: ROWS})
    np.testing.assert_array_equal(found, ROWS.min(1))


def test_several_sequences_and_results() -> None:
    both = wt.map(lambda a, b: (a @ b, a - b), (x, y))
    assert isinstance(both, tuple)
    products, differences = computed(both, {x: ROWS, y: OTHERS})
    np.testing.assert_allclose(products, (ROWS * OTHERS).sum(1))
    np.testing.assert_array_equal(differences, ROWS - OTHERS)


def test_a_list_of_results_stays_a_list() -> None:
    assert isinstance(wt.map(lambda a: [a, a + 1.0], x), list)


class Moments(NamedTuple):
    """What a function may return."""

    mean: Any
    spread: Any


def test_nested_structures_of_sequences_and_results() -> None:
    def moments(row: Any, other: Any, at: Any) -> Any:
        mean = row["values"].mean()
        spread = {"square": ((row["values"] - mean) ** 2).sum(), "none": None}
        return {"moments": Moments(mean, spread), "more": [other[0] + at["first"], [1.0, 2.0]]}

    found = wt.map(moments, [{"values": x}, (v, y)], [{"first": w[0]}])
    assert isinstance(found["moments"], Moments)
    assert found["moments"].spread["none"] is None
    results = [found["moments"].mean, found["moments"].spread["square"], *found["more"]]
    given = {x: ROWS, v: np.arange(4.0), y: OTHERS, w: WEIGHTS}
    mean, square, first, numbers = computed(results, given)
    np.testing.assert_allclose(mean, ROWS.mean(1))
    np.testing.assert_allclose(square, 3 * ROWS.var(1))
    np.testing.assert_allclose(first, np.arange(4.0) + WEIGHTS[0])
    np.testing.assert_allclose(numbers, [[1.0, 2.0]] * 4)
    alone = wt.map(lambda both: both["a"] @ both["b"], {"a": x, "b": y})
    np.testing.assert_allclose(computed(alone, {x: ROWS, y: OTHERS}), (ROWS * OTHERS).sum(1))


def test_what_is_closed_over_and_what_is_given_for_all() -> None:
    total = wt.exp(w).sum()
    closed = wt.map(lambda row: row * total, x)
    assert closed is wt.map(lambda row, t: row * t, x, [total])
    assert closed.inputs == (x, total)
    np.testing.assert_allclose(
        computed(closed, {x: ROWS, w: WEIGHTS}), ROWS * np.exp(WEIGHTS).sum()
    )


def test_what_is_the_same_for_all_elements() -> None:
    found = computed(wt.map(lambda row: w, x), {x: ROWS, w: WEIGHTS})
    np.testing.assert_array_equal(found, np.tile(WEIGHTS, (4, 1)))
    assert computed(wt.map(lambda row: 3, x), {x: ROWS}).tolist() == [3, 3, 3, 3]


def test_equal_functions_make_one_op() -> None:
    assert wt.map(lambda a: a.sum(), x).op is wt.map(lambda b: b.sum(), y).op
    assert wt.map(lambda a: a.sum(), x) is wt.map(lambda b: b.sum(), x)
    assert digest([wt.map(lambda a: a.sum(), x)]) == digest([wt.map(lambda b: b.sum(), y)])


def test_it_can_be_pickled() -> None:
    f = pickle.loads(pickle.dumps(FunctionGraph([x], [wt.map(lambda a: a.sum(), x)])))
    np.testing.assert_allclose(function(f.inputs, f.outputs[0], mode="py")(ROWS), ROWS.sum(1))


def test_types_are_inferred() -> None:
    named = wt.tensor("named", "float32", ("n", "p", 3))
    assert str(wt.map(lambda a: a, named).type) == "float32[n, p, 3]"
    assert str(wt.map(lambda a: a.sum(axis=0), named).type) == "float32[n, 3]"
    assert str(wt.map(lambda a: a.shape[0], named).type) == "int64[n]"
    fixed = wt.tensor("fixed", "float32", (4, None))
    assert str(wt.map(lambda a, b: a.sum(), (fixed, x)).type) == "float32[4]"


def test_shapes_follow_from_those_of_the_inputs() -> None:
    k = wt.scalar("k", "int64")
    results = wt.map(lambda row: (wt.zeros((k, row.shape[0] + 1)), row.sum(), row[1:]), x)
    shapes = inferred_shapes(results[0].inputs[0])
    assert shapes is not None
    lengths = [n for shape in shapes for n in shape]
    assert not any(isinstance(u.op, wt.Map) for u in FunctionGraph(outputs=lengths).nodes)
    assert [int(n) for n in computed(lengths, {x: ROWS, k: np.int64(5)})] == [4, 5, 4, 4, 4, 2]


def test_no_elements() -> None:
    found = computed(
        wt.map(lambda row: (wt.concatenate([row, w]), row.sum() > 0), x),
        {x: ROWS[:0], w: WEIGHTS},
    )
    assert [(f.shape, f.dtype.name) for f in found] == [((0, 6), "float64"), ((0,), "bool")]


def test_no_elements_where_the_shape_depends_on_them() -> None:
    sizes = wt.vector("sizes", "int64")
    mapped = wt.map(wt.arange, sizes)
    assert computed(mapped, {sizes: [3, 3]}).tolist() == [[0, 1, 2], [0, 1, 2]]
    with pytest.raises(ValueError, match="there is no element"):
        computed(mapped, {sizes: np.zeros(0, "int64")})
    with pytest.raises(ValueError, match=r"gives \(2,\) for element 0 and \(3,\) for element 1"):
        computed(mapped, {sizes: [2, 3]})


@pytest.mark.parametrize(
    ("function_of_rows", "symbols"),
    [
        (lambda row: wt.exp(row) * w, [x, w]),
        (lambda row: (row @ w) ** 2, [x, w]),
        (lambda row: wt.map(lambda e: e * w * row[0], row), [x, w]),
        (lambda row: wt.sort(row)[0] * w[1], [x, w]),
        (lambda row: w * w, [w]),
    ],
)
def test_derivatives(function_of_rows: Callable[[Any], Any], symbols: list[Any]) -> None:
    values = {x: ROWS, w: WEIGHTS}
    cost = (wt.sin(wt.map(function_of_rows, x))).sum()
    slopes = computed(grad(cost, symbols), values)
    moved = [rng.normal(size=np.shape(values[s])) for s in symbols]
    ahead = {s: values[s] + 1e-6 * m for s, m in zip(symbols, moved, strict=True)}
    behind = {s: values[s] - 1e-6 * m for s, m in zip(symbols, moved, strict=True)}
    numeric = (computed(cost, values | ahead) - computed(cost, values | behind)) / 2e-6
    forward = computed(pushforward(cost, symbols, [wt.constant(m) for m in moved]), values)
    backward = sum((s * m).sum() for s, m in zip(slopes, moved, strict=True))
    np.testing.assert_allclose(forward, numeric, rtol=1e-6)
    np.testing.assert_allclose(backward, numeric, rtol=1e-6)


def test_second_derivatives() -> None:
    first = grad((wt.map(lambda row: (row * w).sum() ** 3, x)).sum(), [x, w])
    found = computed(grad((first[0] ** 2).sum() + (first[1] ** 2).sum(), w), {x: ROWS, w: WEIGHTS})

    def slopes(weights: Any) -> Any:
        s = ROWS @ weights
        return ((3 * s[:, None] ** 2 * weights) ** 2).sum() + ((3 * s**2 @ ROWS) ** 2).sum()

    for k, e in enumerate(np.eye(3) * 1e-6):
        numeric = (slopes(WEIGHTS + e) - slopes(WEIGHTS - e)) / 2e-6
        np.testing.assert_allclose(found[k], numeric, rtol=1e-6)


def test_gradients_of_what_is_the_same_for_all_are_summed_as_they_come() -> None:
    slope = grad(wt.map(lambda row: (row * w).sum(), x).sum(), w)
    maps = [u.op for u in FunctionGraph(outputs=[slope]).nodes if isinstance(u.op, wt.Map)]
    assert [op.summed[-1] for op in maps] == [False, True]
    np.testing.assert_array_equal(computed(slope, {x: ROWS[:0], w: WEIGHTS}), np.zeros(3))


def test_random_numbers_by_a_key_for_each_element() -> None:
    keys = wt.random.split(wt.random.key(7), 3)
    found = computed(wt.map(lambda key: wt.random.normal(key, size=2), keys), {})
    wanted = [wt.random.normal(keys[k], size=2).eval() for k in range(3)]
    np.testing.assert_array_equal(found, wanted)


def test_within_a_graph_that_is_an_op() -> None:
    op = OpFromGraph([x, w], [wt.map(lambda row: row * w, x)])
    np.testing.assert_allclose(computed(op(x, w), {x: ROWS, w: WEIGHTS}), ROWS * WEIGHTS)


@pytest.mark.parametrize("chosen", [True, False])
def test_only_the_case_that_is_taken_is_computed_for_an_element(chosen: bool) -> None:
    def root(number: Any) -> Any:
        checked = wt.check_and_raise(number, number >= 0, ValueError, "negative")
        return wt.ifelse(number >= 0 if chosen else number < 9, wt.sqrt(checked), 0.0)

    mapped = wt.map(root, v)
    if chosen:
        np.testing.assert_array_equal(computed(mapped, {v: [4.0, -4.0]}), [2.0, 0.0])
        return
    with pytest.raises(ValueError, match="negative"):
        computed(mapped, {v: [4.0, -4.0]})


def test_bodies_are_rewritten() -> None:
    f = function(
        [x, w], wt.map(lambda row: wt.sort(wt.ifelse(row[0] > 0, wt.exp(row), w)), x), mode="py"
    )
    assert "branch" in str(f.graph.outputs[0].op.body.graph.nodes)  # type: ignore[attr-defined]  # a Map


def test_what_is_refused() -> None:
    with pytest.raises(TypeError, match="needs a sequence"):
        wt.map(lambda: 1.0, [])
    with pytest.raises(TypeError, match=r"<s : float64> has none"):
        wt.map(lambda a: a, wt.scalar("s"))
    empty: list[Any] = [(), None, {}, [None]]
    for nothing in empty:
        with pytest.raises(TypeError, match="returns nothing"):
            wt.map(lambda a, nothing=nothing: nothing, x)
    with pytest.raises(TypeError, match="needs a sequence"):
        wt.map(lambda a: a, {})
    with pytest.raises(TypeError, match="'text' is no tensor"):
        wt.map(lambda a: {"a": a, "b": "text"}, x)
    four, five = (wt.tensor(f"of_{n}", "float64", (n,)) for n in (4, 5))
    with pytest.raises(ValueError, match=r"<of_4 : .*> has 4 elements and <of_5 : .*> has 5"):
        wt.map(lambda a, b: a + b, (four, five))
    with pytest.raises(ValueError, match="sequence 1 has length 2, sequence 0 has 4") as caught:
        computed(wt.map(lambda a, b: a + b, (x, v)), {x: ROWS, v: [1.0, 2.0]})
    assert "wt.map(" in "\n".join(caught.value.__notes__)


def test_an_error_inside_names_the_line_of_the_function() -> None:
    mapped = wt.map(lambda row: row[5], x)
    with pytest.raises(IndexError) as caught:
        computed(mapped, {x: ROWS})
    assert "row[5]" in "\n".join(caught.value.__notes__)


def test_inputs_stay_as_they_are() -> None:
    before = ROWS.copy()
    result = computed(wt.map(lambda row: row, x), {x: ROWS})
    result += 1.0
    np.testing.assert_array_equal(ROWS, before)
