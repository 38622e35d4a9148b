"""The script that sets up the environment, without a network."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools.dev import SYSTEM_CERTS, fetched

ENVIRON = {name: value for name, value in os.environ.items() if name != SYSTEM_CERTS}
PROGRAM = """
import os, sys
known, tells = os.environ.get("UV_SYSTEM_CERTS"), sys.argv[1]
print("called with", known, file=open("calls", "a"))
if known != "true" and tells:
    sys.exit(f"error: invalid {tells}: UnknownIssuer")
"""


@pytest.fixture
def uv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What stands for uv: it wants the system's certificates, and says so as told."""
    (tmp_path / "uv.py").write_text(PROGRAM)
    monkeypatch.chdir(tmp_path)
    return [sys.executable, "uv.py"]


def calls() -> list[str]:
    return Path("calls").read_text().splitlines()


def test_uv_takes_the_systems_certificates_where_its_own_are_not_enough(uv: list[str]) -> None:
    assert fetched([*uv, "peer certificate"], ENVIRON)
    assert calls() == ["called with None", "called with true"]


def test_a_machine_that_needs_no_certificates_of_its_own_is_left_alone(uv: list[str]) -> None:
    assert not fetched([*uv, ""], ENVIRON)
    assert calls() == ["called with None"]


@pytest.mark.parametrize(
    ("tells", "given"), [("package", {}), ("peer certificate", {SYSTEM_CERTS: "false"})]
)
def test_other_failures_and_what_a_user_has_chosen_count(
    uv: list[str], tells: str, given: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        fetched([*uv, tells], ENVIRON | given)
    assert len(calls()) == 1
    assert f"error: invalid {tells}" in capfd.readouterr().err
