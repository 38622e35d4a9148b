"""Rules on maps.

In: maps.
Out: whole-array work, and smaller bodies.
Next: the other families.
"""
