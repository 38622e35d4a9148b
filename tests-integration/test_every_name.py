"""Each name of wt.special, fft, signal, ndimage and nn passes `check_op`, on every backend.

Ops and functions of numbers pass it by their own examples, beside each backend; a function that is
made of them has a row here, or, of wt.linalg, in test_linalg_names.py. A row is calls and arrays
for them: of few and no elements, of each kind of number. SciPy and NumPy are the reference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, Final, NamedTuple

import numpy as np
import pytest
import scipy.fft
import scipy.ndimage
import scipy.signal
import scipy.special
from names_of_other_files import ELSEWHERE

import weft.tensor as wt
from weft import Op, OpFromGraph
from weft_tensor.extend import SCALARS
from weft_testing import check_backend, check_op

Few = Callable[[Sequence[Any], int], Sequence[Any]]
Call = Callable[..., Any]
RANDOM: Final = np.random.default_rng(21)


def normal(*shape: int) -> Any:
    return RANDOM.normal(size=shape)


class Row(NamedTuple):
    """Calls of a function of a library and of arrays, and arrays for each of them."""

    calls: Sequence[Call]
    arrays: Sequence[Sequence[Any]]


X, LONG, SHORT, NUMBER = normal(3, 6), normal(9), normal(4), np.array(0.7)
Z: Final = X + 1j * normal(3, 6)
REAL: Final = ([X], [X.astype("float32")], [np.ones((1, 1))], [normal(0, 3)])
ENDS: Final = np.array([[np.nan, np.inf, -np.inf, 0.0, -0.0, 1e300], [-1e300, 1e-300, *range(4)]])
BOTH: Final = (*REAL, [Z], [Z.astype("complex64")])
IMAGE, SMALL, NO_ROWS = normal(5, 6), normal(2, 3), normal(0, 9)
DEEP, KERNELS = normal(2, 4, 6, 5), normal(6, 2, 3, 2)
HOLES: Final = np.where(DEEP > 1, np.nan, np.where(DEEP < -1, np.inf, DEEP))
POOLED: Final = ([DEEP], [normal(0, 4, 6, 5)], [HOLES])
SECTIONS: Final = np.array([[0.2, 0.1, 0.3, 1.0, -0.3, 0.1], [0.5, 0.2, 0.0, 1.0, 0.2, 0.0]])
BESIDE = ("edge", "symmetric", "antisymmetric", "reflect", "antireflect", "wrap", "smooth", "line")
B, A = np.array([0.5, 0.2, 0.3]), np.array([1.0, -0.3, 0.1])
MANY, ONE, NO = np.array(7), np.array(1), np.array(0)
"""How many points a window has."""


def of(name: str, *args: Any, **kwargs: Any) -> Call:
    """A call of the function with this name, whose arrays come first."""

    def call(m: Any, *arrays: Any) -> Any:
        return getattr(m, name)(*arrays, *args, **kwargs)

    return call


def known(x: Any, *shape: int) -> Any:
    """As a tensor of lengths that are known when the graph is built."""
    return x if isinstance(x, np.ndarray) else wt.specify_shape(x, shape)


SIZES: Final = [[np.abs(X) + 1], [normal(0)]]
RATES, SHARES = np.abs(normal(3, 1)) + 0.5, RANDOM.uniform(0.1, 0.9, (3, 6))
COUNTS, LARGE = np.array([[0.0], [1.5], [4.0]]), np.array([5.0, 7.0, 9.0, 4.0, 8.0, 6.0])
UNITS: Final = np.tanh(X)
DEGREES: Final = np.array([[-200.3, -120, -45, 10, 30, 60], [110, 165, 200, 290, 340, 400.5]])
TRIALS: Final = np.array([5, 7, 9, 6, 8, 6])


def rows(names: str, *arrays: Any) -> dict[str, Row]:
    """A row for each function: of the arrays, as they are and in float32, and of no elements."""
    single = [x.astype(x.dtype.char.replace("d", "f")) for x in arrays]
    none = [x[..., :0] for x in arrays]
    return {name: Row([of(name)], [arrays, single, none]) for name in names.split()}


def at_ends(names: str, *arrays: Any) -> dict[str, Row]:
    """As `rows`, and the first argument at the ends of numbers."""
    return {
        name: row._replace(arrays=[*row.arrays, [ENDS, *[x[:1, :1] for x in arrays[1:]]]])
        for name, row in rows(names, *arrays).items()
    }


def degrees(name: str, *parameters: float) -> Row:
    """Of degrees that are known, without and with a loop, and of degrees that are not."""
    unknown = np.array([4, 0, 7, 1, 2, 3])
    calls = [lambda m, x, n=n: getattr(m, name)(n, *parameters, x) for n in (0, 1, 5, 23, unknown)]
    return Row(calls, [[UNITS], [UNITS[:0]]])


SPECIAL: Final = {
    "comb": Row([of("comb")], [[np.array([5.0, 7.5]), np.array([2.0, 2.5])], [normal(0), NUMBER]]),
    **{
        f: Row([of(f)], [*SIZES, [np.array([-0.5, 1.2], "float32")], [np.array([7.3])]])
        for f in ("fresnel", "shichi", "sici")
    },
    "lambertw": Row([lambda m, x, k=k: m.lambertw(x, k).real for k in (0, -1)],
                    [[np.array([-0.3, -0.1])], [np.array([-0.15])]]),
    "factorial": Row([of("factorial")], [[np.array([4, 0])], *SIZES, [ENDS]]),
    **{
        f: Row([of(f), of(f, axis=0)], [*BOTH[:3], [ENDS]])
        for f in ("softmax", "log_softmax", "logsumexp")
    },
    "loggamma": Row([of("loggamma")], [*SIZES, [Z], [Z[:, :0]], [ENDS]]),
    "multigammaln": Row([of("multigammaln", 2)], [*SIZES, [np.array([np.inf, 1e300])]]),
    "polygamma": Row([lambda m, x, n=n: m.polygamma(n, x) for n in (0, 1, 3, [[2], [0]])],
                     [*SIZES, [ENDS]]),
    "sinc": Row([of("sinc")], [*BOTH, [ENDS]]),
    **at_ends("cosm1 exp10", X),
    **rows("cosdg cotdg sindg tandg", DEGREES),
    "rgamma": Row([of("rgamma")], [*BOTH, [ENDS], [np.arange(-4.0, 1)]]),
    **at_ends("boxcox boxcox1p powm1", np.abs(X) + 0.2, RATES - 1),
    **at_ends("inv_boxcox inv_boxcox1p", 0.3 * X, 0.1 * RATES),
    **rows("huber pseudo_huber", RATES, X),
    **rows("perm", LARGE, COUNTS + 0.3),
    "radian": Row([of("radian")], [[X, RATES, X], [np.array([1.0]), NUMBER, NUMBER]]),
    **{f: Row([lambda m, x, f=f, n=n: getattr(m, f)(0.5, x, n) for n in (0, 1, 3)],
              [[SHARES], [normal(0)]]) for f in ("ivp", "jvp", "kvp")},
    **{f"eval_{f}": degrees(f"eval_{f}") for f in (
        "chebyt", "chebyu", "hermite", "hermitenorm", "laguerre", "legendre")},
    **{f"eval_{f}": degrees(f"eval_{f}", 0.7) for f in ("gegenbauer", "genlaguerre")},
    "eval_jacobi": degrees("eval_jacobi", 0.4, -0.4),
    **rows("pdtr pdtrc", COUNTS + 0.3, 3 * SHARES),
    **rows("pdtri", COUNTS.astype("int64"), SHARES),
    **rows("bdtr bdtrc bdtri", COUNTS + 0.3, TRIALS, SHARES),
    **rows("nbdtr nbdtrc nbdtri", COUNTS.astype("int64"), TRIALS, SHARES),
    **rows("chdtr chdtrc", RATES, 5 * SHARES),
    **rows("chdtri", RATES, SHARES),
    **rows("fdtr fdtrc gdtr gdtrc", RATES, LARGE, 3 * SHARES),
    **rows("fdtri gdtrix", RATES, LARGE, SHARES),
    **rows("stdtr", RATES, X),
    **rows("stdtrit", RATES, SHARES),
}  # fmt: skip
ONE_AXIS: Final = ("fft", "ifft", "irfft", "hfft", "rfft", "ihfft")
SEVERAL: Final = ("fft2", "fftn", "ifft2", "ifftn", "irfft2", "irfftn", "hfft2", "hfftn")
SEVERAL_REAL: Final = ("rfft2", "rfftn", "ihfft2", "ihfftn")
COSINES: Final = ("dct", "idct", "dst", "idst")
FFT: Final = {
    **{
        f: Row(
            [of(f, 4), of(f, 9, 0, "ortho"), of(f, 7, axis=-1, norm="forward")],
            REAL if f in ("rfft", "ihfft") else BOTH,
        )
        for f in ONE_AXIS
    },
    **{f: Row([of(f, (4, 3)), of(f, norm="ortho")], [[X], [Z]]) for f in SEVERAL},
    **{f: Row([of(f, (4, 3)), of(f, norm="ortho")], [[X]]) for f in SEVERAL_REAL},
    **{f: Row([of(f, k, norm="ortho") for k in (1, 2, 3, 4)], [[X], [NO_ROWS]]) for f in COSINES},
    **{f"{f}n": Row([of(f"{f}n"), of(f"{f}n", 3, axes=(0,))], [[X]]) for f in COSINES},
    **{f: Row([of(f), of(f, axes=1)], [[Z], [X], [NO_ROWS]]) for f in ("fftshift", "ifftshift")},
    **{f: Row([of(f)], [[MANY, NUMBER], [ONE, NUMBER]]) for f in ("fftfreq", "rfftfreq")},
}
PAIRS: Final = ([LONG, SHORT], [np.ones(1), NUMBER[None]], [LONG + 1j, SHORT])
IMAGES: Final = ([IMAGE, SMALL], [np.ones((1, 1)), np.ones((1, 1))])
SPECTRUM: Final = {"nperseg": 4, "detrend": "linear"}
TIMES: Final = np.linspace(-1, 2, 12).reshape(2, 6) + 0.01
SIGNAL: Final = {
    "chirp": Row(
        [lambda m, t, f, p, k=k: m.chirp(t, 1.5, 2.0, f, *k[:1], p, *k[1:]) for k in (
            ("linear",), ("quadratic",), ("quadratic", False), ("log",))],
        [[TIMES, np.array(0.7), NUMBER], [TIMES, np.array(1.5), NUMBER]]),
    "gausspulse": Row([of("gausspulse", 1.5, 0.6, -5.0), of("gausspulse", 2.0, retquad=True,
                      retenv=True)], [[TIMES], [TIMES[:0]]]),
    "sawtooth": Row([of("sawtooth"), of("sawtooth", 0.3), of("sawtooth", 0)],
                    [[7 * TIMES], [TIMES[:0]]]),
    "square": Row([of("square"), of("square", 0.3), of("square", 1)],
                  [[7 * TIMES], [TIMES[:0]]]),
    "vectorstrength": Row([of("vectorstrength")], [[LONG, NUMBER], [LONG, SHORT**2 + 1]]),
    "coherence": Row([of("coherence", nperseg=4)], [[LONG, LONG**2]]),
    "convolve": Row([of("convolve", m, k) for m in ("full", "same") for k in ("fft", "direct")],
                    PAIRS),
    "convolve2d": Row([of("convolve2d"), of("convolve2d", "same", "wrap")], IMAGES),
    "correlate": Row([of("correlate", "valid", "direct"), of("correlate")], PAIRS),
    "correlate2d": Row([of("correlate2d"), of("correlate2d", "same", "symm")], IMAGES),
    "csd": Row([of("csd", **SPECTRUM)], [[LONG, LONG**2]]),
    "detrend": Row([of("detrend"), of("detrend", 0, "constant")], [[IMAGE]]),
    "fftconvolve": Row([of("fftconvolve"), of("fftconvolve", "same")], [*PAIRS, *IMAGES]),
    "filtfilt": Row([lambda m, x: m.filtfilt(B, A, x, padlen=3)], [[LONG], [NO_ROWS]]),
    "firwin": Row([lambda m, x: m.firwin(5, known(x, 1))], [[np.array([0.3])]]),
    "freqz": Row([lambda m, b, a: m.freqz(b, a, 5)], [[B, A]]),
    "freqz_sos": Row([lambda m, s: m.freqz_sos(known(s, 2, 6), 5)], [[SECTIONS]]),
    "get_window": Row([lambda m, n: m.get_window("hann", n)], [[MANY], [ONE]]),
    "istft": Row([lambda m, x: m.istft(known(x, 3, 6) * (1 + 0.5j), window="hann")[1],
                  lambda m, x: m.istft(x + 0j, 2.0, "hann", 4)[1]], [[X]]),
    "spectrogram": Row([of("spectrogram", 2.0, "hann", 4, mode=k) for k in ("psd", "magnitude")],
                       [[LONG]]),
    "stft": Row([of("stft", 2.0, "hann", 4)], [[LONG]]),
    "hilbert": Row([of("hilbert"), of("hilbert", 8)], [[LONG], [IMAGE]]),
    "lfilter": Row([lambda m, x: m.lfilter(B, A, x), lambda m, x: m.lfilter(known(B, 3), [2.0], x)],
                   [[IMAGE], [np.ones((1, 1))]]),
    "lfilter_zi": Row([lambda m, b, a: m.lfilter_zi(known(b, 3), known(a, 3))], [[B, A]]),
    "lfiltic": Row([lambda m, y: m.lfiltic(B, A, known(y, 2))], [[SHORT[:2]]]),
    "medfilt": Row([of("medfilt"), of("medfilt", 5)], [[LONG], [IMAGE]]),
    "oaconvolve": Row([of("oaconvolve", "same")], PAIRS),
    "czt": Row([of("czt"), of("czt", 5)], [[LONG], [IMAGE]]),
    "czt_points": Row([lambda m, w: m.czt_points(5, w, 0.3j)], [[np.array(0.7)]]),
    "zoom_fft": Row([of("zoom_fft", [0.2, 0.7], 5)], [[LONG], [IMAGE]]),
    "decimate": Row([of("decimate", 2, ftype="fir")], [[LONG], [IMAGE]]),
    "upfirdn": Row([lambda m, x: m.upfirdn(B, x, 2, 3), lambda m, x: [
        m.upfirdn(np.arange(1.0, 22.0), x, 2, 3, mode=mode) for mode in BESIDE]],
        [[LONG], [IMAGE]]),
    "resample_poly": Row([of("resample_poly", 3, 2), of("resample_poly", 3, 2, padtype="line"),
                          of("resample_poly", 2, 3, cval=1.5)], [[LONG], [IMAGE]]),
    "medfilt2d": Row([of("medfilt2d")], [[IMAGE]]),
    "order_filter": Row([of("order_filter", np.ones((1, 3)), 1)], [[IMAGE]]),
    "wiener": Row([of("wiener")], [[IMAGE]]),
    "lombscargle": Row(
        [lambda m, y: m.lombscargle(np.arange(1.0, len(LONG) + 1), y, [0.5, 1.5])], [[LONG]]
    ),
    "periodogram": Row([of("periodogram"), of("periodogram", 2.0, "hann")], [[LONG], [IMAGE]]),
    "resample": Row([*(of("resample", n) for n in (1, 4, 5, 6, 7, 12)), of("resample", 8, axis=-1),
                     of("resample", 9, domain="freq")],
                    [[IMAGE], [IMAGE[:4]], [IMAGE[:3] * (1 + 2j)], [IMAGE.astype("float32")]]),
    "savgol_coeffs": Row([lambda m, x: x * m.savgol_coeffs(5, 2, 1)], [[NUMBER]]),
    "savgol_filter": Row([of("savgol_filter", 3, 1), of("savgol_filter", 5, 2, mode="nearest")],
                         [[IMAGE]]),
    "sosfilt": Row([lambda m, x: m.sosfilt(SECTIONS, x)], [[IMAGE], [NO_ROWS]]),
    "sosfilt_zi": Row([lambda m, s: m.sosfilt_zi(known(s, 2, 6))], [[SECTIONS]]),
    "sosfiltfilt": Row([lambda m, x: m.sosfiltfilt(SECTIONS, x, padlen=3)], [[LONG]]),
    "welch": Row([of("welch", **SPECTRUM), of("welch", nperseg=4, average="median")], [[LONG]]),
}  # fmt: skip
PARAMETERS: Final = {
    "gaussian": [np.array(2.0)],
    "kaiser": [np.array(3.0)],
    "general_hamming": [NUMBER],
    "general_gaussian": [np.array(1.5), np.array(2.0)],
}
WINDOWS: Final = {
    **{
        f: Row([of(f), of(f, sym=False)], [[n, *PARAMETERS.get(f, [])] for n in (MANY, ONE, NO)])
        for f in wt.signal.windows.__all__
        if f not in ELSEWHERE["windows"].split()
    },
    "general_cosine": Row([of("general_cosine", [0.5, 0.3, 0.2])], [[MANY], [ONE]]),
}
ACTIVATIONS: Final = """
    celu elu gelu hard_sigmoid hard_silu hard_swish hard_tanh identity leaky_relu log_sigmoid
    log_softmax logmeanexp logsumexp mish relu relu6 rms_norm selu silu soft_sign softmax
    sparse_plus sparse_sigmoid squareplus standardize swish
"""
NN: Final = {
    **{name: Row([of(name)], [[IMAGE], [NO_ROWS]]) for name in ACTIVATIONS.split()},
    "one_hot": Row([of("one_hot", 5)], [[np.array([[4, 0], [0, 7]])]]),
    "avg_pool": Row([of("avg_pool", 2), of("avg_pool", (3, 2), 1, 1)], POOLED),
    "conv": Row([of("conv", 2, 1, (1, 2), 2), of("conv", padding="same", groups=2)],
                [[DEEP, KERNELS], [normal(0, 4, 6, 5), KERNELS]]),
    "conv_transpose": Row([of("conv_transpose", 2), of("conv_transpose", 1, 1, 2)],
                          [[normal(2, 6, 3, 2), KERNELS]]),
    "dot_product_attention": Row([of("dot_product_attention", is_causal=True)],
                                 [[normal(5, 4, 3), normal(5, 4, 3), normal(5, 4, 2)]]),
    "dropout": Row([lambda m, x: m.dropout(wt.random.key(3), x, 0.3)], [[IMAGE], [NO_ROWS]]),
    "embedding": Row([of("embedding")], [[np.array([[4, 0], [0, 1]]), IMAGE]]),
    "glu": Row([of("glu"), of("glu", 1)], [[IMAGE], [normal(0, 4)]]),
    "layer_norm": Row([of("layer_norm"), of("layer_norm", axis=(0, 1))],
                      [[IMAGE], [NO_ROWS], [ENDS]]),
    "max_pool": Row([of("max_pool", 2, padding="same"), of("max_pool", 3, 1, 1)], POOLED),
    "scaled_dot_product_attention": Row(
        [of("scaled_dot_product_attention"), of("scaled_dot_product_attention", is_causal=True)],
        [[normal(2, 4, 3), normal(2, 5, 3), normal(2, 5, 2)]],
    ),
    "sum_pool": Row([of("sum_pool", 2), of("sum_pool", 3, 2, 1, True)], POOLED),
}  # fmt: skip


KEY: Final = wt.random.key(3).eval()
SCALING: Final = ("glorot", "he", "kaiming", "lecun", "xavier")
INITIALIZERS: Final = {
    **{
        f"{f}_{kind}": Row(
            [of(f"{f}_{kind}", (3, 2)), of(f"{f}_{kind}", (4, 3, 2), 1, 0, dtype="float32")],
            [[KEY]],
        )
        for f in SCALING
        for kind in ("normal", "uniform")
    },
    "delta_orthogonal": Row([of("delta_orthogonal", (2, 3, 1, 2), 2.0, 0)], [[KEY]]),
    "orthogonal": Row(
        [of("orthogonal", s) for s in ((3, 2), (2, 3), (2, 2, 2), (1, 1), (2, 0))], [[KEY]]
    ),
    "truncated_normal": Row(
        [lambda m, k, x, e=e: m.truncated_normal(k, (3,), x, *e) for e in ((-2, 2), (8.0, 9.0))],
        [[KEY, NUMBER]],
    ),
    "variance_scaling": Row([of("variance_scaling", (0, 3), 1.0, "fan_out", "normal")], [[KEY]]),
}

WHOLE, CORNER = np.arange(30).reshape(5, 6) % 7, np.array([[0, 1], [1, 1]], bool)
PICTURES: Final = ([IMAGE], [WHOLE], [normal(7).astype("float32")])
WEIGHTED: Final = ([IMAGE, SMALL], [WHOLE, SMALL], [normal(7), normal(4)])
RANKED: Final = {"size": 3, "mode": "nearest"}
LINES: Final = {"order": 1, "mode": "mirror"}
NDIMAGE: Final = {
    **{f: Row([of(f), of(f, mode="wrap")], WEIGHTED) for f in ("convolve", "correlate")},
    **{
        f: Row([of(f, 0), of(f, mode="constant", origin=-1)], [[IMAGE, SHORT], [WHOLE, SHORT]])
        for f in ("convolve1d", "correlate1d")
    },
    **{f: Row([of(f), of(f, mode="mirror")], PICTURES) for f in ("laplace", "prewitt", "sobel")},
    "gaussian_filter": Row([of("gaussian_filter", 0.7), of("gaussian_filter", 1, 1)], PICTURES),
    "gaussian_filter1d": Row([of("gaussian_filter1d", 0.7, 0, 2, radius=2)], PICTURES),
    "gaussian_gradient_magnitude": Row([of("gaussian_gradient_magnitude", 0.7)], [[IMAGE]]),
    "gaussian_laplace": Row([of("gaussian_laplace", 0.7)], PICTURES),
    "generic_gradient_magnitude": Row(
        [lambda m, x: m.generic_gradient_magnitude(x, m.sobel)], [[IMAGE]]
    ),
    "generic_laplace": Row([lambda m, x: m.generic_laplace(x, m.prewitt)], [[IMAGE]]),
    "uniform_filter": Row([of("uniform_filter"), of("uniform_filter", 2, origin=-1)], PICTURES),
    "uniform_filter1d": Row([of("uniform_filter1d", 4, 0, mode="nearest")], PICTURES),
    **{
        f: Row([of(f, **RANKED), of(f, footprint=CORNER)], [[IMAGE], [WHOLE]])
        for f in ("maximum_filter", "median_filter", "minimum_filter")
    },
    **{f: Row([of(f, 3, 0)], PICTURES) for f in ("maximum_filter1d", "minimum_filter1d")},
    **{
        f: Row([of(f, 3), of(f, footprint=CORNER)], [[IMAGE], [WHOLE]])
        for f in [
            "grey_erosion",
            "grey_dilation",
            "grey_opening",
            "grey_closing",
            "morphological_gradient",
            "morphological_laplace",
            "white_tophat",
            "black_tophat",
        ]
    },
    **{
        f: Row([of(f)], [[WHOLE]])
        for f in [
            "binary_erosion",
            "binary_dilation",
            "binary_opening",
            "binary_closing",
            "binary_propagation",
            "binary_fill_holes",
            "binary_hit_or_miss",
        ]
    },
    "percentile_filter": Row([of("percentile_filter", 30, **RANKED)], PICTURES),
    "rank_filter": Row([of("rank_filter", -2, **RANKED)], PICTURES),
    "affine_transform": Row(
        [lambda m, x, a, k=k: m.affine_transform(x, a, **k) for k in (LINES, {"order": 0})],
        [[IMAGE, normal(2, 2)], [WHOLE, normal(2, 2)], [IMAGE, normal(2)]],
    ),
    "map_coordinates": Row(
        [
            lambda m, x, c, k=k: m.map_coordinates(x, c, order=1, mode=k)
            for k in ("constant", "grid-constant", "nearest", "wrap", "reflect", "grid-wrap")
        ],
        [[IMAGE, 4 * normal(2, 9)], [WHOLE, 4 * normal(2, 3, 2)]],
    ),
    "rotate": Row([of("rotate", 30.0, **LINES), of("rotate", 90, order=0)], [[IMAGE], [WHOLE]]),
    "spline_filter": Row([of("spline_filter", 4, mode="mirror")], [[IMAGE]]),
    "spline_filter1d": Row([of("spline_filter1d", 2, mode="grid-wrap")], [[IMAGE]]),
    "shift": Row(
        [of("shift", 1.3), of("shift", 1.3, **LINES), of("shift", -0.7, order=0)], PICTURES
    ),
    "zoom": Row([of("zoom", 1.7, **LINES), of("zoom", 0.6, order=0)], PICTURES),
}


class Family(NamedTuple):
    """The names of a part of Weft, and what those of its functions are that are no Ops."""

    part: Any
    rows: dict[str, Row]
    reference: Any = None


FAMILIES: Final = {
    "special": Family(wt.special, SPECIAL, scipy.special),
    "fft": Family(wt.fft, FFT, scipy.fft),
    "signal": Family(wt.signal, SIGNAL, scipy.signal),
    "ndimage": Family(wt.ndimage, NDIMAGE, scipy.ndimage),
    "windows": Family(wt.signal.windows, WINDOWS, scipy.signal.windows),
    "nn": Family(wt.nn, NN),
    "initializers": Family(wt.nn.initializers, INITIALIZERS),
}
NAMES: Final = [(family, name) for family, f in FAMILIES.items() for name in f.rows]


def examples(family: str, name: str) -> Iterator[tuple[Call, Sequence[Any]]]:
    row = FAMILIES[family].rows[name]
    return product(row.calls, row.arrays)


def number(x: Any) -> Any:
    """An array of one integer as Python's, which SciPy asks for."""
    return int(x) if x.ndim == 0 and x.dtype.kind == "i" else x


@pytest.mark.parametrize("family", FAMILIES)
def test_each_name_is_an_op_a_function_of_numbers_or_has_a_row(family: str) -> None:
    part, rows, _ = FAMILIES[family]
    alone = {
        name
        for name in part.__all__
        if isinstance(f := getattr(part, name), type(wt))
        or (isinstance(f, type) and issubclass(f, Op))
        or (f.__name__ in SCALARS and f is not wt.signal.square)  # which is a wave
        or name in ELSEWHERE.get(family, "").split()
    }
    assert sorted({*rows, *alone}) == sorted(part.__all__)
    assert not alone & {*rows}


@pytest.mark.cases(40)
@pytest.mark.parametrize(("family", "name"), NAMES)
def test_op(family: str, name: str, few: Few) -> None:
    part, _, reference = FAMILIES[family]
    for call, arrays in few([*examples(family, name)], 1):
        check_op(
            lambda *xs, call=call: call(part, *xs),
            *arrays,
            backends=[],
            reference=reference and (lambda *xs, call=call: call(reference, *map(number, xs))),
        )


@pytest.mark.cases(16)
@pytest.mark.parametrize("mode", ["numba", "jax"])
@pytest.mark.parametrize(("family", "name"), NAMES)
def test_backends(family: str, name: str, mode: str, few: Few) -> None:
    """Values, and the gradient of the sum of their squares."""
    part = FAMILIES[family].part
    made = []
    for call, arrays in few([*examples(family, name)], 1):
        inputs = [wt.tensor("x", str(x.dtype), [None] * x.ndim) for x in arrays]
        results = call(part, *inputs)
        outputs = list(results) if isinstance(results, (list, tuple)) else [results]
        cost: Any = sum((wt.abs(y) ** 2).sum() for y in outputs)
        has_slope = cost.type.differentiable and all(np.isfinite(x).all() for x in arrays)
        moving = [x for x in inputs if x.type.differentiable and has_slope]
        slopes = wt.grad(cost, moving, disconnected_inputs="ignore") if moving else []
        made.append((OpFromGraph(inputs, [*outputs, *slopes]), arrays))
    check_backend(made, mode)
