"""The bench of compilations knows how each function is called."""

from typing import Any

import pytest

import weft.tensor as wt
from tools.bench import cold_compiles


def test_each_call_gives_tensors(few: Any) -> None:
    for call in few(list(cold_compiles.calls(wt)), 8):
        assert cold_compiles.graph_of(wt, call)[1], call


@pytest.mark.filterwarnings("ignore:os.fork")  # other tests of the process may have started JAX
def test_what_fails_takes_forever(capfd: pytest.CaptureFixture[str]) -> None:
    def failing() -> None:
        raise RuntimeError("no such function")

    assert cold_compiles.seconds(failing) == float("inf")
    assert "no such function" in capfd.readouterr().err
