"""What `tools.new_op` writes: texts with blanks, each of which says what is to be there."""

from __future__ import annotations

from typing import Final, NamedTuple

__all__ = ["BACKENDS", "KINDS", "ROW", "class_name", "folder", "lowering", "module", "test"]

ROW: Final = """\
{name} = unary(
    "{name}", None, blank("summary: what it is, in one sentence"), ANY,
    (0.0, blank("example: the result for the inputs before it")),
    derivative=blank("derivative: lambda x, r: by each input, in a tuple; r is the result"),
    expansion=blank("expansion: lambda x: it, by other functions, if None stays before"),
    facts="",  # as in "nonnegative; keeps not_nan; finite if nonpositive not_nan"
    dtypes=blank("dtypes: floating; or nothing, where it is a ufunc of NumPy's"),
)
"""


class _Kind(NamedTuple):
    """What a module has for one kind of Op."""

    parameters: str = ""
    inputs: str = "x"
    blanks: tuple[str, ...] = ()


_LENGTHS = (
    "infer: def infer(self, *types): the type of the result, as TensorType(dtype, shape)",
    "infer_shape: def infer_shape(self, fgraph, node, input_shapes): [its lengths]",
)
KINDS: Final[dict[str, _Kind | None]] = {
    "pointwise": None,
    "reduction": _Kind(
        "axis",
        blanks=('kind: def kind(self, x): Reduction(self.axis, "add", start=square, finish=sqrt)',),
    ),
    "scan": _Kind("axis", blanks=('kind: def kind(self, x): Scan(self.axis, "add")',)),
    "view": _Kind(blanks=("kind: def kind(self, x): View((1, 0)), the axes of x in their order",)),
    "gather": _Kind(
        inputs="x, at",
        blanks=(
            "kind: def kind(self, x, at): Gather(lambda at, *position: an index for each axis)",
            *_LENGTHS,
        ),
    ),
    "scatter": _Kind(
        inputs="x, y, at",
        blanks=('kind: def kind(self, x, y, at): Scatter(lambda at, *position: indices, "inc")',),
    ),
    "opaque": _Kind(
        blanks=(
            _LENGTHS[0],
            "impl: def impl(self, x): the result, by NumPy or SciPy",
            "pullback: def pullback(self, inputs, outputs, cotangents): [one for each input]",
            _LENGTHS[1],
        )
    ),
}
"""The kinds that there are texts for; a pointwise function is a row."""

BACKENDS: Final = {"weft_jax": "JAX", "weft_numba": "Numba"}
"""The packages that an opaque Op has lowerings in."""

_MODULE = '''\
"""Blank: what the module is about."""

from __future__ import annotations

from weft_tensor.build.blank import blank
from weft_tensor.build.op import TensorOp
from weft_tensor.build.variable import TensorLike, TensorVariable

__all__ = ["{cls}", "{name}"]


class {cls}(TensorOp):
    """Blank: what it gives, in one sentence."""
{fields}
    examples = blank(
        "examples: @classmethod def examples(cls): [({cls}({example}), [arrays]), ...], of several "
        "shapes and dtypes, and with no elements"
    )
{blanks}

def {name}({inputs}) -> TensorVariable:
    """Blank: what it gives, in one sentence.

    >>> {name}(blank).eval()
    blank
    """
    return {cls}({values})({names})
'''
_LOWERING = '''\
"""{cls} in {backend}."""

from __future__ import annotations

from {package}.lowering.dispatch import {table}
from weft_tensor import {cls}
from weft_tensor.extend import blank

__all__ = ["{table}_{name}"]

{table}_{name} = {table}.register(
    {cls},
    blank(
        "{backend} lowering: @{table}.register({cls}) "
        "def {table}_{name}(op, *, node, **kwargs): a function of the inputs"
    ),
)
'''
_TEST = '''\
"""{cls}: its values, against a function that is known to be right."""

from __future__ import annotations

from weft_tensor import {cls}
from weft_tensor.extend import blank
from weft_testing import check_op


def test_values() -> None:
    right = blank("reference: NumPy's or SciPy's function, or one in a few lines of NumPy")
    for op, values in {cls}.examples():
        check_op(op, *values, backends=[], reference=right)
'''
_FOLDER = '''\
"""Implementations of weft_tensor's `ops/{family}`.

In: an Op.
Out: {out}.
Next: the other families.
"""
'''


def class_name(name: str) -> str:
    """The Op's: CumulativeMax for cumulative_max."""
    return "".join(part.capitalize() for part in name.split("_"))


def module(name: str, kind: str) -> str:
    """The Op and its function, in weft_tensor."""
    said = KINDS[kind]
    assert said is not None
    names = said.inputs.split(", ")
    return _MODULE.format(
        cls=class_name(name),
        name=name,
        fields="\n    axis: int\n" if said.parameters else "",
        example="0" if said.parameters else "",
        blanks="".join(map(_attribute, said.blanks)),
        inputs=", ".join(f"{n}: TensorLike" for n in names)
        + (", axis: int" * bool(said.parameters)),
        values=said.parameters,
        names=said.inputs,
    )


def _attribute(what: str) -> str:
    """A blank in a class, laid out as ruff does."""
    quoted = f"'{what}'" if '"' in what else f'"{what}"'
    line = f"    {what.partition(':')[0]} = blank({quoted})\n"
    if len(line) > 101:
        line = line.replace("(", "(\n        ", 1)[:-2] + "\n    )\n"
    return line


def lowering(name: str, package: str) -> str:
    """What computes the Op on one backend."""
    backend = BACKENDS[package]
    table = f"{backend.lower()}_funcify"
    return _LOWERING.format(
        cls=class_name(name),
        name=name,
        package=package,
        backend=backend,
        table=table,
    )


def test(name: str) -> str:
    """A test of what no other one can know."""
    return _TEST.format(cls=class_name(name))


def folder(family: str, package: str) -> str:
    """The `__init__` of a backend's folder, for the first Op of a family."""
    out = "a function of JAX arrays" if package == "weft_jax" else "a function for Numba"
    return _FOLDER.format(family=family, out=out)
