"""The words of the graph: Type, Op, Variable and the tradition's Apply.

A variable is an Op applied to inputs, with a Type. Variables are immutable and interned:
the same Op on the same inputs is the same object, so `is` answers "equal?" everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any, ClassVar, Final, NoReturn, Self

from weft_graph.core.argument_checks import as_name
from weft_graph.core.interned import Entries, Immutable, added, living
from weft_graph.core.protocols import OpHooks, PassesOnHooks, TypeHooks, shortened
from weft_graph.core.source_location import Place, Placed, here, place_at_callers

__all__ = [
    "Apply",
    "Identity",
    "Input",
    "Item",
    "Named",
    "Op",
    "Root",
    "TupleType",
    "Type",
    "Variable",
    "apply",
]

_MEMO_LIMIT = 4096
_TYPE: Final = attrgetter("type")
_HINT = "; a value is made a variable by `constant`"
_roots: Entries = {}
"""Variables without inputs, by their Ops; all others are kept with their Ops, by their inputs."""


class Variable(Placed, Immutable):
    """A value in a graph: the result of `op` on `inputs`, of the given `type`.

    Inputs of functions and constants are variables too; their Ops are `Input` and
    `Constant`, and they have no inputs. Variables compare by identity.
    """

    __slots__ = ("inputs", "op", "type")

    op: Op
    inputs: tuple[Variable, ...]
    type: Type
    _repr_html_: ClassVar[Callable[[Variable], str]]
    """What notebooks show; `weft_graph.pictures.late` gives it, which builds on variables."""
    __reduce__: ClassVar[Callable[[Variable], tuple[object, ...]]]
    """How to pickle it; `weft_graph.core.pickling` gives it."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        place_at_callers(cls)

    def __new__(cls, *args: object) -> Self:
        """Raise TypeError: Types, `constant` and Ops make variables."""
        raise TypeError(
            f"{cls.__name__} is not made directly: call a Type for an input, "
            "`constant(type, value)` for a constant, an Op for a result"
        )

    @property
    def owner(self) -> Apply | None:
        """The application that this is a result of; None for inputs and constants."""
        if not self.inputs:
            return None if isinstance(self.op, Root) else Apply.of(self)
        return Apply.of(self.inputs[0] if type(self.op) is Item else self)

    @property
    def index(self) -> int | None:
        """Which of its owner's outputs this is; None for inputs and constants."""
        if type(self.op) is Item:
            return self.op.index
        return None if isinstance(self.op, Root) else 0

    @property
    def name(self) -> str | None:
        """The name that the user gave, if any."""
        v = self
        while v.op.keeps_name:
            v = v.inputs[0]
        return v.op.result_name

    def named(self, name: str) -> Self:
        """This value under a name, for printing; rewriting sees through it.

        >>> x = Type()("x")
        >>> x.named("mu").name
        'mu'
        """
        return apply(Named(name), (self,))  # type: ignore[return-value]  # equal types, one class

    def __repr__(self) -> str:
        return f"<{self} : {self.type}>"

    def __str__(self) -> str:
        return self.op.result_name or str(self.op)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        hint = ": use `y = x.named('mu')`" if name == "name" else ""
        raise AttributeError(f"variables are immutable, can't set {name!r} of {self!r}{hint}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"variables are immutable, can't delete {name!r} of {self!r}")

    def __bool__(self) -> bool:
        raise TypeError(
            f"the value of {self!r} is not known while the graph is built: let an Op choose by "
            "it, or test `is None` if that is what is meant"
        )


_allocate = object.__new__
_set_op, _set_inputs, _set_type, _set_place = (
    getattr(Variable, slot).__set__  # in spite of `Variable.__setattr__`
    for slot in ("op", "inputs", "type", "place")
)


def known(op: Op, inputs: tuple[Variable, ...]) -> Variable | None:
    """The variable that `op` has made of `inputs`, if it lives."""
    return living(op._made, inputs) if inputs else living(_roots, op)


def make(op: Op, inputs: tuple[Variable, ...], kind: Type, place: Place) -> Variable:
    """A new variable; the one that another thread made at the same time, if there is one."""
    variable: Variable = _allocate(kind.variable_class)
    _set_op(variable, op)
    _set_inputs(variable, inputs)
    _set_type(variable, kind)
    _set_place(variable, place)
    node: Variable = added(op._made, inputs, variable) if inputs else added(_roots, op, variable)
    return node


def apply(op: Op, inputs: tuple[Variable, ...], place: Place | None = None) -> Variable:
    """The variable that `op` makes of `inputs`, which are converted already.

    This is the one place where nodes of Ops with `infer` come into being.
    An Op with several results gives one variable of a TupleType. A new node is said to be
    made at `place`, or where this is called.
    """
    entry = op._made.get(inputs) if inputs else _roots.get(op)
    if entry is not None:
        alive: Variable | None = entry()
        if alive is not None:
            return alive
    # two for most nodes: a tenth of the time to make one
    types = (inputs[0].type, inputs[1].type) if len(inputs) == 2 else tuple(map(_TYPE, inputs))
    kind = op._memo.get(types)
    if kind is None:
        kind = _inferred(op, inputs, types)
    return make(op, inputs, kind, place or here(2))


def _inferred(op: Op, inputs: tuple[Variable, ...], types: tuple[Type, ...]) -> Type:
    absorbing = next((t for t in types if t.absorbs), None)
    if absorbing is not None:
        return absorbing
    try:
        result = op.infer_from(*inputs) if op.defines("infer_from") else op.infer(*types)
        kinds = tuple(result) if isinstance(result, (tuple, list)) else (result,)
        if not kinds or not all(isinstance(kind, Type) for kind in kinds):
            name = type(op).__name__
            raise TypeError(
                f"{name}.infer must return a Type, or several as a tuple, not {result!r}"
            )
    except Exception as error:
        error.add_note(_application(op, inputs))
        raise
    kind = TupleType(kinds) if isinstance(result, (tuple, list)) else kinds[0]
    if op.goes_by_types(len(inputs)):
        if len(op._memo) >= _MEMO_LIMIT:
            op._memo.clear()
        op._memo[types] = kind
    return kind


def _application(op: Op, inputs: Iterable[Any]) -> str:
    lines = [f"while applying {op} to"]
    for v in inputs:
        if not isinstance(v, Variable):
            lines.append(f"  {shortened.repr(v)}")
            continue
        origin = f"   (made at {v.made_at})" if v.made_at else ""
        lines.append(f"  {v} : {v.type}{origin}")
    return "\n".join(lines)


class Type(TypeHooks["Variable"]):
    """What is known of a variable's value before it is computed.

    A subclass says in `filter` which values it takes. The other methods are hooks: only
    what a Type is used for needs them.
    """

    variable_class: ClassVar[type[Variable]] = Variable

    def __call__(self, name: str | None = None) -> Any:
        """A new input of this type. Each call gives another one."""
        return make(Input(self, name), (), self, here(2))

    def make_variable(self, name: str | None = None) -> Any:
        """The same as calling the type."""
        return self(name)


class TupleType(Type):
    """The type of an Op's several results; `Item(i)` takes one of them."""

    items: tuple[Type, ...]

    def __str__(self) -> str:
        return "(" + ", ".join(map(str, self.items)) + ")"


class Op(OpHooks["Type", "Variable", "Apply"]):
    """A function from variables to variables, by value.

    A subclass says what it returns in `infer(*types)` or, as the tradition has it, in
    `make_node(*inputs)`; and how to compute it in `impl(*values)` or in
    `perform(node, inputs, output_storage)`. The rest is optional.
    """

    _remembered: ClassVar[frozenset[str]] = frozenset({"_frozen", "_bytes", "_made", "_memo"})

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        place_at_callers(cls, "__call__", "convert", "make_node")

    def _freeze(self) -> None:
        self._memo: dict[tuple[Type, ...], Type] = {}
        self._made: Entries = {}
        super()._freeze()

    def make_node(self, *inputs: Any) -> Apply:
        """The application of this Op to `inputs`."""
        return Apply.of(apply(self, self.convert(inputs)))

    def defines(self, method: str) -> bool:
        """Whether the class of this Op gives `method` itself.

        >>> Named("mu").defines("impl"), Named("mu").defines("make_node")
        (True, False)
        """
        return getattr(type(self), method) is not getattr(Op, method)

    def __call__(self, *inputs: Any, **kwargs: Any) -> Any:
        """Apply this Op: one variable, or a list of them if it has several results."""
        if type(self).make_node is Op.make_node and not kwargs:
            variable = apply(self, self.convert(inputs))
            if type(variable.type) is not TupleType:
                return variable
            return Apply.of(variable).outputs
        try:
            results: object = self.make_node(*inputs, **kwargs)
            if not isinstance(results, Apply):
                name = type(self).__name__
                raise TypeError(f"{name}.make_node must return an Apply, not {results!r}")
        except Exception as error:
            error.add_note(_application(self, inputs))
            raise
        return results.outputs[0] if len(results.outputs) == 1 else results.outputs


class Apply:
    """An Op applied to inputs, seen as the tradition sees it: `op`, `inputs`, `outputs`.

    Made by `make_node`; of the `outputs` given here only their types matter. Two views of
    the same application are equal. Raises TypeError for inputs or outputs that are no variables.

    >>> class Twice(Op):
    ...     def make_node(self, x):
    ...         return Apply(self, [x], [x.type()])
    >>> y = Twice()(Type()("x"))
    >>> y.owner.outputs[0] is y
    True
    """

    __slots__ = ("inputs", "node", "op", "outputs")

    op: Op
    inputs: list[Variable]
    outputs: list[Variable]
    node: Variable

    def __init__(self, op: Op, inputs: Sequence[Variable], outputs: Sequence[Variable]) -> None:
        ends: Any = (("input", inputs), ("output", outputs))
        for role, variables in ends:
            if isinstance(variables, Variable):
                raise TypeError(f"{op}: Apply takes a list of {role}s, not {variables!r}")
            for variable in variables:
                if not isinstance(variable, Variable):
                    raise TypeError(f"{op}: {role} {variable!r} of Apply is not a Variable")
        if not outputs:
            raise TypeError(f"{op}: Apply needs at least one output")
        types = tuple([output.type for output in outputs])
        kind = types[0] if len(types) == 1 else TupleType(types)
        sources = tuple(inputs)
        node = known(op, sources)
        self._see(make(op, sources, kind, here(2)) if node is None else node)

    def _see(self, node: Variable) -> None:
        self.node = node
        self.op = node.op
        self.inputs = list(node.inputs)
        if type(node.type) is TupleType:
            self.outputs = [apply(Item(i), (node,)) for i in range(len(node.type.items))]
        else:
            self.outputs = [node]

    @classmethod
    def of(cls, node: Variable) -> Apply:
        """The view of the application that `node` is."""
        view = cls.__new__(cls)
        view._see(node)
        return view

    @property
    def out(self) -> Variable:
        """The only output; ValueError if there are several."""
        (output,) = self.outputs
        return output

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Apply) and self.node is other.node

    def __hash__(self) -> int:
        return hash(self.node)

    def __repr__(self) -> str:
        return f"{self.op}({', '.join(map(str, self.inputs))})"


class Root(Op):
    """An Op without inputs that stands for a value from outside."""


class Input(Root):
    """The Op of an input; each is equal only to itself."""

    def __init__(self, type: Type, name: str | None = None) -> None:
        self.type = type
        self.name = name if name is None else as_name(name, "a variable", hint=_HINT)

    def infer(self, *types: Type) -> Type:
        """The type that was given."""
        return self.type

    @property
    def result_name(self) -> str | None:
        """The name of the input."""
        return self.name

    def __str__(self) -> str:
        return self.name or "input"


class Item(Op):
    """One result of an Op that has several."""

    index: int
    view_of: ClassVar[tuple[int, ...]] = (0,)

    def infer(self, *types: Type) -> Type:
        """The type of that result."""
        (several,) = types
        assert isinstance(several, TupleType)
        return several.items[self.index]

    def impl(self, *values: Any) -> Any:
        """That result."""
        return values[0][self.index]


class Identity(PassesOnHooks["Type", "Variable", "Apply"], Op):
    """The first input as it is, for values too; subclasses say why."""

    def impl(self, *values: Any) -> Any:
        """The first value."""
        return values[0]


class Named(Identity):
    """The identity, with a name that printing uses and rewriting removes."""

    name: str

    def __init__(self, name: str) -> None:
        self.__dict__["name"] = as_name(name, "a variable", hint=_HINT)

    @property
    def result_name(self) -> str | None:
        """The name that is given."""
        return self.name
