"""`check_op`: everything that is wrong with an Op, or a function of tensors, in one call."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache, partial
from importlib.metadata import entry_points
from itertools import product
from types import NoneType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from weft_graph import (
    Function,
    Mode,
    Op,
    OpFromGraph,
    PythonFallbackWarning,
    UndefinedGradientError,
    Variable,
    ask,
    function,
    py_funcify,
)
from weft_graph.extend import check_pickles, check_result
from weft_tensor import (
    Compress,
    Cut,
    Kind,
    Pointwise,
    SumOver,
    TensorOp,
    TensorType,
    TensorVariable,
    as_tensor,
    constant,
    expand,
    facts,
)
from weft_tensor.extend import SCALARS, inferred_shapes
from weft_testing.batches import check_batches
from weft_testing.blanks import check_blanks
from weft_testing.compare import check_lowered, compare_backends
from weft_testing.drawing import Arrays, fortran, read_only, strided
from weft_testing.gradients import check_grad
from weft_testing.tolerances import assert_same

__all__ = ["check_backend", "check_op", "examples_of"]

Example = tuple[Op, Sequence[Any]]
Computed = Callable[[], list[np.ndarray]]
"""The results of an example by Python, computed once for all checks."""

_FEW = 30
"""For functions of more inputs than this, calls with other memory layouts are left out."""


def check_op(
    op: Op | type[Op] | Callable[..., Any],
    *values: ArrayLike,
    backends: Sequence[str] | None = None,
    reference: Callable[..., object] | None = None,
) -> None:
    """Check an Op from all sides, and report everything that is wrong at once.

    Checked, for each example: inferred dtype, rank and shape against results;
    `infer_shape`; that the Op computes what its kind, or its expansion, says, and has the facts
    that it says; that inputs stay unmodified, and layouts of memory make no difference; that a
    batch is computed as its elements are, if it can be; that the Op pickles to itself; every
    backend against Python; derivatives in both modes against finite differences. Of an Op that has
    blanks (`weft_tensor.extend.blank`) these are named, and nothing else is checked.

    Parameters
    ----------
    op
        An Op, or a class of Ops, or a function of tensors: of it, the Op that its graph makes.
    values
        Input values for one example. Without any, the examples are those of
        `op.examples()`: (Op, input values) pairs.
    backends
        Names of the backends to compare with Python; by default all that are installed.
    reference
        A function of the input values that is known to be right (NumPy's or SciPy's).

    Raises
    ------
    AssertionError
        listing all that is wrong.
    ValueError
        if there are no examples.

    Examples
    --------
    >>> import numpy as np
    >>> from weft_tensor import Elemwise
    >>> check_op(Elemwise("sin"), np.array([0.0, 1.0]), reference=np.sin)
    >>> check_op(lambda x: x.mean(axis=0), np.ones((2, 3)))
    """
    if not isinstance(op, (Op, type)):
        op = _op_of(op, values)
    if values and isinstance(op, type):
        raise TypeError("with input values, give an Op, not a class of Ops")
    if backends is None:
        backends = sorted({e.name for e in entry_points(group="weft.linkers")})
    check_blanks(op, backends)
    examples: Sequence[Example] = [(op, values)] if isinstance(op, Op) and values else ()
    examples = examples or examples_of(op)
    problems = [text for example in examples for text in _problems(example, reference)]
    for backend in backends:
        problems += _backend_problems(examples, backend)
    _report(problems)


def _op_of(function_of_tensors: Callable[..., Any], values: Sequence[ArrayLike]) -> Op:
    """The Op of the graph that a function makes of inputs that fit the values."""
    inputs = _inputs([np.asarray(v) for v in values])
    results = function_of_tensors(*inputs)
    return OpFromGraph(inputs, results if isinstance(results, Variable) else list(results))


def check_backend(examples: Sequence[Example], backend: str) -> None:
    """Check only that a backend computes for (Op, input values) pairs what Python does.

    Raises AssertionError, listing all that is wrong.

    >>> from weft_tensor import Elemwise
    >>> check_backend(examples_of(Elemwise("sin")), "py")
    """
    _report(list(_backend_problems(examples, backend)))


def examples_of(op: Op | type[Op]) -> list[Example]:
    """The (Op, input values) pairs that an Op, or a class of Ops, gives as examples.

    Raises ValueError if there are none.

    >>> from weft_tensor import Elemwise
    >>> len(examples_of(Elemwise("sin"))) > 2
    True
    """
    kind = op if isinstance(op, type) else type(op)
    for lister in (_listed, _listed.__wrapped__):  # an Op may be newer than the first list
        if examples := [e for e in lister(kind) if isinstance(op, type) or e[0] is op]:
            return examples
    raise ValueError(
        f"{op} has no examples: define a classmethod `examples` that returns (Op, input "
        "values) pairs, or call check_op(op, *values)"
    )


@cache
def _listed(kind: type[Op]) -> list[Example]:
    """The examples of all Ops of a class: drawn once, though each Op is asked for by itself."""
    examples: list[Example] = getattr(kind, "examples", list)()
    return examples


def _report(problems: Sequence[str]) -> None:
    if problems:
        raise AssertionError("\n\n".join([f"{len(problems)} problems", *problems]))


def _problems(example: Example, reference: Callable[..., object] | None) -> Iterator[str]:
    """What is wrong with one example, whatever the backend."""
    op, arrays = example
    computed = cache(lambda: _python(op, [np.array(v) for v in arrays]))
    checks: dict[str, Callable[[Arrays], None]] = {
        "types": lambda values: _check_types(op, values, computed),
        "infer_shape": lambda values: _check_shapes(op, values, computed),
        "kind": lambda values: _check_kind(op, values, computed),
        "facts": lambda values: _check_facts(op, values, computed),
        "inputs": lambda values: _check_unmodified(op, values),
        "memory": lambda values: _check_memory(op, values),
        "memory layout": lambda values: _check_layouts(op, values, computed),
        "batches": lambda values: check_batches(op, values),
        "pickling": lambda values: check_pickles(op),
        "derivative": lambda values: _check_derivative(op, values),
    }
    if reference is not None:
        checks["reference"] = lambda values: _check_reference(values, reference, computed)
    for name, check in checks.items():
        values = [np.array(v) for v in arrays]  # new ones, in case the Op modifies them
        problem = _failure(partial(check, values))
        if problem:
            yield f"{_described(op, arrays)}: {name}: {problem}"


def _backend_problems(examples: Sequence[Example], backend: str) -> Iterator[str]:
    """Where `backend` differs from Python: all examples in one function, which is quicker
    to compile than one each; if that fails, one by one."""
    together = _failure(partial(_check_backend, examples, backend))
    if not together:
        return
    alone = [(e, _failure(partial(_check_backend, [e], backend))) for e in examples]
    problems = [f"{_described(*e)}: {backend}: {problem}" for e, problem in alone if problem]
    yield from problems or [f"all examples in one function: {backend}: {together}"]


def _described(op: Op, values: Sequence[ArrayLike]) -> str:
    arrays = map(np.asarray, values)
    return f"{op} of " + ", ".join(f"{v.dtype}{list(v.shape)}" for v in arrays)


def _failure(check: Callable[[], object]) -> str | None:
    """What `check` raises, as text: whatever an Op raises is a finding."""
    try:
        with np.errstate(all="ignore"):
            check()
    except Exception as error:
        notes = "\n".join(getattr(error, "__notes__", []))
        return f"{type(error).__name__}: {error}\n{notes}".rstrip()
    return None


def _inputs(values: Arrays) -> list[Variable]:
    """Inputs of unknown lengths."""
    return [TensorType(v.dtype, [None] * v.ndim)(f"x{k}") for k, v in enumerate(values)]


def _apply(op: Op, inputs: Sequence[Variable]) -> list[TensorVariable]:
    results = op(*inputs)
    return list(results) if isinstance(results, (list, tuple)) else [results]


def _node(output: Variable) -> Variable:
    """The variable of the Op that makes `output`, which may be one of several results."""
    owner = output.owner
    assert owner is not None, f"{output!r} is no result of an Op"
    return owner.node


@lru_cache(maxsize=1)
def _in_python(op: Op, *types: TensorType) -> Function:
    """Computes the Op: made once for all checks of an example."""
    inputs = [kind() for kind in types]
    return function(inputs, _apply(op, inputs), mode=Mode("py", books=[]))


def _python(op: Op, values: Arrays) -> list[np.ndarray]:
    """The results by Python."""
    results: list[np.ndarray] = _in_python(op, *[v.type for v in _inputs(values)])(*values)
    return results


def _check_types(op: Op, values: Arrays, computed: Computed) -> None:
    symbolic = _inputs(values)
    node = _node(_apply(op, symbolic)[0])
    if list(node.inputs) == symbolic:  # else they were converted, and the values do not fit
        check_result(node, py_funcify(node.op, node=node)(*values))
    inputs: list[Any] = [constant(v) for v in values]
    results = computed()
    for variables in (inputs, symbolic):
        outputs = _apply(op, variables)
        for output, result in zip(outputs, results, strict=True):
            kind = output.type
            assert str(result.dtype) == kind.dtype, f"inferred {kind}, computed {result.dtype}"
            assert result.ndim == kind.ndim, f"inferred {kind}, computed rank {result.ndim}"
            for n, length in zip(result.shape, kind.shape, strict=True):
                if isinstance(length, int):
                    assert n == length, f"inferred {kind}, computed shape {result.shape}"


def _check_shapes(op: Op, values: Arrays, computed: Computed) -> None:
    inputs = _inputs(values)
    shapes = inferred_shapes(_node(_apply(op, inputs)[0]))
    assert shapes is not None, "infer_shape is not defined"
    for shape, result in zip(shapes, computed(), strict=True):
        lengths = [as_tensor(n) for n in shape]
        found = function(inputs, lengths, mode=Mode("py", books=[]))(*values)
        numbers = tuple(int(n) for n in found)
        assert numbers == result.shape, f"{numbers}, but the result has {result.shape}"


def _check_kind(op: Op, values: Arrays, computed: Computed) -> None:
    """What the kind, or the expansion, says is what the Op computes."""
    if not isinstance(op, TensorOp):
        return
    inputs = _inputs(values)
    kind = op.kind(*inputs)
    if op.primitive:
        expansion = _said_of_primitive(kind, op, inputs)
    else:
        expansion = op.expanded(*op.convert(tuple(inputs)))
    if expansion is None or expansion is op(*inputs):
        return
    what = "expansion" if kind is None else f"kind, {type(kind).__name__},"
    (result,) = computed()
    (reference,) = function(inputs, [expansion], mode=Mode("py", books=[]))(*values)
    try:
        assert_same(result, reference)
    except AssertionError as error:
        raise AssertionError(f"its {what} does not say what it computes: {error}") from None


def _said_of_primitive(kind: Kind | None, op: TensorOp, inputs: Sequence[Variable]) -> Any:
    """What backends compute by the kind, in functions that exist; None for those without."""
    is_alone = isinstance(kind, Pointwise) and isinstance(kind.of, str) and kind.of not in SCALARS
    if is_alone or isinstance(kind, (NoneType, Compress, Cut, SumOver)):
        return None
    return as_tensor(expand(kind, op, inputs)).astype(op(*inputs).dtype)


def _check_facts(op: Op, values: Arrays, computed: Computed) -> None:
    """What is said of the result of constants does not contradict its elements."""
    constants: list[Any] = [constant(v) for v in values]
    outputs: Any = _apply(op, constants)
    if isinstance(op, OpFromGraph):
        outputs = op.body(constants)
    pairs = zip(outputs, computed(), strict=True)
    for (output, result), fact in product(pairs, facts.ELEMENTWISE):
        if ask(output, fact) is True:
            assert ask(constant(result), fact) is not False, f"it is not {fact}, as its facts say"


def _check_unmodified(op: Op, values: Arrays) -> None:
    before = [np.array(v) for v in values]
    _python(op, values)
    for position, (now, then) in enumerate(zip(values, before, strict=True)):
        same = np.array_equal(now, then, equal_nan=now.dtype.kind in "fc")
        assert same, f"input {position} was modified"


def _check_memory(op: Op, values: Arrays) -> None:
    """Results are new, or views of what `view_of` says: what leaves a function is copied then."""
    node = _node(_apply(op, _inputs(values))[0])
    if node.op.view_of is None or len(node.inputs) != len(values):
        return
    results = py_funcify(node.op, node=node)(*values)
    for position, value in enumerate(values):
        shared = any(
            np.may_share_memory(r, value)
            for r in (results if isinstance(results, tuple) else (results,))
        )
        assert not shared or position in node.op.view_of, (
            f"the result has memory of input {position}: say so with `view_of = ({position},)`"
        )


def _check_layouts(op: Op, values: Arrays, computed: Computed) -> None:
    for laid_out in (fortran, strided, read_only):
        copies = [laid_out(v) for v in values]
        for actual, reference in zip(_python(op, copies), computed(), strict=True):
            assert_same(actual, reference)


def _check_reference(values: Arrays, reference: Callable[..., object], computed: Computed) -> None:
    outcome = reference(*values)
    references = outcome if isinstance(outcome, (list, tuple)) else [outcome]
    for actual, target in zip(computed(), references, strict=True):
        assert_same(actual, target)


def _check_backend(examples: Sequence[Example], backend: str) -> None:
    mode = Mode(backend, books=[])
    inputs: list[Variable] = []
    outputs: list[TensorVariable] = []
    compared: list[TensorVariable] = []
    values: list[np.ndarray] = []
    for op, own_values in examples:
        arrays = [np.array(v) for v in own_values]  # what writes to them is seen at every try
        own = _inputs(arrays)
        inputs += own
        results = _apply(op, own)
        outputs += results
        compared += op.invariants(*results) if isinstance(op, TensorOp) else results
        values += arrays
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PythonFallbackWarning)  # it is reported below
        compiled, references = compare_backends(mode, inputs, compared, values)
    if any(part.by == "py" for part in getattr(compiled, "segments", ())):
        for output in outputs:  # Python must not stand in for what the backend lacks
            check_lowered(_node(output), mode.linker)
    if len(examples) == 1 or len(values) < _FEW:
        copies = [strided(v) for v in values]
        for actual, reference in zip(compiled(*copies), references, strict=True):
            assert_same(actual, reference)


def _is_smooth_here(op: Op, values: Arrays) -> bool:
    """Whether there is a derivative to compare: floating inputs, all finite, and outputs."""
    if not any(v.dtype.kind in "fc" and v.size for v in values):
        return False
    if not all(np.isfinite(v).all() for v in values if v.dtype.kind in "fc"):
        return False
    outputs = _apply(op, _inputs(values))
    return any(v.type.differentiable for v in outputs)


def _check_derivative(op: Op, values: Arrays) -> None:
    if not _is_smooth_here(op, values):
        return
    try:
        check_grad(lambda *inputs: op(*inputs), values)
    except UndefinedGradientError:
        return
