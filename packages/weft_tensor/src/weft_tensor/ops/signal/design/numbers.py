"""Designs that numbers alone go into: orders, prototypes, ripples of one size, and sections.

SciPy computes them once, when the graph is built: which filter it is depends on values in jumps.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from weft_tensor.build.of_numbers import of_numbers

__all__ = [
    "besselap",
    "buttap",
    "buttord",
    "cheb1ap",
    "cheb1ord",
    "cheb2ap",
    "cheb2ord",
    "check_COLA",
    "check_NOLA",
    "closest_STFT_dual_window",
    "ellipap",
    "ellipord",
    "findfreqs",
    "firwin_2d",
    "gammatone",
    "iircomb",
    "iirdesign",
    "max_len_seq",
    "place_poles",
    "remez",
    "ss2zpk",
    "tf2sos",
    "zpk2sos",
]

_design: Final = partial(of_numbers, __name__, "scipy.signal")
_SECTIONS: Final = "write the design with output='sos', as butter(N, Wn, output='sos')"


buttord = _design(
    "buttord",
    "The least order of Butterworth's filter for given losses, and its frequencies",
    "buttord(0.2, 0.3, 3, 40)[0]",
    "11",
)
cheb1ord = _design(
    "cheb1ord",
    "The least order of Chebyshev's filter for given losses, and its frequencies",
    "cheb1ord(0.2, 0.3, 3, 40)[0]",
    "6",
)
cheb2ord = _design(
    "cheb2ord",
    "The least order of Chebyshev's inverse filter for given losses, and its frequencies",
    "cheb2ord(0.2, 0.3, 3, 40)[0]",
    "6",
)
ellipord = _design(
    "ellipord",
    "The least order of Cauer's filter for given losses, and its frequencies",
    "ellipord(0.2, 0.3, 3, 40)[0]",
    "4",
)
besselap = _design(
    "besselap",
    "Zeros, poles and factor of Bessel's filter in time, of what is below 1",
    "round(besselap(2)[2], 4)",
    "1.0",
)
buttap = _design(
    "buttap",
    "Zeros, poles and factor of Butterworth's filter in time, of what is below 1",
    "round(buttap(2)[2], 4)",
    "1.0",
)
cheb1ap = _design(
    "cheb1ap",
    "Zeros, poles and factor of Chebyshev's filter in time, of what is below 1",
    "round(cheb1ap(2, 1.0)[2], 4)",
    "0.9826",
)
cheb2ap = _design(
    "cheb2ap",
    "Zeros, poles and factor of Chebyshev's inverse filter in time, of what is below 1",
    "round(cheb2ap(2, 40.0)[2], 4)",
    "0.01",
)
ellipap = _design(
    "ellipap",
    "Zeros, poles and factor of Cauer's filter in time, of what is below 1",
    "round(ellipap(2, 1.0, 40.0)[2], 4)",
    "0.01",
)
remez = _design(
    "remez",
    "The filter whose errors in bands are of one size, by Remez' exchanges",
    "remez(3, [0.0, 0.2, 0.3, 0.5], [1, 0]).eval().round(4)",
    "array([0.382, 0.5  , 0.382])",
    "write firls or firwin2, whose gains may be variables",
)
iirdesign = _design(
    "iirdesign",
    "The filter with feedback, of the least order for given losses",
    "iirdesign(0.2, 0.3, 3, 40)[0].eval().shape",
    "(5,)",
    "write iirfilter, whose frequencies may be variables",
)
iircomb = _design(
    "iircomb",
    "The filter with feedback that stops, or passes, a frequency and its multiples",
    "iircomb(0.5, 2.0)[0].eval().round(4)",
    "array([ 0.5,  0. ,  0. ,  0. , -0.5])",
)
gammatone = _design(
    "gammatone",
    "The filter that hears one frequency as an ear does",
    "gammatone(440, 'fir', fs=16000)[0].eval().shape",
    "(240,)",
)
firwin_2d = _design(
    "firwin_2d",
    "The filter of images by a window",
    "firwin_2d((3, 3), ('hamming', 'hann'), fc=0.5).eval().shape",
    "(3, 3)",
)
findfreqs = _design(
    "findfreqs",
    "Frequencies at which the response of a filter in time is worth a look",
    "findfreqs([1.0], [1.0, 1.0], 3).eval().round(4)",
    "array([ 0.01  ,  0.3162, 10.    ])",
)
tf2sos = _design(
    "tf2sos",
    "Sections of second order of two polynomials",
    "tf2sos([1.0, 0.0, 0.0], [1.0, 0.5, 0.0]).eval().shape",
    "(1, 6)",
    _SECTIONS,
)
zpk2sos = _design(
    "zpk2sos",
    "Sections of second order of zeros, poles and a factor",
    "zpk2sos([-1.0], [0.5], 2.0).eval().tolist()",
    "[[2.0, 2.0, 0.0, 1.0, -0.5, 0.0]]",
    _SECTIONS,
)
max_len_seq = _design(
    "max_len_seq",
    "The longest sequence of zeros and ones of a register, and the register's last state",
    "max_len_seq(2)[0].eval()",
    "array([1, 1, 0], dtype=int8)",
)
check_COLA = _design(
    "check_COLA",
    "Whether windows that overlap so add up to a constant",
    "check_COLA('hann', 4, 2)",
    "True",
)
check_NOLA = _design(
    "check_NOLA",
    "Whether squares of windows that overlap so add up to no zero",
    "check_NOLA('hann', 4, 2)",
    "True",
)
closest_STFT_dual_window = _design(
    "closest_STFT_dual_window",
    "The window that undoes another and is nearest to a third, and a factor of that",
    "import numpy as np\n>>> closest_STFT_dual_window(np.ones(4), 2, scaled=False)[0].eval()",
    "array([0.5, 0.5, 0.5, 0.5])",
)
place_poles = _design(
    "place_poles",
    "The gains that move the poles of a system, of which several inputs leave many",
    "import numpy as np\n>>> b = np.array([[0.0], [1.0]])\n"
    ">>> place_poles(np.eye(2, k=1), b, [-1.0, -2.0]).gain_matrix",
    "array([[2., 3.]])",
)
ss2zpk = _design(
    "ss2zpk",
    "Zeros, poles and factor of a system by its matrices: how many zeros depends on values",
    "ss2zpk([[0.5]], [[1.0]], [[2.0]], [[1.0]])[0].eval()",
    "array([-1.5])",
    "write eigvals(A) for the poles",
)
