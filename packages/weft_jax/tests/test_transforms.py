"""Fourier transforms and what takes their results: in columns, where nothing asks for rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import FunctionGraph, function, grad
from weft_graph.extend import nodes_inside
from weft_jax.compile.final_transforms import FinalTransform, with_final_transforms

MATRIX: Final = np.random.default_rng(2).normal(size=(40, 40)) + 1j * np.eye(40)


def scaled(z: Any) -> Any:
    return wt.fft.fft2(z) * 0.02


CASES: Final[dict[str, Callable[[Any], Any]]] = {
    "transposed": lambda z: wt.fft.fft(z).T,
    "products": lambda z: wt.fft.fft(z).T @ wt.fft.ifft(z.T) @ wt.fft.rfft(z.real).T.conj().T,
    "products by vectors": lambda z: z[0] @ wt.fft.fft(z.T) + wt.fft.fft(z).T @ z[1],
    "columns": lambda z: wt.sort(wt.cumsum(wt.fft.fft(z).real, 0), 0)[:, [1, 0]].sum(0),
    "reshaped": lambda z: wt.fft.fft(z.T).T.reshape((20, 80))[::2].mean(1),
    "real ones": lambda z: wt.fft.irfft(wt.fft.rfft(z.real.T).T, 78),
    "in a loop": lambda z: wt.fori_loop(0, 3, lambda i, c: scaled(c) + c @ z.T * 0.01, z),
    "in a loop of one step": lambda z: wt.fori_loop(0, 1, lambda i, c: scaled(c.T), z),
    "of rows": lambda z: wt.vmap(lambda v: wt.fft.fft(wt.stack([v, v]), axis=0)[1])(z),
    "slopes": lambda z: grad(abs(wt.fori_loop(0, 3, lambda i, c: scaled(c.T), z)).sum(), z),
    "chosen": lambda z: wt.ifelse(z[0, 0].real > 0, wt.fft.fft(z).T, wt.fft.fft(z.T)),
    "solved": lambda z: wt.solve(wt.fft.fft(z), z),
    "solved after a loop": lambda z: wt.inv(wt.fori_loop(0, 1, lambda i, c: scaled(c), z)),
    "solved in a loop": lambda z: wt.fori_loop(0, 2, lambda i, c: wt.inv(wt.fft.fft(c)), z),
    "of a factor": lambda z: wt.linalg.qr(wt.fft.fft(z).real)[0],
}


@pytest.mark.parametrize("name", CASES)
def test_what_takes_transforms(name: str) -> None:
    z = wt.zmatrix("z")
    result = CASES[name](z)
    value, reference = (function([z], result, mode=m)(MATRIX) for m in ("jax", "py"))
    np.testing.assert_allclose(value, reference, 1e-7, 1e-9)


def test_transforms_in_loops_are_not_copied() -> None:
    z = wt.zmatrix("z")
    for name, count in (("in a loop", 2), ("slopes", 6), ("solved in a loop", 0), ("solved", 0)):
        graph = with_final_transforms(FunctionGraph([z], [CASES[name](z)]))
        nodes = [w for v in graph.nodes for w in (v, *nodes_inside(v.op))]
        assert sum(isinstance(v.op, FinalTransform) for v in nodes) == count
