"""Functions that make input variables: `vector("x")`, `dmatrix("X")`, `scalars("a b")`, ..."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any, Final, Protocol

from weft_tensor.build.variable import TensorVariable
from weft_tensor.types.dtypes import DTypeLike
from weft_tensor.types.symbolic_dims import ShapeLike, as_lengths
from weft_tensor.types.tensor_type import TensorType

__all__ = [
    "bcol",
    "bcols",
    "bmatrices",
    "bmatrix",
    "brow",
    "brows",
    "bscalar",
    "bscalars",
    "btensor3",
    "btensor3s",
    "btensor4",
    "btensor4s",
    "btensor5",
    "btensor5s",
    "bvector",
    "bvectors",
    "ccol",
    "ccols",
    "cmatrices",
    "cmatrix",
    "col",
    "cols",
    "crow",
    "crows",
    "cscalar",
    "cscalars",
    "ctensor3",
    "ctensor3s",
    "ctensor4",
    "ctensor4s",
    "ctensor5",
    "ctensor5s",
    "cvector",
    "cvectors",
    "dcol",
    "dcols",
    "dmatrices",
    "dmatrix",
    "drow",
    "drows",
    "dscalar",
    "dscalars",
    "dtensor3",
    "dtensor3s",
    "dtensor4",
    "dtensor4s",
    "dtensor5",
    "dtensor5s",
    "dvector",
    "dvectors",
    "fcol",
    "fcols",
    "fmatrices",
    "fmatrix",
    "frow",
    "frows",
    "fscalar",
    "fscalars",
    "ftensor3",
    "ftensor3s",
    "ftensor4",
    "ftensor4s",
    "ftensor5",
    "ftensor5s",
    "fvector",
    "fvectors",
    "icol",
    "icols",
    "imatrices",
    "imatrix",
    "irow",
    "irows",
    "iscalar",
    "iscalars",
    "itensor3",
    "itensor3s",
    "itensor4",
    "itensor4s",
    "itensor5",
    "itensor5s",
    "ivector",
    "ivectors",
    "lcol",
    "lcols",
    "lmatrices",
    "lmatrix",
    "lrow",
    "lrows",
    "lscalar",
    "lscalars",
    "ltensor3",
    "ltensor3s",
    "ltensor4",
    "ltensor4s",
    "ltensor5",
    "ltensor5s",
    "lvector",
    "lvectors",
    "matrices",
    "matrix",
    "row",
    "rows",
    "scalar",
    "scalars",
    "tensor",
    "tensor3",
    "tensor3s",
    "tensor4",
    "tensor4s",
    "tensor5",
    "tensor5s",
    "vector",
    "vectors",
    "wcol",
    "wcols",
    "wmatrices",
    "wmatrix",
    "wrow",
    "wrows",
    "wscalar",
    "wscalars",
    "wtensor3",
    "wtensor3s",
    "wtensor4",
    "wtensor4s",
    "wtensor5",
    "wtensor5s",
    "wvector",
    "wvectors",
    "zcol",
    "zcols",
    "zmatrices",
    "zmatrix",
    "zrow",
    "zrows",
    "zscalar",
    "zscalars",
    "ztensor3",
    "ztensor3s",
    "ztensor4",
    "ztensor4s",
    "ztensor5",
    "ztensor5s",
    "zvector",
    "zvectors",
]

KINDS: Final[dict[str, tuple[int | None, ...]]] = {
    "scalar": (),
    "vector": (None,),
    "matrix": (None, None),
    "row": (1, None),
    "col": (None, 1),
    "tensor3": (None,) * 3,
    "tensor4": (None,) * 4,
    "tensor5": (None,) * 5,
}
"""The shapes that the functions of these names give."""

PREFIXES: Final = {
    "b": "int8",
    "w": "int16",
    "i": "int32",
    "l": "int64",
    "f": "float32",
    "d": "float64",
    "c": "complex64",
    "z": "complex128",
}
"""The dtypes that prefixes of these names stand for, as in `dmatrix`."""


def tensor(
    name: str | None = None, dtype: DTypeLike = "float64", shape: ShapeLike = ()
) -> TensorVariable:
    """An input of any dtype and shape: one int, name or None per axis, or one for the only axis.

    >>> tensor("X", dtype="float32", shape=("n", 3))
    <X : float32[n, 3]>
    """
    return TensorType(dtype, shape)(name)  # type: ignore[no-any-return]  # a call of a Type gives Any


class Maker(Protocol):
    """A function that makes an input of any dtype."""

    def __call__(
        self, name: str | None = None, dtype: DTypeLike = "float64", shape: ShapeLike | None = None
    ) -> TensorVariable: ...


class TypedMaker(Protocol):
    """A function that makes an input of its own dtype."""

    def __call__(
        self, name: str | None = None, *, shape: ShapeLike | None = None
    ) -> TensorVariable: ...


SeveralMaker = Callable[..., list[TensorVariable]]
Nine = tuple[
    Maker,
    TypedMaker,
    TypedMaker,
    TypedMaker,
    TypedMaker,
    TypedMaker,
    TypedMaker,
    TypedMaker,
    TypedMaker,
]


def _makers(kind: str) -> Nine:
    def make(
        name: str | None = None, dtype: DTypeLike = "float64", shape: ShapeLike | None = None
    ) -> TensorVariable:
        return tensor(name, dtype, _checked(kind, shape))

    def of_dtype(dtype: str) -> TypedMaker:
        def make_of_dtype(
            name: str | None = None, *, shape: ShapeLike | None = None
        ) -> TensorVariable:
            return make(name, dtype, shape)

        return make_of_dtype

    makers = (make, *map(of_dtype, PREFIXES.values()))
    for prefix, maker in zip(("", *PREFIXES), makers, strict=True):
        _describe(
            maker,
            prefix + kind,
            f"An input of {_kind_text(prefix, kind)}.\n\n"
            f"`shape` may give lengths: an int, a name or None per axis.\n\n"
            f">>> {prefix}{kind}('x').ndim\n{len(KINDS[kind])}\n",
        )
    return makers  # type: ignore[return-value]  # one and eight


def _makers_of_several(kind: str) -> tuple[SeveralMaker, ...]:
    plural = "matrices" if kind == "matrix" else kind + "s"

    def several(make: Maker | TypedMaker) -> SeveralMaker:
        def make_several(*names: str | Iterable[str], **kwargs: Any) -> list[TensorVariable]:
            in_order = chain.from_iterable(map(_names_in, names))
            return [make(name, **kwargs) for name in in_order]

        return make_several

    makers = tuple(map(several, _makers(kind)))
    for prefix, maker in zip(("", *PREFIXES), makers, strict=True):
        _describe(
            maker,
            prefix + plural,
            f"Several inputs of {_kind_text(prefix, kind)}, by names or one string of names.\n\n"
            f">>> [v.name for v in {prefix}{plural}('a b')]\n['a', 'b']\n",
        )
    return makers


def _names_in(names: Any) -> Iterable[str]:
    if isinstance(names, str):
        return names.replace(",", " ").split()
    return names if isinstance(names, Iterable) else [names]


def _checked(kind: str, value: ShapeLike | None) -> tuple[object, ...]:
    shape = KINDS[kind]
    lengths = shape if value is None else as_lengths(value)
    if len(lengths) != len(shape):
        raise ValueError(
            f"a {kind} has {len(shape)} axes, but shape={value!r} has {len(lengths)}: "
            "give one length per axis, or use `tensor`"
        )
    return lengths


def _kind_text(prefix: str, kind: str) -> str:
    return f"{PREFIXES.get(prefix, 'any dtype (by default float64)')} and rank {len(KINDS[kind])}"


def _describe(maker: Any, name: str, text: str) -> None:
    maker.__name__ = maker.__qualname__ = name
    maker.__doc__ = text


scalar, bscalar, wscalar, iscalar, lscalar, fscalar, dscalar, cscalar, zscalar = _makers("scalar")
scalars, bscalars, wscalars, iscalars, lscalars, fscalars, dscalars, cscalars, zscalars = (
    _makers_of_several("scalar")
)
vector, bvector, wvector, ivector, lvector, fvector, dvector, cvector, zvector = _makers("vector")
vectors, bvectors, wvectors, ivectors, lvectors, fvectors, dvectors, cvectors, zvectors = (
    _makers_of_several("vector")
)
matrix, bmatrix, wmatrix, imatrix, lmatrix, fmatrix, dmatrix, cmatrix, zmatrix = _makers("matrix")
matrices, bmatrices, wmatrices, imatrices, lmatrices, fmatrices, dmatrices, cmatrices, zmatrices = (
    _makers_of_several("matrix")
)
row, brow, wrow, irow, lrow, frow, drow, crow, zrow = _makers("row")
rows, brows, wrows, irows, lrows, frows, drows, crows, zrows = _makers_of_several("row")
col, bcol, wcol, icol, lcol, fcol, dcol, ccol, zcol = _makers("col")
cols, bcols, wcols, icols, lcols, fcols, dcols, ccols, zcols = _makers_of_several("col")
tensor3, btensor3, wtensor3, itensor3, ltensor3, ftensor3, dtensor3, ctensor3, ztensor3 = _makers(
    "tensor3"
)
tensor3s, btensor3s, wtensor3s, itensor3s, ltensor3s, ftensor3s, dtensor3s, ctensor3s, ztensor3s = (
    _makers_of_several("tensor3")
)
tensor4, btensor4, wtensor4, itensor4, ltensor4, ftensor4, dtensor4, ctensor4, ztensor4 = _makers(
    "tensor4"
)
tensor4s, btensor4s, wtensor4s, itensor4s, ltensor4s, ftensor4s, dtensor4s, ctensor4s, ztensor4s = (
    _makers_of_several("tensor4")
)
tensor5, btensor5, wtensor5, itensor5, ltensor5, ftensor5, dtensor5, ctensor5, ztensor5 = _makers(
    "tensor5"
)
tensor5s, btensor5s, wtensor5s, itensor5s, ltensor5s, ftensor5s, dtensor5s, ctensor5s, ztensor5s = (
    _makers_of_several("tensor5")
)
