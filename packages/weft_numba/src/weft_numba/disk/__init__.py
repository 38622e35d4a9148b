"""What is kept on disk.

In: a request, or its machine code.
Out: machine code, or nothing.
Next: the linker, which asks all of these.
"""
