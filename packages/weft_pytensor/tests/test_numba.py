"""What Weft compiles with the Numba that PyTensor needs, which may be older than Weft's."""

from __future__ import annotations

import numpy as np

import weft.tensor as wt
from tools.bench.nuts import nuts, schools


def test_a_sampler_compiles() -> None:
    """LLVM 20 did not come to an end with a loop over ten numbers."""
    seed = wt.lscalar("seed")
    run = nuts.chains(schools, wt.random.key(seed), np.zeros((4, 10)))
    draws = wt.function([seed], run.draws, mode="numba")(0)
    assert draws.shape[-1] == 10
    assert np.isfinite(draws).all()
