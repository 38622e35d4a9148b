"""Helpers that tell whether an Op, and its implementations, are right."""

from weft_testing.batches import check_batches
from weft_testing.check_function import Case, case, check_function
from weft_testing.check_op import check_backend, check_op, examples_of
from weft_testing.check_rule import check_book, check_rule, contract_table
from weft_testing.compare import compare_backends, compare_jax_and_py, compare_numba_and_py
from weft_testing.gradients import check_grad
from weft_testing.ops import tensor_ops
from weft_testing.outcomes import assert_same_outcome, outcome
from weft_testing.random_programs.graphs import RandomGraphs, faults_in_random_graphs
from weft_testing.random_programs.loops import faults_in_random_loops
from weft_testing.random_programs.siblings import faults_in_random_siblings, random_siblings
from weft_testing.tolerances import assert_close, assert_same

__version__ = "0.1.0"

__all__ = [
    "Case",
    "RandomGraphs",
    "assert_close",
    "assert_same",
    "assert_same_outcome",
    "case",
    "check_backend",
    "check_batches",
    "check_book",
    "check_function",
    "check_grad",
    "check_op",
    "check_rule",
    "compare_backends",
    "compare_jax_and_py",
    "compare_numba_and_py",
    "contract_table",
    "examples_of",
    "faults_in_random_graphs",
    "faults_in_random_loops",
    "faults_in_random_siblings",
    "outcome",
    "random_siblings",
    "tensor_ops",
]
