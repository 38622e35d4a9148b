"""The page of converters is what the table has."""

from __future__ import annotations

import pytensor
import pytest

from tools.pytensor_ops import PAGE, VERSION, page

pytestmark = pytest.mark.filterwarnings("default")  # PyTensor's own


@pytest.mark.skipif(pytensor.__version__ != VERSION, reason=f"the page is about {VERSION}")
def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python -m tools.pytensor_ops`"
