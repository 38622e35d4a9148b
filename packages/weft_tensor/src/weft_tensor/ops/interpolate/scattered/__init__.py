"""Functions through points that lie anywhere.

In: points and values there.
Out: values at other places.
Next: rules and backends, which know nothing of points.
"""
