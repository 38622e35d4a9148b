"""Which axes have one length, who reads what, what goes together.

In: a rewritten graph.
Out: a plan of kernels.
Next: `fusion`.
"""
