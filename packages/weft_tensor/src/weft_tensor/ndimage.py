"""Images of any rank: `wt.ndimage`, with the names of `scipy.ndimage`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from weft_tensor.front.keywords import take_keywords
from weft_tensor.front.unknown_name import unknown_name
from weft_tensor.ops.ndimage import (
    edges,
    gaussians,
    grey_morphology,
    labels,
    linear,
    morphology,
    places,
    ranks,
    regions,
    spectra,
    splines,
)
from weft_tensor.ops.ndimage.edges import *
from weft_tensor.ops.ndimage.gaussians import *
from weft_tensor.ops.ndimage.grey_morphology import *
from weft_tensor.ops.ndimage.labels import *
from weft_tensor.ops.ndimage.linear import *
from weft_tensor.ops.ndimage.morphology import *
from weft_tensor.ops.ndimage.places import *
from weft_tensor.ops.ndimage.ranks import *
from weft_tensor.ops.ndimage.regions import *
from weft_tensor.ops.ndimage.spectra import *
from weft_tensor.ops.ndimage.splines import *

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        raise unknown_name(__name__, name, {n: n for n in __all__}, "scipy.ndimage")


__all__ = sorted(
    [
        *edges.__all__,
        *gaussians.__all__,
        *grey_morphology.__all__,
        *labels.__all__,
        *linear.__all__,
        *morphology.__all__,
        *places.__all__,
        *ranks.__all__,
        *regions.__all__,
        *spectra.__all__,
        *splines.__all__,
    ]
)

take_keywords(globals())
