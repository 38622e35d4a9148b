"""What Ops, rules and linkers are made of: for authors of these, not for models.

The Ops themselves are in `weft_tensor`.

>>> [static_length(n) for n in lengths_of([[1.0, 2.0]])]
[1, 2]
"""

from weft_tensor.batching.rules import (
    aligned,
    batch_length,
    batched,
    is_batched,
    repeated,
    rows_at,
    vectorize_kind,
    vectorize_node,
)
from weft_tensor.build.applied import applied
from weft_tensor.build.blank import Blank, blank
from weft_tensor.build.convert import as_tensors
from weft_tensor.build.op import (
    Cotangents,
    Examples,
    Shapes,
    TensorApply,
    Tensors,
    Value,
    kind_of,
    kinds_of,
)
from weft_tensor.build.stack import Stack
from weft_tensor.build.variable import Size, SizeLike, SizesLike, TensorLike
from weft_tensor.facts.matrices import is_transpose
from weft_tensor.front.absences.reasons import ABSENT, absences
from weft_tensor.front.numpy_protocol import names_by_numpy
from weft_tensor.front.unknown_name import unknown_name
from weft_tensor.ops import scalar_functions
from weft_tensor.ops.control.element_shapes import of_one_shape
from weft_tensor.ops.control.ifelse import Undefined
from weft_tensor.ops.control.map import NO_ELEMENTS, lengths_of_elements, mapped_by
from weft_tensor.ops.control.recurrence_parts import ENDLESS
from weft_tensor.ops.control.recurrence_steps import (
    NO_STEP,
    OTHER_LENGTH,
    changed_shape,
    lengths_of_steps,
    scanned_by,
)
from weft_tensor.ops.creation.creation import WholeNumber
from weft_tensor.ops.elementwise.comparison import broadcast_length
from weft_tensor.ops.elementwise.op import binary, ternary, unary
from weft_tensor.ops.elementwise.table import (
    LOOP,
    SCALARS,
    Scalar,
    Usual,
    expansion_of,
    floating,
    loop_dtypes,
    summation_of,
    usual_of,
)
from weft_tensor.ops.indexing.index import changed
from weft_tensor.ops.indexing.slice_length import SliceLength, length_of_part
from weft_tensor.ops.indexing.slices import SCALAR, Slice
from weft_tensor.ops.indexing.subscript import ARRAY, NEW, advanced_place, build_key
from weft_tensor.ops.indexing.windows import windows_of
from weft_tensor.ops.matrices.exponential import EXPM_FRECHET_LARGEST, EXPM_LARGEST, EXPM_PADE
from weft_tensor.ops.parallel.collectives import Collective
from weft_tensor.ops.parallel.mesh import Spec, as_spec
from weft_tensor.ops.reduction.base import AxisReduction
from weft_tensor.ops.reduction.extremes_one_by_one import found_one_by_one, one_by_one
from weft_tensor.ops.reduction.scan import AxisScan
from weft_tensor.ops.reduction.windows import (
    deviations_of_windows,
    extremes_of_windows,
    sums_of_windows,
)
from weft_tensor.ops.shape.length import (
    as_size,
    has_lengths,
    inferred_shapes,
    is_length_of,
    length_of,
    lengths_of,
    same_size,
    static_length,
)
from weft_tensor.ops.special.confluent.kummer import HYP1F1_LIMIT
from weft_tensor.ops.special.integrals.complex_parts import PARTS as COMPLEX_PARTS
from weft_tensor.types.axes import Axes, as_axes
from weft_tensor.types.dtypes import DTypeLike, as_dtype, promote

_ROWS = scalar_functions
"""All that `SCALARS` has: it is complete before anyone adds to it."""

__all__ = [
    "ABSENT",
    "ARRAY",
    "COMPLEX_PARTS",
    "ENDLESS",
    "EXPM_FRECHET_LARGEST",
    "EXPM_LARGEST",
    "EXPM_PADE",
    "HYP1F1_LIMIT",
    "LOOP",
    "NEW",
    "NO_ELEMENTS",
    "NO_STEP",
    "OTHER_LENGTH",
    "SCALAR",
    "SCALARS",
    "Axes",
    "AxisReduction",
    "AxisScan",
    "Blank",
    "Collective",
    "Cotangents",
    "DTypeLike",
    "Examples",
    "Scalar",
    "Shapes",
    "Size",
    "SizeLike",
    "SizesLike",
    "Slice",
    "SliceLength",
    "Spec",
    "Stack",
    "TensorApply",
    "TensorLike",
    "Tensors",
    "Undefined",
    "Usual",
    "Value",
    "WholeNumber",
    "absences",
    "advanced_place",
    "aligned",
    "applied",
    "as_axes",
    "as_dtype",
    "as_size",
    "as_spec",
    "as_tensors",
    "batch_length",
    "batched",
    "binary",
    "blank",
    "broadcast_length",
    "build_key",
    "changed",
    "changed_shape",
    "deviations_of_windows",
    "expansion_of",
    "extremes_of_windows",
    "floating",
    "found_one_by_one",
    "has_lengths",
    "inferred_shapes",
    "is_batched",
    "is_length_of",
    "is_transpose",
    "kind_of",
    "kinds_of",
    "length_of",
    "length_of_part",
    "lengths_of",
    "lengths_of_elements",
    "lengths_of_steps",
    "loop_dtypes",
    "mapped_by",
    "names_by_numpy",
    "of_one_shape",
    "one_by_one",
    "promote",
    "repeated",
    "rows_at",
    "same_size",
    "scanned_by",
    "static_length",
    "summation_of",
    "sums_of_windows",
    "ternary",
    "unary",
    "unknown_name",
    "usual_of",
    "vectorize_kind",
    "vectorize_node",
    "windows_of",
]
