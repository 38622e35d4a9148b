"""Names that are not there, and what may have been meant."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["no_such_name"]


def no_such_name(
    owner: str, name: str, offered: Mapping[str, str], hint: str = ""
) -> AttributeError:
    """The AttributeError for a `name` that `owner` has not; it tells what may have been meant.

    Parameters
    ----------
    owner
        What was asked, in words.
    name
        What it was asked for.
    offered
        What one may ask for, and how to write it.
    hint
        What is known of the name, if it is not offered.

    Examples
    --------
    >>> no_such_name("module 'm'", "fucntion", {"function": "function", "sum": "total"})
    AttributeError("module 'm' has no attribute 'fucntion': did you mean function?")
    >>> no_such_name("module 'm'", "sum", {"function": "function", "sum": "total"})
    AttributeError("module 'm' has no attribute 'sum': did you mean total?")
    """
    problem = f"{owner} has no attribute {name!r}"
    if name.startswith("_"):  # asked for by tools, not by people
        return AttributeError(problem)
    target = offered.get(name)
    if target is None and not hint:
        target = _resembling(name, offered)
    advice = hint if target is None else f"did you mean {target}?"
    return AttributeError(f"{problem}: {advice}" if advice else problem)


def _resembling(name: str, targets: Mapping[str, str]) -> str | None:
    from difflib import get_close_matches  # not needed by those who write what there is

    by_letters = {key.lower(): target for key, target in sorted(targets.items())}
    lower = name.lower()
    close = get_close_matches(lower, by_letters, n=5, cutoff=0.7)
    if not close:
        return None
    return by_letters[min(close, key=lambda key: sorted(key) != sorted(lower))]  # swapped letters
