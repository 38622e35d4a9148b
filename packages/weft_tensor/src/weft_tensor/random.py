"""Random numbers as functions of a key: `wt.random`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from weft_tensor.front.key_stream import KeyStream, shared_key, stream
from weft_tensor.front.keywords import take_keywords
from weft_tensor.front.random_stream import RandomStream
from weft_tensor.front.unknown_name import unknown_name
from weft_tensor.ops.distributions.samplers.choices import *
from weft_tensor.ops.distributions.samplers.choices import __all__ as _choices
from weft_tensor.ops.distributions.samplers.further import *
from weft_tensor.ops.distributions.samplers.further import __all__ as _further
from weft_tensor.ops.distributions.samplers.named import *
from weft_tensor.ops.distributions.samplers.named import __all__ as _named
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

_OTHERS = {
    "BitGenerator": "key(seed): all bits are Threefry's",
    "Generator": "key(seed), or stream(seed)",
    "MT19937": "key(seed): all bits are Threefry's",
    "PCG64": "key(seed): all bits are Threefry's",
    "PRNGKey": "key(seed)",
    "Philox": "key(seed): all bits are Threefry's",
    "RandomState": "key(seed), or stream(seed)",
    "SFC64": "key(seed): all bits are Threefry's",
    "SeedSequence": "key(seed), and split(key, n)",
    "bit_generator": "key(seed): all bits are Threefry's",
    "bytes": "bits(key, n, 'uint8')",
    "clone": "the key itself: a key is a value",
    "default_rng": "key(seed), or stream(seed)",
    "double_sided_maxwell": "loc + scale * rademacher(key) * maxwell(other)",
    "generalized_normal": "stats.gennorm.rvs(key, p, size=size)",
    "get_state": "the key itself, which is all that there is",
    "key_data": "the key itself, a uint64 scalar",
    "key_impl": "key(seed): all bits are Threefry's",
    "rand": "uniform(key, size=size)",
    "randint": "integers(key, low, high, size)",
    "randn": "normal(key, size=size)",
    "random_integers": "integers(key, low, high + 1, size)",
    "random_sample": "uniform(key, size=size)",
    "ranf": "uniform(key, size=size)",
    "sample": "uniform(key, size=size)",
    "seed": "key(seed), and give it to each draw",
    "set_state": "key(seed), and give it to each draw",
    "spawn": "split(key, n)",
    "wrap_key_data": "the key itself, a uint64 scalar",
}
"""Names of `numpy.random` and `jax.random` that are called otherwise here."""

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        if name in _OTHERS:
            raise AttributeError(f"module {__name__!r} has no {name}: write {_OTHERS[name]}")
        raise unknown_name(__name__, name, {n: n for n in __all__}, "numpy.random")


__all__ = [
    "KeyStream",
    "RandomStream",
    "bernoulli",
    "bits",
    "fold_in",
    "integers",
    "key",
    "normal",
    "shared_key",
    "split",
    "stream",
    "threefry2x32",
    "uniform",
]
__all__ += _choices
__all__ += _named
__all__ += _further

take_keywords(globals())
