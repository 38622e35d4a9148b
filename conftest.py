"""Every Python example in the documentation runs as a test, with one namespace per page."""

import os
import sys
from doctest import ELLIPSIS
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from sybil import Sybil
from sybil.parsers.myst import DocTestDirectiveParser, PythonCodeBlockParser, SkipParser
from sybil.sybil import SybilCollection

# Runs share machine code with one another, XLA's too, and write nothing into the user's caches.
# They share bytecode as well, of a thousand modules, with the processes that tests start.
CACHE = Path(__file__).parent / ".tools" / "cache"
os.environ["WEFT_CACHE_DIR"] = str(CACHE / "weft")
os.environ["JAX_COMPILATION_CACHE_DIR"] = str(CACHE / "jax")
os.environ["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"] = "0"
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# Each worker's BLAS would start a thread per core; for small matrices they wait for one another.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

pytest_plugins = ["tools.brief_reports", "tools.cases", "tools.numpy_comparison"]
collect_ignore = ["docs/conf.py", "docs/_build"]
if find_spec("pytensor") is None:  # it has an environment of its own: `pytensor:test`
    collect_ignore.append("packages/weft_pytensor")


def remember_lowerings(namespace: dict[str, Any]) -> None:
    """Keep what implements which Op: pages of documentation register others."""
    from weft_jax.lowering.dispatch import jax_funcify
    from weft_numba.lowering.dispatch import lowering_modules, numba_funcify

    for name in lowering_modules():  # when they are met, they should not be new
        import_module(name)
    tables = (jax_funcify, numba_funcify)
    namespace["_lowerings"] = [(table, dict(table.registry)) for table in tables]


def restore_lowerings(namespace: dict[str, Any]) -> None:
    """Put back what was there before the page."""
    for table, known in namespace["_lowerings"]:
        for kind, function in list(table.registry.items()):
            before = known.get(kind, known[object])
            if function is not before:
                table.register(kind, before)


@pytest.fixture
def nothing_recalled(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was compiled before does not count: all is compiled anew."""
    monkeypatch.setenv("WEFT_CACHE_DIR", "off")


@pytest.fixture
def on_python(monkeypatch: pytest.MonkeyPatch, in_quick_run: bool) -> None:
    """Functions that name no mode are Python in the quick run, as if Numba were not installed."""
    from weft_graph.compile import mode

    if in_quick_run:
        chosen = mode._linker
        monkeypatch.setattr(mode, "_linker", lambda name: chosen(name or "py"))


PAGES = ["README.md", "docs/*.md", "docs/*/*.md"]
COUNTING = "docs/jax_shapes.md"
"""The page that tells how often something is compiled."""
_FAMILIES = "distance integrate interpolate linalg ndimage optimize rotations sampling signal"
OF_FAMILIES = [f"docs/{name}.md" for name in (*_FAMILIES.split(), "sparse", "stats", "time_series")]
"""Pages of functions that are made of others, which have tests of their own on each backend."""
OF_ALL: dict[str, Any] = {
    "setup": remember_lowerings,
    "teardown": restore_lowerings,
    "parsers": [
        PythonCodeBlockParser(doctest_optionflags=ELLIPSIS),
        DocTestDirectiveParser(optionflags=ELLIPSIS),
        SkipParser(),
    ],
}
pytest_collect_file = SybilCollection(
    [
        Sybil(patterns=PAGES, excludes=[COUNTING, *OF_FAMILIES], **OF_ALL),
        Sybil(patterns=[COUNTING], fixtures=["nothing_recalled"], **OF_ALL),
        Sybil(patterns=OF_FAMILIES, fixtures=["on_python"], **OF_ALL),
    ]
).pytest()
