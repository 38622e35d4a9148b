"""The Numba linker of Weft."""
