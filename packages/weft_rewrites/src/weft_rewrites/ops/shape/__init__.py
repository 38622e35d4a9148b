"""Rules on axes, broadcasting and lengths.

In: nodes that only move elements.
Out: fewer of them.
Next: the other families.
"""
