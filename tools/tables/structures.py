"""Expressions with more Ops than they need, one a line: lower letters are vectors, `s` a number.

Upper letters are square matrices. Those below the first blank line are what others were compared
by before; none is there because Weft does well on it.
"""

from __future__ import annotations

from math import inf
from typing import Any, Final, NamedTuple

LINES: Final = """
inv(A) @ b
A @ diag(b)
diag(b) @ A
exp(x)[3]
(A @ B)[0]
(A @ B)[2, 3]
x[::-1][::-1]
set_at(x, 2, s)[2]
set_at(x, slice(0, 3), y[:3])[0:3]
exp(x) * exp(y)
det(diag(b))
log(det(A))
log(abs(det(A)))
solve(A, b) + solve(A, c)
diag_of(outer(x, y))
trace(A @ B)
diag_of(A @ B)
trace(outer(x, y))
sum(x * 3)
sum(outer(x, y))
cumsum(x)[-1]
sort(x)[-1]
max(exp(x))
x[1:][2:]
x[2:8][1]
concatenate(x, y)[0]
stack(x, y)[1]
x * 1 + 0
(x + y)[2]

x[:5][::2]
A[1][2]
A[1:][0]
A.T[0]
A.T.T
(A.T @ B.T).T
(-x)[1:3]
(x * s)[4]
exp(x + y)[1:3]
sum(A, 0)[2]
sum(sum(A, 0), 0)
max(max(A, 0), 0)
sum(-x)
sum(x + y)
sum(x) + sum(x)
sum(x * y)
sum(A * B)
sum(A @ B)
mean(x * 2)
min(-x)
max(2 * x)
max(sqrt(x))
max(log(x))
prod(exp(x))
sum(concatenate(x, y))
sum(full(s, 5))
max(full(s, 5))
sort(x)[0]
sort(sort(x))
sort(x[::-1])
sum(sort(x))
sum(x[::-1])
max(x[::-1])
sum(A.T)
cumsum(x)[0]
zeros_like(x) + x
ones_like(x) * x
full(s, 9)[3]
arange(9)[4]
eye(5)[2]
eye(9) @ x
A @ eye(9)
set_at(x, 2, s)[5]
set_at(set_at(x, 2, s), 2, 1.0)
inc_at(inc_at(x, 2, s), 2, s)
set_at(x, 2, x[2])
inc_at(x, 2, 0.0)
exp(x) / exp(y)
exp(x) ** 2
log(x * y)
log(x) + log(y)
sqrt(x) * sqrt(x)
sqrt(x) * sqrt(y)
x ** 2 * x ** 3
x ** 2 / x
x / x
x - x
x + x + x
2 * x + 3 * x
(2 * x) * (3 * y)
(x / 2) / 3
x * y / y
(x + 1) + 2
(x * s) / s
-(-x)
abs(abs(x))
abs(x * x)
abs(-x)
abs(exp(x))
sqrt(x ** 2)
exp(log(x))
maximum(maximum(x, y), y)
maximum(x, x)
minimum(x, maximum(x, y))
where(x > 0, x, x)
x * 2 > 0
exp(x) > 0
floor(floor(x))
sign(exp(x))
inv(inv(A))
inv(A).T
inv(A.T)
A @ inv(A)
inv(A) @ B
b @ inv(A)
solve(A, A)
det(inv(A))
det(A.T)
det(A @ B)
det(2 * A)
det(eye(9) * s)
inv(diag(b))
solve(diag(b), c)
trace(A.T)
trace(A + B)
trace(diag(b))
trace(2 * A)
trace(A @ B @ C)
diag_of(diag(b))
diag_of(A + B)
diag_of(A.T)
diag(b) @ diag(c)
A @ B @ x
(A @ B) @ x
x @ (A @ B)
outer(x, y) @ x
outer(x, y) @ A
(s * A) @ B
(2 * A) @ (3 * B)
(-A) @ B
A @ (s * x)
x @ y + y @ x
A @ x + B @ x
A @ B + A @ C
det(A) * det(A)
log(det(A)) + inv(A) @ b
solve(A, b) @ c + log(abs(det(A)))
solve(A, B)[0]
cholesky(A @ A.T)
log(det(A @ A.T))
shape0(exp(x))
shape0(A @ B)
shape0(concatenate(x, y))
shape0(x[2:])
mean(x + y)
sum(x / s)
exp(x) * exp(-x)
prod(x * 2)
log(exp(x) * y)
sqrt(x) ** 4
x / s / s
2 * x + 2 * y
-(x - y)
(x - y) * s + exp(y - x)
max(x + 1)
cumsum(x * 2)[-1]
exp(x) ** 3
exp(x) / (exp(x) + exp(y))
1 - 1 / (1 + x)
x - x * (1 + y)
(x > y) & (x > y)
stack(x, y)[0, 1]
sum(set_at(x, 2, s))
inc_at(zeros_like(x), 0, s) + inc_at(zeros_like(x), 1, s)
sum(diag(b))
trace(inv(A) @ B)
trace(A @ A.T)
inv(A @ B) @ b
solve(A, B @ x)
x @ diag(b) @ y
sum(A @ x)
(A @ B @ C @ x) @ x
"""

EXPRESSIONS: Final = tuple(line for line in LINES.splitlines() if line)


class Note(NamedTuple):
    """A shorter expression that has other results, and values at which it has."""

    shorter: str
    values: dict[str, Any]


NOTES: Final = {
    "set_at(x, slice(0, 3), y[:3])[0:3]": Note("y[:3]", {"x": [1.0, 2.0, 3.0, 4.0], "y": [7.0]}),
    "(x + y)[2]": Note("x[2] + y[2]", {"x": [1.0], "y": [1.0, 2.0, 3.0]}),
    "A @ eye(9)": Note("A", {"A": [[1.0], [2.0]]}),
    "x * y / y": Note("x", {"x": [1.0, 2.0], "y": [0.0, inf]}),
    "(x * s) / s": Note("x", {"x": [1.0, 2.0], "s": 0.0}),
    "sum(x / s)": Note("sum(x) / s", {"x": [], "s": 0.0}),
    "exp(x) * exp(-x)": Note("ones_like(x)", {"x": [inf]}),
    "prod(x * 2)": Note("prod(x) * 2.0 ** shape0(x)", {"x": [1e-162, 1e-162]}),
}
"""Expressions of which others leave what is wrong."""
