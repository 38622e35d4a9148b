"""Rules by family, as the Ops in weft_tensor.

In: rules and passes.
Out: tuples of them, which `phases` puts into books.
Next: `phases`.
"""
