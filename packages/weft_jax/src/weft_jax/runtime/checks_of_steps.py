"""Conditions in the bodies of loops: which steps have met them, and which was the first not to."""

from __future__ import annotations

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np
from jax import Array

from weft_jax.runtime.runtime_checks import Checks, Failure, Step, require

__all__ = ["ChecksOfSteps"]

Status = Sequence[Array]
"""Whether conditions have held so far, in how many steps, and numbers of steps of inner loops."""


class ChecksOfSteps:
    """What the steps of a loop require; `text` is what an error says of the step."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._failures: Sequence[Failure] = ()
        self._texts: Sequence[tuple[str, int]] = ()
        """What is said of steps of inner loops, and the place of the condition that it is for."""

    def noted(self, checks: Checks) -> tuple[Array, Array]:
        """Whether the conditions hold in one step, and in which steps of inner loops they don't."""
        self._failures = list(checks.failures)
        steps = [(step, k) for k, steps in enumerate(checks.steps) for step in steps]
        self._texts = [(step.text, k) for step, k in steps]
        numbers = jnp.array([step.number for step, _ in steps], "int64")
        return jnp.array(checks.conditions, bool), numbers

    def begin(self) -> Status:
        """Before the first step. Nothing, if nothing is required."""
        count = len(self._failures)
        if not count:
            return ()
        inner = jnp.zeros(len(self._texts), "int64")
        return jnp.ones(count, bool), jnp.zeros(count, "int64"), inner

    def after(self, status: Status, holds: Array, numbers: Array) -> Status:
        """After one more step."""
        if not status:
            return ()
        before, steps, inner = status
        fails = before & ~holds
        owners = np.array([k for _, k in self._texts], int)
        return before & holds, steps + (before & holds), jnp.where(fails[owners], numbers, inner)

    def require(self, status: Status) -> None:
        """Require that all have held."""
        for k, failure in enumerate(self._failures if status else ()):
            ok, steps, inner = status
            own = [Step(text, inner[i]) for i, (text, of) in enumerate(self._texts) if of == k]
            require(ok[k], failure.made, [*own, Step(self._text, steps[k])])
