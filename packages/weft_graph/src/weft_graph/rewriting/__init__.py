"""Rules, books of them, and the driver that applies them to a graph.

In: a function graph and books.
Out: a function graph that computes the same.
Next: `linking`.
"""
