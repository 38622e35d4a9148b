"""A small calculus of numbers, and one of lists, for the tests of a core that knows neither."""

from __future__ import annotations

import gc
import json
import os
import re
import shutil
import subprocess
from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar, NoReturn
from urllib.parse import unquote

import pytest

from weft_graph import Apply, Op, Type, Variable, constant


class NumberVariable(Variable):
    """As unfriendly to careless code as a tensor: it has operators, and no truth value."""

    __slots__ = ()

    def __bool__(self) -> NoReturn:
        raise TypeError("the value is not known yet")

    def __add__(self, other: Any) -> Any:
        return Add()(self, other)

    def __mul__(self, other: Any) -> Any:
        return Mul()(self, other)

    def __neg__(self) -> Any:
        return Neg()(self)


class Number(Type):
    """Python's int and float."""

    differentiable: ClassVar[bool] = True
    variable_class: ClassVar[type[Variable]] = NumberVariable

    def filter(self, value: Any) -> Any:
        if type(value) not in (int, float):
            raise TypeError(f"{value!r} is not a number")
        return value

    def guard(self, name: str, namespace: dict[str, Any]) -> str:
        return f"type({name}) is float"

    def zeros_like(self, x: Variable) -> Any:
        return constant(self, 0.0)

    def seed(self, cost: Variable) -> Any:
        return constant(self, 1.0)

    def add(self, a: Any, b: Any) -> Any:
        return a + b


class NumberOp(Op):
    """Converts Python's numbers."""

    def convert(self, inputs: tuple[Any, ...]) -> tuple[Variable, ...]:
        return tuple(i if isinstance(i, Variable) else constant(Number(), i) for i in inputs)

    def infer(self, *types: Type) -> Any:
        for position, kind in enumerate(types):
            if kind is not Number():
                raise TypeError(f"input {position} is no number")
        return Number()


class Add(NumberOp):
    commutative = True

    def impl(self, *values: Any) -> Any:
        return values[0] + values[1]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        return [cotangents[0], cotangents[0]]


class Mul(NumberOp):
    commutative = True

    def impl(self, *values: Any) -> Any:
        return values[0] * values[1]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        return [cotangents[0] * inputs[1], cotangents[0] * inputs[0]]


class Neg(NumberOp):
    def impl(self, *values: Any) -> Any:
        return -values[0]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        return [-cotangents[0]]


class Power(NumberOp):
    exponent: int

    def impl(self, *values: Any) -> Any:
        return values[0] ** self.exponent

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        slope = Power(self.exponent - 1)(inputs[0]) * float(self.exponent)
        return [cotangents[0] * slope]


class Round(NumberOp):
    """Has an implementation and no derivative."""

    def impl(self, *values: Any) -> Any:
        return round(values[0])


class Reciprocal(NumberOp):
    """Fails for 0."""

    def impl(self, *values: Any) -> Any:
        return 1 / values[0]


class SumAndProduct(NumberOp):
    """Two results."""

    def infer(self, *types: Type) -> Any:
        return (Number(), Number())

    def impl(self, *values: Any) -> Any:
        return values[0] + values[1], values[0] * values[1]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        a, b = inputs
        of_sum, of_product = cotangents
        return [of_sum + of_product * b, of_sum + of_product * a]


class OldSum(Op):
    """Written as the tradition has it."""

    __props__ = ("scale",)

    def __init__(self, scale: int = 1) -> None:
        self.scale = scale

    def make_node(self, *inputs: Any) -> Apply:
        converted = [i if isinstance(i, Variable) else constant(Number(), i) for i in inputs]
        return Apply(self, converted, [Number()()])

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        output_storage[0][0] = self.scale * sum(inputs)


class OldMinMax(Op):
    """The same with two outputs."""

    def make_node(self, *inputs: Any) -> Apply:
        return Apply(self, inputs, [Number()("low"), Number()("high")])

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        output_storage[0][0], output_storage[1][0] = min(inputs), max(inputs)


class Abstract(NumberOp):
    """Has no implementation at all."""


class Bag(Type):
    """Lists, which are mutable; `length` names how long they are."""

    length: str | None = None

    def filter(self, value: Any) -> Any:
        if not isinstance(value, list):
            raise ValueError("a list is needed")
        return value

    def symbols(self, name: str) -> tuple[tuple[str, str], ...]:
        return () if self.length is None else ((self.length, f"len({name})"),)

    def constant_key(self, value: Any) -> Any:
        return tuple(value)

    def freeze(self, value: Any) -> Any:
        return list(value)

    def copy(self, value: Any) -> Any:
        return list(value)


class View(Op):
    """May return the very list that it gets."""

    view_of = (0,)

    def infer(self, *types: Type) -> Type:
        return types[0]

    def impl(self, *values: Any) -> Any:
        return values[0]


class Doubled(Op):
    """A new list."""

    def infer(self, *types: Type) -> Type:
        return types[0]

    def impl(self, *values: Any) -> Any:
        return values[0] * 2


Browse = Callable[..., dict[str, Any]]


@pytest.fixture
def living() -> Iterator[Callable[[], int]]:
    """Counts the variables that there are, without those from before."""
    gc.freeze()  # millions of objects of others, by then, need not be looked at

    def count() -> int:
        kinds = Counter(map(type, gc.get_objects()))
        return sum(number for kind, number in kinds.items() if issubclass(kind, Variable))

    yield count
    gc.unfreeze()


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a browser; without one, tests are skipped unless WEFT_REQUIRE_BROWSER is set."""
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        if os.environ.get("WEFT_REQUIRE_BROWSER"):
            pytest.fail(f"WEFT_REQUIRE_BROWSER is set, but there is none of {', '.join(names)}")
        pytest.skip("no Chromium is installed")  # not every machine has one; CI requires it
    return path


@pytest.fixture
def browse(chromium: str, tmp_path: Path) -> Browse:
    """Opens a page, runs a script in it, and gives what the script puts into `found`."""

    def run(page: str, script: str, size: tuple[int, int] = (1200, 800)) -> dict[str, Any]:
        driver = (
            "<script>window.addEventListener('error', (e) => report({error: e.message}));"
            "function report(value) { if (document.getElementById('report')) return;"
            "const out = document.createElement('pre'); out.id = 'report';"
            "out.textContent = btoa(encodeURIComponent(JSON.stringify(value)));"
            "document.body.append(out); }</script>"
        )
        steps = (
            "<script>window.addEventListener('load', () => setTimeout(async () => {"
            "const found = {}; try {" + script + "} catch (error) { report({error: error.stack}); }"
            "report(found); }, 50));</script>"
        )
        head, body, tail = page.partition("<body>")
        path = tmp_path / "page.html"
        path.write_text(head + body + driver + tail.replace("</body>", steps + "</body>"), "utf-8")
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
        options += ["--disable-background-networking", "--disable-component-update"]
        options += [f"--window-size={size[0]},{size[1]}", "--virtual-time-budget=10000"]
        options += [f"--user-data-dir={tmp_path / 'profile'}", path.as_uri()]
        done = subprocess.run([chromium, *options], capture_output=True, timeout=120, check=True)
        text = re.search(r'<pre id="report">([^<]*)</pre>', done.stdout.decode())
        assert text is not None, "the script in the page never came to its end"
        found: dict[str, Any] = json.loads(unquote(b64decode(text[1]).decode()))
        assert "error" not in found, found["error"]
        return found

    return run


@pytest.fixture(scope="session")
def calc() -> SimpleNamespace:
    """The classes above, by name."""
    kinds = {n: c for n, c in globals().items() if isinstance(c, type) and c.__module__ == __name__}
    return SimpleNamespace(**kinds, number=lambda value: constant(Number(), value))


@pytest.fixture
def x() -> Any:
    return Number()("x")


@pytest.fixture
def y() -> Any:
    return Number()("y")


@pytest.fixture
def z() -> Any:
    return Number()("z")
