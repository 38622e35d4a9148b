"""The elementwise functions for users: all that rows of the scalar table define."""

from typing import TYPE_CHECKING

from weft_tensor.ops.elementwise.arithmetic import *
from weft_tensor.ops.elementwise.comparison import *
from weft_tensor.ops.elementwise.complex import *
from weft_tensor.ops.elementwise.exponential import *
from weft_tensor.ops.elementwise.power import *
from weft_tensor.ops.elementwise.special import *
from weft_tensor.ops.elementwise.trigonometric import *
from weft_tensor.ops.numbers.remainders import *
from weft_tensor.ops.numbers.stable import *
from weft_tensor.ops.random.threefry import *
from weft_tensor.ops.special.bessel import *
from weft_tensor.ops.special.confluent.kummer import *
from weft_tensor.ops.special.confluent.tricomi import *
from weft_tensor.ops.special.confluent.wright import *
from weft_tensor.ops.special.cylinder.airy import *
from weft_tensor.ops.special.cylinder.second_kind import *
from weft_tensor.ops.special.cylinder.struve import *
from weft_tensor.ops.special.entropies import *
from weft_tensor.ops.special.gamma import *
from weft_tensor.ops.special.hypergeometric import *
from weft_tensor.ops.special.incomplete import *
from weft_tensor.ops.special.incomplete_logs import *
from weft_tensor.ops.special.integrals.complex_parts import *
from weft_tensor.ops.special.integrals.dawson import *
from weft_tensor.ops.special.integrals.elliptic import *
from weft_tensor.ops.special.integrals.exponential import *
from weft_tensor.ops.special.integrals.logarithms import *
from weft_tensor.ops.special.integrals.oscillating import *
from weft_tensor.ops.special.integrals.third_kind import *
from weft_tensor.ops.special.noncentral.bessel_logs import *
from weft_tensor.ops.special.noncentral.chi_square import *
from weft_tensor.ops.special.noncentral.halphen import *
from weft_tensor.ops.special.noncentral.mills_means import *
from weft_tensor.ops.special.normal import *
from weft_tensor.ops.special.of_complex import *

if not TYPE_CHECKING:  # they would take it for empty
    __all__ = [name for name in dir() if not name.startswith("_") and name != "TYPE_CHECKING"]
