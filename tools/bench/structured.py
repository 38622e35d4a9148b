"""Linear algebra of structured matrices, typed as in a paper, next to the same in NumPy.

`python -m tools.bench.structured [WORD ...]` times those of `EXPRESSIONS` that have one of the
words, at 500 rows, in turns in one process with one thread on one core: NumPy's time over ours, for
the value on Numba and on JAX, and, where it has derivatives, for the value and all of them on
Numba, also over NumPy's time for the value alone.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from tools.bench.cliffs import in_a_process, shortest
from tools.bench.workload import PEERS, difference

__all__ = ["EXPRESSIONS", "by_numpy", "by_weft", "compared", "data", "letters", "main"]

ROUNDS: Final = 5
LIMIT: Final = 5.0
"""How often ours should fit into NumPy's time."""
LINES: Final = """
diag(d) @ A
A @ diag(d)
diag(d) @ A @ diag(e)
diag(d) @ b
D @ A
inv(diag(d)) @ b
solve(diag(d), b)
slogdet(diag(d))[1]
cholesky(diag(d))
eigvalsh(diag(d))
matrix_power(diag(d), 5)
inv(diag(d) + U @ U.T) @ b
inv(diag(d) + U @ U.T) @ U
inv(diag(d) + U @ U.T)
solve(diag(d) + U @ U.T, b)
solve(diag(d) + U @ C @ U.T, b)
solve(diag(d) + U @ V, b)
solve(diag(d) - U @ V / 2, b)
solve(s * eye(n) + U @ U.T, b)
solve(diag(d) + outer(b, c), e)
b @ inv(diag(d) + U @ U.T) @ b
slogdet(diag(d) + U @ U.T)[1]
slogdet(diag(d) + U @ C @ U.T)[1]
slogdet(s * eye(n) + U @ U.T)[1]
slogdet(diag(d) + outer(b, b))[1]
log(det(diag(d) + U @ U.T / 9))
(diag(d) + U @ U.T) @ A
(diag(d) + U @ U.T) @ b
kron(E, F) @ b
kron(E, F) @ A
inv(kron(E, F))
inv(kron(E, F)) @ b
solve(kron(E, F), b)
solve(kron(E, eye(25)), b)
b @ solve(kron(E, F), b)
slogdet(kron(E, F))[1]
slogdet(kron(E, diag(d[:25])))[1]
trace(kron(E, F))
A @ B @ b
A @ B @ U
U @ V @ A
b @ (A @ B) @ c
trace(A @ B)
trace(A.T @ B)
trace(U @ V)
trace(A @ B @ diag(d))
trace(A @ diag(d) @ A.T)
diagonal(A @ B)
diagonal(A @ diag(d) @ A.T)
diagonal(U @ C @ U.T)
sum(A @ B)
(A @ B)[0]
outer(b, c) @ A
inv(block_diag(G, G))
inv(block_diag(G, G)) @ b
solve(block_diag(G, G), b)
slogdet(block_diag(G, G))[1]
solve(block_diag(K, K, K, K, K), b)
slogdet(block_diag(K, K, K, K, K))[1]
block_diag(K, K, K, K, K) @ A
(diag(d) + diag(b[1:], 1) + diag(c[1:], -1)) @ e
solve(diag(d) + diag(b[1:], 1) + diag(c[1:], -1), e)
inv(diag(d) + diag(b[1:], 1) + diag(c[1:], -1)) @ e
eye(n)[p] @ A
A @ eye(n)[p]
eye(n)[p] @ b
inv(L) @ b
solve(L, b)
slogdet(L)[1]
det(R)
inv(Q)
inv(Q) @ b
slogdet(Q)[1]
Q.T @ Q @ b
b @ inv(S) @ b
inv(S) @ b + slogdet(S)[1]
b @ solve(S, b) + slogdet(S)[1] + c @ solve(S, c)
inv(A) @ b + inv(A) @ c + slogdet(A)[1]
inv(inv(A))
"""
EXPRESSIONS: Final = tuple(LINES.split("\n")[1:-1])


class Letter(NamedTuple):
    """What a letter stands for: a shape, what is known of it, and values."""

    shape: tuple[int | str, ...]
    values: Callable[[np.random.Generator, tuple[int, ...]], Any]
    facts: tuple[str, ...] = ()


def normal(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    """Small normal numbers."""
    return rng.normal(size=shape) / np.sqrt(shape[-1])


def positive(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    """Numbers from 1 to 2."""
    return rng.uniform(1, 2, shape)


def regular(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    """A matrix far from singular ones."""
    return normal(rng, shape) + 3 * np.eye(shape[0])


def definite(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    """A positive definite matrix."""
    x = normal(rng, shape)
    return x @ x.T + np.eye(shape[0])


def of_regular(f: Callable[[Any], Any]) -> Callable[[np.random.Generator, tuple[int, ...]], Any]:
    """What `f` makes of a regular matrix."""
    return lambda rng, shape: f(regular(rng, shape))


_SQUARE: Final = ("n", "n")
LETTERS: Final[dict[str, Letter]] = {
    **{x: Letter(("n",), normal) for x in "bc"},
    **{x: Letter(_SQUARE, regular) for x in "AB"},
    **{x: Letter(("n",), positive, ("positive",)) for x in "de"},
    "s": Letter((), positive, ("positive",)),
    "p": Letter(("n",), lambda rng, shape: rng.permutation(shape[0])),
    "U": Letter(("n", 5), normal),
    "V": Letter((5, "n"), normal),
    "C": Letter((5, 5), regular),
    "E": Letter((20, 20), regular),
    "F": Letter((25, 25), regular),
    "G": Letter((250, 250), regular),
    "K": Letter((100, 100), regular),
    "S": Letter(_SQUARE, definite, ("positive_definite",)),
    "D": Letter(_SQUARE, of_regular(lambda x: np.diag(np.diag(x))), ("diagonal",)),
    "L": Letter(_SQUARE, of_regular(np.tril), ("lower_triangular",)),
    "R": Letter(_SQUARE, of_regular(lambda x: np.triu(x) / 3), ("upper_triangular",)),
    "Q": Letter(_SQUARE, of_regular(lambda x: np.linalg.qr(x)[0]), ("orthogonal",)),
}
ROWS: Final = 500
_NAMES: Final = ("diag", "diagonal", "eye", "kron", "log", "outer", "sum", "trace")
_LINALG: Final = ("cholesky", "det", "eigvalsh", "inv", "matrix_power", "slogdet", "solve")


def letters(text: str) -> list[str]:
    """Those that stand in an expression.

    >>> letters("inv(diag(d) + U @ U.T) @ b")
    ['U', 'b', 'd']
    """
    return sorted(set(re.findall(r"(?<![.\w])[a-zA-Z](?!\w)", text)) - {"n"})


def names(library: Any, block_diag: Any, n: Any) -> dict[str, Any]:
    """What expressions mention."""
    own = {name: getattr(library, name) for name in _NAMES}
    return (
        own | {f: getattr(library.linalg, f) for f in _LINALG} | {"block_diag": block_diag, "n": n}
    )


def data(text: str) -> list[Any]:
    """Values for the letters of an expression."""
    rng = np.random.default_rng(0)
    lengths = {x: tuple(ROWS if n == "n" else int(n) for n in LETTERS[x].shape) for x in LETTERS}
    return [np.asarray(LETTERS[x].values(rng, lengths[x])) for x in letters(text)]


def by_numpy(text: str) -> Callable[..., Any]:
    """The expression as NumPy computes it."""
    import scipy.linalg

    code, known = compile(text, text, "eval"), names(np, scipy.linalg.block_diag, ROWS)
    return lambda *values: eval(code, known | dict(zip(letters(text), values, strict=True)))


def by_weft(text: str, mode: Any, slopes: bool = False) -> Callable[..., Any]:
    """The expression compiled, or that and its derivatives by all letters."""
    import weft.tensor as wt

    inputs: list[Any] = []
    known = names(wt, wt.linalg.block_diag, wt.constant(ROWS))
    for x in letters(text):
        shape, _, facts = LETTERS[x]
        inputs.append(wt.tensor(x, "int64" if x == "p" else "float64", shape))
        known[x] = wt.assume(inputs[-1], **dict.fromkeys(facts, True)) if facts else inputs[-1]
        if "n" in shape:
            known["n"] = inputs[-1].shape[shape.index("n")]
    value = eval(text, known)
    if not slopes:
        return wt.function(inputs, value, mode=mode)
    cost = wt.sum(value)
    by = [x for x in inputs if x.dtype == "float64"]
    found = [cost, *wt.grad(cost, by, disconnected_inputs="ignore")]
    return wt.function(inputs, found, mode=mode, on_unused_input="ignore")


def compared(text: str) -> dict[str, float]:
    """NumPy's time over ours; ValueError if the values differ."""
    values = data(text)
    calls = {
        "numpy": by_numpy(text),
        "weft-numba": by_weft(text, "numba"),
        "weft-jax": by_weft(text, "jax"),
        "slopes": by_weft(text, "numba", slopes=True),
    }
    expected = calls["numpy"](*values)
    for peer, call in calls.items():
        found = call(*values)
        problem = peer != "slopes" and difference(found, expected, 1e-8)
        if problem:
            raise ValueError(f"{peer}: {problem}")
    best = dict.fromkeys(calls, np.inf)
    for _ in range(ROUNDS):
        for peer, call in calls.items():
            best[peer] = min(best[peer], shortest(call, tuple(values)))
    return {peer: best["numpy"] / t for peer, t in best.items() if peer != "numpy"}


def main(words: Sequence[str]) -> None:
    """Print the comparisons, those below the limit marked."""
    for peer in ("numpy", "weft-numba", "weft-jax"):
        PEERS[peer].wake()
    below = 0
    chosen = [text for text in EXPRESSIONS if not words or any(word in text for word in words)]
    for text in chosen:
        ratios = compared(text)
        missed = min(ratios["weft-numba"], ratios["weft-jax"]) < LIMIT
        below += missed
        shown = "  ".join(f"{peer} {ratio:8.1f}" for peer, ratio in ratios.items())
        print(f"{text:50} {shown}{'  BELOW' if missed else ''}", flush=True)
    print(f"{below} of {len(chosen)} are below {LIMIT:g}")


if __name__ == "__main__":
    sys.exit(in_a_process("tools.bench.structured", sys.argv[1:]))
