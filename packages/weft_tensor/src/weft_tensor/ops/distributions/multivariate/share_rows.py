"""Shares of a whole, and counts of classes."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan
from typing import Any, Final

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import scan
from weft_tensor.ops.creation.creation import arange, eye, zeros_like
from weft_tensor.ops.distributions.constraints import Constraint
from weft_tensor.ops.distributions.discrete_rows import binom
from weft_tensor.ops.distributions.multivariate.chosen import chosen
from weft_tensor.ops.distributions.multivariate.conditions import (
    COUNTED,
    POSITIVES,
    PROBABILITIES,
    vector,
)
from weft_tensor.ops.distributions.multivariate.multivariate import Multivariate
from weft_tensor.ops.distributions.ratios import log_of
from weft_tensor.ops.elementwise.arithmetic import floor, minimum
from weft_tensor.ops.elementwise.comparison import eq, isnan, lt, where
from weft_tensor.ops.elementwise.exponential import exp, log
from weft_tensor.ops.indexing.take import take_along_axis
from weft_tensor.ops.random.distributions import fold_in
from weft_tensor.ops.random.draws import Draws
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.reduction.logsumexp_softmax import log_softmax
from weft_tensor.ops.shape.broadcast_to import broadcast_arrays, broadcast_to
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.ops.special.entropies import entr, xlogy
from weft_tensor.ops.special.gamma import betaln, digamma, gammaln

__all__ = ["categorical", "dirichlet", "dirichlet_multinomial", "multinomial", "poisson_binom"]

_CHANCES: Final = Constraint(
    "numbers from 0 to 1", lambda p: ((p >= 0) & (p <= 1)).all(axis=-1), instance=zeros_like
)


def _total(x: TensorVariable) -> TensorVariable:
    return x.sum(axis=-1)


def _of_all(mean: TensorVariable, factor: TensorVariable) -> TensorVariable:
    """factor (diag(m) - m mᵀ)."""
    own = eye(mean.shape[-1]).astype(mean.dtype) * mean[..., None]
    return factor[..., None, None] * (own - mean[..., :, None] * mean[..., None, :])


def _dirichlet_logpdf(x: TensorVariable, alpha: TensorVariable) -> TensorVariable:
    near = 1e-5 if x.dtype == "float32" else 1e-9
    inside = (x >= 0).all(axis=-1) & (abs(_total(x) - 1) < near)
    safe = where(inside[..., None], x, 1 / x.shape[-1])
    density = _total(xlogy(alpha - 1, safe) - gammaln(alpha)) + gammaln(_total(alpha))
    return where(inside, density, -inf)


def _shares(draws: Draws, alpha: TensorVariable) -> TensorVariable:
    """Gamma draws over their sum, by logarithms: small ones do not underflow."""
    wide = draws.wider(alpha.shape[-1])
    return exp(log_softmax(wide.log_gamma(alpha), axis=-1))


def _dirichlet_entropy(alpha: TensorVariable) -> TensorVariable:
    total = _total(alpha)
    log_beta_part = _total(gammaln(alpha) - (alpha - 1) * digamma(alpha)) - gammaln(total)
    return log_beta_part + (total - alpha.shape[-1]) * digamma(total)


dirichlet: Final = Multivariate(
    "dirichlet", "Γ(Σ alpha) Π x^(alpha-1) / Γ(alpha)", {"alpha": vector(POSITIVES)}, 1,
    logpdf=_dirichlet_logpdf, sample=_shares,
    mean=lambda alpha: alpha / _total(alpha)[..., None],
    cov=lambda alpha: _of_all(alpha / _total(alpha)[..., None], 1 / (_total(alpha) + 1)),
    entropy=_dirichlet_entropy,
)  # fmt: skip


def _counts(x: TensorVariable, n: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    """Where they are counts of n, and counts there."""
    inside = ((x >= 0) & eq(floor(x), x)).all(axis=-1) & eq(_total(x), n)
    return inside, where(inside[..., None], x, 0.0)


def _multinomial(x: TensorVariable, n: TensorVariable, p: TensorVariable) -> TensorVariable:
    inside, k = _counts(x, n)
    mass = gammaln(n + 1) + _total(xlogy(k, p) - gammaln(k + 1))
    return where(inside, mass, -inf)


def _tally(draws: Draws, n: TensorVariable, p: TensorVariable) -> TensorVariable:
    """Class by class: how many of those that are left, a binomial number."""
    after = cumsum(p[..., ::-1], -1)[..., ::-1]
    shares = moveaxis(minimum(p / where(after > 0, after, 1.0), 1.0), -1, 0)

    def step(left: TensorVariable, at: Any) -> tuple[TensorVariable, TensorVariable]:
        k, share = at
        own = Draws(fold_in(draws.key, k), draws.sizes, draws.kind)
        count = binom.sampled(own, left, broadcast_to(share, draws.sizes))
        return left - count, count

    most = shares.shape[0] - 1
    left, counts = scan(step, broadcast_to(n, draws.sizes), (arange(most), shares[:-1]))
    return concatenate([moveaxis(counts, 0, -1), expand_dims(left, -1)], axis=-1).astype("int64")


def _multinomial_entropy(n: TensorVariable, p: TensorVariable) -> TensorVariable:
    own = binom.expect(lambda k: gammaln(k + 1), n[..., None], p, check=False)
    return _total(own) - gammaln(n + 1) - n * _total(xlogy(p, p))


multinomial: Final = Multivariate(
    "multinomial", "n! Π p^x / x!", {"n": COUNTED, "p": vector(PROBABILITIES)}, 1,
    is_discrete=True, logpdf=_multinomial, sample=_tally,
    mean=lambda n, p: n[..., None] * p, cov=lambda n, p: _of_all(p, n),
    entropy=_multinomial_entropy,
)  # fmt: skip


def _dirichlet_multinomial(
    x: TensorVariable, alpha: TensorVariable, n: TensorVariable
) -> TensorVariable:
    inside, k = _counts(x, n)
    some = k > 0
    count = where(some, k, 1.0)
    parts = _total(where(some, -log(count) - betaln(count, alpha), 0.0))
    any_drawn = n > 0
    total = where(any_drawn, n, 1.0)
    whole = where(any_drawn, log(total) + betaln(_total(alpha), total), 0.0)
    return where(inside, whole + parts, -inf)


def _mixed_cov(alpha: TensorVariable, n: TensorVariable) -> TensorVariable:
    total = _total(alpha)
    return _of_all(alpha / total[..., None], n * (n + total) / (1 + total))


dirichlet_multinomial: Final = Multivariate(
    "dirichlet_multinomial", "n B(n, Σ alpha) / Π x B(x, alpha), over x > 0",
    {"alpha": vector(POSITIVES), "n": COUNTED}, 1,
    is_discrete=True, logpdf=_dirichlet_multinomial,
    sample=lambda draws, alpha, n: _tally(draws, n, _shares(draws, alpha)),
    mean=lambda alpha, n: n[..., None] * alpha / _total(alpha)[..., None], cov=_mixed_cov,
)  # fmt: skip


def _class_parts(
    p: TensorVariable | None = None, logits: TensorVariable | None = None
) -> tuple[TensorVariable]:
    if p is not None and logits is None:
        return (log_of(p),)
    if p is None and logits is not None:
        return (log_softmax(logits, axis=-1),)
    raise TypeError("categorical takes one of p, logits")


def _class_logpmf(k: TensorVariable, logs: TensorVariable) -> TensorVariable:
    classes = logs.shape[-1]
    inside = (k >= 0) & (k < classes) & eq(floor(k), k)
    place = where(inside, k, 0.0).astype("int64")
    if logs.ndim == 1:
        return where(inside, logs[place], -inf)
    spread, inside, *_ = broadcast_arrays(place, inside, logs[..., 0])
    every = broadcast_to(logs, (*spread.shape, classes))
    return where(inside, take_along_axis(every, spread[..., None], -1)[..., 0], -inf)


def _class_moment(logs: TensorVariable) -> TensorVariable:
    return _total(arange(logs.shape[-1]) * exp(logs))


def _class_var(logs: TensorVariable) -> TensorVariable:
    off = arange(logs.shape[-1]) - _class_moment(logs)[..., None]
    return _total(off * off * exp(logs))


categorical: Final = Multivariate(
    "categorical", "p[k], or softmax(logits)[k]",
    {"p": vector(PROBABILITIES, optional=True), "logits": vector(optional=True)}, 0,
    is_discrete=True, scipy=None, prepared=_class_parts, logpdf=_class_logpmf,
    sample=lambda draws, logs: chosen(draws.uniform(), exp(logs)),
    mean=_class_moment, var=_class_var, entropy=lambda logs: _total(entr(exp(logs))),
)  # fmt: skip


def _convolved(p: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    """The probabilities of each number of successes: with one trial more at each step."""
    none = eq(arange(p.shape[-1] + 1), 0).astype(p.dtype)

    def step(shares: TensorVariable, own: TensorVariable) -> tuple[TensorVariable, None]:
        more = concatenate([0 * shares[..., :1], shares[..., :-1]], axis=-1)
        return (1 - own[..., None]) * shares + own[..., None] * more, None

    shares, _ = scan(step, none + 0 * p[..., :1], moveaxis(p, -1, 0))
    return shares, p


def _successes(upper: bool) -> Callable[..., TensorVariable]:
    """The probability of at most k successes, or of more."""

    def formula(k: TensorVariable, shares: TensorVariable, _: TensorVariable) -> TensorVariable:
        numbers = arange(shares.shape[-1])
        counted = numbers > k[..., None] if upper else numbers <= k[..., None]
        total = minimum(_total(where(counted, shares, 0.0)), 1.0)
        return where(isnan(k), nan, total)

    return formula


poisson_binom: Final = Multivariate(
    "poisson_binom", "of so many successes, each of its own probability p", {"p": vector(_CHANCES)},
    0, is_discrete=True, prepared=_convolved,
    logpdf=lambda k, shares, p: _class_logpmf(k, log_of(shares)),
    values={"cdf": _successes(False), "sf": _successes(True)},
    sample=lambda draws, shares, p: lt(draws.wider(p.shape[-1]).uniform(), p).sum(axis=-1),
    mean=lambda shares, p: _total(p), var=lambda shares, p: _total(p * (1 - p)),
    entropy=lambda shares, p: _total(entr(shares)),
)  # fmt: skip
