"""Layers of transformers: normal rows, rows of a table, elements left out, attention."""

from __future__ import annotations

from math import inf
from typing import Any

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor, as_tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import ge, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.random.distributions import bernoulli
from weft_tensor.ops.reduction.logsumexp_softmax import softmax
from weft_tensor.ops.reduction.standard import any as any_of
from weft_tensor.ops.reduction.standard import mean
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.rearrange import repeat
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.ops.shape.transpose import swapaxes
from weft_tensor.ops.statistics.moments import var
from weft_tensor.types.axes import Axes

__all__ = [
    "dot_product_attention",
    "dropout",
    "embedding",
    "layer_norm",
    "rms_norm",
    "scaled_dot_product_attention",
]


def layer_norm(
    x: TensorLike,
    weight: TensorLike | None = None,
    bias: TensorLike | None = None,
    axis: Axes = -1,
    eps: float = 1e-5,
) -> TensorVariable:
    """`x` with mean 0 and variance 1 along `axis`, times `weight`, plus `bias`.

    `eps` is added to variances, so that equal numbers become 0 (Ba, Kiros and Hinton, Layer
    normalization, 2016). `weight` and `bias` broadcast. Raises AxisError for no such axis.

    >>> layer_norm([1.0, 3.0], eps=0.0).eval()
    array([-1.,  1.])
    """
    v = as_tensor(x)
    result = (v - mean(v, axis, keepdims=True)) / sqrt(var(v, axis, keepdims=True) + eps)
    result = result if weight is None else result * as_tensor(weight)
    return result if bias is None else result + as_tensor(bias)


def rms_norm(
    x: TensorLike, weight: TensorLike | None = None, axis: Axes = -1, eps: float = 1e-6
) -> TensorVariable:
    """`x` over the root of its mean square along `axis`, times `weight`.

    `eps` is added to mean squares (Zhang and Sennrich, Root mean square layer normalization,
    2019). `weight` broadcasts. Raises AxisError for no such axis.

    >>> rms_norm([1.0, 7.0], eps=0.0).eval()
    array([0.2, 1.4])
    """
    v = as_tensor(x)
    result = v / sqrt(mean(v**2, axis, keepdims=True) + eps)
    return result if weight is None else result * as_tensor(weight)


def embedding(x: TensorLike, weight: TensorLike) -> TensorVariable:
    """The rows of `weight` that the integers `x` name, along new last axes.

    Raises TypeError for an `x` that is not of integers, ValueError for a `weight` without axes,
    and IndexError at the call for a row that does not exist.

    >>> embedding([1, 0], [[1.0, 2.0], [3.0, 4.0]]).eval()
    array([[3., 4.],
           [1., 2.]])
    """
    places, table = as_tensors((x, weight))
    if places.dtype[0] not in "iu":
        raise TypeError(f"x must be integers, not {places!r}{called()}")
    if not table.ndim:
        raise ValueError(f"weight must have rows, not {table!r}{called()}")
    return index(table, places)


def dropout(key: TensorLike, x: TensorLike, rate: float = 0.5) -> TensorVariable:
    """`x` with a share of about `rate` of its elements 0, the others larger: its mean stays.

    Which ones, `key` says, as for draws of `wt.random` (Srivastava et al., Dropout, 2014). Raises
    ValueError for a `rate` below 0, or of 1 or more.

    >>> from weft_tensor.random import key
    >>> sorted({*dropout(key(1), [1.0] * 20, 0.5).eval().tolist()})
    [0.0, 2.0]
    """
    if not 0 <= rate < 1:
        raise ValueError(f"rate must be from 0 to below 1, not {rate!r}{called()}")
    v = as_tensor(x)
    return where(bernoulli(key, 1 - rate, size=lengths_of(v)), v / (1 - rate), 0)


def scaled_dot_product_attention(
    query: TensorLike,
    key: TensorLike,
    value: TensorLike,
    mask: TensorLike | None = None,
    is_causal: bool = False,
    scale: float | None = None,
) -> TensorVariable:
    """Means of the rows of `value`, weighed by how near each row of `query` is to those of `key`.

    softmax(query @ key.T * scale) @ value over the last two axes (Vaswani et al., Attention is
    all you need, 2017); axes before them broadcast.

    Parameters
    ----------
    query, key, value
        Of shapes `(..., l, d)`, `(..., s, d)` and `(..., s, e)`.
    mask
        Which pairs count, bools that broadcast to `(..., l, s)`; or numbers that are added to
        the products. A row of which none counts is NaN.
    is_causal
        Whether row k of `query` only sees the first k + 1 of `key`.
    scale
        One over the root of d by default.

    Raises
    ------
    ValueError
        for tensors with less than two axes, and for shapes that do not fit.

    Examples
    --------
    >>> rows = [[1.0, 0.0], [0.0, 1.0]]
    >>> scaled_dot_product_attention(rows, rows, rows, is_causal=True).eval().round(2)
    array([[1.  , 0.  ],
           [0.33, 0.67]])
    """
    q, k, v = as_tensors((query, key, value))
    if min(q.ndim, k.ndim, v.ndim) < 2:
        raise ValueError(f"query, key and value have two axes or more, not {q!r}, {k!r}{called()}")
    width: Any = lengths_of(q)[-1]
    factor: Any = 1 / sqrt(width.astype(q.dtype)) if scale is None else scale
    products = matmul(q * factor, swapaxes(k, -1, -2))
    rows, columns = lengths_of(products)[-2:]
    if mask is not None:
        mask_tensor = as_tensor(mask)
        is_choice = mask_tensor.dtype == "bool"
        products = where(mask_tensor, products, -inf) if is_choice else products + mask_tensor
    if is_causal:
        products = where(ge(expand_dims(arange(rows), 1), arange(columns)), products, -inf)
    return matmul(softmax(products, -1), v)


def dot_product_attention(
    query: TensorLike,
    key: TensorLike,
    value: TensorLike,
    bias: TensorLike | None = None,
    mask: TensorLike | None = None,
    *,
    scale: float | None = None,
    is_causal: bool = False,
    query_seq_lengths: TensorLike | None = None,
    key_value_seq_lengths: TensorLike | None = None,
    local_window_size: int | tuple[int, int] | None = None,
) -> TensorVariable:
    """`scaled_dot_product_attention` of several heads, in the order of axes that JAX has.

    Parameters
    ----------
    query
        Of shape `(..., t, heads, d)`.
    key, value
        Of shapes `(..., s, groups, d)` and `(..., s, groups, e)`: several heads may share a group,
        if both numbers are known (Ainslie and others, GQA, 2023).
    bias
        What is added to the products, which it broadcasts to: `(..., heads, t, s)`.
    mask
        Which pairs count: bools that broadcast likewise.
    scale
        One over the root of d by default.
    is_causal
        Whether row k of `query` only sees the first k + 1 of `key`.
    query_seq_lengths, key_value_seq_lengths
        How many rows of `query`, and of `key` and `value`, count, of the shape of the first axes:
        the result is 0 for other rows of `query`.
    local_window_size
        How many rows of `key` before row k, and how many after it, row k of `query` sees. Where
        lengths and windows leave it none, the result is 0, too.

    Raises
    ------
    ValueError
        for tensors with less than three axes, and for shapes that do not fit.

    Examples
    --------
    >>> rows = [[[1.0, 0.0]], [[0.0, 1.0]]]
    >>> dot_product_attention(rows, rows, rows, is_causal=True).eval().round(2).tolist()
    [[[1.0, 0.0]], [[0.33, 0.67]]]
    """
    q, k, v = as_tensors((query, key, value))
    if min(q.ndim, k.ndim, v.ndim) < 3:
        raise ValueError(
            f"query, key and value have three axes or more, not {q!r}, {k!r}{called()}"
        )
    heads, groups = q.type.shape[-2], k.type.shape[-2]
    if isinstance(heads, int) and isinstance(groups, int) and heads != groups:
        if not groups or heads % groups:
            raise ValueError(f"{heads} heads can't share {groups} groups of keys{called()}")
        k, v = (repeat(x, heads // groups, axis=-2) for x in (k, v))
    t, n = lengths_of(q)[q.ndim - 3], lengths_of(k)[k.ndim - 3]
    seen: Any = None if mask is None else as_tensor(mask)
    some: Any = None
    if local_window_size is not None:
        seen = _both(seen, _window(t, n, local_window_size))
    if key_value_seq_lengths is not None:
        counting = arange(n) < expand_dims(as_tensor(key_value_seq_lengths), -1)
        seen = _both(seen, expand_dims(counting, (-3, -2)))
    if local_window_size is not None or key_value_seq_lengths is not None:
        some = any_of(seen, -1, keepdims=True)
        seen = seen | ~some  # slopes of those that see nothing are 0, not NaN
    added: Any = seen if bias is None else as_tensor(bias)
    if bias is not None and seen is not None:
        added = where(seen, added, -inf)
    q, k, v = (swapaxes(x, -2, -3) for x in (q, k, v))
    result = scaled_dot_product_attention(q, k, v, added, is_causal, scale)
    result = swapaxes(result if some is None else where(some, result, 0), -2, -3)
    if query_seq_lengths is None:
        return result
    rows = arange(t) < expand_dims(as_tensor(query_seq_lengths), -1)
    return where(expand_dims(rows, (-2, -1)), result, 0)


def _both(mask: Any, other: TensorVariable) -> Any:
    return other if mask is None else mask & other


def _window(t: Any, n: Any, size: int | tuple[int, int]) -> Any:
    """Which of n rows are at most so many before, or after, each of t rows."""
    before, after = (size, size) if isinstance(size, int) else size
    away = arange(n) - expand_dims(arange(t), 1)
    return (away >= -before) & (away <= after)
