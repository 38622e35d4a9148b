"""Each result from elements and earlier results, by fixed factors: a filter with feedback."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, TensorOp, Tensors, Value
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.creation.creation import arange, zeros, zeros_like
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.complex import conj_of
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.products.convolution import SlidingDot
from weft_tensor.ops.reduction.standard import sum as total
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.types.tensor_type import TensorType

__all__ = ["LinearFilter"]


class LinearFilter(TensorOp):
    """`x`, filtered along its last axis: sums of earlier elements and of earlier results.

    Of vectors `b` and `a` of one length, y[t] is the sum over k of b[k] x[t - k], less that
    over k from 1 on of a[k] y[t - k], plus state[t] where the state, with one element less than
    `b`, has such. The axes before the last are the same in `x` and `state`; a[0] is taken as 1.
    See `scipy.signal.lfilter`. An Op, because a `scan` of these steps takes Numba three times as
    long to compile, and its slope another loop.
    """

    view_of = ()
    differ: ClassVar[str] = "linearfilter: factors of two lengths, or a state that is not one of x"

    def infer_from(self, *inputs: TensorVariable) -> TensorType:
        """As `x`."""
        b, a, x, state = inputs
        if b.ndim != 1 or a.ndim != 1:
            raise TypeError(f"linearfilter takes two vectors of factors, not {b!r} and {a!r}")
        dtypes = {v.dtype for v in inputs}
        if len(dtypes) > 1 or x.dtype[0] not in "fc":
            raise TypeError(f"linearfilter takes one floating dtype, not {sorted(dtypes)}")
        if not x.ndim or x.ndim != state.ndim:
            raise TypeError(f"linearfilter takes a state of the rank of x, not {state!r} for {x!r}")
        return TensorType(x.dtype, x.type.shape)

    def impl(self, *values: np.ndarray) -> Value:
        """`scipy.signal.lfilter`."""
        import scipy.signal

        lfilter: Any = scipy.signal.lfilter
        b, a, x, state = values
        if a.shape != b.shape or state.shape != (*x.shape[:-1], len(b) - 1):
            raise ValueError(self.differ)
        if not x.size or len(b) == 1:
            return x * b[0]
        monic = np.concatenate([np.ones(1, a.dtype), a[1:]])
        result: Value = lfilter(b, monic, x, -1, state)[0]
        return result

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """The cotangent filtered backwards; of factors, products with what they are factors of."""
        (b, a, x, state), (y,), (g,) = inputs, outputs, cotangents
        nothing, order = zeros_like(state), lengths_of(state)[-1]
        behind = _backwards(self(_unit(b), conj_of(a), _backwards(g), nothing))
        of_x = _backwards(self(conj_of(b), conj_of(a), _backwards(g), nothing))
        first = index(behind, (..., slice(None, order)))
        missing = (*lengths_of(x)[:-1], order - lengths_of(first)[-1])
        of_state = concatenate([first, zeros(missing, x.dtype)], -1)
        of_a = where(_is_first(a), 0, -_lagged(behind, y, order + 1))
        return [_lagged(behind, x, order + 1), of_a, of_x, of_state]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Cotangents) -> Cotangents:
        """The tangents filtered; those of factors as what they add to each step."""
        (b, a, x, state), (y,), (tb, ta, tx, ts) = inputs, outputs, tangents
        nothing, unit = zeros_like(state), _unit(b)
        terms = []
        if tx is not None or ts is not None:
            moved = zeros_like(x) if tx is None else tx
            terms.append(self(b, a, moved, nothing if ts is None else ts))
        if tb is not None:
            terms.append(self(unit, a, self(tb, unit, x, nothing), nothing))
        if ta is not None:
            later = where(_is_first(a), 0, -ta)
            terms.append(self(unit, a, self(later, unit, y, nothing), nothing))
        return [sum(terms[1:], terms[0])]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """That of `x`."""
        return [input_shapes[2]]

    @classmethod
    def examples(cls) -> Examples:
        """One and more earlier results; stacks; several dtypes; short ones, and none."""
        b, a, x = np.array([1.0, 0.5, -0.2]), np.array([1.0, -0.4, 0.1]), np.arange(5.0) - 1.5
        state = np.array([0.3, -0.1])
        many = np.linspace(-1.0, 1.0, 20)
        return [
            (cls(), [b, a, x, state]),
            (cls(), [b[:2], a[:2], x, state[:1]]),
            (cls(), [b, a, np.stack([x, x * 2]), np.stack([state, state])]),
            (cls(), [b, a, np.stack([x, x * 2])[:, ::-2], np.stack([state, state])]),
            (cls(), [v.astype("float32") for v in (b, a, x, state)]),
            (cls(), [b + 1j, a - 0.5j, x * 1j, state + 0j]),
            (cls(), [many, many * 0.05, x, many[1:]]),
            (cls(), [b[:1], a[:1], x, state[:0]]),
            (cls(), [b, a, np.array([1.0, np.inf, 2.0, np.nan, 1.0]), state]),
            (cls(), [b, a, x[:1], state]),
            (cls(), [b, a, x[:0], state]),
            (cls(), [b, a, np.zeros((0, 3)), np.zeros((0, 2))]),
        ]


def _is_first(b: TensorVariable) -> TensorVariable:
    return eq(arange(lengths_of(b)[0]), 0)


def _unit(b: TensorVariable) -> TensorVariable:
    return _is_first(b).astype(b.dtype)


def _backwards(x: TensorVariable) -> TensorVariable:
    return index(x, (..., slice(None, None, -1)))


def _lagged(u: TensorVariable, v: TensorVariable, count: Any) -> TensorVariable:
    """For each lag, the sum of u[..., t] times the conjugate of v[..., t - lag]."""
    sums = SlidingDot()(u, conj_of(v), lengths_of(u)[-1] - 1, count)
    return total(sums, tuple(range(u.ndim - 1)))
