"""Kernels that go over the same rows one after another, block by block.

What one reads again, or has computed for the next, is still in the processor's own memory then:
the variance of each row reads a matrix once, a softmax needs no second matrix. A block is as many
rows, elements along the first axis, as fit there.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple

from weft_graph import CheckAndRaise, Print, Variable
from weft_graph.extend import Barrier
from weft_numba.fusion.grouping import Step
from weft_numba.fusion.numbering import Fused, Pack
from weft_numba.ir.axis_sizes import AxisEqualities
from weft_numba.ir.kernel import Kernel, Operand, Result
from weft_numba.ir.kernel import Length as LengthOfAxis
from weft_numba.llvm.scatter_address import INDICES

__all__ = ["RowBlock", "by_rows", "with_row_blocks"]

_ANY: Final = LengthOfAxis(None, (), (), sure=True)


Length = int | tuple[Variable, int]
"""A length: a number, or that of a variable's axis."""


class RowBlock(NamedTuple):
    """Kernels for each block of rows."""

    steps: tuple[Fused, ...]
    inputs: dict[Variable, bool]
    """What they read of others, and whether a block has its own rows of it."""
    outputs: dict[Variable, list[Length]]
    """What is needed afterwards, and how long its axes are."""

    @property
    def kind(self) -> tuple[Kernel, ...]:
        """What blocks have in common that may be of the same code."""
        return tuple([step.kernel for step in self.steps])

    @property
    def nodes(self) -> tuple[Variable, ...]:
        """All that is computed."""
        return tuple([v for step in self.steps for v in step.nodes])


def with_row_blocks(
    steps: Sequence[Step], needed: Collection[Variable], spaces: AxisEqualities
) -> list[Step | RowBlock]:
    """The same steps, those together that go over the same rows; `needed` are in the end."""
    result: list[Step | RowBlock] = []
    run: list[Fused] = []
    rows: object = None

    def close(later: Sequence[Step]) -> None:
        needs = {*needed, *[v for step in later for v in step.inputs]}
        block = _block(run, needs, spaces)
        result.extend([block] if block else run)
        run.clear()

    for place, step in enumerate(steps):
        own = _rows(step, spaces) if isinstance(step, Fused) else None
        if isinstance(step, Fused) and own is not None:
            if own != rows or not _follows(step, run):
                close(steps[place:])
            rows = own
            run.append(step)
        else:
            if _waits_for(step, run):
                close(steps[place:])
            result.append(step)
    close(())
    return result


def _block(
    run: Sequence[Fused], needs: Collection[Variable | Pack], spaces: AxisEqualities
) -> RowBlock | None:
    """The kernels of a run, if one of them reads what another one reads or computes."""
    touched = [v for step in run for v in _large(step)]
    if len(set(touched)) == len(touched):
        return None
    own = {v: None for step in run for v in step.outputs}
    inputs: dict[Any, bool] = {}
    for step in run:
        for o in step.kernel.operands:
            v = step.inputs[o.argument]
            if v not in own and inputs.setdefault(v, _is_sliced(o)) != _is_sliced(o):
                return None
    lengths: dict[Any, Length] = {
        key: (v, axis) for v in inputs for axis, key in enumerate(spaces.of(v))
    }
    outputs: dict[Any, list[Length]] = {}
    for v in own:
        if v in needs and isinstance(v, Variable):
            keys = spaces.of(v)
            if any(not isinstance(key, int) and key not in lengths for key in keys):
                return None
            outputs[v] = [key if isinstance(key, int) else lengths[key] for key in keys]
    return RowBlock(tuple(run), inputs, outputs)


def _large(step: Fused) -> set[Variable | Pack]:
    """What has more than one element in a row, of what a kernel reads and gives."""
    kernel = step.kernel
    read = [step.inputs[o.argument] for o in kernel.operands if _is_sliced(o) and o.ndim > 1]
    results = [v for v, r in zip(step.outputs, kernel.results, strict=True) if r.ndim > 1]
    return {*read, *results}


def _waits_for(step: Step, run: Sequence[Fused]) -> bool:
    """Whether a step has to come after a run."""
    if isinstance(step, Variable) and isinstance(step.op, Print | CheckAndRaise | Barrier):
        return True
    return not {v for each in run for v in each.outputs}.isdisjoint(step.inputs)


def _follows(step: Fused, run: Sequence[Fused]) -> bool:
    """Whether a kernel reads of a run's results but the rows that it computes itself."""
    before = {v for each in run for v in each.outputs}
    whole = [step.inputs[o.argument] for o in step.kernel.operands if not _is_sliced(o)]
    return before.isdisjoint(whole)


def _rows(step: Fused, spaces: AxisEqualities) -> object:
    """What says how many rows a kernel goes over; None if it can't do so in blocks."""
    kernel = step.kernel
    if not kernel.ndim or kernel.lengths[0].sizes or kernel.lengths[0].tables:
        return None
    if not all(map(_has_rows, kernel.results)):
        return None
    if any(s.name in INDICES and int(s.literal) == 0 for s in kernel.statements):
        return None
    sliced: dict[int, bool] = {}
    for o in kernel.operands:
        is_sliced = _is_sliced(o)
        if o.table or o.slot >= 0 or (o.ndim and o.extent[0] in "n?" and not is_sliced):
            return None
        if sliced.setdefault(o.argument, is_sliced) != is_sliced:
            return None
    first: Any = next((step.inputs[k] for k, is_sliced in sliced.items() if is_sliced), None)
    return None if first is None else spaces.of(first)[0]


def _has_rows(r: Result) -> bool:
    """Whether a row of a result is computed of rows alone."""
    is_written_in_order = not (r.scatters or r.compresses)
    return is_written_in_order and r.slot < 0 and r.kept[:1] == (0,) and r.along != 0


def _is_sliced(o: Operand) -> bool:
    return o.ndim > 0 and o.extent[0] == "n" and o.view[0] == 0


def by_rows(kernel: Kernel) -> Kernel:
    """The kernel for a block: its arguments alone say how many rows there are."""
    return kernel._replace(lengths=(_ANY, *kernel.lengths[1:]))
