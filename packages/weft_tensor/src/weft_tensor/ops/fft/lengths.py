"""How many points transforms are fast for."""

from __future__ import annotations

from weft_tensor.build.of_numbers import of_numbers

__all__ = ["next_fast_len", "prev_fast_len"]

next_fast_len = of_numbers(
    __name__,
    "scipy.fft",
    "next_fast_len",
    "The next number of points, no less, that is a product of small factors",
    "next_fast_len(13)",
    "14",
)
prev_fast_len = of_numbers(
    __name__,
    "scipy.fft",
    "prev_fast_len",
    "The last number of points, no more, that is a product of small factors",
    "prev_fast_len(13)",
    "12",
)
