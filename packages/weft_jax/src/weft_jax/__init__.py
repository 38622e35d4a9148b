"""The JAX linker of Weft."""
