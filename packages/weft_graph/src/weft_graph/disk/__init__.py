"""What linkers keep on disk for later processes.

In: a request, and what it was compiled to, as bytes.
Out: these bytes, or nothing.
Next: the linkers of other packages.
"""
