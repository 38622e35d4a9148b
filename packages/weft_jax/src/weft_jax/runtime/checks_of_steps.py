"""Conditions in the bodies of loops: the first step that does not meet them, and which it is."""

from __future__ import annotations

from collections.abc import Sequence

import jax.numpy as jnp
from jax import Array

from weft_jax.runtime.runtime_checks import Checks, Failure, Step, require

__all__ = ["ChecksOfSteps"]

Status = Sequence[Array]
"""How many steps were made; or, once a condition did not hold, a number less than 0 that says in
which step, and which. Behind it, numbers of steps of inner loops in which that was."""


class ChecksOfSteps:
    """What the steps of a loop require; `text` is what an error says of the step.

    A loop carries one number for all conditions: each array more takes XLA as long as a sum.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._failures: Sequence[Failure] = ()
        self._texts: Sequence[Sequence[str]] = ()
        """By condition, what is said of steps of inner loops."""

    @property
    def are_any(self) -> bool:
        """Whether anything is required."""
        return bool(self._failures)

    def noted(self, checks: Checks) -> Status:
        """For one step, the first condition that does not hold, and steps of inner loops."""
        self._failures = list(checks.failures)
        self._texts = [[step.text for step in steps] for steps in checks.steps]
        first, *inner = self.begin()
        if self._failures:
            first = jnp.full((), len(self._failures), "int64")
        for k in reversed(range(len(self._failures))):
            holds = checks.conditions[k]
            first = jnp.where(holds, first, k)
            for place, step in enumerate(checks.steps[k]):
                inner[place] = jnp.where(holds, inner[place], step.number)
        return [first, *inner]

    def begin(self) -> Status:
        """Before the first step."""
        depth = max(map(len, self._texts), default=0)
        return [jnp.zeros((), "int64") for _ in range(1 + depth)]

    def after(self, status: Status, step: Status) -> Status:
        """After one more step."""
        code, *_ = status
        if not self._failures:
            return [code + 1]
        first, count = step[0], len(self._failures)
        new = jnp.where(first < count, -1 - (count * code + first), code + 1)
        after = [new, *step[1:]]
        return [jnp.where(code < 0, old, now) for old, now in zip(status, after, strict=True)]

    def steps(self, status: Status) -> Array:
        """How many steps were made."""
        code = status[0]
        count = len(self._failures)
        return jnp.where(code < 0, (-1 - code) // count, code) if count else code

    def require(self, status: Status) -> None:
        """Require that all have held."""
        count = len(self._failures)
        for k, failure in enumerate(self._failures):
            code = -1 - status[0]
            inner = map(Step, self._texts[k], status[1:])
            holds = (code < 0) | (code % count != k)
            require(holds, failure.made, [*inner, Step(self._text, code // count)])
