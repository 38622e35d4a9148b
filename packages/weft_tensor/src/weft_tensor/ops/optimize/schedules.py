"""Learning rates that change from step to step: functions of how many there were."""

from __future__ import annotations

from collections.abc import Callable
from math import pi

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.trigonometric import cos
from weft_tensor.ops.numbers.limits import clip

__all__ = [
    "cosine_decay_schedule",
    "exponential_decay",
    "linear_schedule",
    "warmup_cosine_decay_schedule",
]

Schedule = Callable[[TensorLike], TensorVariable]


def _share(count: TensorLike, steps: float) -> TensorVariable:
    return clip(count, 0, steps) / steps


def linear_schedule(init_value: float, end_value: float, transition_steps: int) -> Schedule:
    """From one value to another in so many steps, and that from then on.

    >>> rate = linear_schedule(1.0, 0.0, 4)
    >>> [float(rate(count).eval()) for count in (0, 1, 9)]
    [1.0, 0.75, 0.0]
    """
    return lambda count: init_value + (end_value - init_value) * _share(count, transition_steps)


def exponential_decay(init_value: float, transition_steps: int, decay_rate: float) -> Schedule:
    """`init_value` times a power of `decay_rate`, whose exponent is 1 after `transition_steps`.

    >>> rate = exponential_decay(1.0, 10, 0.25)
    >>> [float(rate(count).eval()) for count in (0, 5, 10)]
    [1.0, 0.5, 0.25]
    """
    return lambda count: init_value * decay_rate ** (as_tensor(count) / transition_steps)


def cosine_decay_schedule(init_value: float, decay_steps: int, alpha: float = 0.0) -> Schedule:
    """Down half a cosine from `init_value` to the share `alpha` of it.

    See Loshchilov and Hutter, SGDR (2017).

    >>> rate = cosine_decay_schedule(1.0, 10)
    >>> [float(rate(count).eval().round(6)) for count in (0, 5, 10)]
    [1.0, 0.5, 0.0]
    """
    return lambda count: (
        init_value * (alpha + (1 - alpha) * (1 + cos(pi * _share(count, decay_steps))) / 2)
    )


def warmup_cosine_decay_schedule(
    init_value: float, peak_value: float, warmup_steps: int, decay_steps: int, end_value: float = 0
) -> Schedule:
    """A line up to `peak_value`, then half a cosine down, until `decay_steps` from the beginning.

    >>> rate = warmup_cosine_decay_schedule(0.0, 1.0, 2, 12)
    >>> [float(rate(count).eval().round(6)) for count in (0, 1, 2, 7, 12)]
    [0.0, 0.5, 1.0, 0.5, 0.0]
    """
    up = linear_schedule(init_value, peak_value, warmup_steps)
    down = cosine_decay_schedule(peak_value, decay_steps - warmup_steps, end_value / peak_value)

    def rate(count: TensorLike) -> TensorVariable:
        later = as_tensor(count) - warmup_steps
        return where(later < 0, up(count), down(later))

    return rate
