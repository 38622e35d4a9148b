"""The machine code that other systems and processors get, read here."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import llvmlite.binding as llvm
import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import FunctionGraph, Variable
from weft_numba.analysis.specialise import narrowed
from weft_numba.fusion.grouping import Fused, fuse
from weft_numba.ir import llvm_writer as machine_code
from weft_numba.ir import vector_math
from weft_numba.llvm.loop_nest import lower
from weft_numba.llvm.scalar.table import row
from weft_numba.llvm.threads import RUNTIME
from weft_numba.numba_layer.allocation import _CODE
from weft_tensor import Elemwise, TensorType
from weft_tensor.extend import SCALARS

llvm.initialize_all_targets()
llvm.initialize_all_asmprinters()


class Target(NamedTuple):
    """A system with its processor, as Python and LLVM call them."""

    triple: str
    system: str
    machine: str
    features: str = ""


LINUX_ARM = Target("aarch64-unknown-linux-gnu", "linux", "aarch64")
LINUX_INTEL = Target("x86_64-unknown-linux-gnu", "linux", "x86_64", "+sse4.2,+avx2")
MAC_ARM = Target("arm64-apple-macosx14.0.0", "darwin", "arm64")
WINDOWS = Target("x86_64-pc-windows-msvc", "win32", "AMD64", "+sse4.2,+avx2")
TARGETS = [LINUX_ARM, LINUX_INTEL, MAC_ARM, WINDOWS]


class Library:
    """A library that has the functions of vectors whose names are given; else all."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def __getattr__(self, name: str) -> str:
        if self.names and name not in self.names:
            raise AttributeError(name)
        return name


C_MATH = {
    *("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "erf"),
    *("erfc", "exp", "exp2", "expm1", "fmod", "hypot", "log", "log10", "log1p", "log2"),
    *("pow", "sin", "sinh", "sqrt", "tan", "tanh"),
    *("ceil", "floor", "rint", "trunc", "copysign"),
}
"""Functions of C's <math.h> as all of these systems have it, for doubles; with f, for floats."""
BY_LLVM = {"memcpy", "memset", "bzero", "sincos", "__sincos_stret", "__sincosf_stret"}
"""What LLVM makes of loops that copy, or write zeros, and of the sine and cosine of a number."""

Compile = Callable[..., str]


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> Compile:
    """From a target, outputs and their inputs to assembly code."""

    def compiled(
        target: Target, inputs: Sequence[Any], outputs: Sequence[Any], *names: str, **how: bool
    ) -> str:
        with monkeypatch.context() as patched:
            patched.setattr(sys, "platform", target.system)
            patched.setattr(platform, "machine", lambda: target.machine)
            on_windows = target.system == "win32"
            patched.setattr(
                vector_math, "_library", lambda: None if on_windows else Library(*names)
            )
            features = dict.fromkeys(target.features.replace("+", "").split(","), True)
            patched.setattr(llvm, "get_host_cpu_features", lambda: features)
            patched.setattr(vector_math, "_widths", vector_math._widths.__wrapped__)
            patched.setattr(machine_code, "variants", vector_math.variants.__wrapped__)
            text = llvm_of(inputs, outputs, **how)
        return assembly(target, text)

    return compiled


def llvm_of(inputs: Sequence[Variable], outputs: Sequence[Variable], **how: bool) -> str:
    """One loop nest for all outputs."""
    graph = narrowed(FunctionGraph(inputs, outputs), assume=True).graph
    (step,) = fuse(graph, assume=True)
    assert isinstance(step, Fused)
    module: str = lower.__wrapped__(step.kernel, "C" * len(step.kernel.operands), **how).module
    return module.replace("linkonce_odr ", "")  # which goes where nobody calls it


def assembly(target: Target, text: str) -> str:
    """What LLVM makes of its language for a target, improved as Numba has it improved."""
    machine = llvm.Target.from_triple(target.triple).create_target_machine(
        features=target.features, opt=3, codemodel="default", reloc="static"
    )
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = target.triple, str(machine.target_data)
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = True
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    module.verify()
    return str(machine.emit_assembly(module))


def loop(dtype: str = "float64") -> tuple[list[Any], list[Any]]:
    x, y = (TensorType(dtype, (None,))(name) for name in "xy")
    return [x, y], [wt.sin(x) * wt.log2(y) + wt.arctan(x * y) + x**y]


@pytest.mark.parametrize(
    ("target", "names"),
    [
        (LINUX_ARM, {"_ZGVnN2v_sin", "_ZGVnN2v_log2", "_ZGVnN2v_atan", "_ZGVnN2vv_pow"}),
        (LINUX_INTEL, {"_ZGVdN4v_sin", "_ZGVdN4v_log2", "_ZGVdN4v_atan", "_ZGVdN4vv_pow"}),
        (MAC_ARM, {"_simd_sin_d2", "_simd_log2_d2", "_simd_atan_d2", "_simd_pow_d2"}),
        (WINDOWS, set()),
    ],
    ids=lambda x: x.triple if isinstance(x, Target) else "",
)
def test_functions_of_vectors(target: Target, names: set[str], compiled: Compile) -> None:
    text = compiled(target, *loop())
    assert set(re.findall(r"_ZGV\w+|_simd_\w+", text)) == names
    assert not re.findall(r"_ZGV\w+|_simd_\w+", compiled(target, *loop(), exact=True))


@pytest.mark.parametrize(
    ("target", "names"),
    [
        (LINUX_ARM, {"_ZGVnN4v_sinf", "_ZGVnN4v_log2f", "_ZGVnN4v_atanf", "_ZGVnN4vv_powf"}),
        (LINUX_INTEL, {"_ZGVdN8v_sinf", "_ZGVdN8v_log2f", "_ZGVdN8v_atanf", "_ZGVdN8vv_powf"}),
        (MAC_ARM, {"_simd_sin_f4", "_simd_log2_f4", "_simd_atan_f4", "_simd_pow_f4"}),
    ],
    ids=lambda x: x.triple if isinstance(x, Target) else "",
)
def test_floats(target: Target, names: set[str], compiled: Compile) -> None:
    assert names <= set(re.findall(r"_ZGV\w+|_simd_\w+", compiled(target, *loop("float32"))))


@pytest.mark.parametrize(
    ("target", "packed"),
    [
        (LINUX_ARM, r"fadd\tv\d+\.2d"),
        (LINUX_INTEL, r"vaddpd\t.*%ymm"),
        (MAC_ARM, r"fadd\.2d"),
        (WINDOWS, r"vaddpd\t.*%ymm"),
    ],
    ids=lambda x: x.triple if isinstance(x, Target) else "",
)
def test_sums_are_packed(target: Target, packed: str, compiled: Compile) -> None:
    x = wt.vector("x")
    assert re.search(packed, compiled(target, [x], [wt.sum(x * x)]))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_largest_numbers_without_nan_are_packed(dtype: str, compiled: Compile) -> None:
    x = wt.vector("x", dtype)
    numbers = wt.where(wt.isnan(x), np.asarray(-np.inf, dtype), x)
    assert re.search(r"vmaxp[ds]\t.*%ymm", compiled(LINUX_INTEL, [x], [wt.max(numbers)]))


def test_an_older_glibc_has_fewer_functions(compiled: Compile) -> None:
    text = compiled(LINUX_ARM, *loop(), "_ZGVnN2v_sin", "_ZGVnN2v_log2")
    assert set(re.findall(r"_ZGV\w+", text)) == {"_ZGVnN2v_sin", "_ZGVnN2v_log2"}
    called = {"atan", "pow"}
    assert called <= set(re.findall(r"\w+", text))


def test_registers_live_on_across_calls_on_arm(
    compiled: Compile, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_memory = re.compile(r"\bst[rp]\tq\d+.*\[sp")
    x, y = wt.vector("x"), wt.vector("y")
    calls = [x, y], [wt.sin(x) * wt.log2(y) + wt.arctan(x * y)]
    monkeypatch.setattr(vector_math, "_arm_convention", lambda: "")
    assert in_memory.search(compiled(LINUX_ARM, *calls))
    monkeypatch.undo()
    text = compiled(LINUX_ARM, *calls)
    assert bool(in_memory.search(text)) == (not vector_math._arm_convention())


def test_calls_are_as_declared_where_llvm_is_too_old(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llvm, "llvm_version_info", (20, 1, 8))
    assert vector_math._arm_convention() == ""


@pytest.mark.parametrize("target", [LINUX_ARM, MAC_ARM], ids=lambda t: t.triple)
def test_zeros_keep_their_sign(target: Target, compiled: Compile) -> None:
    x = wt.vector("x")
    assert "fcmeq" in compiled(target, [x], [wt.sin(x)])
    assert "fcmeq" not in compiled(target, [x], [wt.exp(x)])


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.triple)
def test_threads_and_allocation(target: Target) -> None:
    called = set(re.findall(r"pthread_\w+", assembly(target, RUNTIME)))
    assert called == {"pthread_create", "pthread_join"}
    assert "NRT_weft_allocate" in assembly(target, _CODE)


@pytest.mark.cases(1)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.triple)
def test_rows_need_nothing_but_the_c_library(
    target: Target, dtype: str, compiled: Compile, few: Any
) -> None:
    x, y = (TensorType(dtype, (None,))(name) for name in "xy")
    usual = ["exp", "log1p", "fmod", "erf"]
    names = few([name for name in SCALARS if row(name, "f")], 15)
    called: set[str] = set()
    for name in {*names, *usual}:
        scalar = SCALARS[name]
        if scalar.arity > 2:
            continue
        inputs = [x, y][: scalar.arity]
        text = compiled(target, inputs, [Elemwise(name)(*inputs)], exact=True)
        called |= set(re.findall(r"\b(?:bl?|callq|jmp)\t_?([a-z_]\w*)", text))
    called = {name for name in called if not name.startswith("weft_")}
    found = {name.removesuffix("f") if name not in C_MATH else name for name in called}
    assert found <= C_MATH | BY_LLVM
    assert found.issuperset(usual)
