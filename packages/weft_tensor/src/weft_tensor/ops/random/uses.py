"""Which draws are made of which key, so that compiling warns where one serves for two."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import Any, Final, TypeVar, cast
from weakref import WeakKeyDictionary

from weft_graph import Variable
from weft_graph.extend import add_doubt, toposort
from weft_tensor.ops.random.words import as_key

__all__ = ["uses_key"]

_F = TypeVar("_F", bound=Callable[..., Any])
_keys: Final = WeakKeyDictionary[Variable, Variable]()
"""Of what users have drawn, the key."""


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
        _sampling.is_on = True
        try:
            drawn = draw(*args, **kwargs)
        finally:
            _sampling.is_on = False
        _keys[drawn] = as_key(kwargs["key"] if "key" in kwargs else args[place])
        return drawn

    return cast("_F", noted)


@add_doubt
def _keys_used_twice(variables: Sequence[Variable], outputs: Sequence[Variable]) -> Iterator[str]:
    if len(_keys) < 2:
        return
    draws: dict[Variable, list[Variable]] = {}
    for v in variables:
        if v in _keys:
            draws.setdefault(_keys[v], []).append(v)
    for candidates in draws.values():
        if len(candidates) > 1:
            yield from _told(candidates, outputs)


def _told(candidates: Sequence[Variable], outputs: Sequence[Variable]) -> Iterator[str]:
    """About draws that have one key, but for those that are a part of another one of them."""
    made = [v for v in toposort(outputs, set(candidates)) if v in candidates]
    if len(made) > 1:
        lines = "".join([f"\n  {v.made_at}" for v in made])
        yield (
            f"one key is used for {len(made)} draws, which are made of the same random bits:"
            f"{lines}\ngive each a key of its own, by wt.random.split(key) or "
            "wt.random.fold_in(key, i)"
        )
