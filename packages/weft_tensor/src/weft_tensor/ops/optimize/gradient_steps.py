"""Steps of training: what becomes of gradients before they are added to parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from weft_graph import tree_leaves, tree_map
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor, constant
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import zeros_like
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.arithmetic import maximum, sign, sqrt
from weft_tensor.ops.numbers.limits import clip as between
from weft_tensor.ops.reduction.standard import sum as total

__all__ = [
    "GradientTransformation",
    "MomentState",
    "adagrad",
    "adam",
    "adamw",
    "add_decayed_weights",
    "apply_updates",
    "chain",
    "clip",
    "clip_by_global_norm",
    "global_norm",
    "lion",
    "rmsprop",
    "scale_by_learning_rate",
    "sgd",
]

Rate = TensorLike | Callable[[TensorVariable], TensorLike]
"""How far steps go: a number, or a function of how many there were; see `schedules`."""


class GradientTransformation(NamedTuple):
    """A pair of functions that make updates of gradients, as Optax has them.

    Parameters, gradients, updates and states may be nested in dicts, lists, tuples and
    dataclasses. Nothing is computed: `init` and `update` give variables.
    """

    init: Callable[[Any], Any]
    """The state at first, of the parameters."""
    update: Callable[..., tuple[Any, Any]]
    """The updates and the next state, of gradients, the state and, if they matter, parameters."""


class MomentState(NamedTuple):
    """How many steps were made, and running means of gradients and of their squares."""

    step: TensorVariable
    mean: Any
    square: Any


def _like(value: TensorLike, leaf: TensorVariable) -> TensorVariable:
    return as_tensor(value).astype(leaf.dtype)


def _zeros(params: Any) -> Any:
    return tree_map(zeros_like, params)


def _none() -> TensorVariable:
    return constant(0, "int64")


def _without_state(change: Callable[[Any, Any], Any]) -> GradientTransformation:
    return GradientTransformation(
        lambda params: (), lambda g, s, params=None: (change(g, params), s)
    )


def apply_updates(params: Any, updates: Any) -> Any:
    """The parameters after a step: `params` plus `updates`, each in the dtype of its parameter.

    >>> apply_updates({"w": constant([1.0, 2.0])}, {"w": constant([0.5, 0.0])})["w"].eval()
    array([1.5, 2. ])
    """
    return tree_map(lambda p, u: as_tensor(p) + _like(u, as_tensor(p)), params, updates)


def chain(*transformations: GradientTransformation) -> GradientTransformation:
    """One after the other; the state is the tuple of theirs.

    >>> step = chain(clip_by_global_norm(1.0), sgd(0.5))
    >>> updates, _ = step.update([constant(3.0), constant(4.0)], step.init([0.0, 0.0]))
    >>> [float(u.eval().round(6)) for u in updates]
    [-0.3, -0.4]
    """

    def update(gradients: Any, states: Any, params: Any = None) -> tuple[Any, Any]:
        after = []
        for one, state in zip(transformations, states, strict=True):
            gradients, state = one.update(gradients, state, params)
            after.append(state)
        return gradients, tuple(after)

    return GradientTransformation(lambda p: tuple([t.init(p) for t in transformations]), update)


def global_norm(tree: Any) -> TensorVariable:
    """The root of the sum of the squares of all elements of all leaves.

    >>> global_norm({"a": constant([3.0]), "b": constant(4.0)}).eval()
    array(5.)
    """
    squares: Any = [total(absolute(leaf) ** 2) for leaf in map(as_tensor, tree_leaves(tree))]
    return sqrt(sum(squares[1:], squares[0]))


def clip_by_global_norm(max_norm: float) -> GradientTransformation:
    """Gradients whose `global_norm` is `max_norm` at most: longer ones are shortened.

    See Pascanu, Mikolov and Bengio, On the difficulty of training recurrent neural networks
    (2013). Raises ValueError for a `max_norm` that is not positive.

    >>> clip_by_global_norm(1.0).update([constant([3.0, 4.0])], ())[0][0].eval().round(6)
    array([0.6, 0.8])
    """
    if not max_norm > 0:
        raise ValueError(f"max_norm must be positive, not {max_norm!r}")

    def change(gradients: Any, params: Any) -> Any:
        share = max_norm / maximum(global_norm(gradients), max_norm)
        return tree_map(lambda g: g * _like(share, g), gradients)

    return _without_state(change)


def clip(max_delta: float) -> GradientTransformation:
    """Gradients of which each element is from -`max_delta` to `max_delta`.

    >>> clip(1.0).update(constant([-3.0, 0.5]), ())[0].eval()
    array([-1. ,  0.5])
    """
    return _without_state(
        lambda gradients, params: tree_map(lambda g: between(g, -max_delta, max_delta), gradients)
    )


def add_decayed_weights(weight_decay: float) -> GradientTransformation:
    """Gradients plus `weight_decay` times the parameters; ValueError if these are not given.

    >>> add_decayed_weights(0.1).update(constant(1.0), (), constant(5.0))[0].eval()
    array(1.5)
    """

    def change(gradients: Any, params: Any) -> Any:
        if params is None:
            raise ValueError(
                f"decaying weights are needed: update(gradients, state, params){called()}"
            )
        return tree_map(lambda g, p: g + weight_decay * p, gradients, params)

    return _without_state(change)


def scale_by_learning_rate(learning_rate: Rate) -> GradientTransformation:
    """Gradients times minus `learning_rate`, which may be a function of the steps before.

    >>> halving = scale_by_learning_rate(lambda count: 0.5**count)
    >>> updates, count = halving.update(constant(1.0), constant(2))
    >>> updates.eval(), count.eval()
    (array(-0.25), array(3))
    """
    if not callable(learning_rate):
        rate: Any = learning_rate
        return _without_state(lambda g, p: tree_map(lambda g: -_like(rate, g) * g, g))
    schedule = learning_rate

    def update(gradients: Any, count: Any, params: Any = None) -> tuple[Any, Any]:
        return tree_map(lambda g: -_like(schedule(count), g) * g, gradients), count + 1

    return GradientTransformation(lambda params: _none(), update)


def sgd(
    learning_rate: Rate, momentum: float | None = None, nesterov: bool = False
) -> GradientTransformation:
    """Steps down the gradient; with `momentum`, down a sum of the past ones, which fade by it.

    With `nesterov`, the gradient of now counts once more (Sutskever and others, On the importance
    of initialization and momentum in deep learning, 2013).

    >>> step = sgd(0.1, momentum=0.9)
    >>> updates, state = step.update(constant(1.0), step.init(constant(5.0)))
    >>> step.update(constant(1.0), state)[0].eval().round(6)
    np.float64(-0.19)
    """
    rate = scale_by_learning_rate(learning_rate)
    if momentum is None:
        return rate

    def update(gradients: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        state = tree_map(lambda g, m: g + momentum * m, gradients, state)
        if nesterov:
            return tree_map(lambda g, m: g + momentum * m, gradients, state), state
        return state, state

    return chain(GradientTransformation(_zeros, update), rate)


def _by_squares(
    after: Callable[[Any, Any], Any], eps: float, learning_rate: Rate, initial: float = 0.0
) -> GradientTransformation:
    def update(gradients: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        state = tree_map(after, state, gradients)
        return tree_map(lambda g, s: g / sqrt(s + eps), gradients, state), state

    begin = GradientTransformation(lambda p: tree_map(lambda z: z + initial, _zeros(p)), update)
    return chain(begin, scale_by_learning_rate(learning_rate))


def rmsprop(learning_rate: Rate, decay: float = 0.9, eps: float = 1e-8) -> GradientTransformation:
    """Gradients over the root of a running mean of their squares, which fades by `decay`.

    See Tieleman and Hinton, RMSprop (2012).

    >>> step = rmsprop(0.1)
    >>> step.update(constant(2.0), step.init(constant(5.0)))[0].eval().round(4)
    np.float64(-0.3162)
    """
    return _by_squares(lambda s, g: decay * s + (1 - decay) * g**2, eps, learning_rate)


def adagrad(
    learning_rate: Rate, initial_accumulator_value: float = 0.1, eps: float = 1e-7
) -> GradientTransformation:
    """Gradients over the root of the sum of their squares so far.

    See Duchi, Hazan and Singer, Adaptive subgradient methods (2011).

    >>> step = adagrad(0.1)
    >>> step.update(constant(2.0), step.init(constant(5.0)))[0].eval().round(4)
    np.float64(-0.0988)
    """
    return _by_squares(lambda s, g: s + g**2, eps, learning_rate, initial_accumulator_value)


def _by_moments(b1: float, b2: float, eps: float) -> GradientTransformation:
    def update(gradients: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        count = state.step + 1
        mean = tree_map(lambda g, m: b1 * m + (1 - b1) * g, gradients, state.mean)
        square = tree_map(lambda g, s: b2 * s + (1 - b2) * g**2, gradients, state.square)
        first, second = 1 - b1**count, 1 - b2**count
        updates = tree_map(
            lambda m, s: m / _like(first, m) / (sqrt(s / _like(second, s)) + eps), mean, square
        )
        return updates, MomentState(count, mean, square)

    return GradientTransformation(lambda p: MomentState(_none(), _zeros(p), _zeros(p)), update)


def adam(
    learning_rate: Rate, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8
) -> GradientTransformation:
    """A running mean of gradients over the root of one of their squares, both without bias.

    See Kingma and Ba, Adam (2015).

    >>> step = adam(0.1)
    >>> updates, state = step.update(constant(2.0), step.init(constant(5.0)))
    >>> updates.eval().round(6), state[0].step.eval()
    (np.float64(-0.1), array(1))
    """
    return chain(_by_moments(b1, b2, eps), scale_by_learning_rate(learning_rate))


def adamw(
    learning_rate: Rate,
    b1: float = 0.9,
    b2: float = 0.999,
    eps: float = 1e-8,
    weight_decay: float = 1e-4,
) -> GradientTransformation:
    """`adam`, with parameters that shrink by `weight_decay` times the rate at each step.

    See Loshchilov and Hutter, Decoupled weight decay regularization (2019).

    >>> step, p = adamw(0.1, weight_decay=0.1), constant(5.0)
    >>> step.update(constant(2.0), step.init(p), p)[0].eval().round(6)
    np.float64(-0.15)
    """
    return chain(
        _by_moments(b1, b2, eps),
        add_decayed_weights(weight_decay),
        scale_by_learning_rate(learning_rate),
    )


def lion(
    learning_rate: Rate, b1: float = 0.9, b2: float = 0.99, weight_decay: float = 1e-3
) -> GradientTransformation:
    """The signs of running means of gradients, and decaying parameters.

    See Chen and others, Symbolic discovery of optimization algorithms (2023).

    >>> step, p = lion(0.1, weight_decay=0.0), constant(5.0)
    >>> step.update(constant(2.0), step.init(p), p)[0].eval()
    array(-0.1)
    """

    def update(gradients: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        updates = tree_map(lambda g, m: sign(b1 * m + (1 - b1) * g), gradients, state)
        return updates, tree_map(lambda g, m: b2 * m + (1 - b2) * g, gradients, state)

    return chain(
        GradientTransformation(_zeros, update),
        add_decayed_weights(weight_decay),
        scale_by_learning_rate(learning_rate),
    )
