"""What equations determine, with the derivatives that follow from the equations.

In: functions of tensors, or of structures of them, and how to solve.
Out: tensors.
Next: the other families.
"""
