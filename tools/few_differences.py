"""In the quick run, gradients are compared with three differences by each input, forward once."""

from __future__ import annotations

from collections.abc import Iterable

from weft_tensor import TensorVariable
from weft_testing import gradients

__all__ = ["choose"]

_PLACES_OF, _MOVING = gradients._places_of, gradients._moving


def _three_of(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The first, a middle and the last element."""
    every = _PLACES_OF(shape)
    return [every[k] for k in sorted({0, len(every) // 2, len(every) - 1})] if every else []


def _at_once(variables: Iterable[TensorVariable]) -> list[list[TensorVariable]]:
    return _MOVING(variables)[-1:]


def choose(*, few: bool) -> None:
    """All places and directions, or few."""
    gradients._places_of = _three_of if few else _PLACES_OF
    gradients._moving = _at_once if few else _MOVING
