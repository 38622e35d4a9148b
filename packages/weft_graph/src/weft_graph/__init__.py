"""Graphs of Ops: the core of Weft, which needs nothing but the standard library.

Expressions become graphs of immutable, interned variables; graphs are differentiated,
rewritten by rules and compiled to Python, for any type of value.
"""

from weft_graph.autodiff.connections import pattern_of_graph
from weft_graph.autodiff.gradient import (
    DisconnectedInputError,
    StopGradient,
    grad,
    pullback,
    stop_gradient,
    value_and_grad,
)
from weft_graph.autodiff.pushforward import pushforward
from weft_graph.autodiff.reverse import (
    DisconnectedType,
    UndefinedType,
    grad_not_implemented,
    grad_undefined,
)
from weft_graph.compile.explain import explain
from weft_graph.compile.function import Function, In, function
from weft_graph.compile.mode import Mode, Pass, book_modules, installed_books, rewrite_graph
from weft_graph.core.constant import Constant, constant
from weft_graph.core.diff import diff
from weft_graph.core.digest import digest
from weft_graph.core.encoding import encoded
from weft_graph.core.function_graph import FunctionGraph, MissingInputError, Nominal
from weft_graph.core.interned import Interned
from weft_graph.core.nodes import (
    Apply,
    Identity,
    Input,
    Item,
    Named,
    Op,
    TupleType,
    Type,
    Variable,
    apply,
)
from weft_graph.core.protocols import ShapeUnknownError, UndefinedGradientError
from weft_graph.core.pytree import rebuilt
from weft_graph.core.source_location import source_of, treat_as_internal
from weft_graph.core.toposort import toposort
from weft_graph.core.traversal import ancestors, graph_inputs, remake, replace
from weft_graph.linking.compiled_function import CompiledFunction, Timing
from weft_graph.linking.error_locator import Reference
from weft_graph.linking.file_owner import written_by_others
from weft_graph.linking.gc_pause import without_collecting
from weft_graph.linking.graphs_in_python import in_python
from weft_graph.linking.linker import (
    Linker,
    LoweringError,
    MissingLoweringError,
    lowered,
    names_node,
    node_note,
    retold,
    transpile,
)
from weft_graph.linking.program import Program, load_source
from weft_graph.linking.python_linker import PythonLinker, overwritten, py_funcify
from weft_graph.linking.result_check import broken_promise
from weft_graph.linking.segments import PythonFallbackWarning, Segment, chain, cut, is_cut
from weft_graph.linking.task import Linked, Task, may_share
from weft_graph.observe.op_contract import check_pickles, check_result
from weft_graph.observe.profile import Profile, profile
from weft_graph.observe.rule_stats import Count, Stats
from weft_graph.observe.trace import Change, Trace, TracedPhase
from weft_graph.observe.verification import Verification, VerificationError
from weft_graph.ops.assume import Assumed, drop_assumptions
from weft_graph.ops.barrier import Barrier, in_stages
from weft_graph.ops.branch import Branch, Choice, lazy_branches
from weft_graph.ops.breakpoint import Breakpoint, set_breakpoint
from weft_graph.ops.checkpoint import Checkpoint, checkpoint
from weft_graph.ops.custom_pullback import CustomPullback, custom_pullback
from weft_graph.ops.effects import (
    Assert,
    CheckAndRaise,
    Print,
    assert_op,
    check_and_raise,
    print_value,
    without_prints,
)
from weft_graph.ops.loop import Loop, nodes_inside, with_bodies
from weft_graph.ops.op_from_graph import OpFromGraph, inline, shapes_within
from weft_graph.ops.shared import Cell, Shared, get_value, in_turn, set_value, shared
from weft_graph.ops.static import Static
from weft_graph.ops.tracing import closed_over
from weft_graph.ops.wrap_py import PythonFunction, wrap_py
from weft_graph.pictures.dot_mermaid import to_dot, to_mermaid
from weft_graph.pictures.html_page import to_html
from weft_graph.rewriting.audit import audit
from weft_graph.rewriting.driver import rewrite
from weft_graph.rewriting.facts import Ask, Fact, ask, assume
from weft_graph.rewriting.fp_contract import DEPARTURES
from weft_graph.rewriting.patterns import (
    AnyType,
    Each,
    any_constant,
    filled,
    wildcard,
    wildcards_of,
)
from weft_graph.rewriting.rule import RewriteError, Rule, rule
from weft_graph.rewriting.rulebook import RuleBook
from weft_graph.rewriting.watchers import Log, Phase, Watcher
from weft_graph.text.did_you_mean import no_such_name
from weft_graph.text.dprint import dprint
from weft_graph.text.parse import from_text
from weft_graph.text.scanner import GraphTextError
from weft_graph.text.serialise import large_constants, to_text

__version__ = "0.1.0"

__all__ = [
    "DEPARTURES",
    "AnyType",
    "Apply",
    "Ask",
    "Assert",
    "Assumed",
    "Barrier",
    "Branch",
    "Breakpoint",
    "Cell",
    "Change",
    "CheckAndRaise",
    "Checkpoint",
    "Choice",
    "CompiledFunction",
    "Constant",
    "Count",
    "CustomPullback",
    "DisconnectedInputError",
    "DisconnectedType",
    "Each",
    "Fact",
    "Function",
    "FunctionGraph",
    "GraphTextError",
    "Identity",
    "In",
    "Input",
    "Interned",
    "Item",
    "Linked",
    "Linker",
    "Log",
    "Loop",
    "LoweringError",
    "MissingInputError",
    "MissingLoweringError",
    "Mode",
    "Named",
    "Nominal",
    "Op",
    "OpFromGraph",
    "Pass",
    "Phase",
    "Print",
    "Profile",
    "Program",
    "PythonFallbackWarning",
    "PythonFunction",
    "PythonLinker",
    "Reference",
    "RewriteError",
    "Rule",
    "RuleBook",
    "Segment",
    "ShapeUnknownError",
    "Shared",
    "Static",
    "Stats",
    "StopGradient",
    "Task",
    "Timing",
    "Trace",
    "TracedPhase",
    "TupleType",
    "Type",
    "UndefinedGradientError",
    "UndefinedType",
    "Variable",
    "Verification",
    "VerificationError",
    "Watcher",
    "ancestors",
    "any_constant",
    "apply",
    "ask",
    "assert_op",
    "assume",
    "audit",
    "book_modules",
    "broken_promise",
    "chain",
    "check_and_raise",
    "check_pickles",
    "check_result",
    "checkpoint",
    "closed_over",
    "constant",
    "custom_pullback",
    "cut",
    "diff",
    "digest",
    "dprint",
    "drop_assumptions",
    "encoded",
    "explain",
    "filled",
    "from_text",
    "function",
    "get_value",
    "grad",
    "grad_not_implemented",
    "grad_undefined",
    "graph_inputs",
    "in_python",
    "in_stages",
    "in_turn",
    "inline",
    "installed_books",
    "is_cut",
    "large_constants",
    "lazy_branches",
    "load_source",
    "lowered",
    "may_share",
    "names_node",
    "no_such_name",
    "node_note",
    "nodes_inside",
    "overwritten",
    "pattern_of_graph",
    "print_value",
    "profile",
    "pullback",
    "pushforward",
    "py_funcify",
    "rebuilt",
    "remake",
    "replace",
    "retold",
    "rewrite",
    "rewrite_graph",
    "rule",
    "set_breakpoint",
    "set_value",
    "shapes_within",
    "shared",
    "source_of",
    "stop_gradient",
    "to_dot",
    "to_html",
    "to_mermaid",
    "to_text",
    "toposort",
    "transpile",
    "treat_as_internal",
    "value_and_grad",
    "wildcard",
    "wildcards_of",
    "with_bodies",
    "without_collecting",
    "without_prints",
    "wrap_py",
    "written_by_others",
]
