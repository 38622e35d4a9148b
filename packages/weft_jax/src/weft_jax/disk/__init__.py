"""What is kept on disk.

In: a request, or what runs it.
Out: what runs it, or nothing.
Next: the linker, which asks all of these.
"""
