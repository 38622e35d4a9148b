"""Random numbers as functions of a key: `wt.random`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from weft_tensor.front.random_stream import RandomStream
from weft_tensor.front.unknown_name import unknown_name
from weft_tensor.ops.random.distributions import (
    bernoulli,
    bits,
    fold_in,
    integers,
    key,
    normal,
    split,
    uniform,
)
from weft_tensor.ops.random.threefry import threefry2x32

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        raise unknown_name(__name__, name, {n: n for n in __all__}, "numpy.random")


__all__ = [
    "RandomStream",
    "bernoulli",
    "bits",
    "fold_in",
    "integers",
    "key",
    "normal",
    "split",
    "threefry2x32",
    "uniform",
]
