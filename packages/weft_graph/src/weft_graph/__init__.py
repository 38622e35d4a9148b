"""Graphs of Ops: the core of Weft, which needs nothing but the standard library.

Expressions become graphs of immutable, interned variables; graphs are differentiated,
rewritten by rules and compiled to Python, for any type of value. What authors of linkers, and
of Ops that hold graphs, need besides is in `weft_graph.extend`.
"""

from typing import TYPE_CHECKING

from weft_graph.autodiff.gradient import (
    DisconnectedInputError,
    grad,
    pullback,
    stop_gradient,
    value_and_grad,
)
from weft_graph.autodiff.pushforward import pushforward
from weft_graph.autodiff.reverse_sweep import grad_not_implemented, grad_undefined
from weft_graph.core.constant import Constant, constant
from weft_graph.core.digest import digest
from weft_graph.core.function_graph import FunctionGraph, MissingInputError
from weft_graph.core.nodes import Apply, Input, Item, Named, Op, TupleType, Type, Variable
from weft_graph.core.protocols import ShapeUnknownError, UndefinedGradientError
from weft_graph.core.pytree import tree_leaves, tree_map
from weft_graph.core.source_location import treat_as_internal
from weft_graph.core.toposort import toposort
from weft_graph.core.traversal import ancestors, graph_inputs, replace
from weft_graph.ops.effects import (
    Assert,
    CheckAndRaise,
    Print,
    assert_op,
    check_and_raise,
    print_value,
)
from weft_graph.ops.op_from_graph import OpFromGraph, inline
from weft_graph.ops.shared import get_value, set_value, shared
from weft_graph.pictures import late as drawn_late
from weft_graph.rewriting.facts import Fact, ask, assume
from weft_graph.rewriting.patterns import AnyType, Each, Form, any_constant, rest, wildcard
from weft_graph.text.late_names import imported_late

if TYPE_CHECKING:
    from weft_graph.compile.arguments import In
    from weft_graph.compile.explain import explain
    from weft_graph.compile.function import Function, function
    from weft_graph.compile.mode import Mode, Pass, rewrite_graph
    from weft_graph.core.diff import diff
    from weft_graph.linking.linker import LoweringError, MissingLoweringError
    from weft_graph.linking.python_linker import py_funcify
    from weft_graph.linking.segments import PythonFallbackWarning
    from weft_graph.observe.profile import Profile, profile
    from weft_graph.observe.rule_stats import Count, Stats
    from weft_graph.observe.trace import Change, Trace, TracedPhase
    from weft_graph.observe.verification import Verification, VerificationError
    from weft_graph.ops.breakpoint import Breakpoint, set_breakpoint
    from weft_graph.ops.checkpoint import Checkpoint, checkpoint
    from weft_graph.ops.custom_pullback import CustomPullback, custom_pullback
    from weft_graph.ops.wrap_py import PythonFunction, wrap_py
    from weft_graph.pictures.dot_mermaid import to_dot, to_mermaid
    from weft_graph.pictures.html_page import to_html
    from weft_graph.rewriting.audit import audit
    from weft_graph.rewriting.driver import rewrite
    from weft_graph.rewriting.rule import RewriteError, Rule, rule
    from weft_graph.rewriting.rulebook import RuleBook
    from weft_graph.rewriting.watchers import Log, Phase, Watcher
    from weft_graph.text.dprint import dprint
    from weft_graph.text.parse import from_text
    from weft_graph.text.scanner import GraphTextError
    from weft_graph.text.serialise import large_constants, to_text
else:  # what compiles, watches, draws and writes is imported when it is asked for
    __getattr__, __dir__ = imported_late(
        __name__,
        {
            "Breakpoint": "weft_graph.ops.breakpoint",
            "Change": "weft_graph.observe.trace",
            "Checkpoint": "weft_graph.ops.checkpoint",
            "Count": "weft_graph.observe.rule_stats",
            "CustomPullback": "weft_graph.ops.custom_pullback",
            "Function": "weft_graph.compile.function",
            "GraphTextError": "weft_graph.text.scanner",
            "In": "weft_graph.compile.arguments",
            "Log": "weft_graph.rewriting.watchers",
            "LoweringError": "weft_graph.linking.linker",
            "MissingLoweringError": "weft_graph.linking.linker",
            "Mode": "weft_graph.compile.mode",
            "Pass": "weft_graph.compile.mode",
            "Phase": "weft_graph.rewriting.watchers",
            "Profile": "weft_graph.observe.profile",
            "PythonFallbackWarning": "weft_graph.linking.segments",
            "PythonFunction": "weft_graph.ops.wrap_py",
            "RewriteError": "weft_graph.rewriting.rule",
            "Rule": "weft_graph.rewriting.rule",
            "RuleBook": "weft_graph.rewriting.rulebook",
            "Stats": "weft_graph.observe.rule_stats",
            "Trace": "weft_graph.observe.trace",
            "TracedPhase": "weft_graph.observe.trace",
            "Verification": "weft_graph.observe.verification",
            "VerificationError": "weft_graph.observe.verification",
            "Watcher": "weft_graph.rewriting.watchers",
            "audit": "weft_graph.rewriting.audit",
            "checkpoint": "weft_graph.ops.checkpoint",
            "custom_pullback": "weft_graph.ops.custom_pullback",
            "diff": "weft_graph.core.diff",
            "dprint": "weft_graph.text.dprint",
            "explain": "weft_graph.compile.explain",
            "from_text": "weft_graph.text.parse",
            "function": "weft_graph.compile.function",
            "large_constants": "weft_graph.text.serialise",
            "profile": "weft_graph.observe.profile",
            "py_funcify": "weft_graph.linking.python_linker",
            "rewrite": "weft_graph.rewriting.driver",
            "rewrite_graph": "weft_graph.compile.mode",
            "rule": "weft_graph.rewriting.rule",
            "set_breakpoint": "weft_graph.ops.breakpoint",
            "to_dot": "weft_graph.pictures.dot_mermaid",
            "to_html": "weft_graph.pictures.html_page",
            "to_mermaid": "weft_graph.pictures.dot_mermaid",
            "to_text": "weft_graph.text.serialise",
            "wrap_py": "weft_graph.ops.wrap_py",
        },
    )

_BOUND = (drawn_late,)
"""The modules that give methods to variables when they are imported: how notebooks show them."""

__version__ = "0.1.0"

__all__ = [
    "AnyType",
    "Apply",
    "Assert",
    "Breakpoint",
    "Change",
    "CheckAndRaise",
    "Checkpoint",
    "Constant",
    "Count",
    "CustomPullback",
    "DisconnectedInputError",
    "Each",
    "Fact",
    "Form",
    "Function",
    "FunctionGraph",
    "GraphTextError",
    "In",
    "Input",
    "Item",
    "Log",
    "LoweringError",
    "MissingInputError",
    "MissingLoweringError",
    "Mode",
    "Named",
    "Op",
    "OpFromGraph",
    "Pass",
    "Phase",
    "Print",
    "Profile",
    "PythonFallbackWarning",
    "PythonFunction",
    "RewriteError",
    "Rule",
    "RuleBook",
    "ShapeUnknownError",
    "Stats",
    "Trace",
    "TracedPhase",
    "TupleType",
    "Type",
    "UndefinedGradientError",
    "Variable",
    "Verification",
    "VerificationError",
    "Watcher",
    "ancestors",
    "any_constant",
    "ask",
    "assert_op",
    "assume",
    "audit",
    "check_and_raise",
    "checkpoint",
    "constant",
    "custom_pullback",
    "diff",
    "digest",
    "dprint",
    "explain",
    "from_text",
    "function",
    "get_value",
    "grad",
    "grad_not_implemented",
    "grad_undefined",
    "graph_inputs",
    "inline",
    "large_constants",
    "print_value",
    "profile",
    "pullback",
    "pushforward",
    "py_funcify",
    "replace",
    "rest",
    "rewrite",
    "rewrite_graph",
    "rule",
    "set_breakpoint",
    "set_value",
    "shared",
    "stop_gradient",
    "to_dot",
    "to_html",
    "to_mermaid",
    "to_text",
    "toposort",
    "treat_as_internal",
    "tree_leaves",
    "tree_map",
    "value_and_grad",
    "wildcard",
    "wrap_py",
]
