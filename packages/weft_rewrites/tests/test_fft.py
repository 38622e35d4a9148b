"""Transforms that undo each other are not computed."""

from __future__ import annotations

from typing import Any

import pytest

import weft_tensor as wt
from weft_graph import FunctionGraph, graph_inputs, rewrite_graph
from weft_rewrites import books

x: Any = wt.matrix("x")
z: Any = wt.tensor("z", "complex128", (None, None))

UNDONE = {
    "fft": wt.fft.ifft(wt.fft.fft(z)),
    "ifft": wt.fft.fft(wt.fft.ifft(z, axis=0), axis=0),
    "ortho": wt.fft.ifft(wt.fft.fft(z, norm="ortho"), norm="ortho"),
    "fft2": wt.fft.ifft2(wt.fft.fft2(z)),
    "rfft": wt.fft.irfft(wt.fft.rfft(x), x.shape[-1]),
    "shifts": wt.fft.ifftshift(wt.fft.fftshift(x)),
    "one shift": wt.fft.fftshift(wt.fft.ifftshift(x, 1), 1),
}
OTHERS = {
    "scales": wt.fft.ifft(wt.fft.fft(z, norm="ortho")),
    "twice": wt.fft.fft(wt.fft.fft(z)),
    "other axes": wt.fft.ifft(wt.fft.fft(z, axis=0)),
    "other lengths": wt.fft.irfft(wt.fft.rfft(x), x.shape[0]),
    "other shifts": wt.fft.ifftshift(wt.fft.fftshift(x, 0), 1),
    "the same shift": wt.fft.fftshift(wt.fft.fftshift(x, 0), 0),
}


def names(expression: Any) -> str:
    graph = FunctionGraph(graph_inputs([expression]), [expression])
    return " ".join(str(v.op) for v in rewrite_graph(graph, books).order)


@pytest.mark.parametrize("name", UNDONE)
def test_what_is_undone_is_not_computed(name: str) -> None:
    assert "fft" not in names(UNDONE[name])


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_not_undone_is_computed(name: str) -> None:
    assert names(OTHERS[name]).count("fft") >= 2
