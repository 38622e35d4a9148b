"""Meshes: names for the devices that share the work, and how arrays are divided among them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import numpy as np

from weft_graph.extend import Interned

__all__ = ["Mesh", "Spec", "as_spec"]

Spec = tuple[tuple[str, ...], ...]
"""For every axis of an array, the axes of the mesh along which it is divided."""


class Mesh(Interned):
    """Devices in a grid whose axes have names.

    It says how many devices there are, not which: a graph that mentions a mesh can be built,
    and run in Python, without them.

    Parameters
    ----------
    **axes
        The number of devices along each axis, by name.

    Raises
    ------
    ValueError
        without any axis, or for a number that is no positive int.

    Examples
    --------
    >>> mesh = Mesh(data=4, model=2)
    >>> mesh, mesh.size, mesh is Mesh(data=4, model=2)
    (Mesh(data=4, model=2), 8, True)
    """

    __props__ = ("axes",)
    axes: tuple[tuple[str, int], ...]

    def __init__(self, **axes: int) -> None:
        for name, size in axes.items():
            if type(size) is not int or size < 1:
                raise ValueError(f"axis {name!r} of a mesh needs a positive int, not {size!r}")
        if not axes:
            raise ValueError("a mesh needs at least one axis: write Mesh(data=8)")
        self.__dict__["axes"] = tuple(axes.items())

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the axes, in order."""
        return tuple(name for name, _ in self.axes)

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of devices along each axis."""
        return tuple(size for _, size in self.axes)

    @property
    def size(self) -> int:
        """The number of devices."""
        return math.prod(self.shape)

    def along(self, names: Iterable[str]) -> int:
        """The number of devices along the axes `names` together.

        >>> Mesh(data=4, model=2).along(("data", "model"))
        8
        """
        return math.prod(dict(self.axes)[name] for name in names)

    def others(self, spec: Spec) -> tuple[str, ...]:
        """The axes that `spec` does not mention, along which all devices hold the same.

        >>> Mesh(data=4, model=2).others((("data",), ()))
        ('model',)
        """
        used = {name for names in spec for name in names}
        return tuple(name for name in self.names if name not in used)

    def check(self, spec: Spec, what: str) -> None:
        """Raise ValueError, naming `what`, if `spec` mentions an axis that the mesh has not."""
        for name in (name for names in spec for name in names):
            if name not in self.names:
                raise ValueError(
                    f"{what} is divided along {name!r}, but the mesh has the axes "
                    f"{', '.join(map(repr, self.names))}"
                )

    def groups(self, names: Sequence[str]) -> list[list[int]]:
        """The devices, as positions in row-major order, that differ along `names` alone.

        >>> Mesh(data=2, model=2).groups(["data"])
        [[0, 2], [1, 3]]
        """
        grid = np.arange(self.size).reshape(self.shape)
        places = [self.names.index(name) for name in names]
        grid_last = np.moveaxis(grid, places, range(-len(places), 0))
        return [list(map(int, row)) for row in grid_last.reshape(-1, self.along(names))]

    def share(self, length: Any, names: Sequence[str], what: str) -> Any:
        """What each of the devices along `names` gets of an axis of this length, known or not.

        Raises ValueError, naming `what`, if they can't share it evenly.

        >>> Mesh(data=4).share(8, ("data",), "x")
        2
        """
        count = self.along(names)
        if count == 1 or length is None:
            return length
        if isinstance(length, int) and length % count:
            raise ValueError(
                f"{what} has an axis of length {length}, which {count} devices along "
                f"{', '.join(map(repr, names))} can't share evenly: give it "
                f"{-length % count} more rows, or {length % count} fewer"
            )
        return length // count

    def split(self, value: np.ndarray, spec: Spec, what: str = "an array") -> list[np.ndarray]:
        """The part of the array `value` that each device holds.

        Raises ValueError, naming `what`, for a length that the devices can't share evenly.

        >>> Mesh(data=2).split(np.arange(4), (("data",),))
        [array([0, 1]), array([2, 3])]
        """
        steps = [self.share(n, names, what) for n, names in zip(value.shape, spec, strict=True)]
        parts = []
        for place in self._places():
            starts = [self._rank(place, names) * n for names, n in zip(spec, steps, strict=True)]
            key = tuple(slice(s, s + n) for s, n in zip(starts, steps, strict=True))
            parts.append(value[key])
        return parts

    def join(self, parts: Sequence[np.ndarray], spec: Spec) -> np.ndarray:
        """The array of which the devices hold these `parts`; the opposite of `split`.

        >>> Mesh(data=2).join([np.array([0, 1]), np.array([2, 3])], (("data",),))
        array([0, 1, 2, 3])
        """
        if not any(spec):
            return parts[0]
        first = np.asarray(parts[0])
        shape = [n * self.along(names) for n, names in zip(first.shape, spec, strict=True)]
        whole = np.empty(shape, first.dtype)
        others = self.others(spec)
        for place, part in zip(self._places(), parts, strict=True):
            if self._rank(place, others) == 0:
                starts = [
                    self._rank(place, names) * n for names, n in zip(spec, first.shape, strict=True)
                ]
                key = [slice(s, s + n) for s, n in zip(starts, first.shape, strict=True)]
                whole[tuple(key)] = part
        return whole

    def rank(self, device: int, names: Sequence[str]) -> int:
        """The place of a device along the axes `names`, counted in row-major order.

        >>> Mesh(data=2, model=3).rank(5, ["model"])
        2
        """
        return self._rank([int(k) for k in np.unravel_index(device, self.shape)], names)

    def _places(self) -> Iterable[Sequence[int]]:
        return product(*map(range, self.shape))

    def _rank(self, place: Sequence[int], names: Sequence[str]) -> int:
        rank = 0
        for name in names:
            k = self.names.index(name)
            rank = rank * self.shape[k] + place[k]
        return rank

    def __repr__(self) -> str:
        return f"Mesh({', '.join(f'{name}={size}' for name, size in self.axes)})"


def as_spec(spec: Any, ndim: int, what: str = "a spec") -> Spec:
    """`spec` with an entry for each of `ndim` axes.

    Entries are the name of an axis of the mesh, several in a tuple, or None; those at the end
    may be missing. None alone stands for an array that all devices hold in full. Raises ValueError
    if it has more entries than there are axes, or an axis of the mesh twice; TypeError for an entry
    that is no name, tuple of names or None.

    >>> as_spec(("data", None), 2), as_spec(None, 1)
    ((('data',), ()), ((),))
    """
    items = () if spec is None else (spec,) if isinstance(spec, str) else tuple(spec)
    if len(items) > ndim:
        raise ValueError(f"{what} {spec!r} has {len(items)} entries for {ndim} axes")
    entries: list[tuple[str, ...]] = []
    for entry in items:
        names = () if entry is None else (entry,) if isinstance(entry, str) else tuple(entry)
        if not all(isinstance(name, str) for name in names):
            raise TypeError(f"{what} {spec!r}: an entry is a name, a tuple of names or None")
        entries.append(names)
    used = [name for names in entries for name in names]
    if len(set(used)) < len(used):
        raise ValueError(f"{what} {spec!r} mentions an axis of the mesh twice")
    return (*entries, *[()] * (ndim - len(entries)))
