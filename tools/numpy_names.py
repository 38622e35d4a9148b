"""Write docs/numpy_names.md and docs/scipy_names.md, what there is of the functions of others.

Run `python -m tools.numpy_names`.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import version
from typing import Final

import weft.tensor as wt
from tools.workspace import ROOT
from weft_tensor.extend import ABSENT, absences, names_by_numpy

PAGES: Final = {name: ROOT / "docs" / f"{name.lower()}_names.md" for name in ("NumPy", "SciPy")}

_HEAD = """\
# {name}'s names

Each public function of {places},
as of {release}: whether `weft.tensor` (`wt`) has it, what to write for it where it is called
otherwise, and if it is absent, why. Asking for one that is absent says the same.
"""
_CHECKED: Final = (
    *("solve", "solve_triangular", "cholesky", "cho_factor", "cho_solve"),
    *("lu", "lu_factor"),
)
_ENDS: Final = ["root", "root_scalar", "minimize", "least_squares"]
_ARGUMENTS: Final = (
    ("overwrite_a overwrite_b overwrite_x out output", "all", "leave them out: memory is reused"),
    (
        "check_finite",
        "linalg, cluster",
        f"leave it out, it is False; {', '.join(_CHECKED)} take True",
    ),
    (
        "lapack_driver driver lwork blocksize workers plan xp device",
        "linalg, fft, signal",
        "leave them out: the backend chooses",
    ),
    ("left homogeneous_eigvals", "linalg.eig", "vectors on the left are those of a.mH"),
    ("type", "linalg.eigh", "write a product with b"),
    ("sort", "linalg.schur, linalg.qz", "there is no order: choose among eigvals"),
    (
        "jac hess fprime Dfun",
        "optimize",
        "they may be given, and are called by `newton` alone: derivatives are made",
    ),
    (
        "full_output disp callback verbose",
        "optimize",
        f"leave them out: {', '.join(_ENDS)} return how a search ended",
    ),
    ("ftol xtol gtol max_nfev", "optimize.least_squares", "write tol and maxiter"),
    ("options integrality x0", "optimize.linprog", "write maxiter; there are no whole numbers"),
    ("exact", "special.comb, factorial, perm", "call Python's math.comb, factorial, perm"),
    ("rng random_state seed", "all that draws", "a key comes first: see wt.random"),
)
"""Of SciPy's arguments that are not here: of what, and what to do."""
_PLACES: Final = {
    "numpy": wt,
    "numpy.linalg": wt.linalg,
    "numpy.fft": wt.fft,
    "scipy.special": wt.special,
    "scipy.linalg": wt.linalg,
    "scipy.fft": wt.fft,
    "scipy.integrate": wt.integrate,
    "scipy.interpolate": wt.interpolate,
    "scipy.optimize": wt.optimize,
    "scipy.spatial": wt.spatial,
    "scipy.spatial.distance": wt.distance,
    "scipy.cluster.vq": wt.cluster,
    "scipy.signal": wt.signal,
    "scipy.ndimage": wt.ndimage,
    "scipy.signal.windows": wt.signal.windows,
}


_CURVES: Final = "scipy.interpolate"
"""Where functions are objects, whose classes count, too."""


def functions(place: str) -> list[str]:
    """The public functions of a part of NumPy or SciPy.

    >>> "einsum" in functions("numpy"), "ndarray" in functions("numpy")
    (True, False)
    """
    part = import_module(place)
    found = {name: getattr(part, name) for name in part.__all__}
    return sorted(
        n for n, f in found.items() if callable(f) and (place == _CURVES or not isinstance(f, type))
    )


def written(place: str, name: str) -> str:
    """What to write for a function of NumPy's; nothing if it is not there.

    >>> written("numpy", "exp"), written("numpy", "ndim"), written("numpy", "loadtxt")
    ('exp', 'x.ndim', '')
    """
    if hasattr(_PLACES[place], name):
        return name
    return names_by_numpy().get(name, "") if place == "numpy" else ""


def unexplained() -> list[str]:
    """Functions of others that are neither here nor on the list of those that are not."""
    return [
        f"{place}.{name}"
        for place in _PLACES
        for name in functions(place)
        if not written(place, name) and name not in absences(place)
    ]


def contradicted() -> list[str]:
    """Functions that are on the list of those that are not here, and are here."""
    return [
        f"{place}.{name}" for place in _PLACES for name in absences(place) if written(place, name)
    ]


def release(name: str) -> str:
    """The release of NumPy or SciPy that is installed, as pages name it.

    >>> release("NumPy").startswith("NumPy 2.")
    True
    """
    return f"{name} {'.'.join(version(name.lower()).split('.')[:2])}"


def _section(place: str) -> Iterator[str]:
    names = functions(place)
    same = [name for name in names if written(place, name) == name]
    other = [name for name in names if written(place, name) not in ("", name)]
    yield f"## {place}\n"
    yield f"Of {len(names)} functions, {len(same) + len(other)} are here. By their names:\n"
    yield " ".join(f"`{name}`" for name in same) + "\n"
    if other:
        yield "Called otherwise:\n\n| there | here |\n| --- | --- |"
        yield "\n".join(f"| `{name}` | `{written(place, name)}` |" for name in other) + "\n"
    if place not in ABSENT:
        return
    yield "Absent:\n\n| | to come | why, and what to do | functions |\n| --- | --- | --- | --- |"
    for group in ABSENT[place]:
        absent = " ".join(f"`{name}`" for name in group.names.split())
        later = "yes" if group.later else "no"
        yield f"| {group.title} | {later} | {group.reason} | {absent} |"
    yield ""


def _arguments() -> Iterator[str]:
    yield "## Arguments\n"
    yield "They are SciPy's, but for those that say where a result goes or how it is computed:\n"
    yield "| arguments | of | what to do |\n| --- | --- | --- |"
    for names, of, reason in _ARGUMENTS:
        yield f"| {' '.join(f'`{n}`' for n in names.split())} | {of} | {reason} |"
    yield ""


def page(name: str) -> str:
    """Return the page that the tables make of the NumPy or SciPy that is installed."""
    places = [place for place in _PLACES if place.startswith(name.lower())]
    *most, last = [f"`{place}`" for place in places]
    head = _HEAD.format(name=name, places=f"{', '.join(most)} and {last}", release=release(name))
    arguments = [*_arguments()] if name == "SciPy" else []
    return "\n".join([head, *arguments, *(line for p in places for line in _section(p))])


if __name__ == "__main__":
    for name, path in PAGES.items():
        path.write_text(page(name), encoding="utf-8")
