"""New Ops: files with blanks that are named, and what is refused."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.cases import is_quick
from tools.check_imports import check
from tools.new_op import main, new_op
from tools.new_op_texts import KINDS, class_name
from tools.workspace import ROOT

PACKAGES = ("weft_graph", "weft_jax", "weft_numba", "weft_rewrites", "weft_tensor", "weft_testing")
NEW = {
    "softcap": ("exponential", "pointwise"),
    "width_of": ("reduction", "reduction"),
    "growth": ("reduction", "scan"),
    "turned": ("shape", "view"),
    "picked": ("sets", "gather"),
    "binned": ("sets", "scatter"),
    "powers": ("sets", "opaque"),
}

FILLED = """
    @classmethod
    def examples(cls) -> Any:
        \"\"\"Both axes.\"\"\"
        return [(cls(0), [np.ones((2, 3))]), (cls(1), [np.ones((2, 3))])]

    def kind(self, *inputs: Any) -> Reduction:
        \"\"\"A norm.\"\"\"
        return Reduction(self.axis, "add", start=square, finish=sqrt)
"""


def fill_in(file: Path) -> None:
    """Write what makes an Op of the blanks of a reduction."""
    text = file.read_text().replace("Blank: what", "What")
    text = re.sub(r"    examples = blank(?s:.*?)\n\n\n", FILLED.replace("\\", "") + "\n\n", text)
    imports = (
        "from typing import Any\n\nimport numpy as np\n"
        "from weft_tensor.build.kinds import Reduction\n"
        "from weft_tensor.ops.elementwise.arithmetic import sqrt, square\n"
    )
    file.write_text(text.replace("annotations\n", f"annotations\n{imports}", 1))


@pytest.fixture(scope="module")
def checkout(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Path]:
    """The packages with the bytecode that programs may use, if any run; new Ops, one filled in."""
    root = tmp_path_factory.mktemp("checkout")
    quick = is_quick(request.config)
    unused = "__pycache__" if quick else "*.pyc.*"  # these are being written
    ignored = shutil.ignore_patterns("tests", unused)
    for package in PACKAGES:
        place = Path("packages", package)
        for prefix in [""] if quick else ["", f"{sys.pycache_prefix}"]:
            if os.path.exists(f"{prefix}{ROOT / place}"):
                shutil.copytree(
                    f"{prefix}{ROOT / place}", f"{prefix}{root / place}", ignore=ignored
                )
    for name, (family, kind) in NEW.items():
        new_op(name, family, kind, root)
    fill_in(root / "packages/weft_tensor/src/weft_tensor/ops/reduction/width_of.py")
    yield root
    shutil.rmtree(f"{sys.pycache_prefix}{root}", ignore_errors=True)


def run(checkout: Path, program: str) -> str:
    """What the program prints, with the packages of the checkout."""
    path = os.pathsep.join(str(checkout / "packages" / package / "src") for package in PACKAGES)
    environ = os.environ | {"PYTHONPATH": path}
    environ.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, "-c", program], env=environ, capture_output=True, text=True, check=False
    )
    assert not done.returncode, done.stderr
    return done.stdout


def test_there_is_an_op_of_each_kind() -> None:
    assert {kind for _, kind in NEW.values()} == set(KINDS)


def test_the_files_stand_where_they_belong(checkout: Path) -> None:
    assert check(checkout) == []
    names = [p.relative_to(checkout).as_posix() for p in checkout.rglob("*powers.py")]
    assert sorted(names) == [
        "packages/weft_jax/src/weft_jax/ops/sets/powers.py",
        "packages/weft_numba/src/weft_numba/ops/sets/powers.py",
        "packages/weft_tensor/src/weft_tensor/ops/sets/powers.py",
        "packages/weft_tensor/tests/test_powers.py",
    ]


PROGRAM = """
import weft_tensor as wt
from weft_testing import check_op, tensor_ops

for name in {names}:
    op = wt.Elemwise(name) if name.islower() else getattr(wt, name)
    assert op in tensor_ops()
    try:
        check_op(op)
    except AssertionError as error:
        print(str(error).splitlines()[0])
try:
    wt.softcap(1.0).eval()
except NotImplementedError as error:
    print(error)
"""


def still_blank(op: str, *what: str) -> str:
    return f"{op}: " + "; ".join(f"{part} still blank" for part in what)


@pytest.mark.cases(0)
def test_check_op_names_what_is_still_blank(checkout: Path) -> None:
    """And nothing of what is filled in, which passes."""
    names = [n if kind == "pointwise" else class_name(n) for n, (_, kind) in NEW.items()]
    first, *others, powers, called = run(checkout, PROGRAM.format(names=names)).splitlines()
    assert first == still_blank(
        "softcap", "example", "summary", "derivative", "expansion", "dtypes"
    )
    blank = [name for name in NEW if name not in ("softcap", "width_of", "powers")]
    for line, name in zip(others, blank, strict=True):
        more = ("infer", "infer_shape") if name == "picked" else ()
        docstrings = [f"docstring of {n}" for n in (class_name(name), name)]
        assert line == still_blank(class_name(name), "examples", "kind", *more, *docstrings)
    own = ("examples", "infer", "impl", "pullback", "infer_shape")
    docstrings = ["docstring of Powers", "docstring of powers"]
    assert powers == still_blank("Powers", *own, *docstrings, "JAX lowering", "Numba lowering")
    assert called.startswith("still blank: dtypes: ")


@pytest.mark.parametrize(
    ("name", "family", "kind", "message"),
    [
        ("exp", "special", "pointwise", "exp is in weft_tensor/ops/elementwise/exponential.py alr"),
        ("cumsum", "shape", "scan", "cumsum is in weft_tensor/ops/reduction/cumulative.py alread"),
        ("growth", "shape", "scan", "growth is in weft_tensor/ops/reduction/growth.py already"),
        ("Softcap", "special", "pointwise", "'Softcap' is no name for an Op: say its function's"),
        ("my-op", "special", "pointwise", "'my-op' is no name for an Op"),
        ("lambda", "special", "pointwise", "'lambda' is no name for an Op"),
        ("new", "algebra", "pointwise", "no family 'algebra' of pointwise functions: it is one of"),
        ("new", "algebra", "opaque", "no family 'algebra' of Ops: it is one of control, creation"),
        ("new", "elementwise", "scan", "ops/elementwise has 15 modules, and may have no more"),
    ],
)
def test_what_does_not_fit_is_refused(
    checkout: Path, name: str, family: str, kind: str, message: str
) -> None:
    before = {file: file.read_bytes() for file in checkout.rglob("*.py")}
    with pytest.raises(ValueError, match=message):
        new_op(name, family, kind, checkout)
    assert {file: file.read_bytes() for file in checkout.rglob("*.py")} == before


def test_no_file_is_overwritten(checkout: Path) -> None:
    file = checkout / "packages/weft_tensor/tests/test_mine.py"
    file.write_text("mine\n")
    with pytest.raises(ValueError, match=r"test_mine.py exists already, and is left as it is"):
        new_op("mine", "shape", "view", checkout)
    assert file.read_text() == "mine\n"
    assert not (checkout / "packages/weft_tensor/src/weft_tensor/ops/shape/mine.py").exists()


def test_errors_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sin", "--family", "special", "--kind", "pointwise"]) == 1
    assert capsys.readouterr().err.startswith("new-op: sin is in weft_tensor/ops/elementwise/trig")
