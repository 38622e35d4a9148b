"""Graphs of Ops: the core of Weft, which needs nothing but the standard library.

Expressions become graphs of immutable, interned variables; graphs are differentiated,
rewritten by rules and compiled to Python, for any type of value.
"""

from weft_graph.assumed import Assumed, drop_assumptions
from weft_graph.audit import audit
from weft_graph.barrier import Barrier, in_stages
from weft_graph.branching import Branch, Choice, lazy_branches
from weft_graph.breakpoint import Breakpoint, set_breakpoint
from weft_graph.checking import check_pickles, check_result
from weft_graph.checkpointing import Checkpoint, checkpoint
from weft_graph.collecting import without_collecting
from weft_graph.counting import Count, Stats
from weft_graph.custom import CustomPullback, custom_pullback
from weft_graph.departures import DEPARTURES
from weft_graph.difference import diff
from weft_graph.digest import digest
from weft_graph.effects import (
    Assert,
    CheckAndRaise,
    Print,
    assert_op,
    check_and_raise,
    print_value,
    without_prints,
)
from weft_graph.encoding import encoded
from weft_graph.explaining import explain
from weft_graph.facts import Ask, Fact, ask, assume
from weft_graph.function import Function, In, function
from weft_graph.gradient import (
    DisconnectedInputError,
    StopGradient,
    grad,
    pullback,
    stop_gradient,
    value_and_grad,
)
from weft_graph.graph import FunctionGraph, MissingInputError
from weft_graph.hooks import ShapeUnknownError, UndefinedGradientError
from weft_graph.interned import Interned
from weft_graph.linked import Linked, Task, may_share
from weft_graph.linker import (
    Linker,
    LoweringError,
    MissingLoweringError,
    Program,
    load_source,
    lowered,
    names_node,
    node_note,
    transpile,
)
from weft_graph.loops import Loop, nodes_inside, with_bodies
from weft_graph.modes import Mode, Pass, book_modules, installed_books, rewrite_graph
from weft_graph.nodes import (
    Apply,
    Constant,
    Identity,
    Input,
    Item,
    Named,
    Nominal,
    Op,
    TupleType,
    Type,
    Variable,
    apply,
    constant,
    remake,
)
from weft_graph.op_from_graph import OpFromGraph, inline, shapes_within
from weft_graph.order import toposort
from weft_graph.origin import source_of, treat_as_internal
from weft_graph.owners import written_by_others
from weft_graph.page import to_html
from weft_graph.parsing import from_text
from weft_graph.patterns import AnyType, Each, any_constant, filled, wildcard, wildcards_of
from weft_graph.pictures import to_dot, to_mermaid
from weft_graph.printing import dprint
from weft_graph.profiling import Profile, Timing, profile
from weft_graph.promises import broken_promise
from weft_graph.pushforward import pushforward
from weft_graph.python_linker import PythonLinker, overwritten, py_funcify
from weft_graph.reference import Reference
from weft_graph.reverse import (
    DisconnectedType,
    UndefinedType,
    grad_not_implemented,
    grad_undefined,
)
from weft_graph.rewriting import rewrite
from weft_graph.rule import RewriteError, Rule, rule
from weft_graph.rules import RuleBook
from weft_graph.scanner import GraphTextError
from weft_graph.segments import PythonFallbackWarning, Segment, chain, cut
from weft_graph.state import Cell, Shared, get_value, in_turn, set_value, shared
from weft_graph.static import Static
from weft_graph.text import large_constants, to_text
from weft_graph.trace import Change, Trace, TracedPhase
from weft_graph.traced import closed_over
from weft_graph.traversal import ancestors, graph_inputs, replace
from weft_graph.verification import Verification, VerificationError
from weft_graph.watching import Log, Phase, Watcher
from weft_graph.wrap_py import PythonFunction, wrap_py

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
    "in_stages",
    "in_turn",
    "inline",
    "installed_books",
    "large_constants",
    "lazy_branches",
    "load_source",
    "lowered",
    "may_share",
    "names_node",
    "node_note",
    "nodes_inside",
    "overwritten",
    "print_value",
    "profile",
    "pullback",
    "pushforward",
    "py_funcify",
    "remake",
    "replace",
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
