"""Which cases run: `pytest` is the quick run, `pytest --all` everything; a plugin of pytest.

The quick run has every file. Of a test with several parameters those cases are enough that together
have each value of each of them, and of a test on both compiled backends those on one of these, by
turns, in nine tenths of those that run in Python, too, on none, unless other values would be lost.
Of `test_backends`, which files on functions made of others have, a third runs, and of their tests
of derivatives, too: their Ops have tests of both.
Pages of documentation on functions made of others run in Python where they name no backend.
`@pytest.mark.cases(n)` says that n cases of a test are enough (0: it runs with `--all` only), and
`@pytest.mark.cases("numba", "jax")` that these are, or those of them in Python. It has an eighth of
what is enough, by turns, too. `@pytest.mark.each` says that each case counts, as one for each Op
does, and that a test always has its turn, as the only one of a file. The fixture `few` draws less
inside a test, and `check_grad` takes differences by the first, a middle and the last element of
each input.
What is asked for by name, `file.py::test`, runs with all cases.

The quick run lowers everything as users' programs do, but has Numba and XLA optimize little of it,
which takes half the time, and JAX make few contexts; tests with `@pytest.mark.optimized`, which
look at machine code, are compiled in full.
"""

from __future__ import annotations

import gc
import linecache
import os
import re
import sys
from collections.abc import Callable, Generator, Sequence
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, TypeVar
from zlib import crc32

import pytest
from _pytest.doctest import DoctestItem, DoctestModule
from hypothesis import settings

T = TypeVar("T")

COMPILED: Final = ("jax", "numba")
_OF_DERIVATIVES: Final = re.compile("derivative|slope|gradient")

_AT_ONCE: Final = "--xla_cpu_use_fusion_emitters=false --xla_cpu_parallel_codegen_split_count=1"
"""Has XLA before 0.11 write loops without MLIR, in two fifths of the time, and as one module."""
_LITTLE: Final = {"NUMBA_OPT": "0", "JAX_DISABLE_MOST_OPTIMIZATIONS": "1"}
"""Settings of Numba, which reads them at each compilation, and of JAX in processes that start."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer more than the quick run, and less."""
    parser.addoption("--all", action="store_true", help="run every case of every test")
    parser.addoption("--one", action="store_true", help="run one test of each file, and examples")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker; hypothesis draws less in the quick run."""
    text = "cases(n, or names): so many, or these, of its cases are enough for the quick run"
    config.addinivalue_line("markers", text)
    config.addinivalue_line("markers", "each: all of its cases run, as one for each Op does")
    config.addinivalue_line("markers", "optimized: is compiled as users' programs are, always")
    settings.register_profile("quick", max_examples=6)
    if is_quick(config):
        settings.load_profile("quick")
        draw_from_no_source()
        flags = os.environ.get("XLA_FLAGS", "")
        jaxlib = version("jaxlib") if find_spec("jaxlib") else ""
        if _AT_ONCE not in flags and re.match(r"0\.(8|9|10)\.", jaxlib):
            os.environ["XLA_FLAGS"] = f"{flags} {_AT_ONCE}".strip()  # which XLA reads once


def draw_from_no_source() -> None:
    """Have hypothesis not read all sources of Weft, for numbers in them that it may draw.

    Each process would need five seconds, and its draws would depend on what is imported.
    """
    providers = sys.modules.get("hypothesis.internal.conjecture.providers")
    if providers is not None and hasattr(providers, "Constants"):  # it does so since 6.131
        vars(providers)["_get_local_constants"] = providers.Constants


def pytest_unconfigure() -> None:
    """Spare the collector a last look at all that there is: the process ends."""
    gc.freeze()


def is_quick(config: pytest.Config) -> bool:
    """Whether fewer cases than there are run."""
    return not (config.getoption("--all") or any("::" in text for text in config.args))


@pytest.fixture(scope="session")
def in_quick_run(pytestconfig: pytest.Config) -> bool:
    """Whether fewer cases than there are run."""
    return is_quick(pytestconfig)


@pytest.fixture
def few(
    request: pytest.FixtureRequest, in_quick_run: bool
) -> Callable[[Sequence[Any], int], Sequence[Any]]:
    """Take so many of a sequence in the quick run, others for each test, and else all of it."""
    if not in_quick_run:
        return lambda values, number: values
    start = crc32(request.node.nodeid.encode())
    return lambda values, number: spread(values, number, start)


def spread(values: Sequence[T], number: int, start: int = 0) -> Sequence[T]:
    """At most `number` of the values, as far apart as can be.

    >>> spread(range(10), 3), spread(range(10), 3, start=5), spread("ab", 3)
    ([0, 3, 6], [1, 5, 8], 'ab')
    """
    size = len(values)
    places = sorted((start + k * size // number) % size for k in range(number))
    return values if number >= size else [values[k] for k in places]


def covering(cases: Sequence[frozenset[Any]]) -> list[int]:
    """Places of some of the cases that together have all that any of them has.

    >>> covering([frozenset(pair) for pair in ("ax", "ay", "bx", "by", "cy")])
    [0, 3, 4]
    """
    missing = frozenset[Any]().union(*cases)
    chosen = []
    while missing:
        best = max(range(len(cases)), key=lambda k: len(cases[k] & missing))
        chosen.append(best)
        missing -= cases[best]
    return sorted(chosen)


def kept(test: pytest.Item, cases: Sequence[Any]) -> Sequence[Any]:
    """Those of the cases of a test that the quick run has."""
    if test.get_closest_marker("each"):
        return cases
    cases = _enough(test, cases)
    turn = _turn(test) // 4  # not what says which backend is spared
    return spread(cases, -(-len(cases) // 8), turn)


def _marked(test: pytest.Item) -> tuple[Any, ...]:
    """How many cases, or which, its mark says are enough."""
    return next((mark.args for mark in test.iter_markers("cases")), ())


def _enough(test: pytest.Item, cases: Sequence[Any]) -> Sequence[Any]:
    """Cases that have all that matters."""
    enough = _marked(test)
    if enough and not isinstance(enough[0], int):
        named = [case for case in cases if case.id in enough]
        in_python = [case for case in named if "py" in _names(case)]
        return named if _is_compiled(test) or not in_python else in_python
    cases = _on_one_compiled_backend(test, cases)
    if enough:
        return spread(cases, enough[0])
    having = [_arguments(case) for case in cases]
    return [cases[k] for k in covering(having)] if len(having[0]) > 1 else cases


def _turn(test: pytest.Item) -> int:
    """A number that the name of the test alone decides."""
    return crc32(test.nodeid.encode())


def _is_compiled(test: pytest.Item) -> bool:
    """Whether it is the turn of a test that runs in Python, too, to run on a compiled backend."""
    return _turn(test) // 2 % 10 == 3


def _names(case: Any) -> set[str]:
    return set(re.split(r"[\[\]-]", case.id))


def _on_one_compiled_backend(test: pytest.Item, cases: Sequence[Any]) -> Sequence[Any]:
    """The cases without those on backends whose turn it is not, if they have nothing else."""
    names = [_names(case) for case in cases]
    offered = frozenset[str]().union(*names)
    if not offered.issuperset(COMPILED):
        return cases
    is_compiled = _is_compiled(test) or "py" not in offered
    spared = {COMPILED[_turn(test) % 2]} if is_compiled else {*COMPILED}
    others = [case for case, own in zip(cases, names, strict=True) if not spared & own]
    lost = frozenset[Any]().union(*map(_arguments, cases)).difference(*map(_arguments, others))
    return others if len(lost) == len(spared) else cases


def _arguments(case: Any) -> frozenset[tuple[str, int]]:
    """The arguments of a case; equal values of one are the same object in all cases of a test."""
    return frozenset((name, id(value)) for name, value in case.params.items())


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Nothing of what is collected ever becomes garbage: the collector need not look at it.

    Nor at what compilers keep, which becomes a gigabyte, as often as it usually does.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(100_000, 50, 50)
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Have compilers optimize little in the quick run, which both of them read for each program."""
    quick = is_quick(item.config)
    little = quick and item.get_closest_marker("optimized") is None
    for name, value in _LITTLE.items():
        if little:
            os.environ[name] = value
        else:
            os.environ.pop(name, None)
    if "weft_testing.gradients" in sys.modules:
        import_module("tools.few_differences").choose(few=quick)
    if "jax" in sys.modules:
        sys.modules["jax"].config.update("jax_disable_most_optimizations", little)
        import_module("tools.shared_contexts").choose(shared=quick)
    if "numba" in sys.modules:
        import_module("tools.little_code").choose(little=little)
    # A doctest's debugger asks anew for all files that tracebacks have shown: a fortieth of a run.
    asked = linecache.checkcache
    if not isinstance(item, pytest.Function):
        linecache.checkcache = lambda filename=None: None
    try:
        return (yield)
    finally:
        linecache.checkcache = asked


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[Any], list[Any]]:
    """Look for examples in the docstrings of tests only where there are any."""
    collectors = yield
    if not file_path.name.startswith("test_") or b">>>" in file_path.read_bytes():
        return collectors
    return [c for c in collectors if not isinstance(c, DoctestModule)]


@pytest.hookimpl(wrapper=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> Generator[None, Any, Any]:
    """Leave out cases that the quick run does not have before an item is made of each."""
    result = yield
    calls, config = metafunc._calls, metafunc.config
    if calls and is_quick(config):
        choose = _enough if config.getoption("--one") else kept
        calls[:] = choose(metafunc.definition, calls) or calls[:1]
    return result


@pytest.hookimpl(wrapper=True)
def pytest_pycollect_makeitem(collector: pytest.Collector) -> Generator[None, Any, Any]:
    """Leave out tests of which the quick run has no case."""
    cases = yield
    if cases and isinstance(cases, list) and is_quick(collector.config):
        test = cases[0]
        return [] if _waits(test) or _marked(test) == (0,) else cases
    return cases


def _waits(test: Any) -> bool:
    """Whether it is not the turn of a test of functions made of others, whose Ops have its like."""
    if test.originalname == "test_backends":
        return _turn(test) % 3 != 0
    if "tests-integration" not in test.path.parts or test.get_closest_marker("each"):
        return False
    return bool(_OF_DERIVATIVES.search(test.originalname)) and _turn(test) % 3 != 0


def _has_its_backends(item: pytest.Item) -> bool:
    """Whether the backends that an example of a docstring names are installed."""
    examples = item.dtest.examples if isinstance(item, DoctestItem) else ()
    source = "".join([example.source for example in examples])
    return all(name not in source or find_spec(f"weft_{name}") for name in ("jax", "numba"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what the run does not have."""
    items[:] = filter(_has_its_backends, items)
    if config.getoption("--one"):
        tests = [item for item in items if isinstance(item, pytest.Function)]
        first = {item.path: item for item in reversed(tests)}
        left_out = set(tests).difference(first.values())
        items[:] = [item for item in items if item not in left_out]
