"""Updates at computed indices: values as NumPy, and every bad index refused, wherever it stands."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import Function, FunctionGraph, Mode, function, grad
from weft_numba import NumbaLinker, llvm_code
from weft_numba.analysis.specialise import narrowed
from weft_numba.fusion.grouping import Fused, fuse

x, i, v = wt.vector("x"), wt.lvector("i"), wt.vector("v")
BASE, ADDED = np.arange(5.0), np.array([1.0, 10.0, 100.0, 1000.0])
AT = np.array([1, -1, 1, 4])
OUT_OF_BOUNDS = (
    r"index -?\d+ is out of bounds for axis 0 with size 5\nwhile computing (inc|set)\[array\]"
)


def compiled(*outputs: wt.TensorVariable) -> Function:
    """The function of x, i and v by Numba."""
    return function([x, i, v], list(outputs), mode="numba")


@pytest.fixture(scope="module")
def update() -> Function:
    """What adds to elements, and what replaces them."""
    return compiled(x[i].inc(v), x[i].set(v))


LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "contiguous": lambda at: at,
    "every other": lambda at: np.repeat(at, 2)[::2],
    "backwards": lambda at: at[::-1].copy()[::-1],
    "int8": lambda at: at.astype("int8"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("writeable", [True, False])
def test_updates_are_those_of_numpy(update: Function, layout: str, writeable: bool) -> None:
    at = LAYOUTS[layout](AT)
    at.flags.writeable = writeable
    added, replaced = BASE.copy(), BASE.copy()
    np.add.at(added, at, ADDED)
    replaced[at] = ADDED
    found = update(BASE, at, ADDED)
    np.testing.assert_array_equal(found[0], added)
    np.testing.assert_array_equal(found[1], replaced)
    np.testing.assert_array_equal(BASE, np.arange(5.0))


def test_no_index_changes_nothing(update: Function) -> None:
    none = np.zeros(0, "int64")
    for base in (BASE, np.zeros(0)):
        for found in update(base, none, np.zeros(0)):
            np.testing.assert_array_equal(found, base)


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("bad", [5, -6, 2**63 - 1, -(2**63)])
def test_a_bad_index_is_refused_wherever_it_stands(update: Function, place: int, bad: int) -> None:
    at = AT.copy()
    at[place] = bad
    with pytest.raises(IndexError, match=OUT_OF_BOUNDS):
        update(BASE, at, ADDED)


def test_a_bad_index_of_several_updates_is_refused() -> None:
    j = wt.lvector("j")
    both = function([x, i, j], x[i].inc(1.0)[j].inc(x[i]), mode="numba")
    np.testing.assert_array_equal(both(BASE, [0, 1], [4, 3]), [1, 2, 2, 4, 4])
    for given in ([0, 5], [4, 3]), ([0, 1], [4, 5]):
        with pytest.raises(IndexError, match=OUT_OF_BOUNDS):
            both(BASE, *given)


def test_a_bad_index_is_refused_before_other_results_are_used() -> None:
    both = compiled(x[i].inc(v), wt.sum(v), v[v > 0])
    with pytest.raises(IndexError, match=OUT_OF_BOUNDS):
        both(BASE, [5, 0, 0, 0], ADDED)
    np.testing.assert_array_equal(both(BASE, AT, ADDED)[2], ADDED)


@pytest.mark.optimized
def test_one_branch_checks_an_index_and_the_base_is_copied_at_once() -> None:
    code = llvm_code(compiled(x[i].inc(v)))
    assert "call void @llvm.memcpy" in code
    loop = code.split("loop_0:")[1].split("exit_0:")[0]
    assert re.search(r"br i1 %v\d+, label %bad_v\d+", loop)
    assert "%nowhere" not in loop


@pytest.mark.optimized
def test_what_is_looked_up_for_an_update_is_checked_by_a_branch_too() -> None:
    j = wt.lvector("j")
    moved = function([x, i, j], x[i].inc(x[j]), mode="numba")
    np.testing.assert_array_equal(moved(BASE, [0, 1], [-1, 3]), [4, 4, 2, 3, 4])
    assert "%nowhere" not in llvm_code(moved).split("loop_0")[1].split("exit_0")[0]
    with pytest.raises(IndexError, match=r"index -6 is out of bounds for axis 0 with size 5\n"):
        moved(BASE, [0, 1], [3, -6])


def loops(output: wt.TensorVariable) -> list[tuple[set[str], bool]]:
    """For each nest over an axis: its functions, and whether it writes at indices."""
    graph = narrowed(FunctionGraph([x, i, v], [output]), assume=True).graph
    nests = [s.kernel for s in fuse(graph, assume=True) if isinstance(s, Fused) and s.kernel.ndim]
    return [({s.name for s in k.statements}, any(r.scatters for r in k.results)) for k in nests]


def test_functions_of_vectors_are_called_in_loops_of_their_own() -> None:
    costly, cheap = (grad(wt.sum(made(x[i]) * v), x) for made in (wt.tanh, wt.square))
    first, second = loops(costly)
    assert "tanh" in first[0]
    assert "tanh" not in second[0]
    assert (first[1], second[1]) == (False, True)
    assert len(loops(cheap)) == 1
    found, expected = (function([x, i, v], costly, mode=mode) for mode in ("numba", "py"))
    np.testing.assert_allclose(found(BASE, AT, ADDED), expected(BASE, AT, ADDED), rtol=1e-12)


@pytest.mark.parametrize("stretched", [False, True])
def test_what_is_added_is_computed_in_the_loop_that_adds_it(stretched: bool) -> None:
    """As in the product of a sparse matrix: all lengths are known at calls alone."""
    j, n = wt.lvector("j"), wt.lscalar("n")
    added = wt.zeros(n)[i].inc(v * x[j])
    graph = narrowed(FunctionGraph([x, i, v, j, n], [added]), assume=True).graph
    assert len([s for s in fuse(graph, assume=True) if isinstance(s, Fused)]) == 1
    given = [BASE, AT, ADDED[:1] if stretched else ADDED, np.array([4, 3, 2, 1]), 6]
    found, expected = (function([x, i, v, j, n], added, mode=m)(*given) for m in ("numba", "py"))
    np.testing.assert_array_equal(found, expected)
    with pytest.raises(ValueError, match="broadcast"):
        function([x, i, v, j, n], added, mode="numba")(BASE, AT, ADDED[:3], AT[:3], 6)


def test_parts_of_what_is_stretched_are_updated() -> None:
    made = x * v
    parts = made[0:2].set(0.5), made[1:].inc(made[1:]), made[::-1][:-1].set(7.0)
    outputs = [*parts, wt.sum(parts[0] * parts[1])]
    for given in ((BASE, BASE[2:3]), (BASE[2:3], BASE), (BASE, BASE)):
        found, expected = (function([x, v], outputs, mode=m)(*given) for m in ("numba", "py"))
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other)


def test_all_of_what_is_filled_with_a_number_is_updated() -> None:
    n = wt.lscalar("n")
    results = [wt.ones(n)[:].set(0.0), wt.ones((n, 2))[:].inc(1.0), wt.ones((n, 2))[:, 0].set(0.0)]
    f = function([n], results, mode="numba")
    for found, expected in zip(f(3), [[0.0] * 3, [[2.0, 2.0]] * 3, [[0.0, 1.0]] * 3], strict=True):
        np.testing.assert_array_equal(found, expected)


def test_complex_numbers_fill_what_is_joined() -> None:
    z = wt.zmatrix("z")
    filled = wt.full((z.shape[0], 1), 7, "complex128")
    f = function([z], wt.concatenate([filled, z], 1), mode="numba")
    np.testing.assert_array_equal(f([[1j]]), [[7, 1j]])


def test_places_are_as_many_as_values_of_a_length_that_comes_later() -> None:
    """The length of the values is told by the first input only once the update is read."""
    places, values = wt.ivector("places"), wt.dvector("values")
    rows = wt.arange(values.shape[0])
    updated = wt.zeros((values.shape[0], 3))[rows, places].set(values)
    f = function([places, values], updated, mode="numba")
    assert f([1, 0], [5.0, 7.0]).tolist() == [[0, 5, 0], [7, 0, 0]]


def test_places_that_take_many_operations_are_computed_before() -> None:
    """With whole vectors, where a loop that writes at them has none."""
    place = wt.floor((x + 0.25) * 2 + 0.5)
    place = wt.where(place < 0, 0.0, wt.where(place > 4, 4.0, place * 3 - 2 * place))
    for at, loops in ((wt.floor(x), 1), (place, 2)):
        counts = wt.zeros(5)[at.astype("int64")].inc(x)
        done = fuse(narrowed(FunctionGraph([x], [counts]), assume=True).graph)
        assert [isinstance(step, Fused) for step in done] == [True] * loops
    f = function([x], wt.zeros(5)[place.astype("int64")].inc(x), mode="numba")
    assert f([-9.0, 0.0, 0.5, 1.0, 9.0]).tolist() == [-9.0, 0.0, 0.5, 1.0, 9.0]


@pytest.mark.parametrize("place", [0, 3, 6])
def test_what_follows_a_negative_index(place: int) -> None:
    """It is done by another loop, which counts from the end, and begins at that index."""
    outputs = [x[i] + v, (x[i] * v).sum(), x[i].inc(v), x[i].set(v), x[i] + x[i // 2]]
    f = function([x, i, v], outputs, mode="numba")
    right = function([x, i, v], outputs, mode="py")
    at = np.array([1, 2, 2, 4, 0, 3, 1])
    at[place] = -5
    values = np.arange(7.0)
    for found, expected in zip(f(BASE, at, values), right(BASE, at, values), strict=True):
        np.testing.assert_array_equal(found, expected)
    for outside in (5, -6):
        at[-1] = outside
        with pytest.raises(IndexError):
            f(BASE, at, values)
    assert "rest_" in llvm_code(function([x, i], x[i], mode="numba"))


U = wt.matrix("U")


def windows(u: wt.TensorVariable, size: int = 3) -> wt.TensorVariable:
    """A weighted sum of windows."""
    n, m = u.shape
    shifts = [(a, b) for a in range(size) for b in range(size)]
    parts = [(1.0 + a - 2 * b) * u[a : n - size + 1 + a, b : m - size + 1 + b] for a, b in shifts]
    return wt.exp(sum(parts[1:], parts[0]) / 10.0)


@pytest.mark.cases(0)
@pytest.mark.parametrize("shape", [(3, 3), (4, 9), (2, 5), (3, 0), (7, 40)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_updates_of_neighbours_are_loops_of_their_own(shape: tuple[int, int], order: str) -> None:
    slope = grad(windows(U).sum(), U)
    f = function([U], slope, mode="numba")
    u = np.asarray(np.random.default_rng(0).normal(size=shape), order=order)  # type: ignore[call-overload]  # a parameter
    expected = function([U], slope, mode="py")(u)
    np.testing.assert_allclose(f(u), expected, rtol=1e-12, atol=1e-14)
    assert len(set(re.findall(r"loop_1\w*u(\d+)_", llvm_code(f)))) > 2


def test_updates_across_rows_are_one_loop() -> None:
    first, last = wt.zeros_like(U)[:, 1].inc(U[:, 0]), wt.zeros_like(U)[:, 0].inc(U[:, 1])
    f = function([U], first + last, mode="numba")
    u = np.arange(8.0).reshape(4, 2)
    np.testing.assert_array_equal(f(u), u[:, ::-1])
    assert not re.findall(r"loop_\d\w*u\d+_", llvm_code(f))


@pytest.mark.parametrize("parallel", [False, True])
def test_what_is_around_a_part_is_put_there_first(parallel: bool) -> None:
    m, b, s, t = wt.matrix("m"), wt.matrix("b"), wt.lscalar("s"), wt.lscalar("t")
    outputs = [
        wt.pad(m, 2),
        wt.pad(m * s, ((0, 1), (1, 0)), constant_values=3),
        wt.full((100, 70), 2.0)[s : s + 20, t : t + 50].inc(m[:20, :50]),
        b[3:-3, 1:-1].set(b[3:-3, 1:-1] * 2),
        b[:, s:].set(7.0),
        b[-s:, s].set(1.0),
        b[s:, ::2].set(5.0),
        grad(wt.sum(b[2:, :-3] ** 2), b),
        wt.stack([b[s:], b[:-s]])[:, :, 1:].inc(1.0),
        b[0][t:].set(2.0),
    ]
    mode = Mode(NumbaLinker(parallel=parallel))
    fast = function([m, b, s, t], outputs, mode=mode)
    slow = function([m, b, s, t], outputs, mode="py")
    text = llvm_code(function([m], outputs[0], mode="numba"))
    assert "loop_around0_0" in text
    assert "everywhere0:" in text  # for rows that are short
    rng = np.random.default_rng(0)
    for shape in ((20, 50), (40, 64), (33, 300), (50, 31)):
        one, two = rng.normal(size=(20, 50)), rng.normal(size=shape)
        for k, j in ((1, 0), (3, 20)):
            for other in (two, np.asfortranarray(two), two[::-1, ::-1]):
                for v in (one, one.T.copy().T):
                    found, right = fast(v, other, k, j), slow(v, other, k, j)
                    for x, y in zip(found, right, strict=True):
                        np.testing.assert_allclose(x, y, rtol=1e-14)


def test_what_is_padded_is_nowhere_filled_as_a_whole() -> None:
    text = llvm_code(function([U], wt.pad(U, 2), mode="numba"))
    assert text.count("define") == 2  # lengths, and one for what is there and what is around it


def test_what_is_read_of_an_array_of_one_element_is_computed_after_its_update() -> None:
    total = wt.sin(x.sum())
    one = wt.zeros((1,))[0].set(total)
    outputs = [one, one[0] * total, wt.where(one[0] > 0, one.sum(), 2.0)]
    for result, expected in zip(
        function([x], outputs, mode="numba")(BASE),
        function([x], outputs, mode="py")(BASE),
        strict=True,
    ):
        np.testing.assert_allclose(result, expected, rtol=1e-14)
