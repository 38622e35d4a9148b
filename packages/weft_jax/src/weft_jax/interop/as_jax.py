"""`as_jax`: a graph as a plain function, for JAX to trace and transform."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from inspect import signature
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import checkify

from weft_graph import (
    Function,
    FunctionGraph,
    Variable,
    ancestors,
    get_value,
    graph_inputs,
    rewrite_graph,
)
from weft_graph.extend import CompiledFunction, PythonLinker, lazy_branches, without_collecting
from weft_jax.analysis.mask_lifting import lift_masks
from weft_jax.analysis.sized_subscripts import book
from weft_jax.analysis.static_values import plan_for
from weft_jax.analysis.steady_slices import with_steady_slices
from weft_jax.compile.named_scopes import NO_NAMES, Names
from weft_jax.compile.recomputation import recomputes
from weft_jax.compile.separate_calls import in_calls
from weft_jax.compile.tracing import Run, plain, program_of
from weft_jax.lowering.array_checks import fits, shown
from weft_jax.lowering.dispatch import jax_funcify
from weft_jax.lowering.own_slopes import with_own_slopes
from weft_jax.lowering.x64 import outside_dtype
from weft_jax.runtime.runtime_checks import Checks, noting
from weft_tensor import TensorType

__all__ = ["Structured", "Traceable", "as_jax"]


class Traceable:
    """A graph that JAX can trace, called with the values of its inputs in order.

    `funcify` gives the function that computes a node, by default what `jax_funcify` says.
    `names` are for JAX's texts.
    """

    @without_collecting()
    def __init__(
        self,
        graph: FunctionGraph,
        funcify: Callable[[Variable], Run] = lambda v: jax_funcify(v.op, node=v),
        names: Names = NO_NAMES,
    ) -> None:
        steady = with_steady_slices(rewrite_graph(graph, [book, lazy_branches]))
        self.graph = lift_masks(steady)
        self.plan = plan_for(self.graph)
        self._run, _ = program_of(self.plan, funcify, names)
        self._cut = in_calls(self.traced, 1) if recomputes(self.plan.graph) else self.traced
        self._host, _ = PythonLinker().link(FunctionGraph(self.graph.inputs, self.plan.sizes))

    def __call__(self, *values: object) -> tuple[object, ...]:
        """The outputs, in the dtypes of the graph as far as JAX's setting allows them."""
        values = tuple(map(_fitting, self.graph.inputs, values))
        sizes = self.sizes(values)
        with _narrowing():
            return self._cut(sizes, *[values[k] for k in self.plan.arrays])

    def traced(self, sizes: Sequence[object], *arrays: object) -> tuple[object, ...]:
        """The outputs for what `plan` says is needed."""
        inputs = [self.graph.inputs[k] for k in self.plan.arrays]
        values = map(_of_dtype, inputs, arrays)
        with noting() as checks, with_own_slopes():
            results = tuple(map(_of_dtype, self.graph.outputs, self._run(*sizes, *values)))
        _tell_checkify(checks)
        return results

    @property
    def size_inputs(self) -> list[Variable]:
        """The inputs on whose values lengths depend."""
        sources = set(ancestors(self.plan.sizes))
        return [v for v in self.graph.inputs if v in sources]

    def sizes(self, values: Sequence[object]) -> list[object]:
        """The numbers that lengths depend on, of the values of all inputs."""
        if not self.plan.sizes:
            return []
        try:
            return [plain(size) for size in self._host(*values)]
        except (jax.errors.JAXTypeError, jax.errors.JAXIndexError) as error:
            traced = [
                repr(v)
                for v, value in zip(self.graph.inputs, values, strict=True)
                if isinstance(value, jax.core.Tracer)
            ]
            raise TypeError(
                "the length of an array depends on the value of an input that JAX is tracing "
                f"(one of {', '.join(traced)}): give a number for it, for example with "
                "`static_argnums` of jax.jit or with functools.partial"
            ) from error


@contextmanager
def _narrowing() -> Iterator[None]:
    """Within it, JAX makes 32 bits of 64 without a warning, if that is its setting."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Explicitly requested dtype")
        yield


def _fitting(variable: Variable, value: object) -> object:
    """`value` if its rank, known lengths and kind of dtype are those of `variable`."""
    type_ = variable.type
    if not isinstance(value, jax.Array) or not isinstance(type_, TensorType):
        return type_.filter(value)
    here = outside_dtype(type_.dtype)
    if not fits(value, type_, here):
        text = str(type_).replace(type_.dtype, str(here))
        raise TypeError(f"input {variable!r}: expected {text}, got {shown(value)}")
    return value


def _of_dtype(variable: Variable, value: object) -> object:
    type_ = variable.type
    return jnp.asarray(value, type_.dtype) if isinstance(type_, TensorType) else value


def _tell_checkify(checks: Checks) -> None:
    for condition, failure in zip(checks.conditions, checks.failures, strict=True):
        error = failure.made()
        text = "\n".join([f"{type(error).__name__}: {error}", *getattr(error, "__notes__", ())])
        checkify.debug_check(condition, text.replace("{", "{{").replace("}", "}}"))


def as_jax(compiled: Function | FunctionGraph) -> Callable[..., Any]:
    """A plain function of JAX arrays, to be given to `jax.jit`, `grad`, `vmap`, `checkpoint`, ...

    Parameters
    ----------
    compiled
        A function made by `weft_graph.compile.function`, of any mode: the result takes the same
        arguments and returns the same structure. Or a graph: the result takes its inputs and
        returns a tuple, after the rule books that are installed were applied.

    Returns
    -------
    A pure function. Like all of JAX it computes with 32 bits in place of 64 as long as
    `jax_enable_x64` is off. Values of shared variables are read when JAX traces it. It
    raises no errors about values, unless `jax.experimental.checkify` transforms it, with
    `errors=checkify.all_checks`.

    Raises
    ------
    ValueError
        for a function with updates, which is not pure.
    TypeError
        for anything else, such as an expression, which does not say what its arguments are.

    Examples
    --------
    >>> import jax
    >>> import weft_tensor as wt
    >>> from weft_graph import function
    >>> x, scale = wt.vector("x"), wt.scalar("scale")
    >>> f = as_jax(function([x, {"scale": scale}], (wt.sin(x) * scale).sum(), mode="py"))
    >>> jax.grad(f)(jax.numpy.zeros(2), {"scale": 3.0})
    Array([3., 3.], dtype=float32)
    """
    if isinstance(compiled, FunctionGraph):
        return Traceable(rewrite_graph(compiled))
    if not isinstance(compiled, Function):
        raise TypeError(_no_function(compiled))
    if compiled.updated:
        raise ValueError(
            f"as_jax needs a pure function, but this one updates {compiled.updated}: return the "
            "new values as outputs instead"
        )
    return _structured(compiled)


def _no_function(value: Any) -> str:
    items = value if isinstance(value, (list, tuple)) else [value]
    hint = "as_jax(function(inputs, outputs))"
    if items and all(isinstance(v, Variable) for v in items):
        inputs = ", ".join(map(str, graph_inputs(items)))
        hint = f"with its arguments in order, as_jax(function([{inputs}], ...))"
    return f"as_jax takes a compiled function or a FunctionGraph, not {value!r}: write {hint}"


class Structured:
    """The arguments and results of a compiled function, as pytrees."""

    def __init__(self, compiled: CompiledFunction) -> None:
        self.inputs = compiled.inputs
        self._arguments = [_flattened(p.structure) for p in compiled.parameters]
        variables, self._tree = _flattened(compiled.outputs)
        self._order = [compiled.results.index(v) for v in variables]
        self._signature = signature(compiled.__call__)

    def values(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        """The values of the inputs, in order, among the arguments of a call."""
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        value_of: dict[Variable, Any] = {}
        for (variables, tree), argument in zip(self._arguments, bound.args, strict=True):
            value_of |= zip(variables, tree.flatten_up_to(argument), strict=True)
        return [value_of[v] for v in self.inputs]

    def arguments(self, values: Mapping[Variable, Any]) -> list[Any]:
        """What to call the function with so that its inputs have `values`."""
        return [tree.unflatten([values[v] for v in own]) for own, tree in self._arguments]

    def result(self, values: Sequence[Any]) -> Any:
        """What the function returns if its outputs are `values`."""
        return self._tree.unflatten([values[k] for k in self._order])


def _flattened(structure: object) -> tuple[list[Variable], Any]:
    values, tree = jax.tree.flatten(structure)
    for leaf in values:
        if not isinstance(leaf, Variable):
            raise TypeError(
                f"JAX does not look into {leaf!r}: make its class a pytree, for example with "
                "`jax.tree_util.register_dataclass`"
            )
    return values, tree


def _structured(compiled: Function) -> Run:
    structured = Structured(compiled)
    traceable = Traceable(compiled.graph)
    shared = traceable.graph.inputs[len(compiled.inputs) :]

    def weft_function(*args: object, **kwargs: object) -> object:
        values = structured.values(args, kwargs)
        return structured.result(traceable(*values, *map(get_value, shared)))

    return weft_function
