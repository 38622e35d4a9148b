"""The page of converters is what the table has."""

from __future__ import annotations

import subprocess
import sys

import pytensor
import pytest

from tools.pytensor_ops import PAGE, VERSION
from tools.workspace import ROOT

_PRINT = "from tools.pytensor_ops import page; print(page(), end='')"


@pytest.mark.skipif(pytensor.__version__ != VERSION, reason=f"the page is about {VERSION}")
def test_the_page_is_up_to_date() -> None:
    """As a process of its own writes it: in this one examples may have registered converters."""
    command = [sys.executable, "-W", "ignore", "-c", _PRINT]
    page = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert PAGE.read_text(encoding="utf-8") == page, "run `python -m tools.pytensor_ops`"
