"""Rules on Fourier transforms.

In: transforms.
Out: less of them.
Next: the other families.
"""
