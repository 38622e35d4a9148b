"""Many small loops as one kernel: XLA for CPUs makes one of each, and starts each in microseconds.

XLA compiles a function that it must not inline, and is told to be small, to a single kernel. What
it calls libraries for, as for factors of matrices, can't be in one: it stands between kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from math import prod
from typing import Any, Final, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.xla_metadata import set_xla_metadata
from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, Var
from jax.stages import Traced

from weft_graph import FunctionGraph
from weft_graph.extend import Shared
from weft_jax.compile.joined_sums import joined_sums
from weft_jax.compile.parts import Part, all_steps, copied, in_parts, within
from weft_jax.compile.separate_calls import is_separate
from weft_jax.compile.xla_options import QUICKLY, WITHOUT_LIBRARIES, XlaOptions
from weft_jax.lowering.x64 import as_array
from weft_tensor import TensorType

__all__ = [
    *("IN_SMALL_KERNELS", "few_in_kernel", "in_small_kernels", "is_long", "is_small"),
    "loop_in_kernel",
]

IN_SMALL_KERNELS: Final[XlaOptions] = WITHOUT_LIBRARIES | QUICKLY
"""XLA can't put into a kernel what it would make of scatters and products of matrices otherwise."""

_LARGEST: Final = 4096
"""Arrays of more elements are worth kernels of their own, which use registers better."""
_LARGEST_STEP: Final = 1024
"""To compute more numbers in a step of a loop takes longer than to start kernels."""
_LARGEST_STATE: Final = 2**16
"""A kernel copies what it is given and changes: of more numbers, that would be seen."""
_SHORTEST_STEP: Final = 60
"""XLA by itself makes one kernel of loops with shorter steps, if there are no loops in them."""
_SHORTEST_OUTER: Final = 20
"""The least where there are: the slope of an alignment's score takes 47 µs in place of 168."""
_LARGEST_PRODUCT: Final = 2**15
"""From so many products of numbers on, a library multiplies matrices faster."""
_FEW_NUMBERS: Final = 64
"""Functions of so few take as long as a kernel as they do in several."""
_LONG_FUNCTION: Final = 400
"""Shorter ones compile soon."""
_FEWEST: Final = 30
"""What has fewer steps that compute something is a loop or two anyhow."""
_ONLY_READ: Final = frozenset(["reshape", "slice", "squeeze"])
"""Steps that are no loops."""
_ATTRIBUTES: Final = {"inlineable": "false", "xla_cpu_small_call": "true"}
_WITHIN: Final = {"inlineable": "true", "xla_cpu_small_call": "false"}
"""Of what a kernel contains: a loop's step is else a call, through which XLA does not see. Counters
are then one, and what does not change is computed before: time warping 333 µs in place of 402."""
_ELEMENTWISE: Final = """abs acos acosh add add_any and asin asinh atan atan2 atanh cbrt ceil clamp
    convert_element_type copy cos cosh digamma div eq erf erf_inv erfc exp exp2 expm1 floor ge gt
    integer_pow is_finite le le_to lgamma log log1p logistic lt lt_to max min mul ne neg nextafter
    not optimization_barrier or polynomial pow reduce_precision rem round rsqrt select_n sign sin
    sinh sqrt square sub tan tanh xor"""
_OF_BITS: Final = """bitcast_convert_type clz population_count shift_left shift_right_arithmetic
    shift_right_logical weft_rounded"""
_MOVING: Final = """broadcast_in_dim concatenate dynamic_slice dynamic_update_slice gather iota pad
    reshape rev slice split squeeze stack transpose unstack"""
_SCATTERING: Final = """scatter scatter-add scatter-max scatter-min scatter-mul scatter_add
    scatter_max scatter_min scatter_mul"""
_COMBINING: Final = """argmax argmin cumlogsumexp cummax cummin cumprod cumsum dot_general reduce
    reduce_and reduce_max reduce_min reduce_or reduce_prod reduce_sum reduce_xor"""
_HOLDING: Final = (
    "cond",
    "custom_jvp_call",
    "custom_vjp_call",
    "jit",
    "pjit",
    "platform_index",
    "scan",
    "while",
)
_MAKES_SCATTERS_LOOPS: Final = jax.__version_info__ < (0, 11)
"""Whether XLA still does, and so can put them into a kernel."""
_ALLOWED: Final = frozenset(
    [
        *" ".join([_ELEMENTWISE, _OF_BITS, _MOVING, _COMBINING]).split(),
        *(_SCATTERING.split() if _MAKES_SCATTERS_LOOPS else ()),
        *_HOLDING,
    ]
)
"""Names of what was seen to be right, and no slower, within a kernel."""
_IN_LOOPS: Final = _ALLOWED.difference(
    ["dot_general", *(name for name in _ALLOWED if name.startswith(("scatter", "cum")))]
)
"""Those that XLA makes no library's of, nor loops of its own, whatever its options."""


def is_long(graph: FunctionGraph) -> bool:
    """Whether there is enough to do for a kernel, the inputs' lengths are known, and few.

    Those of state seldom change.

    >>> import weft_tensor as wt
    >>> def judged(x):
    ...     return is_long(FunctionGraph(outputs=[sum(wt.exp(x * k) for k in range(20))]))
    >>> judged(wt.vector("x", shape=(30,))), judged(wt.vector("x")), judged(wt.scalar("x"))
    (True, False, True)
    """
    if 2 * len(graph.order) < _FEWEST:
        return False
    shapes = [v.type.shape for v in graph.nodes if isinstance(v.type, TensorType)]
    arguments = [v for v in graph.inputs if not isinstance(v.op, Shared)]
    inputs = [getattr(v.type, "shape", (None,)) for v in arguments]
    all_static = all(isinstance(n, int) for shape in inputs for n in shape)
    return all_static and all(map(_may_be_few, shapes))


def is_small(closed: ClosedJaxpr) -> bool:
    """Whether some steps are worth a kernel."""
    jaxpr = closed.jaxpr
    return any(map(_is_kernel, _stages(jaxpr))) and not jaxpr.effects


def in_small_kernels(traced: Traced, static: tuple[int, ...] = ()) -> Callable[..., object]:
    """What JAX has traced, with all that XLA can do in one kernel in one.

    >>> import jax.numpy as jnp
    >>> def f(x):
    ...     for _ in range(30):
    ...         x = jnp.sin(x).sum() * x
    ...     return x
    >>> small = in_small_kernels(jax.jit(f).trace(jnp.ones(3)))
    >>> "xla_cpu_small_call" in jax.jit(small).lower(jnp.ones(3)).as_text()
    True
    """

    def run(*values: Any) -> object:
        arrays = [value for k, value in enumerate(values) if k not in static]
        results = in_parts(traced.jaxpr, jax.tree.leaves(arrays), _parts(traced.jaxpr.jaxpr))
        return jax.tree.unflatten(traced.out_tree, results)

    return run


def loop_in_kernel(loop: Callable[..., Any], *values: Any) -> Any:
    """`loop(*values)`, a loop of JAX, on CPUs as one kernel if each step computes a few numbers.

    XLA starts several kernels in each step. A solution of differential equations by 56 steps takes
    142 µs in place of 218, its derivative 172 in place of 419.

    >>> def loop(x):
    ...     return jax.lax.fori_loop(0, 9, lambda i, x: sum(jnp.sin(x + k) for k in range(40)), x)
    >>> text = jax.jit(lambda x: loop_in_kernel(loop, x)).lower(jnp.ones(3)).as_text()
    >>> "xla_cpu_small_call" in text
    True
    """
    if jax.default_backend() != "cpu":
        return loop(*values)
    closed, shapes = jax.make_jaxpr(loop, return_shape=True)(*values)
    jaxpr, consts = closed.jaxpr, closed.consts
    arrays = [*consts, *jax.tree.leaves(values)]

    is_fit = not jaxpr.effects and _is_short(list(all_steps(jaxpr)))
    compute = copied(_of_arguments(jaxpr))
    if is_fit and sum(np.size(v) for v in arrays) <= _LARGEST_STATE:
        results: Any = _called(compute, *map(as_array, arrays))
    else:
        results = compute(*arrays)  # to trace once more would double in each loop of nested ones
    return jax.tree.unflatten(jax.tree.structure(shapes), results)


def few_in_kernel(function: Callable[..., Any], *arrays: Any) -> Any:
    """`function(*arrays)`, a long function of numbers, on CPUs as one kernel for a few of them.

    XLA takes half as long to compile it: `betainc` with its slopes 1.7 s in place of 4.1.

    >>> def steps(x):
    ...     for _ in range(200):
    ...         x = jnp.sin(x) * 2
    ...     return x
    >>> texts = [
    ...     jax.jit(lambda x: few_in_kernel(steps, x)).lower(jnp.ones(n)).as_text() for n in (9, 99)
    ... ]
    >>> ["xla_cpu_small_call" in text for text in texts]
    [True, False]
    """
    shapes = list(map(np.shape, arrays))
    if not all(isinstance(n, int) for shape in shapes for n in shape):
        return function(*arrays)  # lengths are symbols
    if jax.default_backend() != "cpu" or not 0 < sum(map(prod, shapes)) <= _FEW_NUMBERS:
        return function(*arrays)
    closed = jax.make_jaxpr(function)(*arrays)
    jaxpr, consts = closed.jaxpr, closed.consts
    steps = list(all_steps(jaxpr))
    fits = not jaxpr.effects and all(step.primitive.name in _IN_LOOPS for step in steps)
    if not fits or len(steps) < _LONG_FUNCTION:
        return function(*arrays)

    compute = copied(_of_arguments(jaxpr))
    (result,) = cast("list[Any]", _called(compute, *map(as_array, [*consts, *arrays])))
    return result


def _is_short(steps: Sequence[JaxprEqn]) -> bool:
    """Whether XLA should make one kernel of a loop with these steps, and does not by itself."""
    loops = sum(step.primitive.name in ("scan", "while") for step in steps)
    return (
        len(steps) >= (_SHORTEST_STEP if loops < 2 else _SHORTEST_OUTER)
        and all(step.primitive.name in _IN_LOOPS for step in steps)
        and sum(map(_computed, steps)) <= _LARGEST_STEP
    )


def _computed(step: JaxprEqn) -> int:
    """How many numbers a step computes: what it writes into an array, or what is within counts."""
    if step.primitive.name in _HOLDING:
        return 0
    written = step.invars[1:2] if step.primitive.name == "dynamic_update_slice" else step.outvars
    return sum(prod(_shape(v)) for v in written)


def _of_arguments(jaxpr: Jaxpr) -> ClosedJaxpr:
    """The same with its constants as the first arguments."""
    replaced: Any = jaxpr.replace  # which has no types
    return ClosedJaxpr(replaced(constvars=[], invars=[*jaxpr.constvars, *jaxpr.invars]), ())


def _called(compute: Callable[..., Any], *arguments: Any) -> object:
    """One kernel, which reads all its arguments, of which none is empty, nor is a result.

    XLA ends the process where, of what a kernel takes, something is not read after all, since it
    is empty, was multiplied by zero, or is a constant. A kernel of a single result it would share
    out among threads, and then refuse: there are always two.
    """
    results: list[Any] = []
    with_attributes: Any = set_xla_metadata  # neither has types
    kept_apart: Any = jax.lax.optimization_barrier

    def whole(*values: Any) -> tuple[Any, Any]:
        full = iter(values)
        everything = [next(full) if v.size else jnp.zeros(v.shape, v.dtype) for v in arguments]
        with with_attributes(**_WITHIN):
            results[:] = compute(*everything)
        full_results = [r for r in results if r.size]
        either: Any = jax.lax.bitwise_or
        seen = map(_is_first_set, values or full_results)
        return full_results, reduce(either, seen, np.False_)

    taken = kept_apart([v for v in arguments if v.size])
    with with_attributes(**_ATTRIBUTES):
        full = iter(kept_apart(jax.jit(whole)(*taken))[0])
    return [next(full) if r.size else jnp.zeros(r.shape, r.dtype) for r in results]


def _is_first_set(x: Any) -> Any:
    """Whether the first element is something other than zero."""
    first = jax.lax.slice(x, (0,) * x.ndim, (1,) * x.ndim)
    return jax.lax.ne(jax.lax.reshape(first, ()), np.zeros((), x.dtype))


def _parts(jaxpr: Jaxpr) -> list[Part]:
    """The steps, those of kernels as such."""
    return [
        Part(joined_sums(steps), _called) if _is_kernel(steps) else Part(steps)
        for steps in _stages(jaxpr)
    ]


def _stages(jaxpr: Jaxpr) -> list[list[JaxprEqn]]:
    """The steps, by turns what may be in one kernel and what stands apart.

    Which platform it is stands where it is asked for: XLA, which knows, may end the process where
    an argument of several kernels is read by none.
    """
    platform = {s.outvars[0]: s for s in jaxpr.eqns if s.primitive.name == "platform_index"}
    level: dict[Var, int] = {}
    stages: list[list[JaxprEqn]] = []
    for step in jaxpr.eqns:
        if not platform.keys().isdisjoint(step.outvars):
            continue
        last = max((level.get(v, 0) for v in step.invars if isinstance(v, Var)), default=0)
        stage = last + (last + _is_apart(step)) % 2
        level.update(dict.fromkeys(step.outvars, stage))
        stages.extend([] for _ in range(stage + 1 - len(stages)))
        asked = [platform[v] for v in step.invars if isinstance(v, Var) and v in platform]
        stages[stage] += [s for s in asked if s not in stages[stage]]
        stages[stage].append(step)
    return [steps for steps in stages if steps]


def _is_kernel(steps: Sequence[JaxprEqn]) -> bool:
    """Whether these steps of one stage are worth a kernel."""
    computing = [step for step in steps if step.primitive.name not in _ONLY_READ]
    return len(computing) >= _FEWEST and not _is_apart(steps[0])


def _is_apart(step: JaxprEqn) -> bool:
    """Whether `step`, or one within, can't or should not be part of a kernel."""
    if step.primitive.name not in _ALLOWED or is_separate(step):
        return True
    if not all(map(_is_few, map(_shape, step.outvars))):
        return True
    if step.primitive.name == "dot_general":
        ((contracted, _), _) = step.params["dimension_numbers"]
        lengths = [_shape(step.invars[0])[k] for k in contracted]
        return prod([*lengths, *_shape(step.outvars[0])]) > _LARGEST_PRODUCT
    return any(_is_apart(inner) for inside in within(step) for inner in inside.eqns)


def _shape(v: Any) -> tuple[int, ...]:
    shape: tuple[int, ...] = v.aval.shape
    return shape


def _may_be_few(shape: Iterable[object]) -> bool:
    return prod(n for n in shape if isinstance(n, int)) <= _LARGEST


def _is_few(shape: Iterable[int]) -> bool:
    return prod(shape) <= _LARGEST
