"""Transforms of SciPy's along several axes: cosines and sines, and those of real spectra."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.fft.cosines import dct, dst, idct, idst
from weft_tensor.ops.fft.numpy_names import irfftn, rfftn
from weft_tensor.types.axes import as_axis, listed

__all__ = ["dctn", "dstn", "hfft2", "hfftn", "idctn", "idstn", "ihfft2", "ihfftn"]

Sizes = Sequence[SizeLike] | None
Points = Sequence[SizeLike] | SizeLike | None
Places = Sequence[int] | int | None

_LAST_TWO: Final = (-2, -1)


def _through(
    transform: Callable[..., TensorVariable],
    x: TensorLike,
    type: int,
    s: Points,
    axes: Places,
    norm: str | None,
    orthogonalize: bool | None,
) -> TensorVariable:
    result = as_tensor(x)
    points: list[Any] = [*s] if isinstance(s, (Sequence, np.ndarray)) else [] if s is None else [s]
    if axes is not None:
        places = [as_axis(a, result.ndim) for a in listed(axes)]
    else:
        places = [*range(result.ndim)][-len(points) if points else None :]
    sizes = [None] * len(places) if s is None else points
    if len(sizes) != len(places):
        raise ValueError(
            f"when given, axes and shape arguments have to be of the same length, not {axes!r} "
            f"and {s!r}{called()}"
        )
    for axis, n in zip(places, sizes, strict=True):
        result = transform(result, type, None if n == -1 else n, axis, norm, orthogonalize)
    return result


def dctn(
    x: TensorLike,
    type: int = 2,
    s: Points = None,
    axes: Places = None,
    norm: str | None = None,
    *,
    orthogonalize: bool | None = None,
) -> TensorVariable:
    """`dct` along several axes, all by default. See `scipy.fft.dctn`.

    `s` says how many points along each, -1 for as many as there are. ValueError as for `dct`, and
    for another number of axes than of points.

    >>> dctn([[1.0, 1.0], [1.0, 1.0]]).eval().round(12) + 0
    array([[16.,  0.],
           [ 0.,  0.]])
    """
    return _through(dct, x, type, s, axes, norm, orthogonalize)


def idctn(
    x: TensorLike,
    type: int = 2,
    s: Points = None,
    axes: Places = None,
    norm: str | None = None,
    *,
    orthogonalize: bool | None = None,
) -> TensorVariable:
    """The inverse of `dctn`. See `scipy.fft.idctn`.

    ValueError as for `dctn`.

    >>> idctn([[16.0, 0.0], [0.0, 0.0]]).eval().round(12)
    array([[1., 1.],
           [1., 1.]])
    """
    return _through(idct, x, type, s, axes, norm, orthogonalize)


def dstn(
    x: TensorLike,
    type: int = 2,
    s: Points = None,
    axes: Places = None,
    norm: str | None = None,
    *,
    orthogonalize: bool | None = None,
) -> TensorVariable:
    """`dst` along several axes, all by default. See `scipy.fft.dstn`.

    ValueError as for `dctn`.

    >>> dstn([[1.0, -1.0], [-1.0, 1.0]]).eval().round(12) + 0
    array([[ 0.,  0.],
           [ 0., 16.]])
    """
    return _through(dst, x, type, s, axes, norm, orthogonalize)


def idstn(
    x: TensorLike,
    type: int = 2,
    s: Points = None,
    axes: Places = None,
    norm: str | None = None,
    *,
    orthogonalize: bool | None = None,
) -> TensorVariable:
    """The inverse of `dstn`. See `scipy.fft.idstn`.

    ValueError as for `dctn`.

    >>> idstn([[0.0, 0.0], [0.0, 16.0]]).eval().round(12)
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    return _through(idst, x, type, s, axes, norm, orthogonalize)


def _swapped(norm: str | None) -> str | None:
    """The scale of the other direction; what is none is left for the transform to tell."""
    return {"backward": "forward", "forward": "backward"}.get(norm or "backward", norm)


def hfftn(
    x: TensorLike, s: Sizes = None, axes: Places = None, norm: str | None = None
) -> TensorVariable:
    """The real transform along several axes of what is its own conjugate mirrored, of half of it.

    See `scipy.fft.hfftn`. ValueError as for `fftn`.

    >>> hfftn([[1.0, 1.0], [1.0, 1.0]]).eval()
    array([[4., 0.],
           [0., 0.]])
    """
    places = None if axes is None else listed(axes)
    return irfftn(as_tensor(x).conj(), s, places, _swapped(norm))


def ihfftn(
    x: TensorLike, s: Sizes = None, axes: Places = None, norm: str | None = None
) -> TensorVariable:
    """The inverse of `hfftn`. See `scipy.fft.ihfftn`.

    ValueError as for `fftn`; TypeError for complex numbers.

    >>> ihfftn([[4.0, 0.0], [0.0, 0.0]]).eval().real
    array([[1., 1.],
           [1., 1.]])
    """
    places = None if axes is None else listed(axes)
    return rfftn(x, s, places, _swapped(norm)).conj()


def hfft2(
    x: TensorLike, s: Sizes = None, axes: Places = _LAST_TWO, norm: str | None = None
) -> TensorVariable:
    """`hfftn` along two axes, the last by default. See `scipy.fft.hfft2`.

    >>> hfft2([[1.0, 1.0], [1.0, 1.0]]).eval()
    array([[4., 0.],
           [0., 0.]])
    """
    return hfftn(x, s, axes, norm)


def ihfft2(
    x: TensorLike, s: Sizes = None, axes: Places = _LAST_TWO, norm: str | None = None
) -> TensorVariable:
    """The inverse of `hfft2`. See `scipy.fft.ihfft2`.

    >>> ihfft2([[4.0, 0.0], [0.0, 0.0]]).eval().real
    array([[1., 1.],
           [1., 1.]])
    """
    return ihfftn(x, s, axes, norm)
