"""Searches in JAX.

In: functions of arrays, and ends.
Out: arrays.
Next: the families that search.
"""
