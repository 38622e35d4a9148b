"""Weights that networks begin with, drawn by a key: `wt.nn.initializers`, with JAX's names."""

from __future__ import annotations

from collections.abc import Sequence
from math import erfc, prod, sqrt
from typing import Any, Final, Literal, Protocol

from weft_graph.extend import called
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import zeros
from weft_tensor.ops.creation.diagonals import diagonal
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.linalg.qr import qr
from weft_tensor.ops.random.distributions import normal, uniform
from weft_tensor.ops.shape.reshape import reshape
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.ops.special.normal import ndtri

__all__ = [
    "delta_orthogonal",
    "glorot_normal",
    "glorot_uniform",
    "he_normal",
    "he_uniform",
    "kaiming_normal",
    "kaiming_uniform",
    "lecun_normal",
    "lecun_uniform",
    "orthogonal",
    "truncated_normal",
    "variance_scaling",
    "xavier_normal",
    "xavier_uniform",
]

Places = int | Sequence[int]
Fan = Literal["fan_in", "fan_out", "fan_avg"]
Distribution = Literal["truncated_normal", "normal", "uniform"]

_DEVIATION: Final = 0.8796256610342398
"""The standard deviation of normal numbers between -2 and 2."""


class Initializer(Protocol):
    """A function that draws weights."""

    def __call__(
        self,
        key: TensorLike,
        shape: Sequence[int],
        in_axis: Places = -2,
        out_axis: Places = -1,
        batch_axis: Places = (),
        dtype: Any = None,
    ) -> TensorVariable:
        """Draw them."""


def truncated_normal(
    key: TensorLike,
    shape: Sequence[int],
    stddev: TensorLike = 0.01,
    lower: float = -2.0,
    upper: float = 2.0,
    dtype: Any = None,
) -> TensorVariable:
    """Normal numbers, of those between `lower` and `upper`, times `stddev`.

    Raises ValueError where `lower` is not below `upper`.

    >>> from weft_tensor.random import key
    >>> bool((abs(truncated_normal(key(1), (100,), 1.0)) <= 2).all().eval())
    True
    """
    if not lower < upper:
        raise ValueError(f"lower must be below upper, not {lower!r} and {upper!r}{called()}")
    if lower > 0:  # there shares are nearly 1, and lose digits
        return -truncated_normal(key, shape, stddev, -upper, -lower, dtype)
    start, end = (0.5 * erfc(-v / sqrt(2)) for v in (lower, upper))
    z = ndtri(start + (end - start) * uniform(key, size=shape, dtype=dtype))
    return minimum(maximum(z, lower), upper) * stddev


def variance_scaling(
    key: TensorLike,
    shape: Sequence[int],
    scale: float,
    mode: Fan,
    distribution: Distribution,
    in_axis: Places = -2,
    out_axis: Places = -1,
    batch_axis: Places = (),
    dtype: Any = None,
) -> TensorVariable:
    """Weights whose variance is `scale` over the number of inputs, or outputs, of a unit.

    Parameters
    ----------
    key
        As for draws of `wt.random`.
    shape
        Lengths, as ints.
    mode
        "fan_in", "fan_out", or "fan_avg" for the mean of both. All axes that are not `in_axis`,
        `out_axis` or `batch_axis` count in both, as those of space of a convolution. Of kernels
        for `wt.nn.conv`, `in_axis` is 1 and `out_axis` 0.
    distribution
        "truncated_normal" (of numbers within two deviations), "normal" or "uniform".

    Raises ValueError for another `mode` or `distribution`, or a scale that is not positive.

    >>> from weft_tensor.random import key
    >>> w = variance_scaling(key(1), (400, 300), 2.0, "fan_in", "normal").eval()
    >>> w.shape, (w.var() * 400).round(1).item()
    ((400, 300), 2.0)
    """
    if scale <= 0:
        raise ValueError(f"scale must be positive, not {scale!r}{called()}")
    lengths = tuple(shape)
    space = prod(lengths) / prod(_lengths(lengths, batch_axis))
    n_in, n_out = (space / prod(_lengths(lengths, a)) for a in (out_axis, in_axis))
    fans = {"fan_in": n_in, "fan_out": n_out, "fan_avg": (n_in + n_out) / 2}
    if mode not in fans:
        raise ValueError(f"mode must be one of {', '.join(fans)}, not {mode!r}{called()}")
    deviation = sqrt(scale / max(fans[mode], 1.0))
    end = sqrt(3) * deviation
    kinds = {
        "truncated_normal": lambda: truncated_normal(
            key, lengths, deviation / _DEVIATION, dtype=dtype
        ),
        "normal": lambda: normal(key, 0.0, deviation, size=lengths, dtype=dtype),
        "uniform": lambda: uniform(key, -end, end, size=lengths, dtype=dtype),
    }
    if distribution not in kinds:
        names = ", ".join(kinds)
        raise ValueError(f"distribution must be one of {names}, not {distribution!r}{called()}")
    return kinds[distribution]()


def _lengths(shape: tuple[int, ...], places: Places) -> list[int]:
    """Those at some places, none of which is taken for 0."""
    return [max(shape[k], 1) for k in ((places,) if isinstance(places, int) else places)]


def orthogonal(
    key: TensorLike,
    shape: Sequence[int],
    scale: TensorLike = 1.0,
    column_axis: int = -1,
    dtype: Any = None,
) -> TensorVariable:
    """A random orthogonal matrix, times `scale`; of one that is not square the columns, or rows.

    The columns lie along `column_axis`, the rows along all others (Saxe, McClelland and Ganguli,
    Exact solutions to the nonlinear dynamics of learning in deep linear neural networks, 2013).
    Raises ValueError for fewer than two axes.

    >>> from weft_tensor.random import key
    >>> q = orthogonal(key(1), (4, 3))
    >>> (q.T @ q).eval().round(12) + 0.0
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """
    lengths = list(shape)
    if len(lengths) < 2:
        raise ValueError(f"orthogonal needs two axes or more, not {tuple(shape)}{called()}")
    rows = lengths.pop(column_axis)
    columns = prod(lengths)
    tall = normal(key, size=(max(rows, columns), min(rows, columns)), dtype=dtype)
    q, r = qr(tall)
    q = q * where(diagonal(r) < 0, -1.0, 1.0)  # else some would come more often than others
    q = q.mT if rows < columns else q
    return moveaxis(reshape(q, (rows, *lengths)), 0, column_axis) * scale


def delta_orthogonal(
    key: TensorLike,
    shape: Sequence[int],
    scale: TensorLike = 1.0,
    column_axis: int = -1,
    dtype: Any = None,
) -> TensorVariable:
    """A kernel that is `orthogonal` in the middle of its one to three axes of space, else 0.

    The last two axes are of inputs and outputs (Xiao, Bahri, Sohl-Dickstein, Schoenholz and
    Pennington, Dynamical isometry and a mean field theory of CNNs, 2018). Raises ValueError for
    other ranks, and fewer outputs than inputs.

    >>> from weft_tensor.random import key
    >>> w = delta_orthogonal(key(1), (3, 2, 4)).eval()
    >>> (w[1] @ w[1].T).round(12) + 0.0, abs(w[::2]).max()
    (array([[1., 0.],
           [0., 1.]]), np.float64(0.0))
    """
    *space, inputs, outputs = (0, 0, *shape)[-max(len(shape), 2) :]
    if len(space) not in (1, 2, 3) or outputs < inputs:
        raise ValueError(
            "delta_orthogonal needs one to three axes of space, then inputs, no more than outputs, "
            f"not {tuple(shape)}{called()}"
        )
    matrix = orthogonal(key, (outputs, outputs), scale, column_axis, dtype)[:inputs]
    middle = tuple((n - 1) // 2 for n in space)
    return updated(index(zeros(tuple(shape), matrix.dtype), middle), "set", matrix)


def _scaled(name: str, scale: float, mode: Fan, source: str) -> Initializer:
    """`variance_scaling` of one kind, under its name."""
    kind: Distribution = "uniform" if name.endswith("uniform") else "truncated_normal"

    def call(
        key: TensorLike,
        shape: Sequence[int],
        in_axis: Places = -2,
        out_axis: Places = -1,
        batch_axis: Places = (),
        dtype: Any = None,
    ) -> TensorVariable:
        return variance_scaling(key, shape, scale, mode, kind, in_axis, out_axis, batch_axis, dtype)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = (
        f"Weights of variance {scale:g} over {_OF[mode]}, {_DRAWN[kind]}.\n\n{source}. "
        "Arguments are those of `variance_scaling`.\n\n"
        f">>> from weft_tensor.random import key\n>>> {name}(key(1), (4, 3)).eval().shape\n(4, 3)\n"
    )
    return call


_OF: Final = {"fan_in": "the number of inputs", "fan_avg": "the mean number of inputs and outputs"}
_DRAWN: Final = {
    "uniform": "drawn evenly",
    "truncated_normal": "normal ones within two deviations",
}
_GLOROT: Final = (
    "Glorot and Bengio, Understanding the difficulty of training deep feedforward neural networks, "
    "2010"
)
_HE: Final = "He, Zhang, Ren and Sun, Delving deep into rectifiers, 2015"
_LECUN: Final = "LeCun, Bottou, Orr and Müller, Efficient backprop, 1998"

glorot_normal = _scaled("glorot_normal", 1.0, "fan_avg", _GLOROT)
glorot_uniform = _scaled("glorot_uniform", 1.0, "fan_avg", _GLOROT)
he_normal = _scaled("he_normal", 2.0, "fan_in", _HE)
he_uniform = _scaled("he_uniform", 2.0, "fan_in", _HE)
lecun_normal = _scaled("lecun_normal", 1.0, "fan_in", _LECUN)
lecun_uniform = _scaled("lecun_uniform", 1.0, "fan_in", _LECUN)
xavier_normal, xavier_uniform = glorot_normal, glorot_uniform
kaiming_normal, kaiming_uniform = he_normal, he_uniform
