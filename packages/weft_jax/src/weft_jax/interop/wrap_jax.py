"""`wrap_jax`: functions written in JAX as Ops, for every backend."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, update_wrapper
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from weft_graph import Op, Type, Variable
from weft_jax.compile.tracing import Run
from weft_jax.lowering.array_checks import fits, shown
from weft_jax.lowering.dispatch import jax_funcify
from weft_jax.lowering.x64 import enable_x64
from weft_jax.runtime.error_location import forget_frames
from weft_tensor import Dim, TensorType, as_tensor

__all__ = ["JAXFunction", "JAXOp", "jax_funcify_jax_op", "wrap_jax"]


@dataclass(frozen=True)
class FlatCall:
    """A function of pytrees, called with the arrays among its arguments' leaves."""

    wrapped: JAXFunction
    tree: Any
    static: tuple[tuple[int, Any], ...]

    def whole(self, *arrays: object) -> Any:
        """The result as the function gives it."""
        leaves = list(arrays)
        for position, value in self.static:
            leaves.insert(position, value)
        args, kwargs = jax.tree.unflatten(self.tree, leaves)
        return self.wrapped.function(*args, **kwargs)

    def __call__(self, *arrays: Any) -> tuple[Any, ...]:
        """The leaves of the result."""
        return tuple(jax.tree.leaves(self.whole(*arrays)))

    @property
    def name(self) -> str:
        """That of the function."""
        function = self.wrapped.function
        return getattr(function, "__name__", type(function).__name__)


@dataclass(frozen=True)
class Pullback:
    """The cotangents of some inputs of `call`, from all its inputs and some results'."""

    call: Any
    inputs: tuple[int, ...]
    results: tuple[int, ...]

    def __call__(self, *arrays: Any) -> tuple[Any, ...]:
        """By `jax.vjp`, with the conjugates that make it a gradient for complex numbers."""
        primals, cotangents = _halves(arrays, len(self.results))
        run, values = _partly(self.call, primals, self.inputs, self.results)
        _, pull = jax.vjp(run, *values)
        return tuple(map(jnp.conj, pull(tuple(map(jnp.conj, cotangents)))))

    @property
    def name(self) -> str:
        """After that of the function."""
        return f"pullback of {self.call.name}"


@dataclass(frozen=True)
class Pushforward:
    """The tangents of some results of `call`, from all its inputs and some inputs' tangents."""

    call: Any
    inputs: tuple[int, ...]
    results: tuple[int, ...]

    def __call__(self, *arrays: Any) -> tuple[Any, ...]:
        """By `jax.jvp`."""
        primals, tangents = _halves(arrays, len(self.inputs))
        run, values = _partly(self.call, primals, self.inputs, self.results)
        return tuple(jax.jvp(run, values, tuple(tangents))[1])

    @property
    def name(self) -> str:
        """After that of the function."""
        return f"pushforward of {self.call.name}"


def _halves(arrays: Sequence[Any], number: int) -> tuple[Sequence[Any], Sequence[Any]]:
    return arrays[: len(arrays) - number], arrays[len(arrays) - number :]


def _partly(
    call: Run, arguments: Sequence[object], inputs: Sequence[int], results: Sequence[int]
) -> tuple[Run, tuple[object, ...]]:
    """`call` as a function of some inputs to some results, and the values of those inputs."""

    def run(*some: Any) -> tuple[Array, ...]:
        values = list(arguments)
        for position, value in zip(inputs, some, strict=True):
            values[position] = value
        outputs = call(*values)
        return tuple([jnp.asarray(outputs[k]) for k in results])

    return run, tuple([jnp.asarray(arguments[k]) for k in inputs])


class JAXOp(Op):
    """A JAX function of arrays, flat on both sides; made by `wrap_jax`."""

    runs_in_python: ClassVar[bool] = True
    call: Any
    results: tuple[Type, ...] | None
    """The types of the results; None: those that JAX finds."""

    def infer(self, *types: Type) -> tuple[Type, ...]:
        """By tracing the function, with unknown lengths tried as several numbers."""
        return _result_types(self.call, types) if self.results is None else self.results

    def impl(self, *values: Any) -> Any:
        """By JAX, compiled."""
        try:
            with enable_x64(True):
                return tuple([np.array(r) for r in _compiled(self)(*values)])
        except Exception as error:
            forget_frames(error)
            raise

    def run(self, *arrays: object) -> tuple[object, ...]:
        """The results, if they are of the types that were said."""
        results: tuple[Any, ...] = self.call(*arrays)
        if self.results is None:
            return results
        if len(results) != len(self.results):
            raise TypeError(f"{self} has {len(results)} results, not {len(self.results)}")
        for k, (array, result_type) in enumerate(zip(results, self.results, strict=True)):
            if isinstance(result_type, TensorType) and not fits(array, result_type):
                text = f"result {k} of {self} is {shown(array)}, not {result_type} as `out` says"
                raise TypeError(text)
        return results

    def pullback(
        self, inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        """By `jax.vjp`."""
        positions, results = _differentiable(inputs), _differentiable(outputs)
        gradients: list[Any] = [None] * len(inputs)
        if positions and results:
            op = JAXOp(
                Pullback(self.call, positions, results), tuple(inputs[k].type for k in positions)
            )
            slopes = op.make_node(*inputs, *(cotangents[k] for k in results)).outputs
            for position, slope in zip(positions, slopes, strict=True):
                gradients[position] = slope
        return gradients

    def pushforward(
        self, inputs: Sequence[Any], outputs: Sequence[Any], tangents: Sequence[Any]
    ) -> Any:
        """By `jax.jvp`."""
        positions = tuple([k for k in _differentiable(inputs) if tangents[k] is not None])
        results = _differentiable(outputs)
        slopes: list[Any] = [None] * len(outputs)
        if positions and results:
            types = tuple([outputs[k].type for k in results])
            op = JAXOp(Pushforward(self.call, positions, results), types)
            slopes_out = op.make_node(*inputs, *(tangents[k] for k in positions)).outputs
            for position, slope in zip(results, slopes_out, strict=True):
                slopes[position] = slope
        return slopes

    def __str__(self) -> str:
        return f"wrap_jax({self.call.name})"


def _differentiable(variables: Sequence[Any]) -> tuple[int, ...]:
    return tuple([k for k, v in enumerate(variables) if v.type.differentiable])


@lru_cache(maxsize=256)
def _compiled(op: JAXOp) -> Any:
    return jax.jit(op.run)


@jax_funcify.register(JAXOp)
def jax_funcify_jax_op(op: JAXOp, *, node: Variable, **kwargs: object) -> Run:
    """The function itself, traced with all the rest."""
    return op.run


def _result_types(call: Run, types: Sequence[object]) -> tuple[TensorType, ...]:
    """Lengths that follow a named length have its name, others that vary are unknown."""
    for k, type_ in enumerate(types):
        if not isinstance(type_, TensorType):
            raise TypeError(f"wrap_jax takes tensors only, but input {k} is {type_}")
    sizes, shapes = _trials(call, types)
    names = {tried: str(key) for key, tried in sizes.items() if isinstance(key, Dim)}
    result = []
    for one, other in zip(*shapes, strict=True):
        pairs = zip(one.shape, other.shape, strict=True)
        result.append(TensorType(one.dtype, [n if n == m else names.get((n, m)) for n, m in pairs]))
    return tuple(result)


def _trials(call: Run, types: Sequence[object]) -> tuple[dict[object, object], list[object]]:
    """The numbers tried for each length that is not known, and the results' shapes for them.

    Lengths without a name differ at first; if the function doesn't take that, all are one.
    """
    try:
        return _trial(call, types, lambda position, axis: (position, axis))
    except Exception as error:
        try:
            return _trial(call, types, lambda position, axis: None)
        except Exception:
            forget_frames(error)
            error.add_note(
                "wrap_jax tried several numbers for each unknown length: give the inputs the "
                "lengths that the function needs, or say what it returns with `out`"
            )
            raise error from None


def _trial(
    call: Run, types: Sequence[Any], unnamed: Callable[[int, int], Any]
) -> tuple[dict[Any, Any], list[Any]]:
    keys = [
        [unnamed(position, axis) if n is None else n for axis, n in enumerate(type_.shape)]
        for position, type_ in enumerate(types)
    ]
    unknown = dict.fromkeys(key for shape in keys for key in shape if not isinstance(key, int))
    sizes = {key: (3 + 2 * k, 1000 + 3 * k) for k, key in enumerate(unknown)}
    spec: Any = jax.ShapeDtypeStruct
    shapes = []
    for turn in (0, 1):
        specs = [
            spec([k if isinstance(k, int) else sizes[k][turn] for k in key], t.dtype)
            for key, t in zip(keys, types, strict=True)
        ]
        with enable_x64(True):
            shapes.append(jax.tree.leaves(jax.eval_shape(call, *specs)))
    return sizes, shapes


class JAXFunction:
    """A JAX function that takes variables; see `wrap_jax`."""

    def __init__(self, function: Run, out: object = None) -> None:
        update_wrapper(self, function)
        self.function = function
        self.out = out

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """One node, whose results come in the structure in which the function returns them."""
        leaves, tree = jax.tree.flatten((args, kwargs))
        arrays = [k for k, leaf in enumerate(leaves) if _is_array(leaf)]
        static = tuple([(k, leaf) for k, leaf in enumerate(leaves) if not _is_array(leaf)])
        call = FlatCall(self, tree, static)
        inputs = [as_tensor(leaves[k]) for k in arrays]
        types = None if self.out is None else tuple(jax.tree.leaves(self.out))
        outputs = JAXOp(call, types).make_node(*inputs).outputs
        return jax.tree.unflatten(self._structure(call, inputs), outputs)

    def _structure(self, call: FlatCall, inputs: Sequence[Any]) -> Any:
        """How the results are nested."""
        if self.out is not None:
            return jax.tree.structure(self.out)
        trees: list[Any] = []

        def watched(*arrays: object) -> tuple[object, ...]:
            flat, tree = jax.tree.flatten(call.whole(*arrays))
            trees.append(tree)
            return tuple(flat)

        _trials(watched, [v.type for v in inputs])
        return trees[-1]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, JAXFunction) and self.function == other.function

    def __hash__(self) -> int:
        return hash(self.function)

    def __reduce__(self) -> str | tuple[object, ...]:
        target: Any = sys.modules.get(getattr(self.function, "__module__", None) or "")
        name = getattr(self.function, "__qualname__", "")
        for part in name.split("."):
            target = getattr(target, part, None)
        return name if target is self else (JAXFunction, (self.function, self.out))

    def __repr__(self) -> str:
        return f"wrap_jax({self.function!r})"


def _is_array(leaf: object) -> bool:
    return isinstance(leaf, (Variable, np.ndarray, np.generic, jax.Array))


def wrap_jax(function: Callable[..., Any], *, out: object = None) -> JAXFunction:
    """A function written in JAX as one of variables: each call is one node.

    Every backend runs it (others than JAX's own call it with their arrays), and `jax.vjp` and
    `jax.jvp` differentiate it, any number of times. It must be pure, as all that JAX traces.

    Parameters
    ----------
    function
        Takes and returns pytrees of arrays. Arguments that are neither variables nor arrays
        (numbers, strings, None) reach it as they are; they must be hashable.
    out
        The types of the results, nested as the results are. By default JAX finds them: the
        function is traced with several numbers for each length that is not known.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> import weft_tensor as wt
    >>> from weft_graph import function, grad
    >>> @wrap_jax
    ... def scores(params, x, power=1):
    ...     return {"linear": x @ params["w"], "norm": jnp.sum(params["w"] ** power)}
    >>> x, w = wt.matrix("x", shape=("n", 2)), wt.vector("w", shape=(2,))
    >>> found = scores({"w": w}, x, power=2)
    >>> found["linear"]
    <... : float64[n]>
    >>> f = function([x, w], grad(found["norm"] + found["linear"].sum(), w), mode="py")
    >>> f([[1.0, 0.0]], [1.0, 2.0])
    array([3., 4.])
    """
    return JAXFunction(function, out)
