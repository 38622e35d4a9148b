"""Gamma numbers by rejection: one round for all elements, and others for what it refuses.

Source: G. Marsaglia and W. W. Tsang, A simple method for generating gamma variables, ACM Trans.
Math. Softw. 26, 2000.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from weft_tensor.build.convert import as_tensor, constant
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.arithmetic import minimum
from weft_tensor.ops.elementwise.comparison import right_shift, where
from weft_tensor.ops.elementwise.exponential import log
from weft_tensor.ops.elementwise.special import erfinv
from weft_tensor.ops.indexing.nonzero import Nonzero
from weft_tensor.ops.random.distributions import fold_in
from weft_tensor.ops.random.threefry import threefry2x32
from weft_tensor.ops.random.words import DIGITS, random_words
from weft_tensor.ops.reduction.standard import all
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.reshape import ravel, reshape

__all__ = ["as_normal", "as_unit", "marsaglia_tsang"]

_ROUNDS: Final = 15
"""Each refuses at most 0.049 of its proposals, 15 rounds 2**-65."""
_SHARE: Final = 16
_LEAST: Final = 128
"""At most n / 16 + 128 of n are refused by the first round, but with a chance below 2**-64."""


def as_unit(words: TensorVariable, kind: str) -> TensorVariable:
    """Numbers between 0 and 1, without both, from 64 bits each."""
    digits = DIGITS[kind] - 1
    whole = right_shift(words, 64 - digits).astype(kind)
    return (whole + constant(0.5, kind)) * constant(2.0**-digits, kind)


def as_normal(words: TensorVariable, kind: str) -> TensorVariable:
    """Normal numbers from 64 bits each."""
    return erfinv(2 * as_unit(words, kind) - 1) * constant(2.0**0.5, kind)


def marsaglia_tsang(
    key: TensorVariable,
    c: TensorVariable,
    d: TensorVariable,
    sizes: Sequence[TensorVariable],
    kind: str,
) -> TensorVariable:
    """Numbers r, so that d r³ is a gamma number of shape d + 1/3, for c = 1 / sqrt(9 d)."""
    words = [random_words(fold_in(key, k), sizes) for k in range(2)]
    root, refused = _proposal(words, c, d, kind)
    if not sizes:
        again = _rounds(key, (c, d), kind, constant(0), root, refused)
        return again
    n = as_tensor(1)
    for length in sizes:
        n = n * length
    most = minimum(n, n // _SHARE + _LEAST)
    mask = ravel(refused)
    padded = concatenate([mask, arange(most) >= mask.sum()])
    places = minimum(Nonzero(0)(padded, most), n - 1)
    own = [ravel(broadcast_to(v, tuple(sizes)))[places] if v.ndim else v for v in (c, d)]
    flat = ravel(root)
    again = _rounds(key, own, kind, places, flat[places], mask[places])
    return reshape(flat[places].set(again), tuple(sizes))


def _rounds(
    key: TensorVariable,
    parameters: Sequence[TensorVariable],
    kind: str,
    places: TensorVariable,
    root: TensorVariable,
    refused: TensorVariable,
) -> TensorVariable:
    """All rounds but the first, for some places: an element that comes twice is drawn twice."""
    c, d = parameters

    def is_open(state: Sequence[TensorVariable]) -> TensorVariable:
        step, _, left = state
        return (step < _ROUNDS) & ~all(~left)

    def round_of(state: Sequence[TensorVariable]) -> tuple[TensorVariable, ...]:
        step, last, left = state
        words = [threefry2x32(fold_in(key, 2 * step + k), places) for k in range(2)]
        proposal, again = _proposal(words, c, d, kind)
        return step + 1, where(left, proposal, last), left & again

    result: TensorVariable
    _, result, _ = while_loop(is_open, round_of, (constant(1), root, refused))
    return result


def _proposal(
    words: Sequence[TensorVariable], c: TensorVariable, d: TensorVariable, kind: str
) -> tuple[TensorVariable, TensorVariable]:
    """r, or 1 where there is none, and whether it is refused; never if parameters are NaN."""
    x, u = as_normal(words[0], kind), as_unit(words[1], kind)
    root = 1 + c * x
    below = root <= 0
    root = where(below, 1.0, root)
    bound = 0.5 * x * x + d * (1 - root * root * root + 3 * log(root))
    return root, below | (log(u) >= bound)
