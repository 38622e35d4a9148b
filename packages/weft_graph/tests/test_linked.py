"""Linkers that keep what they have linked, or have two ways to run a graph."""

from typing import Any

from weft_graph import Trace, function
from weft_graph.extend import CompiledGraph, CompileRequest, PythonLinker


class Keeping(PythonLinker):
    """Keeps, by digest, what it has linked."""

    def __init__(self) -> None:
        self.kept: dict[str, CompiledGraph] = {}

    def recall(self, request: CompileRequest) -> CompiledGraph | None:
        return self.kept.get(request.written.digest)

    def linked(self, request: CompileRequest) -> CompiledGraph:
        return self.kept.setdefault(request.written.digest, super().linked(request))


class Choosing(PythonLinker):
    """Answers calls with a first argument above 2 in another way."""

    def linked(self, request: CompileRequest) -> CompiledGraph:
        made = super().linked(request)
        conditions = ["{0} <= 2", "{0} < {1} or {1} == 0"]
        return CompiledGraph(
            made.run,
            lambda: made.program,
            made.finish,
            made.rescue,
            conditions,
            lambda *x: ("other",),
        )


def phases(f: Any) -> list[str]:
    return [phase.name for phase in f.log]


def test_what_is_recalled_is_not_rewritten_until_someone_looks(x: Any) -> None:
    linker = Keeping()
    first, again = (function([x], x + x, mode=linker) for _ in range(2))
    assert phases(first)[-1] == "link for py"
    assert phases(again) == ["build", "recall for py"]
    assert first(3) == again(3) == 6
    assert again.graph == first.graph
    assert again.source == first.source
    assert phases(again) == ["build", "recall for py"]


def test_what_is_watched_is_not_recalled(x: Any) -> None:
    linker = Keeping()
    function([x], x + x, mode=linker)
    assert phases(function([x], x + x, mode=linker, trace=Trace()))[-1] == "link for py"
    with Trace() as seen:
        function([x], x + x, mode=linker)
    assert "inline" in [phase.name for phase in seen]


def test_calls_that_do_not_meet_the_conditions_go_elsewhere(x: Any, y: Any) -> None:
    f = function([x, y], x + y, mode=Choosing())
    assert [f(1, 2), f(2, 0), f(3, 4), f(2, 1)] == [3, 2, "other", "other"]
