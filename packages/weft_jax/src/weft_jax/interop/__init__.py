"""Weft's functions in JAX, JAX's in Weft, and what can be seen of both.

In: functions.
Out: functions, texts and figures.
Next: none: users.
"""
