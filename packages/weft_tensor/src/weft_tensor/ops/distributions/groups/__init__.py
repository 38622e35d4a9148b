"""Laws of comparisons of several normal groups, whose common spread is estimated.

In: values, and parameters.
Out: probabilities, densities and draws.
"""
