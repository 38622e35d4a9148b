"""Write docs/pytensor_ops.md, PyTensor's Ops on Weft: `python -m tools.pytensor_ops`.

It needs PyTensor: the environment `pytensor-newest` has the version that the page speaks of.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import warnings
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final

from tools.workspace import ROOT

PAGE: Final = ROOT / "docs" / "pytensor_ops.md"
VERSION: Final = "3.0.7"
"""The version of PyTensor that the page speaks of."""

_HEAD = f"""\
# PyTensor's Ops on Weft

What `from_pytensor`, and so `mode="WEFT"`, makes of the Ops of PyTensor {VERSION}, of those of
older versions that are named otherwise, and of classes derived from them. The others run
PyTensor's own code, with a warning; [the page on PyTensor](from_pytensor.md) says how to add a
converter. This page is written by `python -m tools.pytensor_ops`.

The Ops of `pytensor.xtensor`, and so of `pymc.dims`, become Ops on arrays first. Sparse matrices
may be constants, or made of their parts by `CSR` and `CSC`, but no inputs: Weft has no type for
them. Of what has no row below, arrays made of constant matrices (`csm_properties`, an element) are
made on the host; sparse results (comparisons, parts) raise an error, as lists do (`typed_list`)
that are not there to choose from.
"""
_ELSEWHERE: Final = ("link", "bin", "d3viz", "xtensor", "sparse", "typed_list", "misc", "ipython")
"""Parts of PyTensor that are about something else than arrays, or that the page says in words."""
_BASES: Final = (
    *("BaseBLAS", "BaseBlockDiagonal", "GemmRelated", "SolveBase", "RandomVariable", "ScalarOp"),
    *("UnaryScalarOp", "BinaryScalarOp", "UnaryBitOp", "BinaryBitOp", "LogicalComparison"),
    *("FixedLogicalComparison", "ScalarInnerGraphOp", "ScipyRandomVariable", "RNGConsumerOp"),
    *("ScipyWrapperOp", "ScipyScalarWrapperOp", "ScipyVectorWrapperOp", "Output"),
    *("AbstractRNGConstructor",),
)
"""Classes without instances, or whose instances are in no user's graph."""

_REASONS: Final = {
    **dict.fromkeys(
        ("MinimizeOp", "MinimizeScalarOp", "RootOp", "RootScalarOp"),
        "SciPy's searches are Python, which calls a function compiled by PyTensor; the derivative "
        "is a graph, which Weft compiles.",
    ),
    "FromFunctionOp": "The function is Python.",
    "QZ": "JAX has no such form; where it may be missing, `wt.linalg.qz`.",
}
"""Why Ops have no converter."""


def _first_line(thing: Any) -> str:
    return (inspect.getdoc(thing) or "").partition("\n")[0]


def _families() -> dict[str, dict[str, list[str]]]:
    """By module, what its converters say of themselves, and the names of those Ops."""
    from weft_pytensor.convert.table import converters

    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for name, converter in converters().items():
        if converter.__module__.startswith("weft_pytensor."):
            found[converter.__module__][_first_line(converter)].append(name)
    return found


def _tables() -> Iterator[str]:
    for module, rows in sorted(_families().items()):
        told = _first_line(importlib.import_module(module))
        yield f"\n## {told.removesuffix('.')}\n"
        yield "| PyTensor | Weft |\n| --- | --- |"
        for says, names in sorted(rows.items(), key=lambda row: row[1]):
            yield f"| {', '.join(f'`{n}`' for n in names)} | {says or 'the function of the name'} |"


def _derived(cls: type[Any]) -> Iterator[type[Any]]:
    subclasses: list[type[Any]] = cls.__subclasses__()
    for sub in subclasses:
        yield sub
        yield from _derived(sub)


def without_converter() -> list[str]:
    """The names of PyTensor's Ops on arrays that have none."""
    import pytensor
    from pytensor.graph.op import Op

    from weft_pytensor.convert.table import converters

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for module in pkgutil.walk_packages(pytensor.__path__, "pytensor."):
            if module.name.split(".")[1] not in _ELSEWHERE:
                importlib.import_module(module.name)
    known = {*converters(), *_BASES}
    return sorted(
        {
            cls.__name__
            for cls in _derived(Op)
            if cls.__module__.startswith("pytensor.")
            and cls.__module__.split(".")[1] not in _ELSEWHERE
            and not cls.__name__.startswith("_")
            and cls.__name__ not in _BASES
            and not {base.__name__ for base in cls.__mro__} & (known - {*_BASES})
        }
    )


def page() -> str:
    """The page's text."""
    lines = [_HEAD.rstrip("\n"), *_tables(), "\n## Without a converter\n"]
    lines += ["They run on the host.\n", "| PyTensor | why |\n| --- | --- |"]
    lines += [f"| `{name}` | {_REASONS.get(name, '')} |" for name in without_converter()]
    return "\n".join([*lines, ""])


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
