"""The No-U-Turn sampler, written in Weft alone: one graph from a key to all draws of a chain.

M. D. Hoffman and A. Gelman, The No-U-Turn Sampler, 2014, with the multinomial draws and the
criterion of M. Betancourt, A Conceptual Introduction to Hamiltonian Monte Carlo, 2017; trees grow
without recursion as in the appendix of D. Phan, N. Pradhan and M. Jankowiak, Composable Effects for
Flexible and Accelerated Probabilistic Programming in NumPyro, 2019.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import weft.tensor as wt

__all__ = ["Chain", "Settings", "chain", "chains"]

LogDensity = Callable[[Any], Any]
_WORST = -1000.0
"""Of the logarithm of a weight: below it, the energy has run away."""


@dataclass(frozen=True)
class Settings:
    """How many steps a chain has, and how it moves."""

    warmup: int = 1000
    draws: int = 1000
    max_depth: int = 10
    target: float = 0.8
    """The share of acceptance that step sizes are adapted to."""


_USUAL = Settings()


@dataclass
class Point:
    """A place in phase space, with the log-density there and its gradient."""

    q: Any
    p: Any
    logp: Any
    slope: Any


@dataclass
class Tree:
    """A part of a trajectory: its ends, the draw from it, and what all of it sums up to."""

    left: Point
    right: Point
    drawn: Point
    log_weight: Any
    momentum: Any
    """The sum of all."""
    acceptance: Any
    """The sum of the chances of all to be accepted."""
    steps: Any
    ends: Any
    """Whether it has turned, or run away."""


@dataclass
class Chain:
    """The draws of a chain: an array with a row for each, and what was noted on the way."""

    draws: Any
    logp: Any
    acceptance: Any
    steps: Any
    step_size: Any
    inverse_mass: Any


def _chosen(condition: Any, yes: Any, no: Any) -> Any:
    pairs = zip(vars(yes).values(), vars(no).values(), strict=True)
    return type(yes)(*[wt.where(condition, a, b) for a, b in pairs])


def _point(log_density: LogDensity, q: Any, p: Any) -> Point:
    logp = log_density(q)
    return Point(q, p, logp, wt.grad(logp, q))


def _leapfrog(log_density: LogDensity, at: Point, size: Any, inverse_mass: Any) -> Point:
    half = at.p + 0.5 * size * at.slope
    there = _point(log_density, at.q + size * inverse_mass * half, half)
    return Point(there.q, half + 0.5 * size * there.slope, there.logp, there.slope)


def _turns(first: Any, last: Any, total: Any, inverse_mass: Any) -> Any:
    """Whether a trajectory between two momenta goes back on either end."""
    moved = total * inverse_mass
    return ((first * moved).sum(-1) <= 0) | ((last * moved).sum(-1) <= 0)


@dataclass(frozen=True)
class Motion:
    """What all trajectories of a step have in common."""

    log_density: LogDensity
    size: Any
    mass: Any
    """The inverse of the masses: the variances of the places."""
    start: Any
    """The energy at the beginning."""
    most: int
    """How often a trajectory doubles."""


def _grown(motion: Motion, key: Any, tree: Tree, depth: Any) -> Tree:
    """`tree` with as many points more, at one of its ends.

    Of the points, those are kept with which a part of the new tree begins: for point i, they stand
    at the places of i's binary ones. So each part is looked at when its last point comes.
    """
    size, mass, most = motion.size, motion.mass, motion.most
    of_direction, of_leaves, of_choice = wt.random.split(key, 3)
    forward = wt.random.bernoulli(of_direction)
    edge = _chosen(forward, tree.right, tree.left)
    signed = wt.where(forward, size, -size)
    places = wt.arange(most)
    nothing = wt.zeros((most, *edge.q.shape))

    def goes_on(state: Any) -> Any:
        i, _, new, _, _ = state
        return (i < 2**depth) & ~new.ends

    def step(state: Any) -> Any:
        i, at, new, momenta, sums = state
        at = _leapfrog(motion.log_density, at, signed, mass)
        weight = motion.start - _energy(at, mass)
        weight = wt.where(wt.isnan(weight), -np.inf, weight)
        both = wt.logaddexp(new.log_weight, weight)
        takes = wt.log(wt.random.uniform(wt.random.fold_in(of_leaves, i))) < weight - both
        total = new.momentum + at.p
        bits = (i >> places) & 1
        place = bits[1:].sum()
        ending = wt.cumprod(bits).sum()
        is_even = wt.eq(i & 1, 0)
        here = wt.eq(places, place)[:, None] & is_even
        momenta, sums = wt.where(here, at.p, momenta), wt.where(here, total, sums)
        looks_at = (places <= place) & (places > place - ending)
        turned = looks_at & _turns(momenta, at.p, total - sums + momenta, mass)
        new = Tree(
            new.left,
            at,
            _chosen(takes, at, new.drawn),
            both,
            total,
            new.acceptance + wt.exp(wt.minimum(weight, 0.0)),
            new.steps + 1,
            turned.any() | (weight < _WORST),
        )
        return i + 1, at, new, momenta, sums

    zero = wt.zeros_like(motion.start)
    empty = _tree(edge, zero - np.inf, wt.zeros_like(edge.p))
    state = wt.while_loop(goes_on, step, (wt.as_tensor(0), edge, empty, nothing, nothing))
    new = state[2]
    left, right = _chosen(forward, tree.left, new.right), _chosen(forward, new.right, tree.right)
    total = tree.momentum + new.momentum
    takes = wt.log(wt.random.uniform(of_choice)) < new.log_weight - tree.log_weight
    return Tree(
        left,
        right,
        _chosen(takes & ~new.ends, new.drawn, tree.drawn),
        wt.logaddexp(tree.log_weight, new.log_weight),
        total,
        tree.acceptance + new.acceptance,
        tree.steps + new.steps,
        new.ends | _turns(left.p, right.p, total, mass),
    )


def _energy(at: Point, inverse_mass: Any) -> Any:
    return 0.5 * (at.p * at.p * inverse_mass).sum() - at.logp


def _tree(at: Point, log_weight: Any, momentum: Any) -> Tree:
    """A tree of one point, which counts as none."""
    zero = wt.zeros_like(at.logp)
    return Tree(at, at, at, log_weight, momentum, zero, wt.as_tensor(0), wt.as_tensor(False))


def _moved(
    log_density: LogDensity, key: Any, at: Point, size: Any, inverse_mass: Any, most: int
) -> Tree:
    """The whole trajectory from `at`, of which `drawn` is the next point of the chain."""
    of_momentum, of_trees = wt.random.split(key)
    p = wt.random.normal(of_momentum, size=at.q.shape) / wt.sqrt(inverse_mass)
    begin = replace(at, p=p)
    motion = Motion(log_density, size, inverse_mass, _energy(begin, inverse_mass), most)

    def goes_on(state: Any) -> Any:
        depth, tree = state
        return (depth < most) & ~tree.ends

    def grow(state: Any) -> Any:
        depth, tree = state
        return depth + 1, _grown(motion, wt.random.fold_in(of_trees, depth), tree, depth)

    root = _tree(begin, wt.zeros_like(at.logp), p)
    tree: Tree = wt.while_loop(goes_on, grow, (wt.as_tensor(0), root))[1]
    return tree


@dataclass
class Adapted:
    """What a chain has learnt of its step size, by dual averaging, and of its scales."""

    log_size: Any
    log_average: Any
    center: Any
    excess: Any
    count: Any
    mean: Any
    squares: Any
    seen: Any
    inverse_mass: Any

    def resized(self, accepted: Any, target: float) -> Adapted:
        """With a step size that comes nearer to the wanted share of acceptance."""
        count = self.count + 1.0
        share = 1 / (count + 10.0)
        excess = (1 - share) * self.excess + share * (target - accepted)
        log_size = self.center - wt.sqrt(count) / 0.05 * excess
        weight = count**-0.75
        average = weight * log_size + (1 - weight) * self.log_average
        return replace(self, log_size=log_size, log_average=average, excess=excess, count=count)

    def told(self, q: Any) -> Adapted:
        """With one more place for the variances (B. P. Welford, 1962)."""
        seen = self.seen + 1.0
        mean = self.mean + (q - self.mean) / seen
        squares = self.squares + (q - self.mean) * (q - mean)
        return replace(self, seen=seen, mean=mean, squares=squares)

    def rescaled(self) -> Adapted:
        """With the variances as scales, beginning anew with all else."""
        n, zero = self.seen, wt.zeros_like(self.log_size)
        variance = self.squares / wt.maximum(n - 1, 1.0)
        inverse_mass = (n * variance + 0.005) / (n + 5)
        nothing = wt.zeros_like(self.mean)
        center = self.log_size + np.log(10.0)
        return Adapted(
            self.log_size, zero, center, zero, zero, nothing, nothing, zero, inverse_mass
        )


def _schedule(settings: Settings) -> tuple[Any, Any, Any]:
    """For each step: whether it adapts, whether its place counts, whether scales are made."""
    n = settings.warmup
    places = np.arange(n + settings.draws)
    begin, end = (75, n - 50) if n >= 150 else (n * 15 // 100, n - n // 10)
    ends, length = [], 25
    at = begin
    while at < end:
        at = end if at + 3 * length > end else at + length
        ends.append(at - 1)
        length *= 2
    return places < n, (places >= begin) & (places < end), np.isin(places, ends)


def chain(log_density: LogDensity, key: Any, start: Any, settings: Settings = _USUAL) -> Chain:
    """One chain from the place `start`, a vector.

    `log_density` takes a vector and gives a scalar.
    """
    start = wt.as_tensor(start)
    zero, nothing = wt.zeros((), start.dtype), wt.zeros_like(start)
    log_size = zero - 1.0
    first = Adapted(log_size, zero, log_size, zero, zero, nothing, nothing, zero, nothing + 1.0)
    first = replace(first, center=log_size + np.log(10.0))

    def step(state: tuple[Point, Adapted], now: Any) -> Any:
        at, known = state
        number, adapts, counts, is_end = now
        size = wt.exp(wt.where(adapts, known.log_size, known.log_average))
        own = wt.random.fold_in(key, number)
        tree = _moved(log_density, own, at, size, known.inverse_mass, settings.max_depth)
        accepted = tree.acceptance / tree.steps
        resized = known.resized(accepted, settings.target)
        told = resized.told(tree.drawn.q)
        after = _chosen(adapts, _chosen(counts, told, resized), known)
        after = _chosen(is_end, after.rescaled(), after)
        seen = (tree.drawn.q, tree.drawn.logp, accepted, tree.steps, size, known.inverse_mass)
        return (tree.drawn, after), seen

    steps = np.arange(settings.warmup + settings.draws)
    begin = _point(log_density, start, nothing)
    _, seen = wt.loop.scan(step, (begin, first), (steps, *_schedule(settings)))
    return Chain(*[v[settings.warmup :] for v in seen])


def chains(log_density: LogDensity, key: Any, starts: Any, settings: Settings = _USUAL) -> Chain:
    """A chain from each row of `starts`, all of them in step: arrays with a further first axis."""
    starts = wt.as_tensor(starts)
    keys = wt.random.split(key, starts.shape[0])
    each = wt.vmap(lambda own, start: chain(log_density, own, start, settings))
    result: Chain = each(keys, starts)
    return result
