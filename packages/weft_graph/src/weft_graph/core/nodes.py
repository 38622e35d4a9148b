"""The words of the graph: Type, Op, Variable and the tradition's Apply.

A variable is an Op applied to inputs, with a Type. Variables are immutable and interned:
the same Op on the same inputs is the same object, so `is` answers "equal?" everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, ClassVar, NoReturn, Self

from weft_graph.core.argument_checks import as_name, check_type
from weft_graph.core.encoding import encoded, path_of, tagged
from weft_graph.core.interned import Entries, added, living
from weft_graph.core.protocols import OpHooks, TypeHooks, shortened
from weft_graph.core.source_location import Place, describe, here, place_at_callers, standing
from weft_graph.core.toposort import toposort

__all__ = [
    "Apply",
    "Constant",
    "Identity",
    "Input",
    "Item",
    "Named",
    "Nominal",
    "Op",
    "PassesOn",
    "TupleType",
    "Type",
    "Variable",
    "apply",
    "constant",
    "remake",
]

_MEMO_LIMIT = 4096
_roots: Entries = {}
"""Variables without inputs, by their Ops; all others are kept with their Ops, by their inputs."""


class Variable:
    """A value in a graph: the result of `op` on `inputs`, of the given `type`.

    Inputs of functions and constants are variables too; their Ops are `Input` and
    `Constant`, and they have no inputs. Variables compare by identity.
    """

    __slots__ = ("__weakref__", "_code", "_offset", "inputs", "op", "type")

    op: Op
    inputs: tuple[Variable, ...]
    type: Type
    _code: Any
    _offset: int
    _repr_html_: ClassVar[Callable[[Variable], str]]
    """What notebooks show; `weft_graph.pictures.notebook` gives it, which builds on variables."""

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
            return None if isinstance(self.op, _Root) else Apply.of(self)
        return Apply.of(self.inputs[0] if type(self.op) is Item else self)

    @property
    def index(self) -> int | None:
        """Which of its owner's outputs this is; None for inputs and constants."""
        if type(self.op) is Item:
            return self.op.index
        return None if isinstance(self.op, _Root) else 0

    @property
    def name(self) -> str | None:
        """The name that the user gave, if any."""
        v = self
        while v.op.keeps_name:
            v = v.inputs[0]
        return v.op.name if isinstance(v.op, (Input, Named)) else None

    @property
    def place(self) -> Place:
        """Where the user's code first made this variable."""
        return self._code, self._offset

    @property
    def made_at(self) -> str | None:
        """The same as text: file, line and the line itself."""
        return describe(self.place)

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
        op = self.op
        if isinstance(op, (Input, Named)):
            return op.name or "input"
        if isinstance(op, Constant):
            return op.type.format(op.value)
        return str(op)

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

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _last_of, (table_of([self]),)


_allocate = object.__new__


def _setter(slot: str) -> Callable[[Variable, object], None]:
    """What sets `slot` in spite of `Variable.__setattr__`."""
    setter: Callable[[Variable, object], None] = getattr(Variable, slot).__set__
    return setter


_set_op = _setter("op")
_set_inputs = _setter("inputs")
_set_type = _setter("type")
_set_code = _setter("_code")
_set_offset = _setter("_offset")


def _known(op: Op, inputs: tuple[Variable, ...]) -> Variable | None:
    return living(op._made, inputs) if inputs else living(_roots, op)


def _make(op: Op, inputs: tuple[Variable, ...], kind: Type, place: Place) -> Variable:
    variable: Variable = _allocate(kind.variable_class)
    _set_op(variable, op)
    _set_inputs(variable, inputs)
    _set_type(variable, kind)
    _set_code(variable, place[0])
    _set_offset(variable, place[1])
    made: Variable = added(op._made, inputs, variable) if inputs else added(_roots, op, variable)
    return made


def apply(op: Op, inputs: tuple[Variable, ...], place: Place | None = None) -> Variable:
    """The variable that `op` makes of `inputs`, which are converted already.

    This is the one place where nodes of Ops with `infer` come into being.
    An Op with several results gives one variable of a TupleType. A new node is said to be
    made at `place`, or where this is called.
    """
    entry = op._made.get(inputs) if inputs else _roots.get(op)
    if entry is not None:
        known: Variable | None = entry()
        if known is not None:
            return known
    types = tuple([v.type for v in inputs])
    kind = op._memo.get(types)
    if kind is None:
        kind = _inferred(op, inputs, types)
    return _make(op, inputs, kind, place or here(2))


def _inferred(op: Op, inputs: tuple[Variable, ...], types: tuple[Type, ...]) -> Type:
    absorbing = next((t for t in types if t.absorbs), None)
    if absorbing is not None:
        return absorbing
    by_types = not op.defines("infer_from")
    try:
        kind = _one_type(op, op.infer(*types) if by_types else op.infer_from(*inputs))
    except Exception as error:
        error.add_note(_application(op, inputs))
        raise
    if by_types:
        if len(op._memo) >= _MEMO_LIMIT:
            op._memo.clear()
        op._memo[types] = kind
    return kind


def _one_type(op: Op, result: Any) -> Type:
    """What `infer` returned, as the type of one node."""
    kinds = result if isinstance(result, tuple) else (result,)
    if not kinds or not all(isinstance(kind, Type) for kind in kinds):
        raise TypeError(
            f"{type(op).__name__}.infer must return a Type or a tuple of Types, not {result!r}"
        )
    return TupleType(tuple(kinds)) if isinstance(result, tuple) else kinds[0]


def _application(op: Op, inputs: Iterable[Any]) -> str:
    lines = [f"while applying {op} to"]
    for v in inputs:
        if not isinstance(v, Variable):
            lines.append(f"  {shortened.repr(v)}")
            continue
        made = f"   (made at {v.made_at})" if v.made_at else ""
        lines.append(f"  {v} : {v.type}{made}")
    return "\n".join(lines)


class Type(TypeHooks):
    """What is known of a variable's value before it is computed.

    A subclass says in `filter` which values it takes. The other methods are hooks: only
    what a Type is used for needs them.
    """

    variable_class: ClassVar[type[Variable]] = Variable

    def __call__(self, name: str | None = None) -> Any:
        """A new input of this type. Each call gives another one."""
        return _make(Input(self, name), (), self, here(2))

    def make_variable(self, name: str | None = None) -> Any:
        """The same as calling the type."""
        return self(name)

    def __str__(self) -> str:
        fields = ", ".join(str(getattr(self, field)) for field in self.__props__)
        return f"{type(self).__name__}({fields})" if fields else type(self).__name__


class TupleType(Type):
    """The type of an Op's several results; `Item(i)` takes one of them."""

    items: tuple[Type, ...]

    def __str__(self) -> str:
        return "(" + ", ".join(map(str, self.items)) + ")"


class Op(OpHooks):
    """A function from variables to variables, by value.

    A subclass says what it returns in `infer(*types)` or, as the tradition has it, in
    `make_node(*inputs)`; and how to compute it in `impl(*values)` or in
    `perform(node, inputs, output_storage)`. The rest is optional.
    """

    _remembered: ClassVar[frozenset[str]] = frozenset({"_frozen", "_made", "_memo"})

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        place_at_callers(cls, "__call__", "convert", "make_node")

    def _interned(self) -> Self:
        self._memo: dict[tuple[Type, ...], Type] = {}
        self._made: Entries = {}
        return super()._interned()

    def convert(self, inputs: tuple[Any, ...]) -> tuple[Variable, ...]:
        """What the Op was called with, as variables (used together with `infer`)."""
        for position, value in enumerate(inputs):
            if not isinstance(value, Variable):
                raise TypeError(
                    f"{self}: argument {position} is {value!r}, a {type(value).__name__}, "
                    "not a Variable; make a constant of it with `constant(type, value)`"
                )
        return inputs

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
            made: object = self.make_node(*inputs, **kwargs)
            if not isinstance(made, Apply):
                name = type(self).__name__
                raise TypeError(f"{name}.make_node must return an Apply, not {made!r}")
        except Exception as error:
            error.add_note(_application(self, inputs))
            raise
        return made.outputs[0] if len(made.outputs) == 1 else made.outputs

    def __str__(self) -> str:
        return repr(self) if self.__props__ else type(self).__name__


class Apply:
    """An Op applied to inputs, seen as the tradition sees it: `op`, `inputs`, `outputs`.

    Made by `make_node`; of the `outputs` given here only their types matter. Two views of
    the same application are equal.

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
        given: Any = (("input", inputs), ("output", outputs))
        for role, variables in given:
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
        known = _known(op, sources)
        self._see(_make(op, sources, kind, here(2)) if known is None else known)

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


class _Root(Op):
    """An Op without inputs that stands for a value from outside."""


class Input(_Root):
    """The Op of an input; each is equal only to itself."""

    def __init__(self, type: Type, name: str | None = None) -> None:
        self.type = type
        self.name = name if name is None else _name(name)

    def infer(self, *types: Type) -> Type:
        """The type that was given."""
        return self.type

    def __str__(self) -> str:
        return self.name or "input"


class Nominal(Input):
    """An input known by its position and type alone: inner graphs are written over such.

    Two of the same index and type are one object, so inner graphs of equal structure are
    too, whatever their inputs were called.

    >>> apply(Nominal(0, Type()), ()) is apply(Nominal(0, Type()), ())
    True
    """

    __props__ = ("index", "type")

    def __init__(self, index: int, type: Type) -> None:
        super().__init__(type, f"i{index}")
        self.index = index


class Constant(_Root):
    """The Op of a constant: equal for equal content (small) or the same object (large)."""

    type: Type
    value: Any

    def _identity(self) -> Hashable | None:
        return self.type, self.type.constant_key(self.value)

    def infer(self, *types: Type) -> Type:
        """The type that was given."""
        return self.type

    def _digest_bytes(self) -> bytes:
        content = self.type.digest_of(self.value)
        return tagged(b"constant", path_of(type(self)).encode(), encoded(self.type), content)

    @property
    def literal(self) -> Any:
        """The plain Python value, if the constant amounts to one."""
        return self.type.literal(self.value)

    def impl(self) -> Any:
        """The value."""
        return self.value


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


class PassesOn(Op):
    """The first input as it is, for derivatives and shapes; subclasses say what happens to it."""

    view_of: ClassVar[tuple[int, ...]] = (0,)

    def infer(self, *types: Type) -> Type:
        """The type of the first input."""
        return types[0]

    def pullback(
        self, inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        """The cotangent goes to the first input."""
        return [cotangents[0], *[None] * (len(inputs) - 1)]

    def pushforward(
        self, inputs: Sequence[Any], outputs: Sequence[Any], tangents: Sequence[Any]
    ) -> Sequence[Any]:
        """The tangent of the first input."""
        return [tangents[0]]

    def connection_pattern(self, node: Apply) -> Sequence[Sequence[bool]]:
        """The value is that of the first input, whatever the others are."""
        return [[True], *[[False]] * (len(node.inputs) - 1)]

    def infer_shape(self, fgraph: Any, node: Apply, input_shapes: Sequence[Any]) -> Sequence[Any]:
        """The shape of the first input."""
        return [input_shapes[0]]


class Identity(PassesOn):
    """The first input as it is, for values too; subclasses say why."""

    def impl(self, *values: Any) -> Any:
        """The first value."""
        return values[0]


class Named(Identity):
    """The identity, with a name that printing uses and rewriting removes."""

    name: str

    def __init__(self, name: str) -> None:
        self.__dict__["name"] = _name(name)


def _name(name: str) -> str:
    return as_name(name, "a variable", hint="; a value is made a variable by `constant`")


def constant(type: Type, value: Any) -> Any:
    """`value` as a constant of `type`, which checks it.

    >>> constant(Type(), 3) is constant(Type(), 3)
    True
    """
    check_type(type, "constant")
    return apply(Constant(type, type.freeze(type.filter(value))), ())


def remake(node: Variable, inputs: tuple[Variable, ...]) -> Variable:
    """The Op of `node` on other inputs, for errors made where `node` was."""
    op = node.op
    if type(op).make_node is Op.make_node or any(v.type.absorbs for v in inputs):
        return apply(op, inputs, node.place)
    outer, standing.place = standing.place, node.place
    try:
        return op.make_node(*inputs).node
    finally:
        standing.place = outer


Table = list[tuple[Op, list[int], Type, str | None]]


def table_of(outputs: Iterable[Variable]) -> Table:
    """The graph of `outputs` in a form to pickle: one row per variable, none nested."""
    index: dict[Variable, int] = {}
    texts: dict[Place, str | None] = {}
    table: Table = []
    for v in toposort(outputs):
        index[v] = len(table)
        if v.place not in texts:
            texts[v.place] = v.made_at
        table.append((v.op, [index[i] for i in v.inputs], v.type, texts[v.place]))
    return table


def variables_of(table: Table) -> list[Variable]:
    """The variables of all rows of `table`."""
    made: list[Variable] = []
    for op, inputs, kind, made_at in table:
        sources = tuple([made[i] for i in inputs])
        known = _known(op, sources)
        place: Place = (None, 0) if made_at is None else (made_at, 0)
        made.append(_make(op, sources, kind, place) if known is None else known)
    return made


def _last_of(table: Table) -> Variable:
    return variables_of(table)[-1]
