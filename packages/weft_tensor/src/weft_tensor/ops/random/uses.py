"""Which draws are made of which key, so that compiling warns where one serves for two."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import wraps
from typing import Any, Final, NamedTuple, TypeVar, cast
from weakref import WeakKeyDictionary

from weft_graph import Variable
from weft_graph.extend import add_doubt, add_step, toposort
from weft_tensor.ops.random.words import as_key

__all__ = ["in_steps", "uses_key"]

_F = TypeVar("_F", bound=Callable[..., Any])


class _Use(NamedTuple):
    key: Variable
    origins: tuple[Variable, ...]
    """All that the draw was made of."""


_uses: Final = WeakKeyDictionary[Variable, _Use]()
"""By what users have drawn."""


_REMEDY: Final = (
    "integers that are drawn have no derivative, but what is expected of them has one. Take them "
    "for given, k = stop_gradient(draw), and for that derivative add stop_gradient(cost) times the "
    "logarithm of k's probability to the cost (the score function)"
)


class _Sampling(threading.local):
    """Whether a function that draws runs: the draws that it makes are parts of its own."""

    is_on: bool = False


_sampling: Final = _Sampling()


def uses_key(draw: _F) -> _F:
    """Note which key `draw` is called with: its first argument, but for `self`."""
    place = int(draw.__code__.co_varnames[0] == "self")

    @wraps(draw)
    def noted(*args: Any, **kwargs: Any) -> Any:
        if _sampling.is_on:
            return draw(*args, **kwargs)
        strange = [n for n in ("random_state", "rng", "seed") if n in kwargs]
        if strange or ("key" not in kwargs and len(args) <= place):
            owner = f"{getattr(args[0], 'name', type(args[0]).__name__)}." if place else ""
            name = owner + draw.__name__
            has = f" in the place of {strange[0]}" if strange else ""
            raise TypeError(
                f"{name}: draws take a key{has}: write {name}(wt.random.key(seed), ...)"
            )
        _sampling.is_on = True
        try:
            sample = draw(*args, **kwargs)
        finally:
            _sampling.is_on = False
        arguments = (*args, *kwargs.values())
        key = as_key(kwargs["key"] if "key" in kwargs else args[place])
        if not sample.type.differentiable:
            sample = in_steps(sample)
        _uses[sample] = _Use(key, (key, *[v for v in arguments if isinstance(v, Variable)]))
        return sample

    return cast("_F", noted)


def in_steps(draw: Variable) -> Any:
    """`draw`; derivatives by what it is drawn of raise an error that says what to do."""
    return add_step(draw, _REMEDY)


def _keys_used_twice(variables: Sequence[Variable], outputs: Collection[Variable]) -> Iterator[str]:
    draws: dict[Variable, list[Variable]] = {}
    for v in variables:
        if v in _uses:
            draws.setdefault(_uses[v].key, []).append(v)
    for several in draws.values():
        clashes = [v for v in several if len(several) > 1 and not _is_part(v, several, outputs)]
        if len(clashes) > 1:
            lines = "".join([f"\n  {v.made_at}" for v in clashes])
            yield (
                f"one key is used for {len(clashes)} draws, which are made of the same random bits:"
                f"{lines}\ngive each a key of its own, by wt.random.split(key) or "
                "wt.random.fold_in(key, i)"
            )


def _is_part(v: Variable, draws: Sequence[Variable], outputs: Collection[Variable]) -> bool:
    """Whether a draw is made on the way to another one, and was not given to it."""
    return v not in outputs and any(
        v in toposort([d], set(_uses[d].origins)) for d in draws if d is not v
    )


add_doubt(_uses, _keys_used_twice)
