"""Random numbers as functions of a key: the same key gives the same numbers on every backend.

Element i of what is drawn is computed from the key and from i, by `threefry2x32`, and from
nothing else: so loops over elements may run in any order, and need no array of random bits.
A key must not be used twice; `split` makes many of one.
"""

from __future__ import annotations

from typing import Any

from weft_graph import Constant
from weft_tensor.build.convert import as_tensor, as_tensors, constant
from weft_tensor.build.variable import SizesLike, TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.elementwise.arithmetic import mod
from weft_tensor.ops.elementwise.cast import cast
from weft_tensor.ops.elementwise.comparison import bitwise_xor, lt, right_shift
from weft_tensor.ops.elementwise.special import erfinv
from weft_tensor.ops.random.threefry import threefry2x32
from weft_tensor.ops.random.uses import uses_key
from weft_tensor.ops.random.words import (
    DIGITS,
    Size,
    as_key,
    as_sizes,
    fitted,
    given_or_common,
    no_shape,
    parameters_of_draws,
    random_words,
)
from weft_tensor.types.dtypes import as_dtype, is_weak

__all__ = [
    "bernoulli",
    "bits",
    "fold_in",
    "integers",
    "key",
    "normal",
    "split",
    "uniform",
]


def key(seed: TensorLike) -> TensorVariable:
    """A key, which is a uint64 scalar, from an integer: a number or a variable.

    Raises ValueError for a seed of more than 64 bits, TypeError for what is no integer scalar.

    >>> uniform(key(7), size=2).eval().round(3)
    array([0.844, 0.045])
    """
    if isinstance(seed, int) and not -(2**63) <= seed < 2**64:
        raise ValueError(f"a seed has at most 64 bits; {seed} has more")
    if isinstance(seed, int):
        return constant(int(seed) % 2**64, "uint64")
    tensor = as_tensor(seed)
    if tensor.ndim or tensor.type.dtype[0] not in "iu":
        raise TypeError(f"a seed is an integer scalar, not {tensor!r}")
    return cast(tensor, "uint64")


@uses_key
def split(key: TensorLike, n: SizesLike = 2) -> TensorVariable:
    """`n` new keys, whose numbers have nothing to do with each other's, as a vector.

    `n` may be a tuple: the shape of the result.

    >>> first, second = split(key(7))
    >>> float(uniform(first).eval()) == float(uniform(second).eval())
    False
    """
    return random_words(key, as_sizes(n))


def fold_in(key: TensorLike, data: TensorLike) -> TensorVariable:
    """A new key from a key and an integer, such as the number of a step.

    For an array of integers these are many keys: those of `split` for 0, 1, 2, ... Raises TypeError
    for what is no integer.

    >>> for step in range(2):
    ...     print(uniform(fold_in(key(7), step)).eval().round(3))
    0.637
    0.301
    """
    number = as_tensor(data)
    if number.type.dtype[0] not in "iu":
        raise TypeError(f"fold_in takes integers, not {number!r}")
    return threefry2x32(as_key(key), number)


@uses_key
def bits(key: TensorLike, size: SizesLike = (), dtype: Any = "uint64") -> TensorVariable:
    """Random bits: integers without sign, all of which are equally likely.

    The same as `jax.random.bits` gives for a key of Threefry with this seed. Raises TypeError for a
    dtype that is no integer without sign.

    >>> bits(key(7), 3, "uint8").eval()
    array([ 11,   0, 170], dtype=uint8)
    """
    kind = as_dtype(dtype)
    if kind[0] != "u":
        raise TypeError(f"bits are integers without sign, not {kind}; see `integers`")
    words = random_words(key, as_sizes(size))
    if kind == "uint64":
        return words
    return bitwise_xor(words, right_shift(words, 32)).astype(kind)


@uses_key
def uniform(
    key: TensorLike,
    low: TensorLike = 0.0,
    high: TensorLike = 1.0,
    size: Size = None,
    dtype: Any = None,
) -> TensorVariable:
    """Numbers drawn evenly from `low` up to `high`.

    From 0 to 1, they are multiples of 2**-53 (for float32, of 2**-24) below 1.

    Parameters
    ----------
    key
        Made by `key`, `split` or `fold_in`.
    low, high
        Numbers or tensors; the result has derivatives by them.
    size
        Lengths, which may be variables; by default, what `low` and `high` broadcast to.
    dtype
        float32 or float64; by default, that of `low` and `high`.

    Examples
    --------
    >>> x = uniform(key(7), -1.0, [1.0, 2.0, 3.0])
    >>> x.eval().round(2)
    array([ 0.69, -0.86, -0.1 ])
    """
    if size is None and is_weak(high):
        no_shape("uniform", low)
    (start, stop), sizes, kind = parameters_of_draws((low, high), size, dtype)
    digits = DIGITS[kind]
    whole = right_shift(random_words(key, sizes), 64 - digits)
    unit = whole.astype(kind) * constant(2.0**-digits, kind)
    if is_weak(low) and is_weak(high) and (low, high) == (0, 1):
        return unit
    return start + (stop - start) * unit


@uses_key
def normal(
    key: TensorLike,
    loc: TensorLike = 0.0,
    scale: TensorLike = 1.0,
    size: Size = None,
    dtype: Any = None,
) -> TensorVariable:
    """Numbers with a normal distribution of mean `loc` and standard deviation `scale`.

    They are `loc + scale * z` with z independent of both, so that the result has derivatives
    by them. z is never 0, and at most 8.3 (for float32, 5.4) away from it.

    Parameters
    ----------
    key
        Made by `key`, `split` or `fold_in`.
    loc, scale
        Numbers or tensors.
    size
        Lengths, which may be variables; by default, what `loc` and `scale` broadcast to.
    dtype
        float32 or float64; by default, that of `loc` and `scale`.

    Examples
    --------
    >>> normal(key(7), size=3).eval().round(2)
    array([-0.4 ,  0.11,  0.6 ])
    """
    if size is None and is_weak(scale):
        no_shape("normal", loc)
    (mean, deviation), sizes, kind = parameters_of_draws((loc, scale), size, dtype)
    digits = DIGITS[kind]
    whole = right_shift(random_words(key, sizes).astype("int64"), 64 - digits)
    between = (whole.astype(kind) + constant(0.5, kind)) * constant(2.0 ** (1 - digits), kind)
    z = erfinv(between) * constant(2.0**0.5, kind)
    if is_weak(loc) and is_weak(scale) and (loc, scale) == (0, 1):
        return z
    return mean + deviation * z


@uses_key
def bernoulli(key: TensorLike, p: TensorLike = 0.5, size: Size = None) -> TensorVariable:
    """True with probability `p`, else False.

    >>> bernoulli(key(7), [0.0, 1.0]).eval()
    array([False,  True])
    """
    (chance,), sizes, kind = parameters_of_draws((p,), size, None)
    return lt(uniform(key, size=sizes, dtype=kind), chance)


@uses_key
def integers(
    key: TensorLike,
    low: TensorLike,
    high: TensorLike | None = None,
    size: Size = None,
    dtype: Any = "int64",
    endpoint: bool = False,
) -> TensorVariable:
    """Integers from `low` up to, without, `high`; from 0 up to `low` if that is all.

    With `endpoint`, `high` is one of them, as `numpy.random.Generator.integers` has it. All are
    equally likely, to one part in 2**64 divided by their number. Raises ValueError where there
    are none. Raises TypeError for limits that int64 can't hold.

    >>> integers(key(7), 1, 7, size=4).eval()
    array([1, 6, 6, 1])
    """
    start, stop = as_tensors((0, low) if high is None else (low, high))
    for v in (start, stop):
        if v.type.dtype[0] not in "iu" or v.type.dtype == "uint64":
            raise TypeError(f"integers takes limits that int64 can hold, not {v!r}")
    start, stop = start.astype("int64"), stop.astype("int64")
    if endpoint:
        last = stop.op
        stop = constant(last.value + 1) if isinstance(last, Constant) else stop + 1
    is_constant = isinstance(start.op, Constant) and isinstance(stop.op, Constant)
    if is_constant and not (start.op.value < stop.op.value).all():  # type: ignore[attr-defined]  # constants
        raise ValueError("there are no integers to draw: low must be less than high")
    sizes = given_or_common(size, (start, stop))
    start, stop = (fitted(v, sizes) for v in (start, stop))
    count = stop - start
    if not is_constant:
        count = check_and_raise(
            count, start < stop, ValueError, "no integers to draw: low must be less than high"
        )
    offsets = mod(random_words(key, sizes), count.astype("uint64"))
    return (start + offsets.astype("int64")).astype(dtype)
