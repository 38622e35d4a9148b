"""Rules on products, factors and systems.

In: linear algebra.
Out: less of it.
Next: the other families.
"""
