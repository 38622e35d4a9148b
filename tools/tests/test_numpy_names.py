"""The pages of others' names are what there is, and each name that is absent has its reason."""

from __future__ import annotations

from operator import attrgetter

import pytest

import weft.tensor as wt
from tools.numpy_names import PAGES, contradicted, page, release, unexplained


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_up_to_date(name: str) -> None:
    """That of another release has other names."""
    text = PAGES[name].read_text(encoding="utf-8")
    assert release(name) not in text or text == page(name), "run `python -m tools.numpy_names`"


def test_each_function_is_here_or_has_a_reason() -> None:
    assert unexplained() == []
    assert contradicted() == []


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("loadtxt", r"numpy\.loadtxt is not in Weft: it reads or writes files"),
        ("putmask", r"not in Weft: it changes its argument.* x\[i\]\.set\(y\)"),
        ("special.besselpoly", r"scipy\.special\.besselpoly is not in Weft yet: .* `wrap_py`"),
        ("linalg.cossin", r"scipy\.linalg\.cossin is not in Weft: wrap SciPy's"),
        ("special.ai_zeros", r"scipy\.special\.ai_zeros is not in Weft: it makes numbers"),
        ("interpolate.spalde", r"scipy\.interpolate\.spalde is not in Weft: SciPy advises against"),
        ("signal.sepfir2d", r"scipy\.signal\.sepfir2d is not in Weft: no function here"),
        ("sort_complex", "not in Weft: the dtype or the rank of the result would depend on values"),
    ],
)
def test_asking_for_one_says_the_reason(name: str, said: str) -> None:
    with pytest.raises(AttributeError, match=said):
        attrgetter(name)(wt)
