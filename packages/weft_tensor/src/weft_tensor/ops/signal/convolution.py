"""Convolution and correlation along all axes: by sums of products, or by Fourier transforms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log2, prod
from typing import Any, Final, Literal

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor, as_tensors
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.control.ifelse import ifelse
from weft_tensor.ops.creation.creation import arange, zeros
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum
from weft_tensor.ops.elementwise.comparison import ge, where
from weft_tensor.ops.elementwise.exponential import log2 as log2_of
from weft_tensor.ops.fft.lengths import fast_size
from weft_tensor.ops.fft.numpy_names import fftn, ifftn, rfftn
from weft_tensor.ops.fft.transforms import IRFFT
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.nn.conv import Conv
from weft_tensor.ops.numbers.rounding import round
from weft_tensor.ops.products.convolution import SlidingDot
from weft_tensor.ops.shape.length import lengths_of, static_length
from weft_tensor.ops.shape.padding import pad
from weft_tensor.ops.shape.rearrange import flip
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.types.axes import as_axis, listed
from weft_tensor.types.dtypes import promote

__all__ = [
    "convolve",
    "convolve2d",
    "correlate",
    "correlate2d",
    "correlation_lags",
    "fftconvolve",
    "oaconvolve",
]

_MODES: Final = ("full", "same", "valid")
_METHODS: Final[tuple[Method, ...]] = ("auto", "direct", "fft")
_BOUNDARIES: Final = {"fill": "constant", "wrap": "wrap", "symm": "symmetric"}
_SMALLER: Final = "For 'valid' mode, one must be at least as large as the other in every dimension"
Part = tuple[Any, Any]
Method = Literal["direct", "fft", "auto"]


def _chosen(value: str, choices: Sequence[str], what: str) -> str:
    if value not in choices:
        raise ValueError(
            f"acceptable {what} flags are {', '.join(map(repr, choices))}, not {value!r}{called()}"
        )
    return value


def _method(value: str) -> Method:
    for method in _METHODS:
        if value == method:
            return method
    flags = ", ".join(map(repr, _METHODS))
    raise ValueError(f"acceptable method flags are {flags}, not {value!r}{called()}")


def _pair(in1: TensorLike, in2: TensorLike, rank: int | None = None) -> tuple[Any, Any]:
    x, y = as_tensors((in1, in2))
    if x.ndim != y.ndim or x.ndim == 0 or (rank is not None and x.ndim != rank):
        requirement = "the same dimensionality" if rank is None else f"{rank} axes each"
        raise ValueError(f"in1 and in2 should have {requirement}, not {x!r} and {y!r}{called()}")
    return x, y


def _is_empty(x: TensorVariable) -> bool:
    """Whether it is known that it has no elements."""
    return 0 in [static_length(n) for n in lengths_of(x)]


def _parts(x: Any, y: Any, axes: Sequence[int], mode: str) -> tuple[Any, list[Part]]:
    """Which part of the full result is wanted along each axis: its begin, and how many."""
    pairs = [(lengths_of(x)[a], lengths_of(y)[a]) for a in axes]
    if mode == "full":
        return x, [(as_tensor(0), n + m - 1) for n, m in pairs]
    if mode == "same":
        return x, [((m - 1) // 2, n) for n, m in pairs]
    larger, smaller = _covers(pairs, 0), _covers(pairs, 1)
    if larger is False and smaller is False:
        raise ValueError(f"{_SMALLER}, not {x!r} and {y!r}{called()}")
    if larger is None and smaller is not True and len(pairs) > 1:
        x = check_and_raise(x, _fit(pairs, 0) | _fit(pairs, 1), ValueError, _SMALLER)
    return x, [(minimum(n, m) - 1, maximum(n, m) - minimum(n, m) + 1) for n, m in pairs]


def _of_some(x: Any, y: Any, axis: int, part: Part) -> Part:
    """A part of the result along an axis, which is empty if one of both is."""
    n, m = lengths_of(x)[axis], lengths_of(y)[axis]
    if isinstance(static_length(n), int) and isinstance(static_length(m), int):
        return part
    return part[0], where(minimum(n, m) > 0, part[1], 0)


def _covers(pairs: Sequence[Part], which: int) -> bool | None:
    """Whether one of the two is at least as long along all axes; None if that is not known."""
    lengths = [(static_length(p[which]), static_length(p[1 - which])) for p in pairs]
    numbers = [(n, m) for n, m in lengths if isinstance(n, int) and isinstance(m, int)]
    return all(n >= m for n, m in numbers) if len(numbers) == len(lengths) else None


def _fit(pairs: Sequence[Part], which: int) -> Any:
    condition: Any = as_tensor(True)
    for pair in pairs:
        condition = condition & ge(pair[which], pair[1 - which])
    return condition


def _moved(x: Any, y: Any, parts: Sequence[Part], method: Method) -> TensorVariable:
    """Sums of products of vectors, by whatever method."""
    ((start, count),) = parts
    dtype = promote((x.dtype, y.dtype))
    inner = "int64" if dtype == "bool" else dtype
    product = SlidingDot(method)(x.astype(inner), flip(y.astype(inner)), start, count)
    return product.astype(dtype) if dtype == "bool" else product


def _direct(x: Any, y: Any, parts: Sequence[Part]) -> TensorVariable:
    """Sums of products of `y`, turned round, with the parts of `x`, which has several axes."""
    dtype = promote((x.dtype, y.dtype))
    inner = "int64" if dtype == "bool" else dtype
    x, kernel = x.astype(inner), flip(y.astype(inner))
    rank = x.ndim
    ones = (1,) * rank
    starts = [
        (start - m + 1).astype("int64") for (start, _), m in zip(parts, lengths_of(y), strict=True)
    ]
    op, first = Conv(ones, ones, ones), (0, 1)
    result = op(x.expand_dims(first), kernel.expand_dims(first), *starts, *[n for _, n in parts])
    return index(result, (0, 0))


def _real_of(half: TensorVariable, axes: Sequence[int], points: Any) -> TensorVariable:
    """`irfftn` of what has as many elements as it needs."""
    *others, last = axes
    lines = moveaxis(ifftn(half, axes=others), last, -1)
    return moveaxis(IRFFT()(lines, points), -1, last)


def _by_transforms(x: Any, y: Any, axes: Sequence[int], parts: Sequence[Part]) -> TensorVariable:
    """The product of both transforms, transformed back."""
    if x.ndim == 1 and axes:
        floating = "float64" if promote((x.dtype, y.dtype))[0] in "iub" else x.dtype
        return _moved(x.astype(floating), y, parts, "fft")
    pairs = [(lengths_of(x)[a], lengths_of(y)[a]) for a in axes]
    points = [fast_size(n + m - 1) for n, m in pairs]
    if x.is_complex or y.is_complex:
        whole = ifftn(fftn(x, points, axes) * fftn(y, points, axes), axes=axes)
    else:
        whole = _real_of(rfftn(x, points, axes) * rfftn(y, points, axes), axes, points[-1])
    key: list[Any] = [slice(None)] * x.ndim
    for axis, (start, count) in zip(axes, parts, strict=True):
        key[axis] = slice(start, start + count)
    return index(whole, tuple(key))


def fftconvolve(
    in1: TensorLike, in2: TensorLike, mode: str = "full", axes: Any = None
) -> TensorVariable:
    """The convolution by Fourier transforms. See `scipy.signal.fftconvolve`.

    Parameters
    ----------
    in1, in2
        Tensors of one rank, which broadcast along the axes that are not among `axes`.
    mode
        "full"; "same", as long as `in1`; "valid", where both overlap wholly.
    axes
        Along which axes, all by default.

    Raises
    ------
    ValueError
        for tensors of different ranks, for another mode, and for "valid" if neither is at least
        as large as the other along all axes (at the call, if that is not known before).

    Examples
    --------
    >>> fftconvolve([1.0, 2.0, 3.0], [0.0, 1.0]).eval().round(12) + 0
    array([0., 1., 2., 3.])
    """
    _chosen(mode, _MODES, "mode")
    x, y = _pair(in1, in2)
    if _is_empty(x) or _is_empty(y):
        return zeros((0,) * x.ndim, promote((x.dtype, y.dtype, "float32")))
    along = [*range(x.ndim)] if axes is None else [as_axis(a, x.ndim) for a in listed(axes)]
    x, parts = _parts(x, y, along, mode)
    if mode != "same":
        parts = [_of_some(x, y, a, p) for a, p in zip(along, parts, strict=True)]
    return _by_transforms(x, y, along, parts)


oaconvolve = fftconvolve
"""SciPy's name for transforms of parts, with the same result."""


def convolve(
    in1: TensorLike, in2: TensorLike, mode: str = "full", method: str = "auto"
) -> TensorVariable:
    """The convolution along all axes. See `scipy.signal.convolve`.

    Parameters
    ----------
    in1, in2
        Tensors of one rank.
    mode
        As for `fftconvolve`.
    method
        "direct" adds up products, "fft" takes Fourier transforms; "auto" is the one that takes
        less time for tensors so long, when they are known; of integers always sums, which are
        exact.

    Raises
    ------
    ValueError
        as for `fftconvolve`, and for another method.

    Examples
    --------
    >>> convolve([1, 2, 3], [0, 1]).eval()
    array([0, 1, 2, 3])
    """
    _chosen(mode, _MODES, "mode")
    how = _method(method)
    x, y = _pair(in1, in2)
    if _is_empty(x) or _is_empty(y):
        raise ValueError(f"convolve: in1 and in2 must not be empty: {x!r} and {y!r}{called()}")
    axes = [*range(x.ndim)]
    x, parts = _parts(x, y, axes, mode)
    if x.ndim == 1:
        return _moved(x, y, parts, how)
    dtype = promote((x.dtype, y.dtype))
    is_whole = dtype[0] in "iub"

    def by_transforms() -> TensorVariable:
        result = _by_transforms(x, y, axes, parts)
        return (round(result) if is_whole else result).astype(dtype)

    if how == "direct" or (how == "auto" and is_whole):
        result = _direct(x, y, parts)
        return result.astype(dtype) if dtype == "bool" else result
    if how == "fft":
        return by_transforms()
    return _faster(x, y, parts, lambda: _direct(x, y, parts), by_transforms)


def _faster(
    x: Any,
    y: Any,
    parts: Sequence[Part],
    direct: Callable[[], TensorVariable],
    by_transforms: Callable[[], TensorVariable],
) -> TensorVariable:
    """What takes less time: chosen at the call, where lengths are not known before."""
    n, m, counts = lengths_of(x), lengths_of(y), [count for _, count in parts]
    lengths = [static_length(v) for v in (*n, *m, *counts)]
    if all(isinstance(v, int) for v in lengths):
        rank = len(n)
        numbers: list[Any] = lengths
        points = prod(a + b for a, b in zip(numbers[:rank], numbers[rank : 2 * rank], strict=True))
        smaller = min(prod(numbers[:rank]), prod(numbers[rank : 2 * rank]))
        work = prod(numbers[2 * rank :]) * smaller
        return (
            direct()
            if work <= SlidingDot.per_point * points * log2(points + 2)
            else by_transforms()
        )
    products: Any = minimum(prod(n), prod(m)) * prod(counts)
    sizes: Any = prod(a + b for a, b in zip(n, m, strict=True))
    limit = SlidingDot.per_point * sizes * log2_of((sizes + 2).astype("float64"))
    return ifelse(limit >= products, direct(), by_transforms())


def _mirrored(y: Any) -> TensorVariable:
    return flip(y.conj() if y.is_complex else y)


def correlate(
    in1: TensorLike, in2: TensorLike, mode: str = "full", method: str = "auto"
) -> TensorVariable:
    """The cross-correlation along all axes, with the conjugate of `in2`.

    See `scipy.signal.correlate`. As `convolve` otherwise, ValueError too.

    >>> correlate([1, 2, 3], [0, 1]).eval()
    array([1, 2, 3, 0])
    """
    _chosen(mode, _MODES, "mode")
    x, y = _pair(in1, in2)
    return convolve(x, _mirrored(y), mode, method)


def convolve2d(
    in1: TensorLike,
    in2: TensorLike,
    mode: str = "full",
    boundary: str = "fill",
    fillvalue: TensorLike = 0,
) -> TensorVariable:
    """The convolution of two matrices. See `scipy.signal.convolve2d`.

    Parameters
    ----------
    in1, in2
        Matrices.
    mode
        As for `fftconvolve`.
    boundary
        What is beside `in1`: "fill", `fillvalue`; "wrap", the other side; "symm", its image.
    fillvalue
        A number, which becomes one of the result's dtype.

    Raises
    ------
    ValueError
        for no matrices, another mode, boundary or `fillvalue`; as `fftconvolve` for "valid".

    Examples
    --------
    >>> convolve2d([[1, 2], [3, 4]], [[1, 1]], "same").eval()
    array([[1, 3],
           [3, 7]])
    """
    x, y, parts = _matrices(in1, in2, mode, boundary)
    return _bounded(x, y, parts, mode, boundary, fillvalue)


def _matrices(
    in1: TensorLike, in2: TensorLike, mode: str, boundary: str
) -> tuple[Any, Any, list[Part]]:
    _chosen(mode, _MODES, "mode")
    _chosen(boundary, tuple(_BOUNDARIES), "boundary")
    x, y = _pair(in1, in2, 2)
    x, parts = _parts(x, y, (0, 1), mode)
    return x, y, parts


def _bounded(
    x: Any, y: Any, parts: list[Part], mode: str, boundary: str, fillvalue: TensorLike
) -> TensorVariable:
    """The convolution of two matrices, of which the first goes on beyond its ends."""
    is_zero = isinstance(fillvalue, (int, float)) and not fillvalue
    if mode == "valid" or (boundary == "fill" and is_zero):
        return _direct(x, y, parts)
    more = [(m - 1, m - 1) for m in lengths_of(y)]
    fill, x = as_tensor(fillvalue), x.astype(promote((x.dtype, y.dtype)))
    if fill.ndim or (fill.is_complex and not x.is_complex):
        raise ValueError(f"fillvalue is one number, real beside real ones, not {fill!r}{called()}")
    options = {"constant_values": fill} if boundary == "fill" else {}
    shifted = [
        (start + m - 1, count) for (start, count), m in zip(parts, lengths_of(y), strict=True)
    ]
    return _direct(pad(x, more, _BOUNDARIES[boundary], **options), y, shifted)


def correlation_lags(in1_len: SizeLike, in2_len: SizeLike, mode: str = "full") -> TensorVariable:
    """By how much the second of two vectors is moved for each element of `correlate`.

    Lengths may be variables. See `scipy.signal.correlation_lags`. Raises ValueError for another
    mode.

    >>> correlation_lags(3, 2).eval()
    array([-1,  0,  1,  2])
    """
    _chosen(mode, _MODES, "mode")
    n, m = as_tensor(in1_len), as_tensor(in2_len)
    if mode == "valid":
        return arange(minimum(n - m, 0), maximum(n - m, 0) + 1)
    if mode == "full":
        return arange(1 - m, n)
    middle = (n + m - 1) // 2
    return arange(n) + middle - n // 2 - (m - 1)


def correlate2d(
    in1: TensorLike,
    in2: TensorLike,
    mode: str = "full",
    boundary: str = "fill",
    fillvalue: TensorLike = 0,
) -> TensorVariable:
    """The cross-correlation of two matrices. See `scipy.signal.correlate2d`.

    As `convolve2d` otherwise, ValueError too.

    >>> correlate2d([[1, 2], [3, 4]], [[1, 1]], "valid").eval()
    array([[3],
           [7]])
    """
    x, y, parts = _matrices(in1, in2, mode, boundary)
    if mode == "same":  # SciPy puts the middle of even lengths elsewhere than for a convolution
        parts = [(m // 2, n) for (_, n), m in zip(parts, lengths_of(y), strict=True)]
    return _bounded(x, _mirrored(y), parts, mode, boundary, fillvalue)
