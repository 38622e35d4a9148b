"""What NumPy, SciPy and JAX call arguments, and what they say besides, is taken here too."""

from __future__ import annotations

import importlib
import inspect
import pickle
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
import pytest

from weft_tensor import TensorVariable
from weft_tensor.build.needless import may_say
from weft_tensor.front.keywords import taking_keywords

wt: Any = importlib.import_module("weft.tensor")
"""Type checkers are told of own names alone."""

X: Final = np.random.default_rng(5).normal(size=(3, 3))
DEFINITE: Final = X @ X.T + np.eye(3)
KEY: Final = wt.random.key(3)
FACES: Final = {
    "numpy": "",
    "numpy.fft": "fft",
    "numpy.linalg": "linalg",
    "scipy.fft": "fft",
    "scipy.linalg": "linalg",
    "scipy.ndimage": "ndimage",
    "scipy.signal": "signal",
    "scipy.stats": "stats",
    "scipy.cluster.vq": "cluster",
    "scipy.interpolate": "interpolate",
    "scipy.integrate": "integrate",
    "scipy.optimize": "optimize",
    "scipy.sparse.linalg": "sparse.linalg",
}

SAME: Final[list[tuple[Callable[[], Any], Any]]] = [
    (lambda: wt.eye(N=3, M=2), np.eye(3, 2)),
    (lambda: wt.tri(N=3, M=2, k=1), np.tri(3, 2, 1)),
    (lambda: wt.sum(a=X, axis=0, out=None), X.sum(0)),
    (lambda: wt.clip(a=X, a_min=0, a_max=1), X.clip(0, 1)),
    (lambda: wt.dot(a=X, b=X), X @ X),
    (lambda: wt.reshape(a=X, newshape=(9, 1)), X.reshape(9, 1)),
    (lambda: wt.reshape(a=X, shape=(9, 1), copy=False), X.reshape(9, 1)),
    (lambda: wt.flip(m=X, axis=1), X[:, ::-1]),
    (lambda: wt.append(arr=X, values=[1.0]), np.append(X, 1.0)),
    (lambda: wt.tile(A=X, reps=2), np.tile(X, 2)),
    (lambda: wt.vstack(tup=[X, X]), np.vstack([X, X])),
    (lambda: wt.stack(arrays=[X, X], casting="same_kind"), np.stack([X, X])),
    (lambda: wt.concatenate(arrays=[X, X]), np.concatenate([X, X])),
    (lambda: wt.array(object=X, order="F", subok=True), X),
    (lambda: wt.asarray(a=X, order="C", like=None, device="cpu"), X),
    (lambda: wt.zeros(2, order="F"), np.zeros(2)),
    (lambda: wt.compress(condition=[True, False], a=X, axis=0), X[:1]),
    (lambda: wt.allclose(a=X, b=X), True),
    (lambda: wt.array_equal(a1=X, a2=X), True),
    (lambda: wt.setdiff1d(ar1=[1, 2], ar2=[2]), [1]),
    (lambda: wt.exp(X, order="K", subok=True, dtype="float64"), np.exp(X)),
    (lambda: wt.fabs(X, where=X > 0), np.where(X > 0, X, 0)),
    (lambda: wt.quantile(a=X, q=0.5, overwrite_input=True), np.median(X)),
    (lambda: wt.argpartition(a=X[0], kth=0, kind="introselect")[0], X[0].argmin()),
    (lambda: wt.fft.fft(x=X, overwrite_x=True, workers=2), np.fft.fft(X)),
    (lambda: wt.linalg.inv(a=DEFINITE, overwrite_a=True), np.linalg.inv(DEFINITE)),
    (lambda: wt.linalg.norm(a=X, check_finite=True), np.linalg.norm(X)),
    (lambda: wt.linalg.eigvalsh(DEFINITE, driver="evr"), np.linalg.eigvalsh(DEFINITE)),
    (lambda: wt.special.factorial(n=4, exact=False), 24.0),
    (lambda: wt.special.comb(N=4, k=2), 6.0),
    (lambda: wt.while_loop(cond_fun=lambda i: i < 3, body_fun=lambda i: i + 1, init_val=0), 3),
    (lambda: wt.ndimage.shift(X, 1, output="float32").dtype == "float32", True),
    (lambda: wt.linalg.inv(DEFINITE, assume_a="pos", lower=True), np.linalg.inv(DEFINITE)),
    (lambda: wt.distance.squareform([1.0], checks=False, force="tomatrix"), [[0, 1], [1, 0]]),
    (lambda: wt.optimize.toms748(lambda x: x - 2, 0.0, 3.0, k=1), 2.0),
    (lambda: wt.loop.fori_loop(0, 3, body_fun=lambda i, s: s + i, init_val=0), 3),
    (lambda: wt.vmap(fun=lambda v: v.sum())(X), X.sum(1)),
    (lambda: X.shape == wt.random.normal(KEY, shape=(3, 3)).eval().shape, True),
    (lambda: wt.random.uniform(KEY, minval=2, maxval=3) > 2, True),
    (lambda: wt.random.beta(KEY, a=1, b=2, shape=(4,)).shape[0], 4),
    (lambda: wt.random.split(KEY, num=3).shape[0], 3),
    (lambda: wt.random.key(3, impl="threefry2x32"), KEY.eval()),
    (lambda: wt.random.bernoulli(KEY, 1.0, mode="high"), True),
    (lambda: wt.random.choice(KEY, 1, 1, shuffle=False), [0]),
    (lambda: wt.as_tensor(X).sum(axis=0, out=None), X.sum(0)),
    (lambda: wt.as_tensor(X).flatten(order="F"), X.flatten("F")),
    (lambda: wt.as_tensor(X).flatten("F"), X.flatten("F")),
]


@pytest.mark.parametrize("place", range(len(SAME)))
def test_it_is_the_same_by_the_names_of_others(place: int) -> None:
    call, expected = SAME[place]
    actual: Any = call()
    value = actual.eval() if isinstance(actual, TensorVariable) else actual
    np.testing.assert_allclose(value, expected, rtol=1e-12)


REFUSED: Final[list[tuple[Callable[[], Any], str]]] = [
    (lambda: wt.sum(X, out=X[0]), r"sum takes no out=.*write y = sum"),
    (lambda: wt.zeros(3, device="gpu:1"), "zeros takes no device='gpu:1'.*backend"),
    (lambda: wt.zeros(3, like=X), "zeros takes no like=.*a tensor"),
    (lambda: wt.sort(X, order="name"), "sort takes no order='name'.*no fields"),
    (lambda: wt.exp(X, order="name"), "exp takes no order='name'"),
    (lambda: wt.ndimage.binary_erosion(X > 0, output=X), "binary_erosion: .* output is a dtype"),
    (lambda: wt.ndimage.grey_opening(X, size=3, output="int8"), r"astype\('int8'\)"),
    (lambda: wt.special.factorial(4, exact=True), "math.factorial"),
    (lambda: wt.optimize.cg(X, X[0], callback=print), "cg takes no callback=.*compiled loop"),
    (lambda: wt.optimize.fsolve(lambda v: v, 1.0, full_output=True), "full_output=True.*`root`"),
    (lambda: wt.integrate.quad(wt.exp, 0, 1, weight="cos"), "into the function"),
    (lambda: wt.jacobian(wt.sin, argnums=0), r"jacobian takes no argnums=0: .*jacobian\(f\(x\), x"),
    (lambda: wt.vmap(wt.sin, axis_name="i"), "shard_map"),
    (lambda: wt.sum(X, X, a=X), "sum.. got an unexpected keyword argument 'a'"),
    (lambda: wt.sum(X, no_such=1), "unexpected keyword argument 'no_such'"),
    (lambda: wt.sum(X, 0, x=X), "multiple values for argument 'x'"),
    (lambda: wt.stats.bootstrap((X[0],), wt.mean, random_state=1), r"rng=wt.random.key\(seed\)"),
    (lambda: wt.cluster.kmeans2(X, 2, seed=1), r"kmeans2 takes no seed=1: draws are of a key"),
    (lambda: wt.random.key(1, impl="rbg"), "key takes no impl='rbg': all bits are Threefry's"),
    (lambda: wt.random.normal(KEY, mu=1), "unexpected keyword argument 'mu'"),
    (lambda: wt.random.normal(seed=1), r"key=wt.random.key\(seed\)"),
    (lambda: wt.random.beta(1, 2, random_state=1), r"wt.random.key\(seed\)"),
    (lambda: wt.stats.norm.rvs(random_state=1), r"wt.random.key\(seed\)"),
    (lambda: wt.optimize.dual_annealing(wt.sum, [(0, 1)], seed=1), r"wt.random.key\(seed\)"),
]


@pytest.mark.parametrize("place", range(len(REFUSED)))
def test_what_can_not_be_said_is_told(place: int) -> None:
    call, message = REFUSED[place]
    with pytest.raises(TypeError, match=message):
        call()


def test_a_key_by_the_name_of_a_seed_is_a_key() -> None:
    drawn = [wt.cluster.kmeans2(X, 2, rng=KEY)[0], wt.cluster.kmeans2(X, 2, seed=KEY)[0]]
    assert drawn[0] is drawn[1]


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_what_is_not_finite_is_found_when_it_is_computed(mode: str) -> None:
    a = wt.matrix("a")
    inverse = wt.function([a], wt.linalg.inv(a, check_finite=True), mode=mode)
    np.testing.assert_allclose(inverse(DEFINITE) @ DEFINITE, np.eye(3), atol=1e-12)
    with pytest.raises(ValueError, match="inv: array must not contain infs or NaNs"):
        inverse(np.full((2, 2), np.nan))


def _pairs() -> Iterator[tuple[str, Callable[..., Any], Callable[..., Any]]]:
    for theirs, face in FACES.items():
        library, own = importlib.import_module(theirs), wt
        for part in face.split(".") if face else ():
            own = getattr(own, part)
        for name in getattr(library, "__all__", dir(library)):
            function, partner = getattr(library, name, None), vars(own).get(name)
            if partner is None and not face and name in wt.__all__:
                partner = getattr(wt, name)
            if inspect.isfunction(partner) and callable(function):
                yield f"{theirs}.{name}", function, partner


def test_arguments_stand_where_they_do_elsewhere() -> None:
    """What is needed, by their names, arrives in the places that it has by position."""
    wrong = []
    for path, theirs, own in _pairs():
        if isinstance(theirs, (np.ufunc, type)):
            continue
        try:
            parameters = list(inspect.signature(theirs).parameters.values())
        except ValueError:
            continue
        if parameters and parameters[0].kind is inspect.Parameter.VAR_POSITIONAL:
            continue
        parameters = [q for q in parameters if q.kind not in (q.VAR_KEYWORD, q.VAR_POSITIONAL)]
        first = [q.name for q in parameters if q.kind is q.POSITIONAL_ONLY]
        needed = [q.name for q in parameters if q.default is q.empty and q.name not in first]
        taken = inspect.Signature.from_callable(inspect.unwrap(own)).parameters
        if any(q.kind in (q.VAR_KEYWORD, q.VAR_POSITIONAL) for q in taken.values()):
            continue
        seen: list[dict[str, Any]] = []
        spy = _spy(inspect.unwrap(own), seen)
        try:
            places = range(len(first), len(first) + len(needed))
            key = {"rng": None} if taken.get("rng") and "rng" not in needed else {}
            spy(*range(len(first)), **dict(zip(needed, places, strict=True)), **key)
        except TypeError as error:
            wrong.append(f"{path}: {error}")
            continue
        arrived = [*seen[0].values()][: places.stop]
        if arrived != [*range(places.stop)]:
            wrong.append(f"{path}: {seen[0]}")
    assert wrong == []


def _spy(function: Callable[..., Any], seen: list[dict[str, Any]]) -> Callable[..., Any]:
    """A function of the parameters of another, that notes what arrives in which place."""
    names: dict[str, Any] = {}
    places = [
        p.replace(annotation=p.empty, default=p.empty if p.default is p.empty else None)
        for p in inspect.signature(function).parameters.values()
    ]
    inside = ", ".join([f"{p.name!r}: {p.name}" for p in places])
    header = str(inspect.Signature(places))
    exec(f"def {function.__name__}{header}:\n    seen.append({{{inside}}})", {"seen": seen}, names)
    spy: Callable[..., Any] = taking_keywords(names[function.__name__])
    return spy


@pytest.mark.parametrize("function", [wt.sum, wt.linalg.norm, wt.stats.zscore, wt.exp, wt.fft.fft])
def test_functions_are_pickled_by_name(function: Callable[..., Any]) -> None:
    assert pickle.loads(pickle.dumps(function)) is function


def test_what_changes_nothing_is_told_from_what_does() -> None:
    assert may_say("inv", "overwrite_a", True)
    assert not may_say("quantile", "method", "lower")
    assert may_say("polar", "method", "qdwh")


def test_layers_that_are_classes_elsewhere_are_told_as_functions() -> None:
    for name, text in (("Linear", "x @ W"), ("LayerNorm", "layer_norm"), ("LSTM", "loop.scan")):
        with pytest.raises(AttributeError, match=rf"no {name}: layers are functions.*{text}"):
            getattr(wt.nn, name)
    with pytest.raises(AttributeError, match=r"weft.tensor itself"):
        _ = wt.math
    for name, text in (("ma", "where="), ("char", "numbers and bools"), ("constants", "scipy")):
        with pytest.raises(AttributeError, match=rf"no attribute '{name}': did you mean .*{text}"):
            getattr(wt, name)
    with pytest.raises(AttributeError, match="has no attribute 'Liner'"):
        _ = wt.nn.Liner


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_halves_are_rounded_away_from_zero(mode: str) -> None:
    below = np.nextafter(0.5, 0)
    values = np.array([0.5, -0.5, 1.5, 2.5, below, -below, 2.0**52 + 1, np.inf, -np.inf, np.nan])
    x = wt.vector("x")
    found = wt.function([x], wt.round_half_away_from_zero(x), mode=mode)(values)
    expected = [1.0, -1, 2, 3, 0, 0, 2.0**52 + 1, np.inf, -np.inf, np.nan]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("at", r"x\[i\].set\(y\), and .inc for .add"),
        ("flat", r"write x.ravel\(\)"),
        ("strides", "its shape and dtype are known alone"),
        ("sharding", "the backend places values"),
        ("tolist", r"take the value, `.eval"),
        ("itemset", r"x\[i\].set\(value\)"),
    ],
)
def test_attributes_of_arrays_are_told(name: str, instead: str) -> None:
    with pytest.raises(AttributeError, match=f"no attribute '{name}': .*{instead}"):
        getattr(wt.dvector("x"), name)
