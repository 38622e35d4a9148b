"""The lowerings of an Op are imported when it is met."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
import weft_tensor as wt
from weft_graph import Op
from weft_graph.extend import import_all
from weft_numba import numba_funcify
from weft_numba.lowering.dispatch import lowering_modules

def missing():
    return [name for name in lowering_modules() if name not in sys.modules]

assert missing() == list(lowering_modules())

@numba_funcify.register(wt.Sort)
def own(op, **kwargs):
    return None

assert numba_funcify.dispatch(wt.ArgSort).__module__ == "weft_numba.ops.indexing.sort"
assert numba_funcify.dispatch(wt.Sort) is own
x = wt.scalar("x")
pair = wt.as_tensor([x, x])
assert callable(numba_funcify(pair.op, node=pair))
print("weft_numba.ops.shape.stack" in missing(), "weft_numba.ops.linalg.svd" in missing())

import_all()
kinds = [Op]
for kind in kinds:
    kinds += kind.__subclasses__()
    numba_funcify.dispatch(kind)
print(*missing())
"""


def test_lowerings_are_imported_when_an_op_is_met_and_those_of_users_stay() -> None:
    command = [sys.executable, "-c", PROGRAM]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert output == "False True\n\n"  # nothing is left when all have been met
