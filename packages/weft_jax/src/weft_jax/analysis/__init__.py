"""What is known before JAX traces: which values are numbers, masks, lengths.

In: a rewritten graph.
Out: plans, and graphs that JAX can run.
Next: `compile`.
"""
