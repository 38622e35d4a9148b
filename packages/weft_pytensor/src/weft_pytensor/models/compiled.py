"""`compile_pymc`: a model's log-density over one flat vector, with its gradient, for samplers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pytensor.compile.sharedvalue import SharedVariable

import weft_tensor as wt
from weft_graph import Variable, function, grad, rewrite
from weft_graph.extend import without_collecting
from weft_pytensor.convert.choices import choices
from weft_pytensor.convert.graphs import Host, converted, on_host
from weft_pytensor.models.nutpie import first_points, native_model
from weft_tensor import TensorVariable

__all__ = ["CompiledModel", "compile_pymc"]

_Graph: TypeAlias = tuple[TensorVariable, list[Variable], dict[str, TensorVariable]]
"""The vector; the density and its slopes; what the model shows, by name."""


@dataclass(frozen=True)
class CompiledModel:
    """What a sampler needs of a model, over a vector of all unconstrained values."""

    names: tuple[str, ...]
    """Of the unconstrained values, in the order of the vector."""
    shapes: tuple[tuple[int, ...], ...]
    """Theirs."""
    logp_and_gradient: Any
    """From the vector of n values to the log-density and its n slopes."""
    _model: Any
    _graph: _Graph
    _mode: Any

    @cached_property
    def _expand(self) -> Any:
        """Compiled when it is wanted: some samplers never ask for it."""
        point, _, expanded = self._graph
        return function([point], [*expanded.values()], mode=self._mode, on_unused_input="ignore")

    @property
    def n_dim(self) -> int:
        """How many values the vector has."""
        return sum(int(np.prod(shape)) for shape in self.shapes)

    def expand(self, point: Any) -> dict[str, Any]:
        """The variables and deterministic values of the model by name, at a vector."""
        return dict(zip(self._graph[2], self._expand(point), strict=True))

    def initial_point(self, seed: int | None = None) -> NDArray[np.float64]:
        """PyMC's first point as a vector."""
        return self.flat(self._model.initial_point(seed))

    def flat(self, point: Mapping[str, Any]) -> NDArray[np.float64]:
        """A point, which PyMC writes as a dict, as a vector.

        Errors: KeyError for a value that is missing, ValueError for one of another shape.
        """
        parts = []
        for name, shape in zip(self.names, self.shapes, strict=True):
            value = np.asarray(point[name], dtype="float64")
            if value.shape != shape:
                raise ValueError(f"flat: {name} has shape {value.shape}, the model wants {shape}")
            parts.append(value.ravel())
        return np.concatenate(parts) if parts else np.zeros(0)

    def to_jax(self) -> Callable[[Any], Any]:
        """The log-density of a vector, with the data as they are, for blackjax and other JAX code.

        JAX can trace, batch and differentiate it: its slope is Weft's own, which JAX does not
        have to find again. It computes with 64 bits where `jax_enable_x64` is on.

        Errors: ImportError without JAX.
        """
        import jax  # optional

        from weft_jax import as_jax  # likewise

        both = as_jax(self.logp_and_gradient)

        @jax.custom_jvp
        def density(point: Any) -> Any:
            return both(point)[0]

        @density.defjvp
        def pushed(points: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
            value, slope = both(points[0])
            return value, jax.numpy.vdot(slope, tangents[0])

        return density

    def to_nutpie(self) -> Any:
        """The model, with its data as they are now, for `nutpie.sample`.

        It is compiled by Numba for this, in any mode, to C functions that nutpie's threads call.

        Errors: ImportError without nutpie.
        """
        shapes = [np.shape(v) for v in self.expand(self.initial_point(0)).values()]
        point, density, expanded = self._graph
        first = first_points(self._model, self.flat)
        return native_model(self._model, point, density, expanded, shapes, first)


@without_collecting()
def compile_pymc(model: Any, mode: str = "numba", *, host: Host = "warn") -> CompiledModel:
    """A PyMC model as functions of one vector of unconstrained values.

    The derivative is Weft's own, of the graph that PyMC made. `pm.Data` stays shared: setting
    it with `pm.set_data` changes what the functions compute. Named axes of unobserved variables
    keep their lengths, as the vector does.

    Parameters
    ----------
    model
        A `pm.Model`.
    mode
        Weft's mode: "numba", "jax", "py", or a Mode.
    host
        What to do with Ops that have no converter: see `from_pytensor`.

    Errors: TypeError for what is no model, or has unconstrained values that are no numbers.

    The README has an example, which needs PyMC.
    """
    if not hasattr(model, "value_vars"):
        raise TypeError(f"compile_pymc: {model!r} is no PyMC model")
    shapes = _shapes(model)
    graph = point, density, _ = _graph_of(model, shapes, host)
    return CompiledModel(
        tuple(v.name for v in model.value_vars),
        shapes,
        function([point], density, mode=mode),
        model,
        graph,
        mode,
    )


def _graph_of(model: Any, shapes: Sequence[tuple[int, ...]], host: Host) -> _Graph:
    values = model.value_vars
    whole = wt.vector("x", dtype="float64", shape=(sum(int(np.prod(s)) for s in shapes),))
    value_of: dict[Any, Any] = {
        v: wt.constant(np.asarray(v.get_value())) for v in _fixed_lengths(model)
    }
    parts: list[TensorVariable] = []
    begin = 0
    for v, shape in zip(values, shapes, strict=True):
        if v.type.dtype not in ("float64", "float32"):
            raise TypeError(f"compile_pymc: {v.name} is of {v.type.dtype}, which has no gradient")
        end = begin + int(np.prod(shape))
        parts.append(whole[begin:end].reshape(shape))
        value_of[v] = parts[-1].astype(v.type.dtype)
        begin = end
    hidden = {v for v in values if model.values_to_rvs[v].name != v.name}
    shown = [v for v in model.unobserved_value_vars if v not in hidden]
    with on_host(host):
        (logp,) = converted([model.logp()], value_of)
        expanded = converted(shown, value_of)
    slopes = [slope.reshape(-1) for slope in grad(logp, parts)]
    slope = wt.concatenate(slopes) if slopes else wt.zeros_like(whole)
    return (
        whole,
        rewrite([logp, slope], choices),
        dict(zip([v.name for v in shown], expanded, strict=True)),
    )


def _fixed_lengths(model: Any) -> list[SharedVariable]:
    """The lengths of named axes of unobserved variables, and so of parts of the vector."""
    names = {d for v in model.free_RVs for d in model.named_vars_to_dims.get(v.name, ())}
    lengths = [model.dim_lengths[name] for name in names if name is not None]
    return [v for v in lengths if isinstance(v, SharedVariable)]


def _shapes(model: Any) -> tuple[tuple[int, ...], ...]:
    """Of the unconstrained values: by their types, else by a point, which PyMC compiles."""
    if not any(None in v.type.shape for v in model.value_vars):
        return tuple(v.type.shape for v in model.value_vars)
    first = model.initial_point(0)
    return tuple(np.shape(first[v.name]) for v in model.value_vars)
