"""What JAX makes of a compiled function: its texts, its costs, and a file to keep."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import jax
import numpy as np

from weft_graph import Variable, get_value
from weft_graph.extend import CompiledFunction
from weft_jax.compile.compile_stats import Counted
from weft_jax.compile.named_scopes import names_of
from weft_jax.interop.as_jax import Structured, Traceable
from weft_jax.lowering.x64 import enable_x64
from weft_tensor import TensorType

__all__ = ["Inspection"]

Text = Literal["jaxpr", "stablehlo", "hlo"]


class Inspection(Counted):
    """What functions compiled for JAX offer besides being called.

    Arguments, where a method takes them, are as for a call; their shapes count, and those
    values that lengths depend on. They may be left out where all lengths are known.

    >>> import weft_tensor as wt
    >>> from weft_graph import function
    >>> x = wt.vector("x", shape=(3,))
    >>> f = function([x], wt.exp(x).sum(), mode="jax")
    >>> print(f.lower_text("jaxpr"))
    { lambda ; a:f64[3]. let
        b:f64[3] = exp a
        c:f64[] = reduce_sum[axes=(0,) out_sharding=None] b
      in (c,) }
    """

    def __init__(self, compiled: CompiledFunction) -> None:
        self._compiled = compiled

    def lower_text(self, kind: Text = "stablehlo", *args: Any, **kwargs: Any) -> str:
        """The program as JAX traces it ("jaxpr"), lowers it ("stablehlo"), XLA runs it ("hlo")."""
        if kind not in ("jaxpr", "stablehlo", "hlo"):
            raise ValueError(f"the kind of text is 'jaxpr', 'stablehlo' or 'hlo', not {kind!r}")
        with enable_x64(True):
            traced = self._traced(args, kwargs)
            if kind == "jaxpr":
                return str(traced.jaxpr)
            lowered = traced.lower()
            return str(lowered.as_text() if kind == "stablehlo" else lowered.compile().as_text())

    def cost_analysis(self, *args: Any, **kwargs: Any) -> dict[str, float]:
        """XLA's estimate of what a call costs: "flops", "bytes accessed", and more."""
        with enable_x64(True):
            return dict(self._traced(args, kwargs).lower().compile().cost_analysis() or {})

    def memory_analysis(self, *args: Any, **kwargs: Any) -> Any:
        """How many bytes XLA needs for arguments, results, and in between."""
        with enable_x64(True):
            return self._traced(args, kwargs).lower().compile().memory_analysis()

    def export(
        self,
        path: str | PathLike[str],
        *args: Any,
        platforms: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> None:
        """Write the function to a file, from which JAX alone can load it.

        Lengths that are not known stay open, those of one name equal; where JAX can't lower
        the function for any length, give example arguments, whose shapes it then is for.
        Load it with `jax.export.deserialize(bytearray(file.read())).call(*arguments)`, with
        64 bits enabled for functions that have them.

        Parameters
        ----------
        path
            The file.
        platforms
            Such as `["cpu", "cuda"]`; by default that at hand.
        """
        compiled = self._compiled
        if compiled.updated:
            raise ValueError(f"a function that updates {compiled.updated} can't be exported")
        structured, traceable = Structured(compiled), Traceable(compiled.graph)
        if traceable.plan.sizes:
            inputs = [repr(v) for v in traceable.size_inputs]
            raise ValueError(
                "export needs lengths that follow from shapes, but here they depend on the values "
                f"of {', '.join(inputs)}: make these constants before you compile"
            )
        export = _exporting()
        if args or kwargs:
            values = [v.type.filter(x) for v, x in zip(*self._given(args, kwargs), strict=True)]
            shapes = [np.shape(value) for value in values]
        else:
            shapes = _open_shapes(compiled.inputs)
        specs = {v: _spec(shape, v.type) for v, shape in zip(compiled.inputs, shapes, strict=False)}
        state = [get_value(v) for v in traceable.graph.inputs[len(compiled.inputs) :]]

        def run(*arguments: object) -> object:
            return structured.result(traceable(*structured.values(arguments, {}), *state))

        with enable_x64(True):
            try:
                exported = export.export(jax.jit(run), platforms=platforms)(
                    *structured.arguments(specs)
                )
            except Exception as error:
                if not (args or kwargs):
                    error.add_note(
                        "JAX can't export this for any length: give example arguments after the "
                        "path, to export it for their shapes"
                    )
                raise
        Path(path).write_bytes(exported.serialize())

    def _given(self, args: Any, kwargs: Any) -> tuple[Sequence[Variable], list[Any]]:
        return self._compiled.inputs, Structured(self._compiled).values(args, kwargs)

    def _traced(self, args: object, kwargs: object) -> Any:
        """The function traced by `jax.jit`, for these arguments."""
        traceable = self._traceable()
        graph, plan = traceable.graph, traceable.plan
        if args or kwargs:
            inputs, arrays = self._given(args, kwargs)
            values = [v.type.filter(value) for v, value in zip(inputs, arrays, strict=True)]
        else:
            values = [_any_value(v) for v in self._compiled.inputs]
        values += [get_value(v) for v in graph.inputs[len(values) :]]
        sizes = traceable.sizes(values)
        return self._trace(traceable, sizes, [values[k] for k in plan.arrays])

    def _traceable(self) -> Traceable:
        return Traceable(self._compiled.graph, names=names_of(self._compiled.written))

    def _trace(self, traceable: Traceable, sizes: Sequence[Any], arrays: Sequence[Any]) -> Any:
        inputs = [traceable.graph.inputs[k] for k in traceable.plan.arrays]
        specs = [_spec(np.shape(x), v.type) for x, v in zip(arrays, inputs, strict=True)]
        return jax.jit(lambda *values: traceable.traced(sizes, *values)).trace(*specs)


def _exporting() -> Any:
    """`jax.export`: with older versions of JAX, importing it takes what few need."""
    try:
        return import_module("jax.export")
    except ImportError as error:
        raise ImportError(f"{error}: install what export needs, as weft-jax[export]") from error


def _spec(shape: Any, kind: Any) -> Any:
    spec: Any = jax.ShapeDtypeStruct
    return spec(shape, kind.dtype)


def _any_value(v: Variable) -> object:
    assert isinstance(v.type, TensorType)
    shape = [length for length in v.type.shape if isinstance(length, int)]
    if len(shape) < v.type.ndim:
        raise ValueError(f"the shape of {v!r} is not known: give example arguments")
    return np.zeros(shape, v.type.dtype)


def _open_shapes(inputs: Sequence[Variable]) -> list[Any]:
    """A symbolic length for each that is not known, and for each name."""
    export = _exporting()
    scope = export.SymbolicScope()
    shapes = []
    for k, v in enumerate(inputs):
        assert isinstance(v.type, TensorType)
        lengths = [
            f"x{k}_{axis}" if length is None else str(length)
            for axis, length in enumerate(v.type.shape)
        ]
        shapes.append(export.symbolic_shape(", ".join(lengths), scope=scope))
    return shapes
