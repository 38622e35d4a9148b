"""What one side of a choice alone needs, and takes long, is computed where that side is taken."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from weft_graph.extend import Needs, needed_alone
from weft_numba.ir.llvm_writer import Code, Pair, Value

__all__ = ["Choices", "Step"]

K = TypeVar("K", bound=Hashable)


class Step(NamedTuple, Generic[K]):
    """What is known of one of the values that are computed one after another."""

    arguments: Sequence[K]
    register: str
    """The type of its register, or of each of two."""
    chooses: bool
    """Whether it is its second or third argument, as the first says."""
    takes_long: Callable[[], bool]
    """Whether it does: asked of what a choice alone needs, as it takes long to find out."""
    stays: bool
    """Whether it is computed in any case."""


class Choices(Generic[K]):
    """Some steps, in order, and which of them only one side of a choice needs.

    >>> call = Step([0, 1], "double", chooses=False, takes_long=lambda: True, stays=False)
    >>> where = Step([2, 3, 0], "double", True, lambda: False, stays=True)
    >>> code, values = Code(), {0: "%x", 1: "%y", 2: "%c"}
    >>> Choices({3: call, 4: where}).compute(code, [3, 4], values, lambda k: code("call ..."))
    >>> values[4], code.lines[-1]
    ('%v2', '%v2 = phi double [%v1, %v0_end_0], [%x, %v0_end_1]')
    """

    def __init__(self, steps: Mapping[K, Step[K]]) -> None:
        self._steps = steps
        self._alone = needed_alone(
            {k: Needs(s.arguments, s.chooses, s.takes_long, s.stays) for k, s in steps.items()}
        )
        self._inside = {k: side for side, group in self._alone.items() for k in group}

    def side_of(self, k: K) -> tuple[K, int] | None:
        """The choice and its argument that alone need a step; None if it is computed anyway."""
        return self._inside.get(k)

    def compute(
        self, code: Code, order: Iterable[K], values: dict[K, Value], compute: Callable[[K], Value]
    ) -> None:
        """Put what `compute` gives for each step in `order` into `values`, by branches."""

        def put(k: K) -> None:
            sides = [self._alone.get((k, place), ()) for place in (1, 2)]
            values[k] = self._branches(code, k, sides, values, put) if any(sides) else compute(k)

        for k in order:
            if k not in self._inside:
                put(k)

    def _branches(
        self,
        code: Code,
        k: K,
        sides: Sequence[Sequence[K]],
        values: dict[K, Value],
        put: Callable[[K], None],
    ) -> Value:
        """The value of a choice, after one of its sides."""
        step, name = self._steps[k], code.new()[1:]
        condition, *results = step.arguments
        code.lines.append(f"br i1 {values[condition]}, label %{name}_0, label %{name}_1")
        for side, group in enumerate(sides):
            code.lines.append(f"{name}_{side}:")
            for member in group:
                put(member)
            code.label(f"{name}_end_{side}")
            code.lines.append(f"br label %{name}")
        code.lines.append(f"{name}:")
        true, false = (values[r] for r in results)

        def either(x: str, y: str) -> str:
            return code(f"phi {step.register} [{x}, %{name}_end_0], [{y}, %{name}_end_1]")

        if isinstance(true, Pair) and isinstance(false, Pair):
            return Pair(either(true.real, false.real), either(true.imag, false.imag))
        return either(str(true), str(false))
