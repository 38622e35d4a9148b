"""The JAX linker for many devices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import jax
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import NamedSharding

from weft_graph import FunctionGraph, Variable
from weft_graph.extend import CompiledFunction
from weft_jax.analysis.buckets import Buckets
from weft_jax.analysis.shape_policy import Dynamic
from weft_jax.analysis.static_values import Plan
from weft_jax.compile.tracing import Run
from weft_jax.interop.as_jax import Traceable
from weft_jax.interop.inspection import Inspection
from weft_jax.linker import JAXLinker
from weft_jax.ops.control.loop import DynamicLoops
from weft_jax.ops.parallel.mesh import put, sharding_of
from weft_jax.ops.parallel.sharding import constraint
from weft_jax.runtime.runtime_checks import Bounds
from weft_jax.runtime.segment_chain import Compiled
from weft_tensor import Dim, Mesh, TensorType, shard
from weft_tensor.extend import Spec, as_spec

__all__ = ["JAX"]

Uneven = Literal["error", "pad"]


class JAX(JAXLinker):
    """Compiles a graph for JAX, for the devices of a mesh.

    XLA divides the work as the inputs are divided, and adds what communication that takes:
    results are those of one device up to rounding. Arguments are NumPy arrays or, to divide
    them only once, what `distribute` gives; if all are, results are arrays of JAX. In several
    processes, all call the same functions in the same order, with the same NumPy arrays.

    Parameters
    ----------
    mesh
        The devices; without one, JAX's default device.
    in_specs
        How inputs are divided: by input, as {X: ("data", None)}, or by the name of a length,
        as {"n": "data"}, for all inputs with an axis of that length. All devices get the
        whole of other inputs.
    out_specs
        The same for outputs: by position, or by the name of a length. Each device has the
        whole of other outputs.
    uneven
        What to do if devices can't share an axis evenly: "error", or "pad": JAX gets longer
        arrays, the rest of which never counts.
    dynamic, bounds, nan_guard, disable_jit
        As for `JAXLinker`; `disable_jit`, without a mesh.
    buckets
        As for `JAXLinker`, without a mesh.

    Examples
    --------
    >>> from weft_graph import function
    >>> from weft_tensor import matrix, sum
    >>> X = matrix("X", shape=("n", 2))
    >>> f = function([X], sum(X, axis=0), mode=JAX(mesh=Mesh(data=1), in_specs={"n": "data"}))
    >>> f([[1.0, 2.0], [3.0, 4.0]])
    array([4., 6.])
    """

    def __init__(
        self,
        mesh: Mesh | None = None,
        in_specs: Mapping[Any, Any] | None = None,
        out_specs: Mapping[Any, Any] | None = None,
        uneven: Uneven = "error",
        *,
        dynamic: Dynamic = "auto",
        bounds: Bounds = "check",
        buckets: Buckets | None = None,
        dynamic_loops: DynamicLoops = "error",
        nan_guard: bool = False,
        disable_jit: bool = False,
    ) -> None:
        super().__init__(
            dynamic=dynamic,
            bounds=bounds,
            buckets=buckets,
            dynamic_loops=dynamic_loops,
            nan_guard=nan_guard,
            disable_jit=disable_jit,
        )
        if mesh is not None and disable_jit:
            raise ValueError(
                "disable_jit=True can't be combined with a mesh, as it is the compiler that "
                "divides the work: leave the mesh out to debug on one device"
            )
        if mesh is not None and buckets:
            raise ValueError(
                "buckets can't be combined with a mesh, as both pad inputs: leave out one of "
                "them, or say uneven='pad'"
            )
        if mesh is None and (in_specs or out_specs):
            raise TypeError("specs need a mesh: write JAX(mesh=Mesh(data=8), in_specs=...)")
        if uneven not in ("error", "pad"):
            raise ValueError(f"uneven must be 'error' or 'pad', not {uneven!r}")
        self.mesh = mesh
        self.in_specs = dict(in_specs or {})
        self.out_specs = dict(out_specs or {})
        self.uneven = uneven
        for key in self.in_specs:
            if not isinstance(key, (str, Variable)):
                raise TypeError(f"in_specs: a key is an input or a length's name, not {key!r}")
        for key in self.out_specs:
            if not isinstance(key, (str, int)):
                raise TypeError(f"out_specs: a key is a position or a length's name, not {key!r}")

    def compiled(self, graph: FunctionGraph, updated: Sequence[Variable] | None = None) -> Compiled:
        """As one device does it, between inputs and outputs that are divided."""
        return super().compiled(self.with_specs(graph), updated)

    def with_specs(self, graph: FunctionGraph) -> FunctionGraph:
        """`graph` with outputs that are divided as `out_specs` say."""
        if self.mesh is None:
            return graph
        self._check_keys(graph)
        outputs = [
            shard(v, *self._spec(v, k, self.out_specs)) if isinstance(v.type, TensorType) else v
            for k, v in enumerate(graph.outputs)
        ]
        return FunctionGraph(graph.inputs, outputs)

    def offers(self, function: CompiledFunction) -> Inspection:
        """Texts and costs of what each device does."""
        return Inspection(function) if self.mesh is None else DividedInspection(function, self)

    def funcify(self, node: Variable) -> Run:
        """A `shard` is a constraint here."""
        own = None if self.mesh is None else constraint(node.op, self.mesh)
        return own or super().funcify(node)

    def jit(self, function: Run, graph: FunctionGraph, plan: Plan) -> Run:
        """The compiled function behind what divides its arguments."""
        if self.mesh is None:
            return super().jit(function, graph, plan)
        inputs = [graph.inputs[k] for k in plan.arrays]
        specs = [self._spec(v, v, self.in_specs) for v in inputs]
        return Divided(function, self.mesh, specs, inputs, len(plan.sizes), self.uneven)

    def _spec(self, v: Variable, key: object, specs: Mapping[object, object]) -> Spec:
        """What `specs` say of `v`, by its `key` or else by the names of its lengths."""
        assert isinstance(v.type, TensorType)
        what = f"the spec of {v!r}"
        spec = specs.get(key, [specs.get(str(n)) for n in v.type.shape])
        own_spec = as_spec(spec, v.type.ndim, what)
        assert self.mesh is not None
        self.mesh.check(own_spec, repr(v))
        return own_spec

    def _check_keys(self, graph: FunctionGraph) -> None:
        """Raise ValueError for a spec that concerns no input or output."""
        for what, specs, variables, keys in (
            ("in_specs", self.in_specs, graph.inputs, set(graph.inputs)),
            ("out_specs", self.out_specs, graph.outputs, set(range(len(graph.outputs)))),
        ):
            shapes = [v.type.shape for v in variables if isinstance(v.type, TensorType)]
            names = {str(n) for shape in shapes for n in shape if isinstance(n, Dim)}
            unknown = [key for key in specs if key not in keys and key not in names]
            if unknown:
                raise ValueError(
                    f"{what}: {unknown[0]!r} is neither one of the function's "
                    f"{'inputs' if what == 'in_specs' else 'outputs, counted from 0,'} nor the "
                    f"name of a length there (these are: {', '.join(sorted(names)) or 'none'})"
                )


class Divided:
    """A function that JAX compiles, called with arrays that are divided among devices."""

    def __init__(
        self,
        function: Run,
        mesh: Mesh,
        specs: Sequence[Spec],
        inputs: Sequence[Variable],
        fixed: int,
        uneven: Uneven,
    ) -> None:
        self.mesh = mesh
        self.specs = specs
        self.inputs = inputs
        self.fixed = fixed
        self.uneven = uneven
        self.shardings = [sharding_of(mesh, spec) for spec in specs]

        def trimmed(shapes: tuple[Any, ...], *values: Any) -> object:
            arrays = [
                x if shape is None else x[tuple(map(slice, shape))]
                for x, shape in zip(values[fixed:], shapes, strict=True)
            ]
            return function(*values[:fixed], *arrays)

        self.jitted = jax.jit(trimmed, static_argnums=tuple(range(fixed + 1)))

    def __call__(self, *values: object) -> object:
        """The results; every process can read them, unless all arguments are divided already."""
        results = self.jitted(*self.divided(values))
        stay = all(isinstance(x, jax.Array) for x in values[self.fixed :])
        if jax.process_count() == 1 or stay:
            return results
        return jax.tree_util.tree_map(_readable, results)

    def trace(self, *values: object) -> object:
        """The function traced for such values (see `jax.stages.Traced`)."""
        return self.jitted.trace(*self.divided(values))

    def divided(self, values: Sequence[Any]) -> list[Any]:
        """`values`, the arrays among them divided; before them, the shapes of those padded."""
        shapes, arrays = [], []
        for x, v, spec, sharding in zip(
            values[self.fixed :], self.inputs, self.specs, self.shardings, strict=True
        ):
            counts = [self.mesh.along(names) for names in spec]
            lengths = [-(-n // c) * c for n, c in zip(x.shape, counts, strict=True)]
            even = lengths == list(x.shape)
            if not even and self.uneven == "error":
                self._refuse(x, v, spec)
            shapes.append(None if even else tuple(x.shape))
            arrays.append(_placed(x if even else _longer(x, lengths), sharding))
        return [tuple(shapes), *values[: self.fixed], *arrays]

    def _refuse(self, x: np.ndarray, v: Variable, spec: Spec) -> None:
        try:
            self.mesh.split(x, spec, repr(v))
        except ValueError as error:
            raise ValueError(f"{error}, or compile with JAX(..., uneven='pad')") from None


class DividedInspection(Inspection):
    """What functions compiled for many devices offer besides being called."""

    def __init__(self, compiled: CompiledFunction, linker: JAX) -> None:
        super().__init__(compiled)
        self._linker = linker

    def _traceable(self) -> Traceable:
        linker = self._linker
        return Traceable(linker.with_specs(self._compiled.graph), linker.funcify)

    def _trace(
        self, traceable: Traceable, sizes: Sequence[object], arrays: Sequence[object]
    ) -> object:
        n = len(sizes)

        def function(*values: object) -> object:
            return traceable.traced(values[:n], *values[n:])

        program: Any = self._linker.jit(function, traceable.graph, traceable.plan)
        return program.trace(*sizes, *arrays)


def _longer(x: np.ndarray, shape: Sequence[int]) -> np.ndarray:
    """`x` as part of a larger array; JAX never reads the rest."""
    return np.pad(np.asarray(x), [(0, n - m) for n, m in zip(shape, x.shape, strict=True)])


def _placed(x: np.ndarray | jax.Array, sharding: NamedSharding) -> jax.Array:
    if isinstance(x, jax.Array) and x.sharding.is_equivalent_to(sharding, x.ndim):
        return x
    return put(x, sharding)


def _readable(x: jax.Array) -> object:
    """`x` as an array of which this process has the whole."""
    return x if x.is_fully_replicated else multihost_utils.process_allgather(x, tiled=True)
