"""Ops that know nothing of what the values are: loops, branches, state, effects.

In: variables of any Type.
Out: variables.
Next: `rewriting`.
"""
