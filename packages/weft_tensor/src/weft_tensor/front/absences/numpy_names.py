"""Which functions of NumPy are not offered, and why."""

from __future__ import annotations

from typing import Final

from weft_tensor.front.absences.absence_group import Absence

__all__ = ["ABSENT"]


ABSENT: Final = {
    "numpy": (
        Absence(
            "Files and buffers",
            "it reads or writes files or memory: use NumPy, and give Weft its arrays",
            "from_dlpack frombuffer fromfile fromregex fromstring genfromtxt load loadtxt save "
            "savetxt savez savez_compressed",
        ),
        Absence(
            "Texts",
            "it makes text of values, which a graph has not: take them first, `x.eval(...)`",
            "array2string array_repr array_str base_repr binary_repr format_float_positional "
            "format_float_scientific get_printoptions printoptions set_printoptions typename",
        ),
        Absence(
            "Dates",
            "tensors are of numbers and bools alone, not of dates",
            "busday_count busday_offset datetime_as_string datetime_data is_busday isnat",
        ),
        Absence(
            "In place",
            "it changes its argument, which a variable can't be: write x[i].set(y), or `where`",
            "copyto put putmask",
        ),
        Absence(
            "Dtypes and kinds of objects",
            "it says something of dtypes or Python objects, for which no tensor is needed: use "
            "NumPy's, with x.dtype and x.ndim",
            "common_type iscomplexobj isrealobj isscalar issubdtype iterable min_scalar_type "
            "mintypecode promote_types",
        ),
        Absence(
            "Memory",
            "where a tensor lies in memory is for the compiler to choose, not for the graph",
            "isfortran may_share_memory nested_iters require shares_memory",
        ),
        Absence(
            "NumPy itself",
            "it tells of NumPy, or sets how NumPy behaves, not Weft",
            "errstate get_include getbufsize geterr geterrcall info setbufsize seterr seterrcall "
            "show_config show_runtime test",
        ),
        Absence(
            "What depends on values",
            "the dtype or the rank of the result would depend on values, which a graph has not; "
            "take x.real, or wrap the function with `wrap_py`",
            "real_if_close sort_complex",
        ),
        Absence(
            "Functions of Python",
            "it calls a Python function for each element: use `map`, or wrap "
            "the function with `wrap_py`",
            "fromfunction fromiter frompyfunc",
        ),
        Absence(
            "Old names",
            "NumPy advises against it: write `as_tensor`, `vstack` or `concatenate`",
            "asanyarray asarray_chkfinite asmatrix bmat row_stack",
        ),
        Absence(
            "Paths of products",
            "`einsum` finds the path itself; `optimize=` takes that of numpy.einsum_path",
            "einsum_path",
        ),
    ),
}
"""By part of NumPy, groups of its functions that are not here."""
