"""`python -m weft_pytensor check` and `imports`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytensor.tensor as pt
import pytest
from pytensor.compile.ops import wrap_py
from pytensor.graph.basic import Apply
from pytensor.graph.op import Op

from weft_pytensor import from_pytensor
from weft_pytensor.__main__ import main
from weft_pytensor.commands.check import check
from weft_pytensor.commands.imports import changed

pytestmark = pytest.mark.filterwarnings("default")  # PyTensor's own


class Tripled(Op):  # type: ignore[misc]  # PyTensor has no types here
    """An Op without a converter."""

    def make_node(self, v: Any) -> Apply[Any]:
        return Apply(self, [pt.as_tensor(v)], [pt.as_tensor(v).type()])

    def perform(self, node: Apply[Any], inputs: Sequence[Any], outputs: Any) -> None:
        outputs[0][0] = np.asarray(3 * inputs[0])

    def L_op(self, inputs: Any, outputs: Any, slopes: Any) -> Any:
        return [3 * slopes[0]]

    pullback = L_op


def test_equal_values_and_what_runs_on_the_host() -> None:
    x, k = pt.dmatrix("x"), pt.lvector("k")
    report = check([Tripled()(x)[k].sum(), pt.exp(x).sum(axis=0)], points=2, mode="py")
    assert report.equal
    assert report.slopes == ("x",)
    assert len(report.ours.results) == 3
    assert "Tripled has no converter" in report.host[0]
    table = str(report)
    assert all(word in table for word in ("PyTensor", "Weft py", "nodes", "compile", "on the host"))


def test_differences() -> None:
    class Wrong(Tripled):
        pass

    class Unknown(Tripled):
        pass

    from_pytensor.register(Wrong)(lambda op, v: 3.001 * v)
    from_pytensor.register(Unknown)(lambda op, v: v * math.nan)
    x = pt.dscalar("x")
    report = check(Wrong()(x) + 1, points=0, mode="py")
    assert not report.equal
    assert report.differences[1] == pytest.approx(0.001 / 3)
    assert str(report).count("DIFFERS") == 2
    assert check(Unknown()(x), points=0, mode="py").differences == (math.inf, math.inf)


def test_what_can_be_checked() -> None:
    x = pt.dscalar("x")
    assert check(lambda: x**2, points=1, mode="py").equal
    with pytest.raises(TypeError, match="no PyMC model, no variable"):
        check(3)
    with pytest.raises(TypeError, match="<lambda> wants n: write a function without arguments"):
        check(lambda n: x * n)
    with pytest.raises(TypeError, match="draws its own numbers: check the model"):
        check(pt.random.normal(x) + 1.0)


def test_values_are_compared_where_pytensor_has_no_slopes() -> None:
    add_up = wrap_py([pt.dvector], [pt.dvector])(lambda x: np.cumsum(x))  # which pickle refuses
    report = check(add_up(pt.dvector("x")), points=1)
    assert report.equal
    assert report.slopes == ()
    assert "no slopes are compared: PyTensor has none" in str(report)


_FILE = """
import pytensor.tensor as pt
cost = (pt.dvector("x") ** 2).sum()
def made():
    return cost + 1
rest = ...
"""


def test_check_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "model.py"
    file.write_text(_FILE)
    for name in ("cost", "made"):
        assert main(["check", f"{file}:{name}", "--points", "1", "--mode", "py"]) == 0
    assert "its slope in x" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="has no model outside of functions"):
        main(["check", str(file)])
    with pytest.raises(SystemExit, match="has no other, but made"):
        main(["check", f"{file}:other"])
    with pytest.raises(SystemExit, match="there is no file"):
        main(["check", str(tmp_path / "other.py")])
    with pytest.raises(SystemExit, match="Ellipsis is no PyMC model"):
        main(["check", f"{file}:rest"])


_OLD = """
import numpy as np, pytensor
import pytensor.tensor as pt
from pytensor import tensor as T, function
from pytensor.tensor import sort, nlinalg as nl, typed
from pytensor.graph.basic import Apply
def f(x):
    y = pytensor.tensor.exp(x) + pt.math.log(pt.shape(x)) + T.nlinalg.det(x) + nl.inv(x)
    z, updates = pytensor.scan(lambda v: v, x)
    g = pytensor.function([x], pytensor.grad(y, x), mode="NUMBA")
    h = function([x], y, mode="FAST_RUN"), np.math
    pytensor.config.floatX = "é"; pt.foo(x); x.tensor.math
"""
_NEW = """
import numpy as np, weft.tensor as pytensor
import weft.tensor as pt
import weft.tensor as T
from weft.tensor import function
from weft.tensor import sort
import weft_tensor.linalg as nl
from pytensor.tensor import typed
from weft_graph import Apply
def f(x):
    y = pytensor.exp(x) + pt.log(pt.shape(x)) + T.linalg.det(x) + nl.inv(x)
    z, updates = pytensor.scan(lambda v: v, x)
    g = pytensor.function([x], pytensor.grad(y, x), mode="numba")
    h = function([x], y, mode="FAST_RUN"), np.math
    pytensor.config.floatX = "é"; pt.foo(x); x.tensor.math
"""
_NOTES = [
    "5: Weft has no typed of pytensor.tensor",
    "9: scan gives the results alone, and no updates",
    '11: mode "FAST_RUN" is "numba", "jax" or "py" here',
    "12: weft.tensor has no name 'config'",
    "12: weft.tensor has no name 'foo'",
]


def test_imports_and_names() -> None:
    assert changed(_OLD) == (_NEW, _NOTES)
    new = _NEW.replace("from pytensor.tensor import typed\n", "")
    assert changed(new)[0] == new


def test_imports_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "inner" / "code.py"
    file.parent.mkdir()
    file.write_text(_OLD, encoding="utf-8")
    (tmp_path / "other.py").write_text("import numpy\n")
    assert main(["imports", "--dry", str(tmp_path)]) == 1
    assert file.read_text(encoding="utf-8") == _OLD
    assert main(["imports", str(tmp_path)]) == 1
    assert file.read_text(encoding="utf-8") == _NEW
    assert f"{file}:{_NOTES[0]}\n" in capsys.readouterr().out
    file.write_text("import pytensor.tensor as pt\n")
    assert main(["imports", str(file)]) == 0
