"""Tests that need eight devices: `test_many_devices.py` runs them in a process that has them."""

from __future__ import annotations

import pickle
import re
from typing import Any

import jax
import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import Function, Mode, function, grad
from weft_jax import JAX, distribute

MESH = wt.Mesh(data=8)
GRID = wt.Mesh(data=4, model=2)
rng = np.random.default_rng(0)
COMBINES = jax.__version_info__ >= (0, 6)
A, V = rng.normal(size=(16, 6)), rng.normal(size=6)


def collectives(compiled: Function, *values: Any) -> list[str]:
    """The communication in the compiled code."""
    names = "all-reduce|all-gather|all-to-all|reduce-scatter|collective-permute"
    return re.findall(rf" ({names})(?:-start)?\(", compiled.lower_text("hlo", *values))


def sums(number: int) -> list[str]:
    """That of so many sums over devices, which newer versions of XLA make one."""
    return ["all-reduce"] * (1 if COMBINES else number)


def regression() -> tuple[list[Any], list[Any]]:
    """The demo's model."""
    X, y = wt.dmatrix("X", shape=("n", "p")), wt.dvector("y", shape=("n",))
    b, a = wt.dvector("b", shape=("p",)), wt.dscalar("a")
    p = wt.sigmoid(a + X @ b)
    terms = y * wt.log(p) + (1 - y) * wt.log(1 - p)
    value = wt.sum(terms) - (wt.sum(b**2) + (a / 2.5) ** 2) / 2
    return [a, b, X, y], [value, *grad(value, [a, b])]


def close(found: Any, wanted: Any) -> None:
    for f, w in zip(found, wanted, strict=True):
        assert f.dtype == w.dtype
        np.testing.assert_allclose(f, w, rtol=1e-9, atol=1e-12)


def test_there_are_eight() -> None:
    assert jax.device_count() == 8
    assert not jax.config.jax_enable_x64  # type: ignore[attr-defined]  # made at run time


@pytest.mark.parametrize("by_name", [True, False])
@pytest.mark.parametrize(("rows", "uneven"), [(560, "error"), (569, "pad")])
def test_data_parallel_regression(by_name: bool, rows: int, uneven: Any) -> None:
    inputs, outputs = regression()
    _, _, X, y = inputs
    specs = {"n": "data"} if by_name else {X: ("data", None), y: ("data",)}
    mode = JAX(mesh=MESH, in_specs=specs, uneven=uneven)
    many, one = (function(inputs, outputs, mode=m) for m in (mode, "jax"))
    values = [np.float64(0.3), V, rng.normal(size=(rows, 6)), (rng.random(rows) > 0.5) * 1.0]
    close(many(*values), one(*values))
    assert collectives(many, *values) == sums(3)  # of the value and both slopes


def test_uneven_rows_are_an_error_unless_padded() -> None:
    X = wt.dmatrix("X", shape=("n", 6))
    f = function([X], wt.sum(X), mode=JAX(mesh=MESH, in_specs={"n": "data"}))
    with pytest.raises(ValueError, match=r"<X : .*length 13.* 8 devices .*3 more.*uneven='pad'"):
        f(A[:13])
    padded = JAX(mesh=MESH, in_specs={"n": "data"}, uneven="pad")
    g = function([X], [wt.sum(wt.exp(X)), wt.max(-X), X[::-1], X.mean(0)], mode=padded)
    for n in (13, 1, 16, 8):
        x = A[:n]
        close(g(x), [np.exp(x).sum(), (-x).max(), x[::-1], x.mean(0)])


def test_arrays_that_are_divided_already_stay_where_they_are() -> None:
    X = wt.dmatrix("X", shape=("n", 6))
    f = function([X], 2 * X, mode=JAX(mesh=MESH, in_specs={"n": "data"}))
    x = distribute(A, MESH, "data")
    assert x.dtype == "float64"
    assert [s.data.shape for s in x.addressable_shards] == [(2, 6)] * 8
    assert f(x).sharding.is_fully_replicated
    close([f(x)], [2 * A])
    close([f(distribute(A, MESH))], [2 * A])
    for wrong in (distribute(A + 1j, MESH), distribute(V, MESH), distribute(A.T, MESH)):
        with pytest.raises(TypeError, match=r"<X : .*expected float64\[n, 6\], got an array of"):
            f(wrong)
    with pytest.raises(ValueError, match=r"the array has an axis of length 6"):
        distribute(V, MESH, "data")
    with pytest.raises(ValueError, match=r"the array is divided along 'rows'"):
        distribute(V, MESH, "rows")


def test_two_axes_of_devices_and_constraints_within() -> None:
    X, w = wt.dmatrix("X"), wt.dmatrix("w")
    hidden = wt.shard(wt.tanh(X @ w), "data", "model")
    cost = wt.sum(hidden**2)
    outputs = [cost, hidden, *grad(cost, [X, w])]
    mode = JAX(
        mesh=GRID,
        in_specs={X: ("data",), w: (None, "model")},
        out_specs={1: ("data", "model"), 2: "data"},
    )
    values = [A, rng.normal(size=(6, 4))]
    f = function([X, w], outputs, mode=Mode(mode))
    close(f(*values), function([X, w], outputs, mode="py")(*values))
    (layout,) = re.findall("entry_computation_layout={(.*)}", f.lower_text("hlo", *values))
    parts = re.findall(r"f64\[[\d,]*\]", layout)
    assert parts == ["f64[4,6]", "f64[6,2]", "f64[]", "f64[4,2]", "f64[4,6]", "f64[6,4]"]


def test_sizes_by_value_and_checks_of_values() -> None:
    X, i, n = wt.dmatrix("X"), wt.lscalar("i"), wt.lscalar("n")
    f = function([X, i, n], X[i] + wt.arange(n), mode=JAX(mesh=MESH, in_specs={X: "data"}))
    close([f(A, 9, 6)], [A[9] + np.arange(6)])
    with pytest.raises(IndexError, match="out of bounds"):
        f(A, 16, 6)


def test_functions_survive_pickling() -> None:
    X = wt.dmatrix("X")
    f = function([X], wt.sum(X, axis=0), mode=JAX(mesh=MESH, in_specs={X: "data"}))
    close([pickle.loads(pickle.dumps(f))(A)], [A.sum(0)])


def test_bad_specs() -> None:
    X, y = wt.dmatrix("X", shape=("n", None)), wt.dvector("y")
    cases: list[tuple[dict[Any, Any], str]] = [
        ({y: "data"}, r"in_specs: <y : .*> is neither one of .*'s inputs nor .*\(these are: n\)"),
        ({"m": "data"}, r"in_specs: 'm' is neither"),
        ({X: ("data", None, None)}, "3 entries for 2 axes"),
        ({X: "rows"}, r"<X : .*> is divided along 'rows', but the mesh has the axes 'data'"),
    ]
    for specs, message in cases:
        with pytest.raises(ValueError, match=message):
            function([X], 2 * X, mode=JAX(mesh=MESH, in_specs=specs))
    with pytest.raises(ValueError, match=r"out_specs: 1 is neither one of the function's outputs"):
        function([X], 2 * X, mode=JAX(mesh=MESH, out_specs={1: "data"}))
    with pytest.raises(ValueError, match=r"shard\[rows, None\] is divided along 'rows'"):
        function([X], wt.shard(X, "rows"), mode=JAX(mesh=MESH))
    with pytest.raises(ValueError, match=r"Mesh\(data=16\) needs 16 devices, but JAX has 8"):
        function([X], 2 * X, mode=JAX(mesh=wt.Mesh(data=16), in_specs={X: "data"}))


def everywhere(X: Any, w: Any) -> Any:
    """All collectives in one function."""
    eta = wt.psum(X @ w, "model")
    gathered = wt.all_gather(eta, "data")
    scattered = wt.psum_scatter(gathered * (1 + wt.axis_index("data")), "data")
    mean = wt.pmean(wt.sum(wt.tanh(scattered) ** 2), ("data", "model"))
    return mean, X * wt.axis_index(("data", "model")), wt.log(wt.sigmoid(eta))


@pytest.mark.parametrize("mode", ["jax", JAX(mesh=GRID, in_specs={"n": "data"})])
def test_shard_map_is_what_python_says(mode: Any) -> None:
    X, w = wt.dmatrix("X", shape=("n", "p")), wt.dvector("w", shape=("p",))
    specs: list[Any] = [("data", "model"), "model"]
    mapped = wt.shard_map(everywhere, GRID, specs, (None, ("data", "model"), "data"))
    mean, moved, logs = mapped(X, w)
    cost = mean + wt.sum(moved**2) - wt.sum(logs)
    slopes = grad(cost, [X, w])
    outputs = [mean, moved, logs, *slopes, grad(wt.sum(slopes[1] ** 2), w)]
    found, wanted = (function([X, w], outputs, mode=m)(A, V) for m in (mode, "py"))
    close(found, wanted)


def test_shard_map_communicates_as_written() -> None:
    X, w = wt.dmatrix("X"), wt.dvector("w")
    cost = wt.shard_map(
        lambda X, w: wt.psum(wt.sum(wt.tanh(X @ w)), "data"), MESH, ["data", None], None
    )(X, w)
    mode = JAX(mesh=MESH, in_specs={X: "data"})
    f = function([X, w], [cost, grad(cost, w)], mode=mode)
    eta = A @ V
    close(f(A, V), [np.tanh(eta).sum(), A.T @ (1 - np.tanh(eta) ** 2)])
    assert collectives(f, A, V) == sums(2)
    g = function([w], wt.shard_map(wt.exp, MESH, [None], None)(w), mode=JAX(mesh=MESH))
    assert collectives(g, V) == []


def test_errors_within_shard_map() -> None:
    X, i = wt.dmatrix("X"), wt.lscalar("i")
    row = wt.shard_map(lambda X, i: X[i][None], MESH, ["data", None], "data")(X, i)
    f = function([X, i], row, mode="jax")
    close([f(A, 1)], [A[1::2]])
    with pytest.raises(IndexError, match="out of bounds for axis 0 with size"):
        f(A, 2)
    with pytest.raises(ValueError, match=r"argument 0 of shard_map has an axis of length 13"):
        f(A[:13], 0)
    sized = wt.shard_map(lambda X, i: X[:1, :i], MESH, ["data", None], "data")(X, i)
    with pytest.raises(ValueError, match="in a function for shard_map, shapes must not depend"):
        function([X, i], sized, mode="jax")
