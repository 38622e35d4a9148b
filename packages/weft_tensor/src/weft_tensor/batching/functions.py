"""Functions of variables, for whole batches: `vmap` and `vectorize`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from weft_graph.extend import rebuilt, tell_doubts, toposort
from weft_tensor.batching.graphs import with_batches
from weft_tensor.batching.rules import batched, is_batched, repeated
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.control.structures import with_axes
from weft_tensor.ops.elementwise.comparison import eq
from weft_tensor.ops.elementwise.op import broadcast_dims
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.length import lengths_of, same_size, static_length
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.types.axes import as_axis
from weft_tensor.types.symbolic_dims import provably_differ
from weft_tensor.types.tensor_type import TensorType

__all__ = ["vectorize", "vmap"]


def vmap(fn: Callable[..., Any], in_axes: Any = 0, out_axes: Any = 0) -> Callable[..., Any]:
    """`fn`, made a function of whole batches: its results for all elements at once.

    Parameters
    ----------
    fn
        A function of variables. It may use others besides its arguments: these are the same for
        all elements. Arguments and results may be nested structures.
    in_axes
        The axis of the arguments along which the elements are, None for what is the same for
        all of them; or a tuple with one for each argument, which may be a structure as well.
    out_axes
        Where results have that axis: an axis, or a structure of such. With None, a result must
        not depend on the element.

    Raises
    ------
    TypeError
        for what is no function.
    ValueError
        when the function is called, if axes are known to be of different lengths, no argument is
        batched, or axes do not fit the arguments.

    Examples
    --------
    >>> from weft_tensor import dot
    >>> products = vmap(dot, in_axes=(0, None))
    >>> products([[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0]).eval()
    array([3., 7.])
    """
    if not callable(fn):
        raise TypeError(f"vmap takes a function of one element, not {fn!r}")
    name = getattr(fn, "__name__", type(fn).__name__)
    label = f"vmap({name})"

    def of_batch(*args: Any) -> Any:
        if isinstance(in_axes, (tuple, list)) and len(in_axes) != len(args):
            raise ValueError(
                f"vmap({name}): in_axes has {len(in_axes)} entries for {len(args)} arguments"
            )
        axes = in_axes if isinstance(in_axes, (tuple, list)) else [in_axes] * len(args)
        replacements: dict[Any, Any] = {}

        def element(leaf: Any, axis: Any) -> Any:
            x = as_tensor(leaf)
            if axis is None:
                return x
            if not x.ndim:
                raise ValueError(f"vmap({name}): {x!r} has no axis {axis}: give None for it")
            along = as_axis(axis, x.ndim)
            batch = moveaxis(x, along, 0)
            inner: Any = TensorType(x.dtype, batch.type.shape[1:])(x.name)
            replacements[inner] = batch
            return inner

        elements = [with_axes(a, axis, element, label) for a, axis in zip(args, axes, strict=True)]
        if not replacements:
            raise ValueError(f"vmap({name}): at least one argument must have an axis, not None")
        _of_one_length(replacements, name)
        n = lengths_of(next(iter(replacements.values())))[0]
        results: list[Any] = []

        def place(leaf: Any, axis: Any) -> tuple[int, Any]:
            results.append(as_tensor(leaf))
            return len(results) - 1, axis

        result = fn(*elements)
        places = with_axes(result, out_axes, lambda v, axis: _Place(*place(v, axis)), label)
        tell_doubts(toposort(results, replacements), results)
        outputs = batched(results, replacements)

        def finished(at: _Place) -> Any:
            old, v = results[at.number], outputs[at.number]
            if at.axis is not None:
                return moveaxis(repeated(v, old, n), 0, at.axis)
            if is_batched(v, old):
                raise ValueError(f"vmap({name}): {old!r} differs between elements: give it an axis")
            return v

        return rebuilt(places, finished)

    return of_batch


class _Place:
    """Where a result is in a list, and where its axis goes."""

    def __init__(self, number: int, axis: int | None) -> None:
        self.number = number
        self.axis = axis


def _of_one_length(replacements: dict[Any, Any], name: str) -> None:
    """See that all that is batched has one length, when it is computed at the latest."""
    (_, first), *others = replacements.items()
    n = first.type.shape[0]
    for inner, v in others:
        own = v.type.shape[0]
        if type(own) is type(n) and provably_differ(own, n):
            raise ValueError(f"vmap({name}): {first!r} has {n} elements, and {v!r} has {own}")
        reference, length = lengths_of(first)[0], lengths_of(v)[0]
        if not same_size(reference, length):
            message = f"vmap({name}): {first} and {v} must have the same number of elements"
            replacements[inner] = check_and_raise(v, eq(reference, length), ValueError, message)


_CORE = r"\(\s*(?:\w+\s*(?:,\s*\w+\s*)*)?\)"
_SIGNATURE = rf"\s*{_CORE}\s*(?:,\s*{_CORE}\s*)*->\s*{_CORE}\s*(?:,\s*{_CORE}\s*)*"


def vectorize(fn: Callable[..., Any], signature: str | None = None) -> Callable[..., Any]:
    """`fn`, a function of small tensors, for tensors of more axes, which broadcast.

    Parameters
    ----------
    fn
        A function of variables that returns one, or a tuple of several.
    signature
        The last axes that `fn` takes and gives, by name, such as `"(m,n),(n)->(m)"`; all axes
        before them are looped over, as it were. Axes of one name are of one length. Without it,
        `fn` takes and gives scalars.

    Returns
    -------
    A function of as many tensors. See `numpy.vectorize`.

    Raises
    ------
    ValueError
        if the signature can't be read, or when the function is called, if arguments or results
        do not fit it or each other.

    Examples
    --------
    >>> from weft_tensor import dot
    >>> vectorize(dot, "(n),(n)->()")([[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0]).eval()
    array([3., 7.])
    """
    name = getattr(fn, "__name__", type(fn).__name__)
    sides = None if signature is None else _parsed(signature)

    def of_batch(*args: TensorLike) -> Any:
        values = [as_tensor(a) for a in args]
        cores: Sequence[Sequence[str]] = [()] * len(values) if sides is None else sides[0]
        if len(cores) != len(values) or not values:
            raise ValueError(
                f"vectorize({name}): the signature {signature} is for {len(cores)} arguments, not "
                f"{len(values)}"
            )
        values = _checked(name, cores, values)
        elements: list[Any] = [
            TensorType(v.dtype, v.type.shape[v.ndim - len(core) :])(v.name)
            for v, core in zip(values, cores, strict=True)
        ]
        result = fn(*elements)
        several = isinstance(result, (tuple, list))
        results = [as_tensor(v) for v in (result if several else [result])]
        names: Sequence[Sequence[str]] = [()] * len(results) if sides is None else sides[1]
        if [v.ndim for v in results] != [len(core) for core in names]:
            ranks = ", ".join(str(v.ndim) for v in results)
            raise ValueError(
                f"vectorize({name}): results have ranks {ranks}, which does not fit the signature "
                f"{signature or 'of scalars'}"
            )
        outputs = with_batches(results, dict(zip(elements, values, strict=True)))
        outer = [lengths_of(v)[: v.ndim - len(core)] for v, core in zip(values, cores, strict=True)]
        batch = broadcast_dims(*outer)
        whole = [
            broadcast_to(v, (*batch, *lengths_of(v)[v.ndim - old.ndim :]))
            if v.ndim - old.ndim < len(batch)
            else v
            for v, old in zip(outputs, results, strict=True)
        ]
        return type(result)(whole) if several else whole[0]

    return of_batch


def _parsed(signature: Any) -> tuple[list[list[str]], list[list[str]]]:
    if not isinstance(signature, str) or not re.fullmatch(_SIGNATURE, signature):
        raise ValueError(
            f"vectorize: a signature names axes like '(m,n),(n)->(m)', which {signature!r} doesn't"
        )
    sides = [re.findall(_CORE, side) for side in signature.split("->")]
    left, right = ([re.findall(r"\w+", core) for core in side] for side in sides)
    return left, right


def _checked(
    name: str, cores: Sequence[Sequence[str]], values: Sequence[TensorVariable]
) -> list[Any]:
    """`values`, whose axes of one name are of one length: ValueError if not, or at the call."""
    lengths: dict[str, tuple[Any, Any]] = {}
    tensors: list[Any] = []
    for v, core in zip(values, cores, strict=True):
        if v.ndim < len(core):
            raise ValueError(
                f"vectorize({name}): {v!r} of rank {v.ndim} has fewer axes than ({','.join(core)})"
            )
        result = v
        for axis, n in zip(core, lengths_of(v)[v.ndim - len(core) :], strict=True):
            other, length = lengths.setdefault(axis, (v, n))
            if same_size(n, length):
                continue
            text = f"vectorize({name}): axis {axis} has one length in {other!r}, another in {v!r}"
            own, reference = static_length(n), static_length(length)
            if type(own) is type(reference) and provably_differ(own, reference):
                raise ValueError(f"{text}: {reference} and {own}")
            result = check_and_raise(result, eq(n, length), ValueError, text)
        tensors.append(result)
    return tensors
