"""Draws that others are made of, each with a key of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Final

from weft_graph import custom_pullback, stop_gradient
from weft_tensor.build.convert import constant
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.creation.creation import zeros, zeros_like
from weft_tensor.ops.elementwise.arithmetic import minimum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, expm1, log
from weft_tensor.ops.random.distributions import fold_in
from weft_tensor.ops.random.marsaglia_tsang import as_normal, as_unit, marsaglia_tsang
from weft_tensor.ops.random.words import DIGITS, as_key, random_words
from weft_tensor.ops.reduction.standard import all
from weft_tensor.ops.reduction.standard import max as largest
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.special.gamma import digamma, gammaln
from weft_tensor.ops.special.incomplete import gammainc_slope

__all__ = ["Draws"]

_LEAST: Final = {"float32": 1e-18, "float64": 1e-150}
"""Quotients of what is larger are right."""
_SMALL: Final = -40.0
"""Below it the distribution function is one power, but for what numbers can't tell."""


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
        return as_unit(random_words(self._next(), self.sizes), self.kind)

    def normal(self) -> TensorVariable:
        """Of mean 0 and variance 1."""
        return as_normal(random_words(self._next(), self.sizes), self.kind)

    def exponential(self) -> TensorVariable:
        """Of mean 1."""
        return -log(self.uniform())

    def gamma(self, a: TensorVariable, power: TensorLike = 1) -> TensorVariable:
        """Of shape `a` and scale 1, with a derivative in `a`, to a power; see `log_gamma`.

        Powers are right to the last place on every backend; exp(log(u) / a) is so of its exponent.
        """
        fixed, d, root, u = self._gamma_parts(a)
        value = (d * root * root * root) ** power * u ** (power / fixed)
        change = self._change(a, log(d) + 3 * log(root) + log(u) / fixed)
        return self._with_change(value, power * change)

    def gamma_ratio(self, a: TensorVariable, b: TensorVariable) -> TensorVariable:
        """A gamma number of shape `a` over another one of shape `b`, where both underflow, too."""
        parts = [self._gamma_parts(v) for v in (a, b)]
        (_, d, root, _), (_, e, other, _) = parts
        logs = [log(u) / fixed for fixed, _, _, u in parts]
        first, second = (u ** (1 / fixed) for fixed, _, _, u in parts)
        least = _LEAST[self.kind]
        near = (first > least) & (second > least)
        share = where(near, first / where(near, second, 1.0), exp(logs[0] - logs[1]))
        value = d * root * root * root / (e * other * other * other) * share
        whole = [log(c) + 3 * log(r) + v for (_, c, r, _), v in zip(parts, logs, strict=True)]
        return self._with_change(value, self._change(a, whole[0]) - self._change(b, whole[1]))

    def log_gamma(self, a: TensorVariable) -> TensorVariable:
        """Its logarithm, which does not underflow for small `a`.

        By G. Marsaglia and W. W. Tsang (A simple method for generating gamma variables, ACM Trans.
        Math. Softw. 26, 2000), in at most 15 rounds: the chance that none of them accepts, so that
        the last proposal is taken, is below 2**-64. The derivative is that of the inverse of the
        distribution function (implicit reparametrisation).
        """
        fixed, d, root, u = self._gamma_parts(a)
        logs = log(d) + 3 * log(root) + log(u) / fixed
        return logs + self._change(a, logs)

    def _change(self, a: TensorVariable, logs: TensorVariable) -> TensorVariable:
        change: TensorVariable = _change_of_logs(broadcast_to(a, self.sizes), logs)
        return change

    def _with_change(self, value: TensorVariable, change: TensorVariable) -> TensorVariable:
        """`value`, of whose logarithm `change` has the derivatives."""
        return value + minimum(value, 1 / _LEAST[self.kind]) * expm1(change)

    def _gamma_parts(self, a: TensorVariable) -> tuple[TensorVariable, ...]:
        """`a` without derivative, and d, r and u of the draw d r³ u^(1/a)."""
        fixed = stop_gradient(a)
        low = fixed < 1
        u = where(low, self.uniform(), 1.0)
        d = where(low, fixed + 1, fixed) - 1 / 3
        root = marsaglia_tsang(self._next(), 1 / sqrt(9 * d), d, self.sizes, self.kind)
        return fixed, d, stop_gradient(root), u

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
            step, value, done = state
            proposal, fits = propose(Draws(fold_in(key, step), self.sizes, self.kind))
            return step + 1, where(done, value, proposal), done | fits

        start = zeros(self.sizes, dtype=self.kind), zeros(self.sizes, dtype="bool")
        _, value, _ = while_loop(is_open, round_of, (constant(0), *start))
        result: TensorVariable = value
        return result

    def total(self, counts: TensorVariable) -> TensorVariable:
        """The sum of so many uniform numbers, in as many steps as the largest count."""
        key = self._next()
        most = largest(where((counts > 0) & (counts < inf), counts, 0.0), initial=0)

        def is_open(state: Sequence[TensorVariable]) -> TensorVariable:
            return state[0] < most

        def add(state: Sequence[TensorVariable]) -> tuple[TensorVariable, TensorVariable]:
            step, value = state
            more = Draws(fold_in(key, step), self.sizes, self.kind).uniform()
            return step + 1, value + where(step < counts, more, 0.0)

        _, value = while_loop(is_open, add, (constant(0), zeros(self.sizes, dtype=self.kind)))
        result: TensorVariable = value
        return result

    def wider(self, *lengths: TensorVariable) -> Draws:
        """Draws with more axes at the end, which have nothing to do with these."""
        return Draws(self._next(), (*self.sizes, *lengths), self.kind)

    def step(self, at: TensorVariable, length: int) -> Draws:
        """Draws with one more axis, for the step `at` of a loop: others for each step."""
        return Draws(fold_in(self._next(), at), (*self.sizes, constant(length)), self.kind)

    def _next(self) -> TensorVariable:
        self._count += 1
        return fold_in(self.key, self._count)


@custom_pullback
def _change_of_logs(a: TensorVariable, logs: TensorVariable) -> TensorVariable:
    """0, with the derivatives in `a` of what `logs` are, logarithms of gamma draws of shape `a`."""
    return zeros_like(logs)


@_change_of_logs.define
def _slopes(
    inputs: Sequence[TensorVariable],
    outputs: Sequence[TensorVariable],
    cotangents: Sequence[TensorVariable],
) -> list[TensorVariable | None]:
    (a, logs), (change,) = inputs, outputs
    return [_slope(a, logs + change) * cotangents[0], None]


def _slope(a: TensorVariable, logs: TensorVariable) -> TensorVariable:
    """The derivative of logarithms of gamma draws by their shapes."""
    small = logs < _SMALL
    y = where(small, _SMALL, logs)
    x = exp(y)
    inner = -gammainc_slope(a, x) * exp(gammaln(a) + x - a * y)
    return where(small, (digamma(a + 1) - logs) / a, inner)
