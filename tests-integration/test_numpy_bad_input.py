"""What NumPy refuses is refused with its type of error, naming the function and its variables."""

from __future__ import annotations

from inspect import signature
from typing import Any, Final

import numpy as np
import pytest
from numpy.exceptions import AxisError

import weft.tensor as wt
from tools.numpy_names import functions
from weft_testing import case, check_function

M: Final = np.arange(6.0).reshape(2, 3)
V: Final = np.arange(3.0)
WHOLE: Final = np.array([0, 1, 2])
TRUTHS: Final = np.array([True, False, True])
BYTES: Final = WHOLE.astype("uint8")
NOTHING: Final = np.zeros(0)
PLACES: Final = np.array([[0]])

FIRST: Final[dict[str, tuple[Any, ...]]] = {
    **dict.fromkeys(["quantile", "nanquantile"], (M, 0.5)),
    **dict.fromkeys(["percentile", "nanpercentile"], (M, 50)),
    **dict.fromkeys(["take", "delete"], (M, 0)),
    **dict.fromkeys(["repeat", "roll", "split", "array_split", "partition"], (M, 1)),
    **dict.fromkeys(["append", "cross"], (M, M)),
    **dict.fromkeys(["concatenate", "concat", "stack"], ([M, M],)),
    **dict.fromkeys(["linspace", "logspace", "geomspace"], (1.0, 2.0, 5)),
    "argpartition": (M, 1),
    "compress": (TRUTHS, M),
    "insert": (M, 0, 1.0),
    "lexsort": ((V, V),),
    "packbits": (WHOLE,),
    "put_along_axis": (M, PLACES, 1.0),
    "take_along_axis": (M, PLACES),
    "unpackbits": (BYTES,),
    "apply_along_axis": (lambda row: row, M),
}
"""What comes before the axis, where that is not one matrix."""


def takes_an_axis(name: str) -> bool:
    function = getattr(np, name)
    if isinstance(function, np.ufunc) or not hasattr(wt, name):
        return False
    try:
        return "axis" in signature(function).parameters
    except ValueError:
        return name in ("concatenate", "lexsort")


ALONG: Final = [name for name in functions("numpy") if takes_an_axis(name)]


def symbolic(value: Any) -> Any:
    """`value` with variables for its arrays, `x` and others of unknown lengths."""
    if isinstance(value, np.ndarray):
        return wt.TensorType(value.dtype, [None] * value.ndim)("x")
    return type(value)(map(symbolic, value)) if isinstance(value, (list, tuple)) else value


def called(name: str, axis: Any) -> Any:
    given = symbolic(FIRST.get(name, (M,)))
    if name == "apply_along_axis":
        return wt.apply_along_axis(given[0], axis, given[1])
    return getattr(wt, name)(*given, axis=axis)


@pytest.mark.parametrize("name", ALONG)
def test_an_axis_that_there_is_not(name: str) -> None:
    with pytest.raises(AxisError, match="axis 9 is out of") as caught:
        called(name, 9)
    if name not in ("linspace", "logspace", "geomspace"):
        assert "<x : " in str(caught.value)
        own = getattr(wt, name).__name__
        assert f"in {own}(" in str(caught.value) or own in str(caught.value)
    with pytest.raises(TypeError):
        called(name, 1.5)


BAD: Final[list[tuple[str, tuple[Any, ...], dict[str, Any]]]] = [
    *((name, (V, np.ones(2)), {}) for name in ("add", "fmax", "hypot", "isclose", "power")),
    *((name, (WHOLE, np.ones(2, int)), {}) for name in ("gcd", "lcm", "bitwise_xor", "ldexp")),
    *((name, (M + 1j,), {}) for name in ("floor", "cbrt", "fabs", "signbit", "spacing", "modf")),
    *((name, (M + 1j, M), {}) for name in ("arctan2", "hypot", "fmod", "heaviside", "copysign")),
    *((name, (V, V), {}) for name in ("bitwise_and", "bitwise_or", "left_shift")),
    *((name, (TRUTHS,), {}) for name in ("negative",)),
    *((name, (NOTHING,), {}) for name in ("max", "min", "argmax", "argmin", "ptp")),
    *((name, (NOTHING,), {}) for name in ("nanmax", "nanmin", "nanargmax", "nanargmin")),
    ("quantile", (NOTHING, 0.5), {}),
    *((name, (M, 0.5), {"method": "best"}) for name in ("quantile", "percentile", "nanquantile")),
    *((name, (M, 150.0), {}) for name in ("quantile", "percentile", "nanpercentile")),
    ("quantile", (M + 1j, 0.5), {}),
    *((name, (TRUTHS, 0.5), {}) for name in ("quantile", "nanquantile")),
    ("average", (M,), {"weights": np.ones(2)}),
    ("average", (M, 0), {"weights": np.zeros(2)}),
    *((name, (M, M), {}) for name in ("matmul", "dot")),
    ("inner", (M, np.ones((2, 2))), {}),
    ("tensordot", (M, M, 3), {}),
    ("tensordot", (M, M, ([0], [1])), {}),
    ("tensordot", (M, M, ([0, 0], [0, 0])), {}),
    ("einsum", ("ijk", M), {}),
    ("einsum", ("i->ij", V), {}),
    ("vecdot", (M, np.ones((2, 2))), {}),
    ("matvec", (V, V), {}),
    ("concatenate", ([M, V],), {}),
    ("concatenate", ([M, M.T],), {}),
    ("concatenate", ([],), {}),
    ("stack", ([],), {}),
    ("vstack", ([M, np.ones((2, 2))],), {}),
    ("block", ([[M, V], [M]],), {}),
    ("reshape", (M, (4, 2)), {}),
    ("reshape", (M, (-1, -1)), {}),
    ("broadcast_to", (M, (3, 3)), {}),
    ("transpose", (M, (0, 0)), {}),
    ("swapaxes", (M, 0, 5), {}),
    ("moveaxis", (M, [0, 1], [0]), {}),
    ("squeeze", (M,), {"axis": 0}),
    ("rot90", (M, 1, (0, 0)), {}),
    ("tile", (M, -1), {}),
    ("repeat", (M, -1), {}),
    ("split", (M, 4), {}),
    ("vsplit", (V, 2), {}),
    ("pad", (M, 1), {"mode": "best"}),
    ("pad", (M, -1), {}),
    ("take", (V, 9), {}),
    ("take", (V, 1), {"mode": "best"}),
    ("take_along_axis", (M, np.array([[0.5]]), 0), {}),
    ("choose", (np.array([0, 9]), [V[:2], V[:2]]), {}),
    ("select", ([TRUTHS], [V, V]), {}),
    ("piecewise", (V, [TRUTHS, TRUTHS], [1.0, 2.0, 3.0, 4.0]), {}),
    ("searchsorted", (M, V), {}),
    ("searchsorted", (V, 1.0), {"side": "up"}),
    ("digitize", (V, np.array([0.0, 2.0, 1.0])), {}),
    ("interp", (V, V, np.ones(2)), {}),
    ("bincount", (-WHOLE,), {}),
    ("bincount", (V,), {}),
    ("bincount", (WHOLE,), {"minlength": -1}),
    *(("bincount", (WHOLE, weights), {}) for weights in (V * 1j, np.ones(1))),
    ("histogram", (V,), {"bins": 0}),
    ("histogram", (V,), {"range": (2, 1)}),
    ("rot90", (M, 1.5), {}),
    ("unravel_index", (9, (2, 3)), {}),
    ("insert", (V, 9, 1.0), {}),
    ("delete", (V, 9), {}),
    ("delete", (V, [True]), {}),
    ("ix_", (M,), {}),
    ("meshgrid", (V, V), {"indexing": "xx"}),
    ("diag", (np.ones((2, 2, 2)),), {}),
    ("diagonal", (V,), {}),
    ("diag_indices_from", (M,), {}),
    ("zeros", ((2, -3),), {}),
    ("linspace", (0, 1, -1), {}),
    ("polyder", (V, -1), {}),
    ("convolve", (M, V), {}),
    ("convolve", (V, V, "best"), {}),
    ("cross", (np.ones(4), np.ones(4)), {}),
    ("diff", (V, -1), {}),
    ("gradient", (M, 1.0, 2.0, 3.0), {}),
    *(("gradient", (V, np.arange(n)), {}) for n in (2, 4)),
    ("ediff1d", (WHOLE,), {"to_end": 0.5}),
    ("ediff1d", (V,), {"to_begin": 0.5j}),
    ("cov", (np.ones((2, 2, 2)),), {}),
    ("cov", (M,), {"ddof": 0.5}),
    ("cov", (M,), {"fweights": np.array([0.5, 1, 1])}),
    ("sum", (V,), {"where": np.ones(2, bool)}),
    ("max", (V,), {"where": TRUTHS}),
    ("std", (V,), {"ddof": 1, "correction": 1}),
    ("cumulative_sum", (M,), {}),
    ("sort", (V,), {"kind": "none"}),
    ("partition", (V, 9), {}),
    ("isin", (WHOLE, WHOLE), {"kind": "best"}),
    ("lexsort", ((V, np.ones(2)),), {}),
    ("unpackbits", (WHOLE,), {}),
    ("packbits", (WHOLE,), {"bitorder": "x"}),
]


@pytest.mark.parametrize(("name", "args", "kwargs"), BAD, ids=[name for name, _, _ in BAD])
def test_what_numpy_refuses(name: str, args: Any, kwargs: Any) -> None:
    function = getattr(np, name)
    with pytest.raises((ValueError, TypeError, IndexError, ZeroDivisionError, RuntimeError)):
        function(*args, **kwargs)
    check_function(getattr(wt, name), function, [case(*args, **kwargs)], ["py"])


@pytest.mark.parametrize("name", ["cholesky", "det", "eig", "eigh", "inv", "slogdet", "solve"])
@pytest.mark.parametrize("shape", [(2, 3), (3,)])
def test_what_is_no_square_matrix(name: str, shape: tuple[int, ...]) -> None:
    x = wt.TensorType("float64", shape)("x")
    with pytest.raises(np.linalg.LinAlgError, match=f"{name} needs"):
        getattr(wt.linalg, name)(*[x] * (2 if name == "solve" else 1))


def with_nan(matrix: np.ndarray, row: int, column: int) -> np.ndarray:
    matrix[..., row, column] = np.nan
    return matrix


@pytest.mark.each
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_nan_is_no_reason_for_there_being_no_factor(mode: str) -> None:
    fine = [with_nan(np.diag([2.0, 2, last]), *at) for at in ((0, 0), (1, 0)) for last in (2, -2)]
    refused = with_nan(-np.eye(3), 2, 2)
    x = wt.tensor("x", "float64", (None, None, None))
    f = wt.function([x], wt.linalg.cholesky(x), mode=mode)
    np.testing.assert_array_equal(f(np.stack(fine)), np.linalg.cholesky(fine))
    for matrices in ([refused], [fine[0], refused]):
        with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
            f(np.stack(matrices))
