"""Whether arrays of JAX, traced or not, are of a type."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft_tensor import TensorType

__all__ = ["fits", "require_square", "shown"]


def fits(array: Any, type: TensorType, dtype: Any = None) -> bool:
    """Whether `array` has the rank and the known lengths of `type`, and its dtype (or `dtype`).

    >>> import numpy as np
    >>> fits(np.ones((2, 3)), TensorType("float64", ("n", 3)))
    True
    """
    return (
        array.dtype == (type.dtype if dtype is None else dtype)
        and array.ndim == type.ndim
        and all(
            not isinstance(length, int) or length == own
            for length, own in zip(type.shape, array.shape, strict=True)
        )
    )


def shown(array: Any) -> str:
    """The dtype and the shape of `array`.

    >>> import numpy as np
    >>> shown(np.ones((2, 3)))
    'float64[2, 3]'
    """
    return f"{array.dtype}[{', '.join(map(str, array.shape))}]"


def require_square(x: Any) -> None:
    """LinAlgError if matrices have other numbers of rows than of columns."""
    if x.shape[-1] != x.shape[-2]:
        raise np.linalg.LinAlgError(f"the last two axes must be square, not {x.shape[-2:]}")
