"""docs/architecture.md is what the code is: its picture, its tables, and the way that it tells."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tools.architecture import PAGE, PICTURE, page, picture
from tools.workspace import read_packages

FOLLOWED = """
import sys

called = set()


def see(frame, event, argument):
    called.add(frame.f_globals.get("__name__"))


import weft_jax, weft_numba
import weft.tensor as wt
from weft_graph import function

sys.setprofile(see)
x = wt.vector("x")
y = wt.exp(x).sum()
for mode in ("numba", "jax"):
    function([x], y, mode=mode)([1.0, 2.0])
sys.setprofile(None)
print(*filter(None, called))
"""


def test_the_picture_and_the_tables_are_those_of_the_code() -> None:
    packages = read_packages()
    said = "run `python -m tools.architecture`"
    assert PICTURE.read_text(encoding="utf-8") == picture(packages), said
    text = PAGE.read_text(encoding="utf-8")
    assert text == page(text, packages), said


@pytest.mark.cases(0)
def test_every_module_on_the_way_is_called() -> None:
    way = PAGE.read_text(encoding="utf-8").partition("## Folders")[0]
    named = set(re.findall(r"`(weft_\w+(?:\.\w+)+)`", way))
    environment = {**os.environ, "WEFT_CACHE_DIR": "off"}
    done = subprocess.run(
        [sys.executable, "-c", FOLLOWED],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(named) > 20
    assert named <= set(done.stdout.split()), named - set(done.stdout.split())
