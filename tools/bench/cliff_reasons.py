"""Why some of `cliff_cases` take longer than they should, with what was measured."""

from __future__ import annotations

__all__ = ["REASONS"]

_CALL = (
    "2.3 µs more in every call: 0.9 for what the arguments are, 0.5 for 64 bits, 0.4 for whether a "
    "GPU computes"
)

REASONS: dict[str, dict[str, str]] = {
    "thin, transposed, tanh": {
        "weft-numba": "numbers of columns are collected for vectors, 270 of 820 µs, where XLA "
        "reads them in its loop",
        "weft-jax": "1 + tanh(x) is 2 sigmoid(2 x), which keeps its digits where tanh is near -1: "
        "as long as the peer's sigmoid of the same, 545 µs, since XLA transposes number by number",
    },
    "slope of group effects": {
        "weft-jax": "a second result says whether each index is right: so by hand with jax.jit, 61 "
        "µs for 54 without; ours 69, 3 of them the call's"
    },
    "slope of a process": {
        "weft-jax": "whether factors exist: 24 µs in XLA for two and what they solve, 10 to read"
    },
    "200 terms, and their slope": {
        "weft-jax": "NumPy by hand; XLA hands what has 1,000 operations or more to a thread: a sum "
        "of 5,000 integers takes 40 µs with the call, a slice of them 13"
    },
    "loop: tridiagonal": {"weft-jax": "1.09 to 1.22: 2 of 27 µs in XLA, 3 in the call"},
    "outer, small": {"weft-jax": _CALL},
    "matmul 3 x 3": {"weft-jax": _CALL},
    "x**y": {
        "weft-numba": "NumPy has Intel's pow of 512 bits, 2.2 ns each; glibc's of 256 bits takes "
        "3.7 (of 512 bits as much, and by instructions in the loop 3.5 to 4.1), XLA's 10"
    },
    "loop: time warping": {
        "weft-numba": "the least of three is NaN if one is, and each index is looked at: by hand "
        "this takes 276 µs, ours 203, with np.minimum alone 182"
    },
    "complex product": {
        "weft-numba": "14 of 24 instructions for four products take pairs apart and join them: "
        "LLVM has vectors of either part; NumPy's have both, and alternate + and - in one"
    },
    "hitting times": {
        "weft-numba": "by hand a walk ends where it is above 2; to its end, 280 µs, ours 227"
    },
    "sobel": {
        "weft-numba": "sqrt(x² + y²) is hypot, which neither overflows nor vanishes: 18 "
        "instructions more; with the square root alone this takes 1.17 of the loop by hand",
        "weft-jax": "hypot, too: 1.5 of the square root alone for each of five ways to scale, "
        "with divisions and without",
    },
    "wave, padded": {
        "weft-numba": "what is padded is computed in a pass of its own; a step of diffusion that "
        "is written into an array, `u[1:-1, 1:-1].set(...)`, takes 1.1 of the loop by hand"
    },
    "histogram2d": {
        "weft-numba": "edges are looked at, so that each number falls where NumPy says, where by "
        "hand one product rounds across them: so by hand, 686 µs, ours 253"
    },
    "2-d counts": {
        "weft-numba": "places are stored, since the largest is wanted before counts have a length",
        "weft-jax": "380 µs for XLA, as the peer; that none is left out is seen by the sum of all",
    },
    "energies of pairs": {
        "weft-numba": "both points of each pair are looked up: so by hand, 274 µs, ours 330; in "
        "two loops one stays in registers, 180"
    },
    "entropy of bigrams": {
        "weft-numba": "the logarithms of all 65536 shares, 178 µs; by hand those of the 9567 pairs "
        "that occur, 90"
    },
    "longest run": {
        "weft-numba": "the largest so far is 128 of 243 µs, as long as NumPy's accumulate; by hand "
        "lengths are counted, which no expression of arrays says"
    },
    "loop: PageRank": {
        "weft-jax": "the loop is the peer's, to the instruction: to look at two times 5000 indices "
        "takes 60 µs between two calls of XLA, whether in steps or once before",
    },
    "solve and slogdet, stack of 3": {
        "weft-numba": "two eliminations with pivots of each, four at once, 18 ns; by hand Cramer's "
        "rule, without pivots and once for both, 12 ns"
    },
    "slope of least distances": {
        "weft-numba": "ties share a slope, so distances are kept and looked at again; by hand the "
        "place of the least is kept"
    },
    "X[idx]": {
        "weft-jax": "a second result says whether each index is right: so by hand with jax.jit, "
        "258 µs for 176 without; ours 210"
    },
    "slope of an epidemic": {
        "weft-jax": "what is summed is computed after the loop, with more than 1,000 operations, "
        "which XLA hands to a thread: of 150 days it takes 37 µs, of 300 76"
    },
    "loop: Lorenz": {
        "weft-numba": "by hand sums change their order: in that in which they are written 9.8 µs, "
        "ours 10.4, or 12.8 where only the call tells the length of the state"
    },
    "loop: Gauss-Seidel": {
        "weft-numba": "five pairs of indices are looked at: so by hand (boundscheck), 67 µs, ours "
        "76, where negative ones count from the end"
    },
    "loop: edits": {
        "weft-numba": "each index is looked at: so by hand (boundscheck), 100 µs, ours 111"
    },
    "loop: Kalman, two states": {
        "weft-numba": "by hand two states are five numbers: ours are matrices of any size, eight "
        "kernels of 9 ns a step"
    },
    "loop: heat in a rod": {
        "weft-numba": "what is written into the rod is computed before, by a pass of its own; by "
        "hand there are two rods in turn"
    },
    "loop: knapsack": {"weft-jax": "each step asks whether its places are within bounds"},
    "losses of rows": {
        "weft-numba": "returns, products, the largest so far and the losses are passes over rows "
        "in the cache; by hand one"
    },
    "sums so far by group": {
        "weft-numba": "sums so far of all, each of which waits for the one before, 48 of 105 µs, "
        "and what came before each group, looked up, 24; by hand one loop begins anew"
    },
    "ten nearest": {
        "weft-numba": "the tenth of each row is sought in ever smaller parts, number by number, "
        "2.5 of 3.1 ms; NumPy's partition, by vectors, takes 0.7"
    },
    "loop: roots of cubics": {
        "weft-numba": "a step by itself takes 4.7 µs, as XLA's, and 8.2 in the loop"
    },
    "softmax, float32": {
        "weft-numba": "masks for what is no whole vector of rows of unknown length: 490 for 10,000 "
        "rows of 20, 430 of as many numbers in rows of 16; 190 where 16 is known, 220 in rows of 32"
    },
    "bincount": {
        "weft-jax": "the host looks at 100,000 indices, 33 of 159 µs; XLA alone 114, as the peer"
    },
    "means of segments": {"weft-jax": "the same look at indices, 35 of 259 µs"},
    "sums of segments of rows": {
        "weft-jax": "the host looks at 20,000 indices, which come from memory again: 21 of 110 µs; "
        "XLA alone 78, as the peer"
    },
    "softmax of groups": {
        "weft-numba": "by hand 421 µs, ours 478: each number waits for what its group has so far"
    },
    "loop: escape times": {
        "weft-numba": "by hand a point that is far is left: a third of all steps are taken"
    },
    "slope of huber of differences": {
        "weft-numba": "on an Intel CPU, by four loops of .75 ns a number; 0.8 on an AMD one"
    },
    "exp2": {
        "weft-numba": "NumPy has Intel's of 512 bits, 0.5 ns each; glibc's of as many takes 0.75"
    },
    "polyval": {
        "weft-numba": "XLA is told that there are 8 coefficients: so 76 µs, for 62; without, 104",
        "weft-jax": "1.15 to 1.19 on JAX 0.12: 3 of 80 µs for a product more, as coefficients come "
        "in eights, 4 for an array of NumPy's, which the peer does not make, 2 in the call",
    },
    "slope of cumprod along 0": {
        "weft-numba": "factors and ones are stored, 80 of 226 µs, and x / 1000 is a division, 70, "
        "where by hand a product will do"
    },
    "area of a mesh": {
        "weft-numba": "each index is looked at: so by hand (boundscheck), 133 µs, ours 150"
    },
    "slope of a block": {
        "weft-numba": "four products of 256 x 64 x 128, 72 µs each in OpenBLAS, whose kernels have "
        "256 bits on AMD's CPUs; 50 in XLA"
    },
    "mirrored at the ends": {
        "weft-numba": "an array for each axis is written, 8 MB each: 840 µs; NumPy writes what is "
        "beside the ends into one, 425"
    },
    "one number everywhere": {
        "weft-jax": "nothing of it is computed: NumPy repeats the number, which is copied, 8 MB"
    },
    "x[idx]": {
        "weft-jax": "a second result says whether each index is right: so by hand with jax.jit, 98 "
        "µs for 69 without; ours 84"
    },
    "X[idx, idx]": {
        "weft-jax": "a second result says whether each index is right: so by hand with jax.jit, 90 "
        "µs for 61 without; ours 74"
    },
    "slope of max over 1": {
        "weft-jax": "products of shares, which are NaN where the largest is; by choices, which are "
        "0 there, .88 of the time"
    },
    "log density of numbers": {
        "weft-numba": "0.6 µs, 0.12 of it the machine code: results are arrays; Numba by itself "
        "gives a Python float in 0.35",
    },
}
"""By name: why one of ours takes longer than it should, with what was measured."""
