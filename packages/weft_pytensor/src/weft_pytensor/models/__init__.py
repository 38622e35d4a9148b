"""PyMC's models come in, functions for samplers go out."""
