"""Reading and writing elements, and putting them in order.

In: tensors and subscripts.
Out: tensors.
Next: the other families.
"""
