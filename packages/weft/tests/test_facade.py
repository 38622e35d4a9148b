"""The facade offers what the packages below it do, and nothing of its own."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from typing import Any

import pytest

import weft
import weft.tensor as wt
import weft_graph
import weft_tensor

OFFERED: list[str] = import_module("weft.tensor").__all__
OF_TENSORS: list[str] = import_module("weft_tensor").__all__


def test_every_public_name_is_there_and_is_the_same_object() -> None:
    for name in weft_graph.__all__:
        home = weft_tensor if name in OF_TENSORS else weft_graph
        assert getattr(weft, name) is getattr(home, name), name
    for name in OF_TENSORS:
        assert getattr(wt, name) is getattr(weft_tensor, name), name


def test_what_weft_tensor_adds_is_the_same_object_and_hides_nothing() -> None:
    assert {"check_and_raise", "print_value", "shared"} <= set(OFFERED)
    added = set(OFFERED) - set(OF_TENSORS)
    assert added >= {"function", "grad", "Mode", "explain", "to_text", "OpFromGraph"}
    for name in added:
        assert getattr(wt, name) is getattr(weft, name), name
    assert len(OFFERED) == len(set(OFFERED))


def test_one_name_means_one_thing_in_both() -> None:
    for name in vars(weft)["__all__"]:
        found = getattr(weft, name)
        assert getattr(wt, name, found) is found, name
    total = weft.shared([1.0, 2.0], "total")
    step = weft.function([], total, updates={total: weft.constant(2.0) * total}, mode="py")
    assert step().tolist() == [1.0, 2.0]
    assert total.get_value().tolist() == [2.0, 4.0]


def test_one_import_serves_most_users() -> None:
    x = wt.dvector("x")
    f = wt.function([x], wt.grad(wt.sum(wt.exp(x)), x), mode="py")
    assert f([0.0, 0.0]).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("package", ["jax", "numba", "scipy"])
def test_importing_it_imports_nothing_that_is_slow_to_import(package: str) -> None:
    code = f"import sys, weft.tensor; sys.exit({package!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize(
    ("name", "error", "says"),
    [
        ("wrap_jax", ImportError, "pip install weft-jax"),
        ("wrap_numpy", AttributeError, "no attribute 'wrap_numpy'"),
        ("_wrap", AttributeError, "no attribute '_wrap'$"),
    ],
)
def test_what_is_not_there_is_told(
    name: str, error: type[Exception], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "weft_jax", None)
    with pytest.raises(error, match=says):
        getattr(wt, name)


@pytest.mark.parametrize(
    ("place", "name", "advice"),
    [
        (weft, "fucntion", "did you mean function?"),
        (weft, "Grad", "did you mean grad?"),
        (weft, "exp", "did you mean weft.tensor.exp?"),
        (wt, "sqtr", "did you mean sqrt?"),
        (wt, "multply", "did you mean multiply?"),
        (wt, "concatenete", "did you mean concatenate?"),
        (wt, "absolut", "did you mean absolute?"),
        (wt, "Rotation", "did you mean spatial.Rotation?"),
        (wt, "normal", "did you mean random.normal?"),
        (wt, "rewrite", "did you mean weft.rewrite?"),
        (wt, "sort_complex", "numpy.sort_complex is not in Weft: the dtype or the rank of the"),
        (wt, "loadtxt", "numpy.loadtxt is not in Weft: it reads or writes files"),
        (wt, "svd", "did you mean linalg.svd?"),
        (wt, "jvp", "did you mean pushforward"),
        (wt, "vjp", "did you mean pullback"),
        (wt, "lax", "did you mean scan, fori_loop"),
        (wt, "intp", "did you mean int64"),
        (wt.linalg, "LinAlgError", "did you mean numpy.linalg.LinAlgError"),
        (wt.stats, "mstats", "write the functions of stats with nan_policy='omit'"),
        (wt, "cond", "did you mean ifelse, or linalg.cond?"),
        (wt.linalg, "choleski", "did you mean cholesky?"),
        (wt.linalg, "eigvalues", "did you mean eigvals?"),
        (wt.random, "unifrom", "did you mean uniform?"),
        (wt, "dtype", "did you mean x.dtype, or a name such as 'float32'?"),
        (wt, "errstate", "numpy.errstate is not in Weft: it tells of NumPy, or sets how NumPy"),
        (wt.signal, "band_stop_obj", "scipy.signal.band_stop_obj is not in Weft: `buttord`"),
        (wt.optimize, "Bounds", "scipy.optimize.Bounds is not in Weft: SciPy's are taken"),
        (wt.integrate, "RK45", "scipy.integrate.RK45 is not in Weft: write solve_ivp(fun, t_span"),
        (
            wt.spatial,
            "ConvexHull",
            "scipy.spatial.ConvexHull is not in Weft: their results are as many",
        ),
        (wt.vector(), "shpae", "did you mean shape?"),
        (wt.vector(), "at", "x[i] is a tensor, which never changes: write x[i].set(y)"),
        (wt.vector(), "backward", "write grad(cost, x)"),
        (wt.vector(), "detach", "write stop_gradient(x)"),
        (wt.vector(), "numpy", "a shared variable has get_value(); another has a value when"),
        (wt.vector(), "exp", r"did you mean weft.tensor.exp(x)?"),
        (wt.vector(), "item", "arrays of NumPy have it, but not tensors without a value"),
    ],
)
def test_a_name_that_is_not_there_is_told_with_what_may_be_meant(
    place: Any, name: str, advice: str
) -> None:
    assert not hasattr(place, name)
    with pytest.raises(AttributeError) as caught:
        getattr(place, name)
    assert f"has no attribute {name!r}: {advice}" in str(caught.value)


def test_a_package_that_is_not_imported_is_told() -> None:
    code = "import weft; weft.tensor"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "did you mean import weft.tensor as wt?" in found.stderr


def test_importing_it_imports_no_op() -> None:
    code = "import sys, weft.tensor; print([m for m in sys.modules if 'weft_tensor.ops' in m])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.stdout == "[]\n"


@pytest.mark.cases(0)
def test_what_tools_ask_of_a_module_imports_nothing() -> None:
    code = (
        "import sys, weft.tensor as wt; hasattr(wt.signal, '__wrapped__');"
        "print('scipy.signal' in sys.modules)"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert process.stdout == "False\n", process.stderr


@pytest.mark.cases(0)
def test_a_text_is_read_before_its_ops_are_asked_for() -> None:
    text = wt.to_text(wt.sort(wt.vector("x")) + 1)
    code = f"import weft.tensor, weft; print(weft.from_text({text!r}).outputs[0].op)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.stdout == "add\n", found.stderr


def test_a_fact_is_known_by_its_name_alone() -> None:
    code = (
        "import weft.tensor as wt; print(wt.ask(wt.assume(wt.vector(), positive=True), 'nonzero'))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.stdout == "True\n", found.stderr
