"""Keys one after the other, and keys that are kept between calls."""

from __future__ import annotations

from collections.abc import Iterator

from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.front.shared import shared
from weft_tensor.ops.random.distributions import fold_in, key

__all__ = ["KeyStream", "shared_key", "stream"]


class KeyStream(Iterator[TensorVariable]):
    """Keys made of one, of which no two are the same: see `stream`."""

    def __init__(self, root: TensorVariable) -> None:
        self.root = root
        self._count = 0

    def __next__(self) -> TensorVariable:
        self._count += 1
        return fold_in(self.root, self._count)


def stream(seed: TensorLike) -> KeyStream:
    """Keys for one draw after the other, made of a seed: `next(keys)` gives a new one.

    Raises ValueError for a seed of more than 64 bits, TypeError for what is no integer scalar.

    >>> from weft_tensor.random import normal
    >>> keys = stream(7)
    >>> normal(next(keys)).eval() == normal(next(keys)).eval()
    np.False_
    """
    return KeyStream(key(seed))


def shared_key(seed: int, name: str = "key") -> TensorVariable:
    """A shared variable with the key of a seed, which updates may replace.

    >>> from weft_graph import function
    >>> from weft_tensor.random import normal, split
    >>> state = shared_key(7)
    >>> following, now = split(state)
    >>> draw = function([], normal(now), updates={state: following}, mode="py")
    >>> draw() == draw()
    np.False_
    """
    return shared(key(seed).eval(), name=name)
