"""Arrays in files, and arrays larger than memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function

x = wt.vector("x")


def test_memory_of_a_file(tmp_path: Path) -> None:
    np.arange(6.0).tofile(tmp_path / "numbers")
    f = function([x], [x, wt.exp(x), wt.sum(x)], mode="numba")
    for mode in ("r", "r+", "c"):
        given: Any = np.memmap(tmp_path / "numbers", np.float64, mode)
        same, raised, total = f(given)
        assert type(same) is np.ndarray
        assert not np.shares_memory(same, given)
        np.testing.assert_allclose(raised, np.exp(np.arange(6.0)))
        assert total == 15.0
        f(given[1::2])
    assert np.fromfile(tmp_path / "numbers").tolist() == [*range(6)]


HUGE = """
    import warnings
    import numpy as np
    import weft_tensor as wt
    from weft_graph import function

    warnings.simplefilter("ignore")
    x, s, i = wt.vector("x"), wt.scalar("s"), wt.lvector("i")
    n, m = wt.lscalar("n"), wt.lscalar("m")
    long, wide, one, none = 2**63 - 1, 2**32, np.ones(1), np.ones(0)
    shapes = [(long, 1), (2**60, 1), (wide, wide), (2**62, 2**62), (2**61, 8), (long, 0)]
    cases = [
        ([n, m], wt.zeros((n, m)), shapes),
        ([n, m, s], wt.full((n, m), s) + wt.exp(s), [(*shape, 1.0) for shape in shapes]),
        ([n, m], wt.eye(n, m), shapes[:4]),
        ([n, m], wt.zeros((n, m)).sum(), [(wide, wide), (2**61, 8), (0, wide)]),
        ([n, m, s], wt.exp(wt.full((n, m), s)).sum(), [(wide, wide, 1.0), (2**61, 8, 1.0)]),
        ([n], [wt.arange(n), wt.arange(n) * 2], [(2**60,), (2**62,)]),
        ([x, n], wt.broadcast_to(x, (n, 1)) * 2.0, [(one, 2**60), (one, long)]),
        ([x, n, m], x.reshape((n, m)), [(none, wide, wide), (one, wide, wide), (none, -1, long)]),
        ([x, n], wt.repeat(x, n), [(one, 2**60), (one, long), (np.ones(4), 2**62)]),
        ([x], wt.tile(x, 2**50), [(one,), (none,)]),
        ([x, n], wt.pad(x, (n, n)), [(one, 2**60), (one, long), (one, 2**62)]),
        ([i], wt.bincount(i), [([2**60],), ([long],)]),
        ([n, m], wt.zeros(n)[:, None] + wt.ones(m)[None], [(long, 1), (2**20, 0)]),
        ([i, n], wt.zeros(n)[i].inc(1.0), [([0], 2**60), ([0], long)]),
    ]

    def outcome(f, values):
        try:
            found = f(*values)
        except Exception as error:
            kinds = (MemoryError, ValueError, IndexError)
            return next(kind for kind in kinds if isinstance(error, kind))
        return [each.shape for each in (found if isinstance(found, list) else [found])]

    for inputs, outputs, table in cases:
        compiled, reference = (function(inputs, outputs, mode=mode) for mode in ("numba", "py"))
        for values in table:
            found, wanted = outcome(compiled, values), outcome(reference, values)
            assert found == wanted, (outputs, values, found, wanted)
"""


@pytest.mark.cases(0)
def test_arrays_larger_than_memory_do_not_end_the_process() -> None:
    command = [sys.executable, "-X", "faulthandler", "-c", dedent(HUGE)]
    done = subprocess.run(command, env=os.environ, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr


@pytest.mark.parametrize("mode", ["numba", "py"])
def test_broadcasts_larger_than_memory_do_not_begin(mode: str) -> None:
    a, b, c = (wt.vector(name) for name in "abc")
    outer = wt.exp(a)[:, None, None] + b[:, None] * c
    given = [np.ones(2**17)] * 3
    for wanted in (outer, [outer, wt.sum(c)], wt.repeat(a, 2**40)):
        with pytest.raises(MemoryError):
            function([a, b, c], wanted, mode=mode)(*given)
