"""A stream of random numbers as the tradition has it: its state is a shared key."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from weft_graph.extend import no_such_name
from weft_tensor.build.variable import TensorVariable
from weft_tensor.front.shared import shared
from weft_tensor.ops.distributions.samplers import choices, named
from weft_tensor.ops.random import distributions

__all__ = ["RandomStream"]

_OTHERS: Final = {"Sampler", "fold_in", "key", "split"}
"""What draws nothing."""
_DRAWS: Final[dict[str, Any]] = {
    n: getattr(m, n) for m in (distributions, choices, named) for n in m.__all__ if n not in _OTHERS
}


class RandomStream:
    """Draws by the methods of `random`, each with a key of its own, made of one shared key.

    A function gives new numbers at each call with `updates=stream.updates()`, and the same at each
    without. The seed is an integer, or left to the system.

    >>> from weft_tensor import vector
    >>> from weft_graph import function
    >>> stream = RandomStream(7)
    >>> x = stream.normal(0, 1, size=2)
    >>> draw = function([], x, updates=stream.updates(), mode="py")
    >>> draw().tolist() == draw().tolist()
    False
    """

    def __init__(self, seed: int | None = None) -> None:
        self.key: TensorVariable = shared(_value_of(seed), name="stream")
        """What all draws are made of."""
        self._drawn = 0

    def updates(self) -> list[tuple[TensorVariable, TensorVariable]]:
        """For `function`: the shared key, and that which takes its place after a call."""
        return [(self.key, distributions.fold_in(self.key, 0))]

    def seed(self, seed: int | None = None) -> None:
        """Begin anew: functions that were compiled already, too."""
        self.key.set_value(_value_of(seed))

    def __getattr__(self, name: str) -> Any:
        if name not in _DRAWS:
            raise no_such_name("a RandomStream", name, {n: n for n in _DRAWS})
        return partial(self._draw, _DRAWS[name])

    def _draw(self, draw: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        self._drawn += 1
        return draw(distributions.fold_in(self.key, self._drawn), *args, **kwargs)


def _value_of(seed: int | None) -> Any:
    """The value of the key that a seed makes."""
    return distributions.key(secrets.randbits(64) if seed is None else seed).eval()
