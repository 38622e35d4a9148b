"""Layers against JAX's and against what they are said to be; transposes, groups, pooling."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft.tensor as wt
from weft_testing import check_grad

RANDOM = np.random.default_rng(3)


class Drawn:
    """A convolution, as Weft and as JAX describe it."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        rank = int(rng.integers(1, 4))
        self.groups = int(rng.integers(1, 3))
        own, each = (int(n) for n in rng.integers(1, 4, 2))
        space, kernel = rng.integers(3, 7, rank), rng.integers(1, 4, rank)
        steps, apart, spread = (tuple(map(int, rng.integers(1, 3, rank))) for _ in range(3))
        pads = [(int(a), int(b)) for a, b in rng.integers(0, 3, (rank, 2))]
        named = {0: "same", 1: "valid"}.get(seed % 4)
        spread = (1,) * rank if named else spread
        self.x: Any = rng.normal(size=(2, self.groups * own, *space))
        self.w: Any = rng.normal(size=(self.groups * each, own, *kernel))
        self.given: dict[str, Any] = {
            "strides": steps,
            "padding": named or pads,
            "dilation": apart,
            "groups": self.groups,
            "input_dilation": spread,
        }
        self.theirs: dict[str, Any] = {
            "window_strides": steps,
            "padding": named.upper() if named else pads,
            "rhs_dilation": apart,
            "lhs_dilation": spread,
            "feature_group_count": self.groups,
        }

    def expected(self) -> Any:
        import jax

        with jax.enable_x64():
            return np.asarray(jax.lax.conv_general_dilated(self.x, self.w, **self.theirs))


@pytest.mark.parametrize("seed", range(24))
def test_convolutions_are_those_of_jax(seed: int) -> None:
    drawn = Drawn(seed)
    x, w = (wt.tensor(n, "float64", [None] * drawn.x.ndim) for n in "xw")
    made = wt.nn.conv(x, w, **drawn.given)
    expected = drawn.expected()
    for mode in ("py", "numba") if seed % 6 == 0 else ("py",):
        actual = wt.function([x, w], made, mode=mode)(drawn.x, drawn.w)
        np.testing.assert_allclose(actual, expected, atol=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_transposes_are_adjoint(seed: int) -> None:
    drawn = Drawn(seed)
    known: dict[str, Any] = {k: drawn.given[k] for k in ("strides", "dilation", "groups")}
    padding = 0 if seed % 4 == 0 else drawn.given["padding"]
    rank = drawn.x.ndim - 2
    x, w, g = (wt.tensor(n, "float64", [None] * (rank + 2)) for n in "xwg")
    forward = wt.nn.conv(x, w, padding=padding, **known)
    y = wt.function([x, w], forward, mode="py")(drawn.x, drawn.w)
    if not y.size:
        return
    lengths = drawn.x.shape[2:]
    pads = [(padding,) * 2] * rank if isinstance(padding, int) else padding
    pads = [(0, 0)] * rank if padding == "valid" else pads
    extents = [(k - 1) * d + 1 for k, d in zip(drawn.w.shape[2:], known["dilation"], strict=True)]
    rows = zip(lengths, y.shape[2:], known["strides"], extents, pads, strict=True)
    more = [n - ((m - 1) * s + e - a - b) for n, m, s, e, (a, b) in rows]
    if not all(
        n < max(s, d) for n, s, d in zip(more, known["strides"], known["dilation"], strict=True)
    ):
        return
    back = wt.nn.conv_transpose(g, w, padding=padding, output_padding=more, **known)
    cotangent = RANDOM.normal(size=y.shape)
    made = wt.function([g, w], back, mode="py")(cotangent, drawn.w)
    np.testing.assert_allclose((made * drawn.x).sum(), (cotangent * y).sum(), atol=1e-10)


def test_transposes_with_equal_strides_are_those_of_jax() -> None:
    import jax

    x: Any = RANDOM.normal(size=(2, 3, 5))
    w: Any = RANDOM.normal(size=(3, 4, 3))
    with jax.enable_x64():
        expected = jax.lax.conv_transpose(
            x, np.swapaxes(w, 0, 1), (2,), "SAME", dimension_numbers=("NCH", "OIH", "NCH")
        )
    made = wt.nn.conv_transpose(x, w[..., ::-1].copy(), 2, "same").eval()
    np.testing.assert_allclose(made, np.asarray(expected), atol=1e-12)


@pytest.mark.parametrize("ceil_mode", [False, True])
@pytest.mark.parametrize("shape", [(2, 1, 7), (1, 2, 5, 6), (1, 1, 4, 3, 5)])
def test_pools_are_those_of_their_parts(shape: tuple[int, ...], ceil_mode: bool) -> None:
    x: Any = RANDOM.normal(size=shape)
    rank = x.ndim - 2
    for window, step, before in ((2, 2, 0), (3, 2, 1), (3, 1, 1)):
        parts = []
        for n in shape[2:]:
            left = n + 2 * before - window
            count = (-(-left // step) if ceil_mode else left // step) + 1
            if ceil_mode and (count - 1) * step >= n + before:
                count -= 1
            starts = [k * step - before for k in range(count)]
            parts.append(
                [(max(s, 0), min(s + window, n), min(s + window, n + before) - s) for s in starts]
            )
        lengths = tuple(map(len, parts))
        found = {name: np.zeros((*shape[:2], *lengths)) for name in ("max", "sum", "mean", "own")}
        for place in np.ndindex(*lengths):
            here = [p[k] for p, k in zip(parts, place, strict=True)]
            cut: Any = (..., *[slice(a, b) for a, b, _ in here])
            part, axes = x[cut], tuple(range(2, 2 + rank))
            at: Any = (..., *place)
            found["max"][at] = part.max(axes)
            found["sum"][at] = part.sum(axes)
            found["mean"][at] = part.sum(axes) / np.prod([n for _, _, n in here])
            found["own"][at] = part.mean(axes)
        v = wt.tensor("x", "float64", [None] * x.ndim)
        given: dict[str, Any] = {"strides": step, "padding": before, "ceil_mode": ceil_mode}
        pools = [
            wt.nn.max_pool(v, window, **given),
            wt.nn.sum_pool(v, window, **given),
            wt.nn.avg_pool(v, window, **given),
            wt.nn.avg_pool(v, window, count_include_pad=False, **given),
        ]
        for made, wanted in zip(wt.function([v], pools, mode="py")(x), found.values(), strict=True):
            np.testing.assert_allclose(made, wanted, atol=1e-12)


def test_second_derivatives_of_layers() -> None:
    x: Any = RANDOM.normal(size=(1, 2, 5))
    w: Any = RANDOM.normal(size=(2, 1, 3))
    layers: list[tuple[Any, list[Any]]] = [
        (lambda a, b: wt.nn.conv(a, b, 2, 1, 1, 2), [x, w]),
        (lambda a, b: wt.nn.conv_transpose(a, b, 2, 1, 1, 2), [x, w]),
        (lambda a: wt.nn.avg_pool(a, 2, 1, 1), [x]),
    ]
    for layer, values in layers:

        def gradient(*given: Any, layer: Any = layer) -> Any:
            return wt.grad(wt.sum(layer(*given) ** 3), [*given])[0]

        check_grad(gradient, values)


DEEP, KERNELS = RANDOM.normal(size=(2, 4, 6, 5)), RANDOM.normal(size=(6, 2, 3, 2))


@pytest.mark.parametrize("in_axes", [(0, None), (None, 0), (0, 0)])
@pytest.mark.parametrize("known", [True, False])
def test_batches_of_convolutions_are_one_convolution(in_axes: Any, known: bool) -> None:
    x, w = (np.stack([v, v * 2, v + 1]) for v in (DEEP, KERNELS))
    values = [v if axis == 0 else v[0] for v, axis in zip((x, w), in_axes, strict=True)]
    inputs: list[Any] = [
        wt.tensor(name, "float64", v.shape if known else [None] * v.ndim)
        for name, v in zip("xw", values, strict=True)
    ]
    many = wt.vmap(lambda a, b: wt.nn.conv(a, b, 2, 1, 1, 2), in_axes)(*inputs)
    rewritten = wt.rewrite_graph(wt.FunctionGraph(inputs, [many]))
    assert sum(isinstance(v.op, wt.nn.Conv) for v in rewritten.order) == 1
    modes = ("py", "numba", "jax") if in_axes == (0, 0) and not known else ("py",)
    for mode in modes[1:]:
        np.testing.assert_allclose(
            wt.function(inputs, many, mode=mode)(*values),
            wt.function(inputs, many, mode="py")(*values),
            atol=1e-12,
        )
    actual = wt.function(inputs, many, mode="py")(*values)
    one = [wt.tensor(name, "float64", [None] * 4) for name in "ab"]
    f = wt.function(one, wt.nn.conv(one[0], one[1], 2, 1, 1, 2), mode="py")
    for k in range(3):
        parts = [v[k] if axis == 0 else v for v, axis in zip(values, in_axes, strict=True)]
        np.testing.assert_allclose(actual[k], f(*parts), atol=1e-12)


@pytest.mark.parametrize(("shape", "places"), [((90, 70), (-2, -1)), ((40, 30, 2, 3), (1, 0))])
def test_weights_vary_as_jaxs(shape: tuple[int, ...], places: tuple[int, int]) -> None:
    import jax

    for name in wt.nn.initializers.__all__:
        if name.endswith(("_normal", "_uniform")) and name != "truncated_normal":
            ours = getattr(wt.nn.initializers, name)(wt.random.key(1), shape, *places).eval()
            theirs = getattr(jax.nn.initializers, name)(*places)(jax.random.key(1), shape)
            for of in (np.std, np.max):
                np.testing.assert_allclose(of(ours), of(theirs), rtol=0.03, err_msg=name)


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (2, 3, 4), (4, 1)])
def test_orthogonal_weights(shape: tuple[int, ...]) -> None:
    for axis in range(len(shape)):
        w = wt.nn.initializers.orthogonal(wt.random.key(2), shape, 2.0, axis).eval()
        assert w.shape == shape
        rows = np.moveaxis(w, axis, 0).reshape(shape[axis], -1)
        few = min(rows.shape)
        product = rows @ rows.T if len(rows) == few else rows.T @ rows
        np.testing.assert_allclose(product, 4 * np.eye(few), atol=1e-12)


@pytest.mark.parametrize("shape", [(3, 2, 4), (4, 1, 3, 3), (2, 3, 1, 1, 2)])
def test_orthogonal_weights_in_the_middle(shape: tuple[int, ...]) -> None:
    import jax

    ours = wt.nn.initializers.delta_orthogonal(wt.random.key(2), shape, 2.0).eval()
    theirs = np.asarray(jax.nn.initializers.delta_orthogonal(2.0)(jax.random.key(2), shape))
    np.testing.assert_array_equal(ours.any((-1, -2)), theirs.any((-1, -2)))
    middle = ours.sum(tuple(range(len(shape) - 2)))
    np.testing.assert_allclose(middle @ middle.T, 4 * np.eye(shape[-2]), atol=1e-12)
    for bad in ((3, 4, 2), (4, 4), (4,), (2,) * 6):
        with pytest.raises(ValueError, match="one to three axes of space"):
            wt.nn.initializers.delta_orthogonal(wt.random.key(2), bad)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((1.0, "fan", "normal"), "mode must be one of fan_in, fan_out, fan_avg, not 'fan'"),
        ((1.0, "fan_in", "even"), "distribution must be one of truncated_normal, .* not 'even'"),
        ((0.0, "fan_in", "normal"), "scale must be positive, not 0.0, in variance_scaling"),
    ],
)
def test_bad_descriptions_of_weights(given: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        wt.nn.initializers.variance_scaling(wt.random.key(1), (3, 2), *given)


def test_tails_of_truncated_weights() -> None:
    draw = wt.nn.initializers.truncated_normal(wt.random.key(2), (500,), 1.0, 8.0, 9.0).eval()
    assert draw.min() >= 8
    assert draw.max() <= 9
    assert 8.1 < draw.mean() < 8.14  # 8.12, as the density falls off like exp(-8 x)
    for bounds in ((1.0, 1.0), (2.0, 1.0)):
        with pytest.raises(ValueError, match="lower must be below upper"):
            wt.nn.initializers.truncated_normal(wt.random.key(2), (3,), 1.0, *bounds)
