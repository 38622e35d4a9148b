"""Transforms of short parts of signals.

In: signals, or transforms of their parts.
Out: transforms with axes of frequencies and times, or signals.
Next: rules and backends, which know them as products and transforms.
"""
