"""Images of any rank: filters, and values between elements.

In: tensors, numbers that say how far neighbours go, and what lies beyond the borders.
Out: such tensors.
Next: the other families.
"""
