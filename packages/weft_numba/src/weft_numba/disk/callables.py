"""Numba's functions, and C's, that other compiled code calls, kept on disk.

Numba's own cache would need a source file that stays where it is. This one stands in its place,
under the key of a graph.
"""

from __future__ import annotations

import marshal
import pickle
from collections.abc import Callable, Sequence
from copy import copy
from hashlib import blake2b
from typing import Any, Final
from weakref import WeakKeyDictionary

from numba.core import serialize
from numba.core.ccallback import CFunc
from numba.core.compiler import CompileResult
from numba.core.dispatcher import Dispatcher
from numba.core.environment import Environment
from numba.core.sigutils import normalize_signature

from weft_graph.extend import CompileRequest, Linker, about, load_source
from weft_graph.extend import disk_cache as cache
from weft_numba.disk.cache_key import NUMBA
from weft_numba.disk.object_code import needs_of, own_dtype, provided
from weft_numba.lowering.unique_names import UniqueNames

__all__ = ["Kept", "c_function", "kept_function"]

_keys: Final[WeakKeyDictionary[Dispatcher, str | None]] = WeakKeyDictionary()
"""Those of functions that are kept on disk, or could be."""


_GLOBALS: Final = {"__name__": __name__}
"""What a function is told to have been written among: it looks for nothing there."""


class Kept:
    """One function on disk: what Numba asks for, as it asks its own cache."""

    cache_path: Final = ""

    def __init__(self, key: str | None, about: str) -> None:
        self.key = key
        self.about = about

    def load_overload(self, signature: object, target: Any) -> Any:
        """What an earlier process has compiled, made callable in this one; None if nothing was."""
        entry = None if self.key is None else cache.load(self.key)
        if entry is None:
            return None
        try:
            needs, library, described, constants, typed, prepare = pickle.loads(entry)
            if not provided(needs):
                return None
            own = Environment(_GLOBALS)
            own.consts[:] = map(own_dtype, constants)
            own.env_name = described.env_name
            rest = (False, (), "", prepare, ())
            return CompileResult._rebuild(target, library, described, own, typed, *rest)
        except Exception:  # unpickling an object of the user's may raise anything
            return None

    def save_overload(self, signature: object, compiled: Any) -> None:
        """Keep what was compiled, if other processes can use it."""
        if self.key is None or cache.directory() is None:
            return
        needs = needs_of(compiled)
        if needs is None:
            return
        try:
            library, described, own, typed, *_, prepare, _ = compiled._reduce()
            described = copy(described)
            described.global_dict = _GLOBALS
            parts = (needs, library, described, list(own.consts), typed, prepare)
            entry = serialize.dumps(parts)
        except Exception:  # as above
            return
        cache.store(self.key, entry, self.about)


def kept_function(
    linker: Linker,
    request: CompileRequest,
    kind: str,
    signature: Sequence[Any],
    decorate: Callable[[Callable[..., Any]], Dispatcher],
    build: Callable[[], Callable[..., Any]],
) -> Dispatcher:
    """A function of Numba's for one signature: as an earlier process has compiled it, or anew.

    It is what `decorate`, which is Numba's `njit`, makes of what `build` gives, and `kind` says
    what else than the request that depends on. Nothing is built if the function is on disk.
    """
    graph_key = NUMBA.key_of(linker, request)
    entry = Kept(graph_key and f"{graph_key}-{kind}", about(request))
    names = ", ".join(f"x{k}" for k in range(len(signature)))
    function = decorate(
        load_source("weft_function", f"def weft_function({names}):\n    pass\n", {})
    )
    compiled = entry.load_overload(signature, function.targetctx)
    if compiled is None:
        function = decorate(build())
        function.compile(tuple(signature))
        entry.save_overload(signature, function.overloads[tuple(signature)])
    else:
        context = function.targetctx
        context.insert_user_function(compiled.entry_point, compiled.fndesc, [compiled.library])
        function.add_overload(compiled)
    function.disable_compile()
    _keys[function] = entry.key
    return function


def c_function(signature: Any, call: Callable[..., Any], *, of: Dispatcher) -> Any:
    """What `numba.cfunc` makes of `call`, which calls `of`; kept on disk as that is.

    Besides, the code of `call` alone is what it depends on.
    """
    key = _keys.get(of)
    if key is not None:
        nowhere = call.__code__.replace(co_filename="", co_firstlineno=1)
        code = marshal.dumps(nowhere, 2)  # later versions count references
        key = f"{key}-{blake2b(code + str(signature).encode(), digest_size=20).hexdigest()}"
    function: Any = CFunc(
        call, normalize_signature(signature), locals={}, options={}, pipeline_class=UniqueNames
    )
    function._cache = Kept(key, f"C function {call.__name__}")
    function.compile()
    return function
