"""Tensors whose axes have names, against NumPy's arrays with axes put in order by hand."""

from __future__ import annotations

import pickle
from typing import Any, NamedTuple

import numpy as np
import pytest

import weft.tensor as wt

X: Any = wt.xtensor
MODES = ["py", "numba", "jax"]
RNG = np.random.default_rng(0)
A, B, C = RNG.normal(size=(2, 3)), RNG.normal(size=(3, 4)), RNG.normal(size=(4, 2, 3))
a, b, c = [X.xtensor(n, dims=tuple(d)) for n, d in (("a", "xy"), ("b", "yz"), ("c", "zxy"))]
K = np.array([1, 0])
IN_A, IN_B = A[:, :, None], B[None, :, :]
AS_A = np.moveaxis(C, 0, 2)
"""C with the axes in the order x, y, z."""


class Array(NamedTuple):
    """As one of xarray's."""

    values: Any
    dims: tuple[str, ...]


def positions(values: Any, dims: str) -> Any:
    return X.as_xtensor(np.array(values), tuple(dims))


FORMULAS: dict[str, tuple[Any, str, Any]] = {
    "sum of two": (a + b, "xyz", IN_A + IN_B),
    "in another order": (c - a, "zxy", C - A),
    "number first": (2 - a, "xy", 2 - A),
    "tensor of no axes": (a * wt.constant(3.0), "xy", A * 3),
    "comparison": ((a > 0) & ~(c > a), "xyz", (IN_A > 0) & ~(AS_A > IN_A)),
    "power": (abs(a) ** b, "xyz", abs(IN_A) ** IN_B),
    "elementwise": (X.exp(a), "xy", np.exp(A)),
    "of special functions": (X.erf(a), "xy", wt.special.erf(A).eval()),
    "two results": (X.modf(a)[1], "xy", np.modf(A)[1]),
    "clip": (a.clip(-0.5, 0.5), "xy", A.clip(-0.5, 0.5)),
    "clip by tensors": (c.clip(max=a), "zxy", np.minimum(C, A)),
    "astype": (a.astype("int64"), "xy", A.astype("int64")),
    "where": (X.where(a > 0, b, 0), "xyz", np.where(IN_A > 0, IN_B, 0)),
    "where of one": (b.where(a > 0, 1.0), "yzx", np.where(A.T[:, None] > 0, B[:, :, None], 1.0)),
    "sum": (c.sum("x"), "zy", C.sum(1)),
    "sum of all": (c.sum(), "", C.sum()),
    "mean of several": (c.mean(["y", "z"]), "x", C.mean((0, 2))),
    "spread": (c.std("z", ddof=1), "xy", C.std(0, ddof=1)),
    "median": (c.median("y"), "zx", np.median(C, -1)),
    "logsumexp": (X.logsumexp(c, "z"), "xy", np.log(np.exp(C).sum(0))),
    "cumsum": (c.cumsum("x"), "zxy", C.cumsum(1)),
    "sort": (c.sort("z"), "zxy", np.sort(C, 0)),
    "diff": (c.diff("y", n=2), "zxy", np.diff(C, 2)),
    "softmax": (X.softmax(a, "y").sum("y"), "x", np.ones(2)),
    "argmax": (c.argmax("x"), "zy", C.argmax(1)),
    "transpose": (c.transpose("y", ...), "yzx", np.moveaxis(C, -1, 0)),
    "T": (a.T, "yx", A.T),
    "rename": (a.rename(x="w") * a, "wyx", A[:, :, None] * A.T),
    "expand_dims": (a.expand_dims(w=2, v=1), "wvxy", np.stack([A, A])[:, None]),
    "squeeze": (a.expand_dims(["w", "v"]).squeeze(), "xy", A),
    "squeeze of one": (a.expand_dims(["w", "v"]).squeeze("v"), "wxy", A[None]),
    "stack": (c.stack(w=("y", "x")), "zw", np.swapaxes(C, 1, 2).reshape(4, 6)),
    "unstack": (b.unstack(z={"v": 2, "w": 2}), "yvw", B.reshape(3, 2, 2)),
    "broadcast_like": (a.broadcast_like(c), "zxy", np.broadcast_to(A, C.shape)),
    "concat": (X.concat([a, a.T, 1.0], "y"), "xy", np.hstack([A, A, np.ones((2, 1))])),
    "concat along a new one": (X.concat([a, b], "w").sum("w"), "xyz", IN_A + IN_B),
    "dot": (a @ b, "xz", A @ B),
    "dot of three over one": (X.dot(a, b, c, dim="y"), "xz", np.einsum("xy,yz,zxy->xz", A, B, C)),
    "dot over all": (a.dot(b, dim=...), "", (A @ B).sum()),
    "position": (c.isel(x=0), "zy", C[:, 0]),
    "slice": (c[1:, 0], "zy", C[1:, 0]),
    "ellipsis": (c[..., -1], "zx", C[..., -1]),
    "list": (c.isel(x=[1, 0, 1]), "zxy", C[:, [1, 0, 1]]),
    "two lists": (c.isel(y=[2, 0], z=[3, 3]), "zxy", C[[3, 3]][:, :, [2, 0]]),
    "booleans": (c.isel(z=[True, False, True, False]), "zxy", C[[0, 2]]),
    "position that is a tensor": (c.isel(z=a.argmax("y").sum() * 0), "xy", C[0]),
    "together": (c.isel(z=positions([3, 1], "w"), y=positions(K, "w")), "wx", C[[3, 1], :, K]),
    "along its own dim": (c.isel(z=positions([3, 1], "x")), "xy", C[[3, 1], [0, 1]]),
    "apart": (c.isel(z=positions(K, "w"), x=positions(K, "v")), "wvy", C[K][:, K]),
    "set": (c.isel(x=1).set(a.isel(x=0)), "zxy", np.stack([C[:, 0], C[:, 0] * 0 + A[0]], 1)),
    "inc": (a.isel(y=[0, 0]).inc(1.0), "xy", A + np.array([2, 0, 0])),
    "inc of a slice": (c.isel(y=slice(1, None)).inc(a.isel(y=0)), "zxy",
                       C + A[:, :1] * [0, 1, 1]),
    "set together": (a.isel(x=positions(K, "w"), y=positions(K, "w")).set(0.0), "xy",
                     A * [[0, 1, 1], [1, 0, 1]]),
    "apply_ufunc": (
        X.apply_ufunc(wt.outer, a, b, input_core_dims=["x", "z"], output_core_dims=[("v", "w")]),
        "yvw", np.einsum("xy,yz->yxz", A, B)),
    "full_like": (X.full_like(a, 3.0) + X.zeros_like(b) + X.ones_like(b), "xyz",
                  np.full((2, 3, 4), 4.0)),
}  # fmt: skip


@pytest.mark.cases("py", "numba")
@pytest.mark.parametrize("mode", MODES)
def test_values_and_dims(mode: str) -> None:
    results = {name: ours for name, (ours, _, _) in FORMULAS.items()}
    f = wt.function([a, b, c], results, mode=mode)
    for arrays in ((A, B, C), (Array(A.T, ("y", "x")), Array(B, ("y", "z")), C)):
        found = f(*arrays)
        for name, (_, dims, expected) in FORMULAS.items():
            assert found[name].dims == tuple(dims), name
            np.testing.assert_allclose(found[name].values, expected, 1e-12, err_msg=name)
            assert found[name].values.dtype == expected.dtype, name


@pytest.mark.cases("jax")
@pytest.mark.parametrize("mode", MODES)
def test_gradients_have_the_dims_of_what_they_are_by(mode: str) -> None:
    loss = (X.tanh(a @ b) * c).sum()
    slopes = wt.grad(loss.values, [a, c])
    by_a, by_c = wt.function([a, b, c], slopes, mode=mode)(A, B, C)
    assert (by_a.dims, by_c.dims) == (a.dims, c.dims)
    whole = np.tanh(A @ B)
    np.testing.assert_allclose(by_c.values, np.broadcast_to(whole.T[:, :, None], C.shape))
    np.testing.assert_allclose(by_a.values, ((1 - whole**2) * C.sum(-1).T) @ B.T)


def test_loops_and_maps_of_structures_keep_dims() -> None:
    final = wt.fori_loop(0, 3, lambda i, s: {"a": (s["a"] * 2).T}, {"a": a})["a"]
    doubled = wt.function([a], final, mode="py")(A)
    assert doubled.dims == a.dims
    np.testing.assert_allclose(doubled.values, 8 * A)
    moved = wt.function([a], wt.tree_map(lambda v, g: v - g, a, (a * 0.5).T), mode="py")(A)
    np.testing.assert_allclose(moved.values, A / 2)


def test_one_dim_has_one_length() -> None:
    unknown = X.xtensor("u", dims="y", shape=(None,))
    f = wt.function([a, unknown], a + unknown, mode="py")
    with pytest.raises(ValueError, match="must have length y"):
        f(A, [1.0])  # which would be repeated if the axes had no names
    with pytest.raises(ValueError, match=r"dim 'y' has the lengths y and max\(y - 1, 0\)"):
        a + b.isel(y=slice(1, None))
    with pytest.raises(ValueError, match="'x' must have one length everywhere"):
        wt.function([a, c], a * c, mode="py")(A, C[:, :1])
    with pytest.raises(ValueError, match=r"the dims must be \('x', 'y'\), not \('x', 'z'\)"):
        f(Array(A, ("x", "z")), [1.0, 1.0, 1.0])


def test_as_xtensor_and_pickles() -> None:
    taken = X.as_xtensor(Array(A, ("x", "y")))
    assert taken.dims == a.dims
    assert X.as_xtensor(a) is a
    assert taken.sizes["y"] == 3
    assert repr(a + b) == "<XTensor float64[x: x, y: y, z: z]>"
    again = pickle.loads(pickle.dumps(a))
    assert (again.dims, again.dtype) == (a.dims, "float64")
    np.testing.assert_array_equal(np.asarray(X.as_xtensor(A, a.dims).values.eval()), A)
    np.testing.assert_array_equal(np.asarray(wt.function([a], a, mode="py")(A)), A)


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (lambda: a + A, TypeError, "have no names: write as_xtensor"),
        (lambda: A * a, TypeError, "have no names: write as_xtensor"),
        (lambda: wt.vector("v") + a, TypeError, "have no names: write as_xtensor"),
        (lambda: wt.exp(a), TypeError, r"functions of wt.xtensor take it; x.values is one"),
        (lambda: a.sum("w"), ValueError, r"'w' is none of the dims \('x', 'y'\)"),
        (lambda: a.cumsum(), ValueError, "cumsum: say along which"),
        (lambda: a.rename(x="y"), ValueError, "dims must differ"),
        (lambda: a.transpose("x"), ValueError, "are not the dims"),
        (lambda: X.as_xtensor(A, ("x", "y", "z")), ValueError, "2 axes have 2 dims"),
        (lambda: X.as_xtensor(a, ("y", "x")), ValueError, "see rename, transpose"),
        (lambda: X.xtensor("x", dims=(1,)), TypeError, "dims are strings"),
        (lambda: a.dot(b, dim="w"), ValueError, "none of the dims"),
        (lambda: a.isel(x=0.5), TypeError, "along 'x' positions are integers"),
        (lambda: a.isel(w=0), ValueError, "'w' is none of the dims"),
        (lambda: a.isel(x=positions(K, "y"), y=slice(1, None)), ValueError, "is indexed itself"),
        (lambda: a[0, 0, 0], IndexError, "too many positions"),
        (lambda: (a * 2).set(0.0), TypeError, "no result of indexing"),
        (lambda: a.isel(x=0).set(a), ValueError, "none of the dims"),
        (lambda: X.concat([], "x"), ValueError, "nothing to join"),
        (lambda: wt.vmap(lambda v: v.sum("x"))(a), ValueError, "is given x.values"),
        (lambda: X.svd, AttributeError, "other functions go through apply_ufunc"),
        (lambda: X.apply_ufunc(wt.sum, a, input_core_dims=[["w"]]), ValueError, "none of the dims"),
        (lambda: X.apply_ufunc(wt.dot, a, a, input_core_dims=[["x"], ["y"]]), ValueError, "alone"),
    ],
)
def test_what_cannot_be_is_refused(wrong: Any, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        wrong()
