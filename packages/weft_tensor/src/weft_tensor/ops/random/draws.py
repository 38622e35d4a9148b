"""Draws that others are made of, each with a key of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from weft_graph import custom_pullback, stop_gradient
from weft_tensor.build.convert import constant
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.creation.creation import zeros
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import eq, gt, right_shift, where
from weft_tensor.ops.elementwise.exponential import exp, log
from weft_tensor.ops.elementwise.special import erfinv
from weft_tensor.ops.random.distributions import fold_in
from weft_tensor.ops.random.words import DIGITS, as_key, random_words
from weft_tensor.ops.reduction.standard import all, any
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.special.gamma import digamma, gammaln
from weft_tensor.ops.special.incomplete import gammainc_slope

__all__ = ["Draws"]

_SMALL: Final = -40.0
"""Below it the distribution function is one power, but for what numbers can't tell."""
_ROUNDS: Final = 15
"""Of the gamma sampler: each refuses at most 0.049 of its proposals, 15 rounds 2**-65."""


class Draws:
    """Arrays of draws of one shape and dtype, which have nothing to do with one another."""

    def __init__(self, key: TensorLike, sizes: Sequence[TensorVariable], kind: str) -> None:
        if kind not in DIGITS:
            raise TypeError(f"random numbers are float32 or float64, not {kind}")
        self.key = as_key(key)
        self.sizes = tuple(sizes)
        self.kind = kind
        self._count = 0

    def uniform(self) -> TensorVariable:
        """Between 0 and 1, without both."""
        return _unit(self._next(), self.sizes, self.kind)

    def normal(self) -> TensorVariable:
        """Of mean 0 and variance 1."""
        return _normal(self._next(), self.sizes, self.kind)

    def exponential(self) -> TensorVariable:
        """Of mean 1."""
        return -log(self.uniform())

    def gamma(self, a: TensorVariable) -> TensorVariable:
        """Of shape `a` and scale 1, with a derivative in `a`; see `log_gamma`."""
        return exp(self.log_gamma(a))

    def log_gamma(self, a: TensorVariable) -> TensorVariable:
        """Its logarithm, which does not underflow for small `a`.

        By G. Marsaglia and W. W. Tsang (A simple method for generating gamma variables, ACM Trans.
        Math. Softw. 26, 2000), in at most 15 rounds over the array: the chance that none of them
        accepts, so that the last proposal is taken, is below 2**-64. The derivative is that of the
        inverse of the distribution function (implicit reparametrisation).
        """
        fixed = stop_gradient(a)
        low = fixed < 1
        shape = where(low, fixed + 1, fixed)
        power = where(low, self.uniform(), 1.0)
        logarithm = log(_marsaglia_tsang(self._next(), shape, self.sizes, self.kind))
        value = stop_gradient(logarithm + log(power) / where(low, fixed, 1.0))
        result: TensorVariable = _moved_with(broadcast_to(a, self.sizes), value)
        return result

    def accepted(
        self, rounds: int, propose: Callable[[Draws], tuple[TensorVariable, TensorVariable]]
    ) -> TensorVariable:
        """The first of the proposals that is accepted, after all rounds the last.

        `propose` takes draws of one round, and gives proposals and which of them are accepted.
        """
        key = self._next()

        def is_open(state: Sequence[TensorVariable]) -> TensorVariable:
            step, _, done = state
            return (step < rounds) & ~all(done)

        def round_of(
            state: Sequence[TensorVariable],
        ) -> tuple[TensorVariable, TensorVariable, TensorVariable]:
            step, found, done = state
            proposed, fits = propose(Draws(fold_in(key, step), self.sizes, self.kind))
            return step + 1, where(done, found, proposed), done | fits

        start = zeros(self.sizes, dtype=self.kind), zeros(self.sizes, dtype="bool")
        _, found, _ = while_loop(is_open, round_of, (constant(0), *start))
        drawn: TensorVariable = found
        return drawn

    def wider(self, *lengths: TensorVariable) -> Draws:
        """Draws with more axes at the end, which have nothing to do with these."""
        return Draws(self._next(), (*self.sizes, *lengths), self.kind)

    def _next(self) -> TensorVariable:
        self._count += 1
        return fold_in(self.key, self._count)


@custom_pullback
def _moved_with(a: TensorVariable, draws: TensorVariable) -> TensorVariable:
    """Logarithms of gamma draws, as a function of their shapes."""
    return draws


@_moved_with.define
def _slopes(
    inputs: Sequence[TensorVariable],
    outputs: Sequence[TensorVariable],
    cotangents: Sequence[TensorVariable],
) -> list[TensorVariable | None]:
    a, draws = inputs
    small = draws < _SMALL
    y = where(small, _SMALL, draws)
    x = exp(y)
    inner = -gammainc_slope(a, x) * exp(gammaln(a) + x - a * y)
    slope = where(small, (digamma(a + 1) - draws) / a, inner)
    return [slope * cotangents[0], None]


def _unit(key: TensorVariable, sizes: Sequence[TensorVariable], kind: str) -> TensorVariable:
    digits = DIGITS[kind] - 1
    whole = right_shift(random_words(key, sizes), 64 - digits).astype(kind)
    return (whole + constant(0.5, kind)) * constant(2.0**-digits, kind)


def _normal(key: TensorVariable, sizes: Sequence[TensorVariable], kind: str) -> TensorVariable:
    unit = _unit(key, sizes, kind)
    return erfinv(2 * unit - 1) * constant(2.0**0.5, kind)


def _marsaglia_tsang(
    key: TensorVariable, a: TensorVariable, sizes: Sequence[TensorVariable], kind: str
) -> TensorVariable:
    """For `a` of at least 1."""
    d = a - 1 / 3
    c = 1 / sqrt(9 * d)

    def is_open(state: Sequence[TensorVariable]) -> TensorVariable:
        step, value = state
        return (step < _ROUNDS) & any(eq(value, 0))

    def round_of(state: Sequence[TensorVariable]) -> tuple[TensorVariable, TensorVariable]:
        step, value = state
        x = _normal(fold_in(key, 2 * step), sizes, kind)
        u = _unit(fold_in(key, 2 * step + 1), sizes, kind)
        root = 1 + c * x
        fits = root > 0
        v = where(fits, root, 1.0) ** 3
        accepted = fits & (log(u) < 0.5 * x * x + d * (1 - v + log(v)))
        is_last = accepted | eq(step, _ROUNDS - 1)
        return step + 1, where(gt(value, 0) | ~is_last, value, d * v)

    start = zeros(tuple(sizes), dtype=kind)
    _, draw = while_loop(is_open, round_of, (constant(0), start))
    return draw
