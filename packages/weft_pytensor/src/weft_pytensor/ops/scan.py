"""Loops: PyTensor's Scan, whose states are buffers, as Weft's, whose states are values.

A buffer that steps read and write at several places (PyTensor's mit-mot, which its gradients make)
is a result for each place that is written, and a sequence where it is read before that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from pytensor.graph.op import Op
from pytensor.scan.op import ScanInfo

import weft_tensor as wt
from weft_pytensor.convert.graphs import converted
from weft_pytensor.convert.table import register_names
from weft_tensor import TensorVariable


@dataclass
class _Written:
    """What steps write to one place of a buffer: the value of step t is at t + place."""

    buffer: TensorVariable
    place: int
    lags: list[int] = field(default_factory=list)
    """How many steps later it is read, for each read."""

    def info(self) -> dict[str, Any] | None:
        """The entry of `outputs_info`."""
        if not self.lags:
            return None
        taps = [-lag for lag in self.lags]
        longest = max(self.lags)
        first = self.buffer[self.place - longest : self.place]
        return {"initial": first[0] if taps == [-1] else first, "taps": taps}


class _Buffer:
    """A buffer, read at some places and written at others, relative to the step."""

    def __init__(self, buffer: TensorVariable, reads: Sequence[int], writes: Sequence[int]) -> None:
        self.value = buffer
        self.written = [_Written(buffer, place) for place in writes]
        self.reads: list[tuple[_Written, int] | int] = []
        """For each read, of what is written which lag; or where it is in the sequence."""
        for place in reads:
            later = [w for w in self.written if w.place > place]
            if later:
                source = min(later, key=lambda w: w.place)
                self.reads.append((source, len(source.lags)))
                source.lags.append(source.place - place)
            else:
                self.reads.append(place)

    def after(self, stacked: Sequence[TensorVariable]) -> TensorVariable:
        """The buffer when all is written: what comes last stays."""
        buffer = self.value
        for w, values in sorted(
            zip(self.written, stacked, strict=True), key=lambda pair: -pair[0].place
        ):
            part = buffer[w.place : w.place + values.shape[0]]
            buffer = wt.set_subtensor(part, values)
        return buffer


def _states(taps_of: Sequence[Sequence[int]], outer: Iterator[TensorVariable]) -> list[_Buffer]:
    """Buffers that begin with the first states, and get one more value in each step."""
    buffers = []
    for taps in taps_of:
        longest = -min(taps)
        places = [longest + tap for tap in taps]
        buffers.append(_Buffer(next(outer), places, [longest]))
    return buffers


@register_names("Scan")
def scan(op: Op, n_steps: TensorVariable, *rest: TensorVariable) -> list[TensorVariable]:
    """A loop with the same results: buffers, stacked results and last states."""
    info = op.info
    outer = iter(rest)
    sequences = list(islice(outer, info.n_seqs))
    slices = zip(info.mit_mot_in_slices, info.mit_mot_out_slices, strict=True)
    buffers = [_Buffer(next(outer), reads, writes) for reads, writes in slices]
    buffers += _states([*info.mit_sot_in_slices, *info.sit_sot_in_slices], outer)
    untraced = list(islice(outer, info.n_untraced_sit_sot))
    sizes = list(islice(outer, info.n_nit_sot))
    fixed = list(outer)
    places = [(b, read) for b in buffers for read in b.reads if isinstance(read, int)]
    early = [b.value[place : n_steps + place] for b, place in places]
    written = [w for b in buffers for w in b.written]
    infos: list[Any] = [w.info() for w in written]
    infos += [None] * info.n_nit_sot + untraced

    def step(*arguments: TensorVariable) -> list[TensorVariable]:
        remaining = iter(arguments)
        elements = list(islice(remaining, len(sequences)))
        before = islice(remaining, len(early))
        first = list(before)
        states = {id(w): list(islice(remaining, len(w.lags))) for w in written}
        keys = list(islice(remaining, len(untraced)))
        unread = iter(first)
        reads = [
            next(unread) if isinstance(read, int) else states[id(read[0])][read[1]]
            for b in buffers
            for read in b.reads
        ]
        inputs = [*elements, *reads, *keys, *fixed]
        results = converted(op.fgraph.outputs, dict(zip(op.fgraph.inputs, inputs, strict=True)))
        if info.as_while:
            *results, stop = results
            return [*results, wt.until(wt.not_equal(stop, 0))]
        return results

    stacked = wt.scan(step, [*sequences, *early], infos, n_steps=n_steps, return_list=True)
    parts = iter(stacked)
    whole = [b.after(list(islice(parts, len(b.written)))) for b in buffers]
    results = list(parts)
    traced, last = results[: info.n_nit_sot], results[info.n_nit_sot :]
    if op.truncate_gradient > 0:
        traced = [_filled(v, size) for v, size in zip(traced, sizes, strict=True)]
    return [*_cut(whole, stacked, buffers, info), *traced, *[v[-1] for v in last]]


def _filled(v: TensorVariable, size: TensorVariable) -> TensorVariable:
    """Zeros after the last step: slopes of steps that a truncated gradient leaves out."""
    return wt.zeros((size, *v.shape[1:]), v.dtype)[: v.shape[0]].set(v)


def _cut(
    whole: list[TensorVariable],
    stacked: list[TensorVariable],
    buffers: list[_Buffer],
    info: ScanInfo,
) -> list[TensorVariable]:
    """Buffers of states, which end with the last step."""
    if not info.as_while:
        return whole
    count = len(info.mit_mot_in_slices)
    steps = stacked[0].shape[0]
    ends = [b.written[0].place + steps for b in buffers[count:]]
    return whole[:count] + [v[:end] for v, end in zip(whole[count:], ends, strict=True)]
