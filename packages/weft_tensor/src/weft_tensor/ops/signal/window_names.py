"""Windows by their names."""

from __future__ import annotations

from typing import Any, Final

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.signal import windows

__all__ = ["Window", "get_window"]

Window = str | float | tuple[Any, ...] | TensorLike
"""What `get_window` takes."""

_SHORT: Final = {
    "box": "boxcar",
    "ones": "boxcar",
    "rect": "boxcar",
    "rectangular": "boxcar",
    "bart": "bartlett",
    "tri": "triang",
    "triangle": "triang",
    "blackharr": "blackmanharris",
    "bman": "bohman",
    "black": "blackman",
    "flat": "flattop",
    "gauss": "gaussian",
    "hamm": "hamming",
    "ham": "hamming",
    "han": "hann",
    "nutt": "nuttall",
    "parz": "parzen",
    "sinc": "lanczos",
    "poisson": "exponential",
}
"""Other names that `get_window` takes."""


def get_window(window: Window, Nx: SizeLike, fftbins: bool = True) -> TensorVariable:
    """The window of that name, of `Nx` weights. See `scipy.signal.get_window`.

    Parameters
    ----------
    window
        A name; a tuple of a name and what the window takes after its number of weights; or a
        number, the beta of `kaiser`. A vector is a window itself.
    Nx
        How many weights; it may be a variable.
    fftbins
        Whether it is a period of one that repeats, not symmetric. A name that ends in "_periodic"
        or "_symmetric" says so itself.

    Raises
    ------
    ValueError
        for a name that there is not.

    Examples
    --------
    >>> get_window("hann", 4).eval().round(4)
    array([0. , 0.5, 1. , 0.5])
    """
    if isinstance(window, (int, float)):
        return windows.kaiser(Nx, float(window), not fftbins)
    if not isinstance(window, (str, tuple)):
        given = as_tensor(window)
        return given if given.ndim else windows.kaiser(Nx, given, not fftbins)
    name, *arguments = (window,) if isinstance(window, str) else window
    is_symmetric = not fftbins
    for ending, symmetric in (("_periodic", False), ("_symmetric", True)):
        if isinstance(name, str) and name.endswith(ending):
            name, is_symmetric = name.removesuffix(ending), symmetric
    own_name = _SHORT.get(str(name), str(name))
    if own_name not in windows.__all__:
        raise ValueError(f"Unknown window type: {name!r}{called()}")
    weights: TensorVariable = getattr(windows, own_name)(Nx, *arguments, sym=is_symmetric)
    return weights
