from __future__ import annotations

import copy
import gc
import pickle
import threading
from typing import Any

import pytest

from weft_graph import (
    Apply,
    Constant,
    Input,
    Item,
    Named,
    Op,
    ShapeUnknownError,
    TupleType,
    Type,
    Variable,
    constant,
)
from weft_graph.core import nodes


def test_the_same_op_on_the_same_inputs_is_the_same_variable(x: Any, y: Any, calc: Any) -> None:
    assert calc.Add()(x, y) is calc.Add()(x, y)
    assert calc.Add()(x, y) is not calc.Add()(y, x)
    assert calc.Power(2)(x) is not calc.Power(3)(x)


def test_inputs_are_told_apart_by_identity(calc: Any) -> None:
    kind = calc.Number()
    assert kind("x") is not kind("x")
    assert kind.make_variable("v").name == "v"
    assert str(kind()) == "input"


def test_constants_are_equal_by_content_and_type(calc: Any) -> None:
    assert calc.number(1.0) is calc.number(1.0)
    assert calc.number(1.0) is not calc.number(1)
    assert calc.number(0.0) is not calc.number(-0.0)
    assert calc.number(1.0) is not constant(Type(), 1.0)
    assert calc.number(2).op.literal == 2
    with pytest.raises(TypeError, match="'two' is not a number"):
        calc.number("two")


@pytest.mark.parametrize(
    ("one", "other"),
    [((1, 2), (1.0, 2)), ((True,), (1,)), ((0.0,), (-0.0,)), (frozenset([1]), frozenset([1.0]))],
)
def test_what_is_in_a_constant_counts_with_its_class(one: Any, other: Any) -> None:
    assert one == other
    first, second = constant(Type(), one), constant(Type(), other)
    assert first is not second
    assert repr((first.op.value, second.op.value)) == repr((one, other))


def test_ops_may_convert_what_they_get(x: Any, calc: Any) -> None:
    assert (x + 1).inputs == (x, calc.number(1))
    with pytest.raises(TypeError, match="argument 1 is 3, a int, not a Variable"):
        calc.View()(x, 3)


def test_variables_are_immutable_and_their_own_copies(x: Any) -> None:
    with pytest.raises(AttributeError, match="immutable, can't set 'op'"):
        x.op = None
    with pytest.raises(AttributeError, match=r"use `y = x.named\('mu'\)`"):
        x.name = "mu"
    assert copy.copy(x) is x
    assert copy.deepcopy([x])[0] is x
    with pytest.raises(TypeError, match="Variable is not made directly: call a Type"):
        Variable()


def test_variables_have_no_truth_value(calc: Any) -> None:
    plain = Type()("plain")
    with pytest.raises(TypeError, match="<plain : Type> is not known while the graph is built"):
        bool(plain)


def test_names_are_an_identity_op(x: Any) -> None:
    mu = (x + x).named("mu")
    assert (mu.name, str(mu), repr(mu)) == ("mu", "mu", "<mu : Number>")
    assert mu.op is Named("mu")
    assert mu.inputs == (x + x,)
    assert (x + x).name is None
    assert type(mu) is type(x)


def test_several_results_are_items_of_one_node(x: Any, y: Any, calc: Any) -> None:
    total, product = calc.SumAndProduct()(x, y)
    node = total.inputs[0]
    assert total.op is Item(0)
    assert product is Item(1)(node)
    assert node.type is TupleType((calc.Number(), calc.Number()))
    assert str(node.type) == "(Number, Number)"
    assert (total.index, product.index) == (0, 1)
    assert calc.SumAndProduct()(x, y)[1] is product


def test_apply_views(x: Any, y: Any, calc: Any) -> None:
    total, product = calc.SumAndProduct()(x, y)
    owner = product.owner
    assert (owner.op, owner.inputs) == (calc.SumAndProduct(), [x, y])
    assert owner.outputs == [total, product]
    assert owner == total.owner
    assert len({owner, total.owner}) == 1
    assert owner != (x + y).owner
    assert repr((x + y).owner) == "Add(x, y)"
    assert (x + y).owner.out is x + y
    assert (x + y).index == 0
    with pytest.raises(ValueError, match="too many values"):
        _ = owner.out


def test_roots_have_no_owner(x: Any, calc: Any) -> None:
    assert isinstance(x.op, Input)
    assert isinstance(calc.number(1).op, Constant)
    assert (x.owner, x.index) == (None, None)
    assert (calc.number(1).owner, calc.number(1).index) == (None, None)


def test_an_op_without_inputs_is_no_root(calc: Any) -> None:
    class Now(Op):
        def infer(self, *types: Type) -> Type:
            return Type()

    now = Now()()
    assert now.owner == Apply.of(now)
    assert Now()() is now


def test_make_node_as_the_tradition_has_it(x: Any, calc: Any) -> None:
    total = calc.OldSum(2)(x, 1)
    assert total.inputs == (x, calc.number(1))
    assert total.owner.outputs[0] is total
    assert calc.OldSum(2)(x, 1) is total  # also for variables without a truth value
    low, high = calc.OldMinMax()(x, x)
    assert low.owner.outputs == [low, high]
    assert calc.OldSum(2).make_node(x, 1) == total.owner
    assert calc.Neg().make_node(x).outputs == [-x]


def test_what_make_node_may_not_return(x: Any) -> None:
    class Odd(Op):
        def make_node(self, *inputs: Any) -> Any:
            return inputs[0] if len(inputs) == 1 else Apply(self, inputs, [])

    with pytest.raises(TypeError, match=r"Odd.make_node must return an Apply, not <x : Number>"):
        Odd()(x)
    with pytest.raises(TypeError, match="Apply needs at least one output"):
        Odd()(x, x)
    with pytest.raises(TypeError, match="input 3 of Apply is not a Variable"):
        Apply(Odd(), [3], [x])  # type: ignore[list-item]  # what is tested


def test_an_inference_error_shows_op_types_and_lines(x: Any, calc: Any) -> None:
    text = Type()("text")
    with pytest.raises(TypeError, match="input 1 is no number") as caught:
        calc.Add()(x, text)
    (note,) = caught.value.__notes__
    assert "while applying Add to" in note
    assert "x : Number" in note
    assert "text : Type   (made at" in note
    assert 'text = Type()("text")' in note


def test_an_op_must_say_what_it_returns(x: Any) -> None:
    class Silent(Op):
        pass

    class Wrong(Op):
        def infer(self, *types: Type) -> Any:
            return [types[0], "Type"]

    class Several(Op):
        def infer(self, x: Type) -> list[Type]:
            return [x, x]

    assert [v.type for v in Several()(x)] == [x.type, x.type]
    with pytest.raises(TypeError, match="Silent defines neither `infer` nor `make_node`"):
        Silent()(x)
    with pytest.raises(TypeError, match=r"Wrong.infer must return a Type, or several as a tuple"):
        Wrong()(x)


def test_infer_from_sees_the_inputs_themselves(x: Any, calc: Any) -> None:
    class Typed(Op):
        def infer_from(self, *inputs: Any) -> Type:
            kind: Type = inputs[1].op.value
            return kind

    kinds = [constant(Type(), calc.Number()), constant(Type(), calc.Bag())]
    assert [Typed()(x, k).type for k in kinds] == [calc.Number(), calc.Bag()]


def test_inference_is_remembered_per_types(calc: Any) -> None:
    asked = []

    class Counted(Op):
        def infer(self, *types: Type) -> Type:
            asked.append(types)
            return types[0]

    op, kind = Counted(), calc.Number()
    for _ in range(3):
        op(kind("v"))
    op(Type()("w"))
    assert asked == [(kind,), (Type(),)]


def test_pickling_a_graph(x: Any, y: Any, calc: Any) -> None:
    total, product = calc.SumAndProduct()(x.named("mu"), calc.Power(2)(y))
    outputs = [total * product, product, x, calc.number(3.0), calc.OldSum()(x, y)]
    again = pickle.loads(pickle.dumps(outputs))
    new_x = again[2]
    assert new_x is not x
    assert (new_x.name, new_x.type) == ("x", x.type)
    new_total, new_product = again[0].inputs
    assert again[1] is new_product
    assert new_total.inputs[0] is new_product.inputs[0]
    assert again[3] is calc.number(3.0)
    assert again[4].inputs[0] is new_x
    assert again[0].made_at == outputs[0].made_at


def test_variables_die_with_their_last_user(calc: Any, living: Any) -> None:
    gc.disable()
    try:
        before = living()
        kind = calc.Number()
        a, b = kind("a"), kind("b")
        outputs = [(a + b) * calc.SumAndProduct()(a, b)[1]]
        assert living() > before + 5
        del a, b, outputs
        assert living() == before
    finally:
        gc.enable()


def test_threads_that_make_the_same_node_get_one(x: Any, calc: Any) -> None:
    count = 8
    made: list[list[Variable]] = [[] for _ in range(count)]
    barrier = threading.Barrier(count)

    def work(mine: list[Variable]) -> None:
        barrier.wait()
        v = x
        for exponent in range(300):
            v = calc.Power(exponent)(v)
            mine.append(v)

    threads = [threading.Thread(target=work, args=(mine,)) for mine in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made[0]) == 300
    assert all(mine == made[0] for mine in made)


def test_a_types_hooks_say_what_is_missing(calc: Any) -> None:
    bag = calc.Bag("n")
    v = bag("v")
    assert str(bag) == "Bag(n)"
    for hook, arguments in (("zeros_like", [v]), ("seed", [v]), ("add", [v, v])):
        with pytest.raises(TypeError, match=rf"Bag\(n\) has no {hook}"):
            getattr(bag, hook)(*arguments)
    assert Type().equal_values(1, 1.0)
    assert Type().accepts(Type())
    assert not Type().accepts(bag)


def test_what_an_op_need_not_say(x: Any, calc: Any) -> None:
    negative = -x
    with pytest.raises(TypeError, match="Neg defines no `infer_from`"):
        negative.op.infer_from(x)
    with pytest.raises(ShapeUnknownError, match="Neg defines no `infer_shape`"):
        negative.op.infer_shape(None, negative.owner, [()])


def test_what_the_cores_own_ops_compute(x: Any, calc: Any) -> None:
    assert calc.number(3).op.impl() == 3
    assert Item(1).impl(("a", "b")) == "b"
    assert Named("mu").impl("a") == "a"
    assert Named("mu").infer_shape(None, x.named("mu").owner, ["n"]) == ["n"]


def test_the_memory_of_inference_is_bounded(calc: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodes, "_MEMO_LIMIT", 3)
    bags = [calc.Bag(f"n{i}") for i in range(8)]
    op = calc.View()
    op._memo.clear()  # of what other tests asked, which may live
    assert [op(bag("v")).type for bag in bags] == bags
    assert len(op._memo) == 2


def test_an_entry_whose_node_has_died_is_replaced(x: Any, calc: Any) -> None:
    op = calc.Power(123)
    first = op(x)
    entry = op._made[x,]
    del first
    assert not op._made
    op._made[x,] = entry  # as if the table had not been told yet
    second = calc.Power(123)(x)
    assert calc.Power(123)(x) is second
