"""Many devices: in processes of their own, which get them by their environment."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function
from weft_jax import JAX, connect
from weft_jax.interop.launch import NO_PROXY, environments, main, reserved_port

HERE = Path(__file__).parent


def python(*arguments: object, devices: int | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *map(str, arguments)]
    (env,) = environments(1, devices, {**os.environ, "XLA_FLAGS": ""})
    return subprocess.run(
        command, capture_output=True, check=False, env=env, text=True, timeout=300
    )


@pytest.mark.cases(0)
def test_eight_devices_in_one_process() -> None:
    tests = HERE / "eight_devices.py"
    done = python("-m", "pytest", "-q", "-p", "no:cacheprovider", tests, devices=8)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(autouse=True)
def _proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy that leads nowhere."""
    for name in NO_PROXY:
        monkeypatch.delenv(name, raising=False)
    for name in ("http_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")


def launch(*arguments: object) -> subprocess.CompletedProcess[str]:
    return python("-m", "weft_jax.interop.launch", *arguments)


@pytest.mark.cases(0)
def test_two_processes_train_as_one(tmp_path: Path) -> None:
    done = launch("-n", 2, "--devices", 2, HERE / "two_processes.py", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    alone = tmp_path / "alone"
    alone.mkdir()
    done = launch("--devices", 4, HERE / "two_processes.py", alone)
    assert done.returncode == 0, done.stdout + done.stderr
    (one,) = [json.loads(path.read_text()) for path in alone.iterdir()]
    for rank in (0, 1):
        found = json.loads((tmp_path / f"{rank}.json").read_text())
        assert (found["rank"], found["devices"], found["others"]) == (rank, 4, 0)
        assert found["sums"] == (1 if jax.__version_info__ >= (0, 6) else 2)
        assert found["spread"] == [False, pytest.approx(sum(one["fitted"]))]
        assert "not addressable" not in found["error"]
        for key in ("weights", "cost", "fitted"):
            np.testing.assert_allclose(found[key], one[key], rtol=1e-12)


@pytest.mark.cases(0)
def test_when_a_process_dies_the_others_are_ended(tmp_path: Path) -> None:
    done = launch("-n", 2, "--devices", 1, HERE / "two_processes.py", tmp_path, "die")
    assert done.returncode == 3
    assert "process 1 ended with exit status 3; the other 1 are ended" in done.stderr


def test_the_launcher_takes_numbers_that_make_sense(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["-n", "0", "x.py"], ["--devices", "0", "x.py"]):
        with pytest.raises(SystemExit):
            main(arguments)
        assert "must be at least 1, not 0" in capsys.readouterr().err


def test_no_other_program_gets_the_port_where_processes_will_meet() -> None:
    refused: Any = nullcontext()  # where the system can't share ports, others get it
    if hasattr(socket, "SO_REUSEPORT"):
        refused = pytest.raises(OSError, match="in use")
    with reserved_port() as port, socket.socket() as other, refused:
        other.bind(("127.0.0.1", port))


def test_the_launcher_tells_signals(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "aborts.py"
    script.write_text("import os; os.abort()")
    assert main([str(script)]) == 134
    assert "process 0 ended with signal SIGABRT\n" in capfd.readouterr().err


def test_a_process_alone_has_nobody_to_meet() -> None:
    assert connect() == (0, 1)


def test_without_a_mesh_or_with_one_device() -> None:
    X = wt.dmatrix("X", shape=("n", 2))
    y = wt.shard_map(lambda x: wt.psum(x, "data"), wt.Mesh(data=1), ["data"], None)(2 * X)
    one = JAX(mesh=wt.Mesh(data=1), in_specs={"n": "data"})
    for mode in (JAX(), one, "jax", "py"):
        f = function([X], wt.shard(y, "data"), mode=mode)
        np.testing.assert_array_equal(f([[1.0, 2.0]]), [[2.0, 4.0]])


def test_what_makes_no_sense() -> None:
    X = wt.dmatrix("X")
    with pytest.raises(TypeError, match="specs need a mesh"):
        JAX(in_specs={X: "data"})
    with pytest.raises(ValueError, match="uneven must be 'error' or 'pad', not 'drop'"):
        JAX(uneven="drop")  # type: ignore[arg-type]  # that is the point
    with pytest.raises(TypeError, match="in_specs: a key is an input"):
        JAX(mesh=wt.Mesh(data=1), in_specs={0: "data"})
    with pytest.raises(TypeError, match="out_specs: a key is a position"):
        JAX(mesh=wt.Mesh(data=1), out_specs={X: "data"})
    with pytest.raises(ValueError, match=r"psum\[data\] needs devices along 'data'"):
        function([X], wt.psum(X, "data"), mode="jax")([[1.0]])


def test_a_mesh_keeps_the_other_options() -> None:
    x, k = wt.vector("x"), wt.scalar("k", "int64")
    clipped = function([x, k], x[k], mode=JAX(mesh=wt.Mesh(data=1), bounds="clip"))
    assert clipped([1.0, 2.0], 7) == 2.0
    guarded = function([x], wt.log(x), mode=JAX(mesh=wt.Mesh(data=1), nan_guard=True))
    with pytest.raises(FloatingPointError, match="log"):
        guarded([-1.0])
    step_by_step = function([x], x.sum(), mode=JAX(disable_jit=True))
    assert step_by_step([1.0, 2.0]) == 3.0


def test_a_mesh_refuses_what_it_cannot_do() -> None:
    mesh = wt.Mesh(data=1)
    with pytest.raises(ValueError, match="disable_jit=True can't be combined with a mesh"):
        JAX(mesh=mesh, disable_jit=True)
    with pytest.raises(ValueError, match="buckets can't be combined with a mesh"):
        JAX(mesh=mesh, buckets={"n": 8})
