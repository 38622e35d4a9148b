"""`from_pytensor`: PyTensor's graphs as Weft's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from pytensor.compile.sharedvalue import SharedVariable
from pytensor.graph.basic import Variable as Theirs
from pytensor.graph.fg import FunctionGraph as TheirGraph
from pytensor.graph.op import Op
from pytensor.graph.traversal import explicit_graph_inputs

from weft_graph.extend import without_collecting
from weft_pytensor.convert import table
from weft_pytensor.convert.graphs import Host, converted, on_host
from weft_pytensor.convert.types import type_of

__all__ = ["Converted", "from_pytensor"]

C = TypeVar("C", bound=table.Converter)


class Converted(NamedTuple):
    """What was made of PyTensor's graph."""

    inputs: tuple[Any, ...]
    """One for each of PyTensor's, in their order."""
    outputs: tuple[Any, ...]
    """Likewise."""


class _FromPyTensor:
    """See `from_pytensor`."""

    def __call__(
        self,
        outputs: Theirs | Sequence[Theirs] | TheirGraph,
        inputs: Sequence[Theirs] | None = None,
        *,
        host: Host = "warn",
    ) -> Converted:
        """PyTensor's variables, or graph, as Weft's: `inputs` and `outputs`, which depend on them.

        Inputs keep their names, dtypes and static shapes. `inputs` may be results, too: what
        they are made of is left out. By default, they are all that the outputs depend on, in
        the order of their first use.

        An Op that Weft has no converter for runs PyTensor's own code on every backend, with
        its own derivative, and a warning names it; `host="error"` raises NoConverterError
        instead, and `host="allow"` says nothing.

        Errors: TypeError for variables that are no arrays, numbers or random generators.

        >>> import numpy as np, pytensor.tensor as pt, weft.tensor as wt
        >>> x = pt.vector("x", dtype="float64")
        >>> graph = from_pytensor(pt.log1p(pt.exp(x)).sum())
        >>> f = wt.function(graph.inputs, [wt.grad(graph.outputs[0], graph.inputs[0])], mode="py")
        >>> f(np.array([0.0, 800.0]))[0].tolist()
        [0.5, 1.0]
        """
        if isinstance(outputs, TheirGraph):
            inputs = outputs.inputs if inputs is None else inputs
            outputs = outputs.outputs
        wanted = [outputs] if isinstance(outputs, Theirs) else list(outputs)
        if inputs is None:
            inputs = [
                v
                for v in dict.fromkeys(explicit_graph_inputs(wanted))
                if not isinstance(v, SharedVariable)
            ]
        variable_of = {v: type_of(v)(v.name) for v in inputs}
        with on_host(host), without_collecting():
            return Converted(tuple(variable_of.values()), tuple(converted(wanted, variable_of)))

    @staticmethod
    def register(*classes: type[Op]) -> Callable[[C], C]:
        """Let a function convert Ops of these classes, and of those derived from them.

        It is called with the Op and with Weft's variables for its inputs, and returns one
        variable, or a sequence of as many as there are outputs. A scalar Op's function is
        used for arrays as well.

        Errors: TypeError for what is no class of PyTensor's Ops.

        >>> import pytensor.tensor as pt, weft.tensor as wt
        >>> from pytensor.graph import Apply, Op
        >>> class Doubled(Op):
        ...     def make_node(self, x):
        ...         return Apply(self, [x], [x.type()])
        ...     def perform(self, node, inputs, outputs):
        ...         outputs[0][0] = 2 * inputs[0]
        >>> @from_pytensor.register(Doubled)
        ... def doubled(op, x):
        ...     return 2 * x
        >>> graph = from_pytensor(Doubled()(pt.dvector("x")))
        >>> graph.outputs[0] is 2 * graph.inputs[0]
        True
        """
        return table.register(*classes)


from_pytensor = _FromPyTensor()
"""Called with PyTensor's variables, it gives a graph of Weft's; `register` adds converters."""
