"""Signals: convolution by sums or by Fourier transforms, filters, windows.

In: tensors.
Out: tensors.
Next: the other families.
"""
