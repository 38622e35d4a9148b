"""What authors of linkers, of libraries of Ops and of Ops that hold graphs need besides.

It changes more often than what `weft_graph` itself offers.
"""

from typing import TYPE_CHECKING

from weft_graph.autodiff.connections import add_step, pattern_of_graph, steps_by_states
from weft_graph.autodiff.gradient import StopGradient
from weft_graph.autodiff.pushforward import sweep_forward
from weft_graph.autodiff.reverse_sweep import DisconnectedType, UndefinedType
from weft_graph.core.encoding import encoded
from weft_graph.core.function_graph import Nominal
from weft_graph.core.interned import Interned
from weft_graph.core.nodes import Identity, apply
from weft_graph.core.pytree import leaves_like, paths, rebuilt
from weft_graph.core.source_location import Place, called, is_internal, source_of, standing
from weft_graph.core.toposort import toposort
from weft_graph.core.traversal import Changes, remake, renewed
from weft_graph.ops.assume import Assumed, drop_assumptions
from weft_graph.ops.barrier import Barrier, in_stages
from weft_graph.ops.branch import Branch, Choice, lazy_branches
from weft_graph.ops.doubts import add_doubt, tell_doubts
from weft_graph.ops.effects import without_prints
from weft_graph.ops.loop import Loop, nodes_inside, with_bodies
from weft_graph.ops.op_from_graph import Derivative, shapes_within
from weft_graph.ops.shared import Cell, Shared, in_turn
from weft_graph.ops.static import Static
from weft_graph.ops.tracing import closed_over
from weft_graph.rewriting.facts import Ask, facts_late
from weft_graph.rewriting.fp_contract import FP_CHANGES, changes_by, changing
from weft_graph.rewriting.patterns import Wildcard, filled, wildcards_of
from weft_graph.text.did_you_mean import no_such_name
from weft_graph.text.late_names import import_all, imported_late

if TYPE_CHECKING:
    from weft_graph.compile.mode import book_modules, installed_books
    from weft_graph.disk import disk_cache
    from weft_graph.disk.request_key import Compiler, about, note_sources
    from weft_graph.linking.compile_request import (
        CompiledGraph,
        CompileRequest,
        Unshared,
        may_share,
        memory_of,
    )
    from weft_graph.linking.compiled_function import CompiledFunction, Timing
    from weft_graph.linking.error_locator import Reference
    from weft_graph.linking.error_notes import names_node, node_note, retold, says_more
    from weft_graph.linking.file_owner import written_by_others
    from weft_graph.linking.gc_pause import without_collecting
    from weft_graph.linking.linker import Linker, lowered, transpile
    from weft_graph.linking.needed_alone import Needs, needed_alone
    from weft_graph.linking.program import Program, Step, load_source
    from weft_graph.linking.python_linker import PythonLinker, in_python, overwritten
    from weft_graph.linking.result_check import broken_promise
    from weft_graph.linking.segments import Segment, chain, cut, is_cut
    from weft_graph.observe.op_contract import check_pickles, check_result
else:  # what Ops need is here at once, what linkers and checks need when they ask for it
    __getattr__, __dir__ = imported_late(
        __name__,
        {
            "Compiler": "weft_graph.disk.request_key",
            "CompiledFunction": "weft_graph.linking.compiled_function",
            "CompiledGraph": "weft_graph.linking.compile_request",
            "Linker": "weft_graph.linking.linker",
            "Needs": "weft_graph.linking.needed_alone",
            "Program": "weft_graph.linking.program",
            "PythonLinker": "weft_graph.linking.python_linker",
            "Reference": "weft_graph.linking.error_locator",
            "Segment": "weft_graph.linking.segments",
            "Step": "weft_graph.linking.program",
            "CompileRequest": "weft_graph.linking.compile_request",
            "Timing": "weft_graph.linking.compiled_function",
            "about": "weft_graph.disk.request_key",
            "book_modules": "weft_graph.compile.mode",
            "broken_promise": "weft_graph.linking.result_check",
            "chain": "weft_graph.linking.segments",
            "check_pickles": "weft_graph.observe.op_contract",
            "check_result": "weft_graph.observe.op_contract",
            "cut": "weft_graph.linking.segments",
            "disk_cache": "weft_graph.disk.disk_cache",
            "in_python": "weft_graph.linking.python_linker",
            "installed_books": "weft_graph.compile.mode",
            "is_cut": "weft_graph.linking.segments",
            "load_source": "weft_graph.linking.program",
            "lowered": "weft_graph.linking.linker",
            "Unshared": "weft_graph.linking.compile_request",
            "may_share": "weft_graph.linking.compile_request",
            "memory_of": "weft_graph.linking.compile_request",
            "names_node": "weft_graph.linking.error_notes",
            "needed_alone": "weft_graph.linking.needed_alone",
            "node_note": "weft_graph.linking.error_notes",
            "note_sources": "weft_graph.disk.request_key",
            "overwritten": "weft_graph.linking.python_linker",
            "retold": "weft_graph.linking.error_notes",
            "says_more": "weft_graph.linking.error_notes",
            "transpile": "weft_graph.linking.linker",
            "without_collecting": "weft_graph.linking.gc_pause",
            "written_by_others": "weft_graph.linking.file_owner",
        },
    )

__all__ = [
    "FP_CHANGES",
    "Ask",
    "Assumed",
    "Barrier",
    "Branch",
    "Cell",
    "Changes",
    "Choice",
    "CompileRequest",
    "CompiledFunction",
    "CompiledGraph",
    "Compiler",
    "Derivative",
    "DisconnectedType",
    "Identity",
    "Interned",
    "Linker",
    "Loop",
    "Needs",
    "Nominal",
    "Place",
    "Program",
    "PythonLinker",
    "Reference",
    "Segment",
    "Shared",
    "Static",
    "Step",
    "StopGradient",
    "Timing",
    "UndefinedType",
    "Unshared",
    "Wildcard",
    "about",
    "add_doubt",
    "add_step",
    "apply",
    "book_modules",
    "broken_promise",
    "called",
    "chain",
    "changes_by",
    "changing",
    "check_pickles",
    "check_result",
    "closed_over",
    "cut",
    "disk_cache",
    "drop_assumptions",
    "encoded",
    "facts_late",
    "filled",
    "import_all",
    "imported_late",
    "in_python",
    "in_stages",
    "in_turn",
    "installed_books",
    "is_cut",
    "is_internal",
    "lazy_branches",
    "leaves_like",
    "load_source",
    "lowered",
    "may_share",
    "memory_of",
    "names_node",
    "needed_alone",
    "no_such_name",
    "node_note",
    "nodes_inside",
    "note_sources",
    "overwritten",
    "paths",
    "pattern_of_graph",
    "rebuilt",
    "remake",
    "renewed",
    "retold",
    "says_more",
    "shapes_within",
    "source_of",
    "standing",
    "steps_by_states",
    "sweep_forward",
    "tell_doubts",
    "toposort",
    "transpile",
    "wildcards_of",
    "with_bodies",
    "without_collecting",
    "without_prints",
    "written_by_others",
]
