"""The shares of annotations that mention Any, and their limits."""

from pathlib import Path

import pytest

from tools.any_share import main, shares

SOURCE = """
class C:
    def method(self, a: int, *rest: Any, key: "dict[str, Any]") -> None: ...

async def function(a: typing.Any, b: Callable[..., int], /, c=1, **d: Literal["x y"]) -> list[Any]:
    return []
"""


def test_shares(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(SOURCE)
    assert shares(tmp_path) == ((3, 7), (1, 2))


@pytest.mark.parametrize(
    ("limits", "outcome"),
    [("", 1), ("[tool.weft.any]\nparameters = 43\nreturns = 50\n", 0)],
)
def test_limits(
    tmp_path: Path, limits: str, outcome: int, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "packages" / "some"
    (folder / "src" / "some").mkdir(parents=True)
    (folder / "src" / "some" / "module.py").write_text(SOURCE)
    (folder / "pyproject.toml").write_text(f'[project]\nname = "some"\nversion = "1.0"\n{limits}')
    assert main(tmp_path) == outcome
    printed = capsys.readouterr().out
    assert "42.9 % of 7 parameters" in printed
    assert ("TOO MANY" in printed) == bool(outcome)
