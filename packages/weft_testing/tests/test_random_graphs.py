"""Random graphs: what rounding may change is told apart from what is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft_testing import RandomGraphs


def test_the_noise_of_several_steps_does_not_cancel(few: Any) -> None:
    graphs = RandomGraphs()
    seeds = few(range(60), 6)
    samples = [sample for seed in seeds for sample in graphs.made(seed)]
    rounded = [s for s in samples if s.value.dtype.kind in "fc"]
    assert len(rounded) > len(seeds) * 5 // 6
    moved: list[bool] = []
    for _, (value, up, down), _ in rounded:
        some = np.abs(value) >= np.finfo(value.dtype).tiny  # less has no digits for noise
        moved += [*(up != value)[some], *(down != value)[some]]
    assert np.mean(moved) > 0.999  # noise that is drawn cancels by chance
