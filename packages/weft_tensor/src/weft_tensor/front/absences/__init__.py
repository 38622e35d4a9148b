"""What of NumPy and SciPy is not offered, and why.

In: nothing.
Out: groups of names, with a reason each.
Next: the errors and pages that tell.
"""
