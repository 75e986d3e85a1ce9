"""Answers the grader's questions from inside a student's process: call, trace, read a value.

It hands out data and programs and judges nothing. It must not know checks, points or expected
values, for the student's code can read everything that it can.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import count
from time import perf_counter
from typing import Any

import jax
import jax.export  # a submodule that `import jax` alone does not load
import numpy as np

from jaxercise import apart, exhibits, footprints, standins
from jaxercise.exhibits import Key, Leaf, StandIn

# as they are before a student's code has run, which may put others in their place
JIT, VJP, EXPORT = jax.jit, jax.vjp, jax.export.export
TRACED_AS, TRACES = jax.make_user_context(), count(1)  # a part of the key of JAX's caches
MAX_ERROR_TEXT = 400  # characters of a student's exception that are shown back


class Refusal(Exception):
    """A question that has no answer: ``kind`` and words for the student."""

    def __init__(self, kind: str, text: str, type_name: str = ""):
        super().__init__(text)
        self.kind, self.text, self.type_name = kind, text, type_name


def answer(request: Mapping[str, Any], namespace: dict[str, Any], setup_error: str = "") -> dict:
    """Answer one request about the names in ``namespace``.

    Args:
        request: ``{"do": "call" | "trace" | "value" | ..., ...}`` of plain data.
        namespace: the student's variables.
        setup_error: what stopped the student's file or notebook, told where a name is missing.

    Returns:
        Plain data and JAX arrays; ``{"refused": kind, "text": ..., "type": ...}`` on failure.
    """

    def refusal(error: BaseException) -> dict:
        if not isinstance(error, Refusal):  # some value of theirs raises where it is looked at
            error = _raised(f"what `{request['name']}` works with", error)
        return {"refused": error.kind, "text": error.text, "type": error.type_name}

    return apart.run(lambda: ACTIONS[request["do"]](request, namespace, setup_error), refusal)


def encode_reply(reply: Any) -> bytes:
    """Encode a reply; JAX arrays become NumPy, typed keys the numbers they hold.

    What cannot be read (a deleted array, say) or is too large becomes a refusal.
    """

    def refusal(error: BaseException) -> bytes:
        why = str(error) if isinstance(error, exhibits.BadMessage) else _words(error)
        text = f"what was returned cannot be read: {why}"
        return exhibits.encode({"refused": "raised", "text": text, "type": type(error).__name__})

    return apart.run(lambda: exhibits.encode(reply, as_array=footprints.as_numpy), refusal)


# --- what the grader may ask -------------------------------------------------------------------


def _call(request: Mapping, namespace: dict, setup_error: str) -> dict:
    """Call a function on JAX arrays and report its value, what it changed, what stand-ins saw."""
    function = _find(request["name"], namespace, setup_error)
    logs: list[dict] = []
    args, kwargs = _build((request["args"], request["kwargs"]), namespace, logs, setup_error)
    before = footprints.digest((args, kwargs)), footprints.outside(namespace)
    called = perf_counter()
    value = _run(request["name"], lambda: function(*args, **kwargs))
    standins.close(logs, called)
    value = _run(request["name"], lambda: jax.block_until_ready(value))
    changed = footprints.changes(
        before, (footprints.digest((args, kwargs)), footprints.outside(namespace))
    )
    return {"value": value, "changed": changed, "logs": logs}


def _trace(request: Mapping, namespace: dict, setup_error: str) -> dict:
    """Trace a function with its arrays and keys abstract and all else as given; export it."""
    function = _find(request["name"], namespace, setup_error)
    args, kwargs = _build((request["args"], request["kwargs"]), namespace, [], setup_error)
    with _retracing(request), _leaks_undone(namespace) as leaked:
        program, template = _export(
            request["name"], lambda a, k: function(*a, **k), (args, kwargs), request["derivative"]
        )
    return {"program": program, "template": template, "leaked": leaked}


def _vjp(request: Mapping, namespace: dict, setup_error: str) -> dict:
    """Gradient of a function that does not export, pulled back inside this process."""
    function = _find(request["name"], namespace, setup_error)
    args, kwargs = _build((request["args"], request["kwargs"]), namespace, [], setup_error)
    position = request["wrt"]

    def of_one(argument: Any) -> Any:
        return function(*[*args[:position], argument, *args[position + 1 :]], **kwargs)

    def pull_back() -> Any:
        result, pull = VJP(of_one, args[position])
        cotangent = _build(request["cotangent"], namespace, [], setup_error)
        # in the dtype of the result, which JAX insists on; see also the runner
        return pull(jax.tree.map(lambda c, r: c.astype(r.dtype), cotangent, result))[0]

    return {"value": _run(request["name"], pull_back)}


def _value(request: Mapping, namespace: dict, setup_error: str) -> dict:
    """Read a variable of the finished notebook."""
    if request["name"] not in namespace:
        raise _missing(request["name"], setup_error)
    return {"value": namespace[request["name"]]}


def _optimizer_init(request: Mapping, namespace: dict, setup_error: str) -> dict:
    optimizer, params = _optimizer(request, namespace, setup_error)
    state = _run(f"{request['name']}(...).init", lambda: _state_leaves(optimizer.init(params)))
    return {"value": state}


def _optimizer_update(request: Mapping, namespace: dict, setup_error: str) -> dict:
    """One eager ``update``: state leaves in, updates and state leaves out."""
    optimizer, params = _optimizer(request, namespace, setup_error)
    update = _flat_update(optimizer, params)
    grads = _build(request["grads"], namespace, [], setup_error)
    leaves = [jax.numpy.asarray(leaf) for leaf in request["state"]]
    before = footprints.digest((grads, params)), footprints.outside(namespace)
    name = f"{request['name']}(...).update"
    value = _run(name, lambda: update(grads, leaves, params))
    again = _run(name, lambda: update(grads, leaves, params))
    changed = footprints.changes(
        before, (footprints.digest((grads, params)), footprints.outside(namespace))
    )
    if footprints.digest(value) != footprints.digest(again):
        changed.append("what the optimizer remembers outside its state")
    return {"value": value, "changed": changed}


def _optimizer_trace(request: Mapping, namespace: dict, setup_error: str) -> dict:
    """Export ``init`` and ``update`` as programs over the flattened state."""
    optimizer, params = _optimizer(request, namespace, setup_error)
    name = f"{request['name']}(...)"
    leaves = _run(f"{name}.init", lambda: _state_leaves(optimizer.init(params)))
    if request.get("state") is not None:  # later states may have other shapes than the first
        leaves = [jax.numpy.asarray(leaf) for leaf in request["state"]]
    with _retracing(request), _leaks_undone(namespace) as leaked:
        init, init_template = _export(
            f"{name}.init", lambda p: _state_leaves(optimizer.init(p)), (params,), False
        )
        update, update_template = _export(
            f"{name}.update", _flat_update(optimizer, params), (params, leaves, params), False
        )
    return {
        "init": init,
        "init_template": init_template,
        "update": update,
        "update_template": update_template,
        "leaked": leaked,
    }


ACTIONS: dict[str, Callable[[Mapping, dict, str], dict]] = {
    "call": _call,
    "trace": _trace,
    "vjp": _vjp,
    "value": _value,
    "optimizer_init": _optimizer_init,
    "optimizer_update": _optimizer_update,
    "optimizer_trace": _optimizer_trace,
}


# --- how it is done ----------------------------------------------------------------------------


def _find(name: str, namespace: dict, setup_error: str) -> Callable:
    if name not in namespace:
        raise _missing(name, setup_error)
    if not callable(namespace[name]):
        kind = type(namespace[name]).__name__
        raise Refusal("missing", f"`{name}` is not a function here, but of type {kind}")
    return namespace[name]


def _missing(name: str, setup_error: str) -> Refusal:
    text = f"`{name}` is not defined"
    return Refusal("missing", f"{text}; {setup_error}" if setup_error else text)


def _run(name: str, thunk: Callable[[], Any]) -> Any:
    """Run student code; whatever it raises, BaseException too, becomes a refusal."""
    try:
        return thunk()
    except Refusal:
        raise
    except NotImplementedError as error:
        raise Refusal(
            "unanswered", f"`{name}` is not answered yet", "NotImplementedError"
        ) from error
    except BaseException as error:
        raise _raised(f"`{name}`", error) from error


def _raised(what: str, error: BaseException) -> Refusal:
    return Refusal("raised", f"{what} raised {_words(error)}", type(error).__name__)


def _words(error: BaseException) -> str:
    try:
        text = str(error)
    except BaseException:
        text = ""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    first = " ".join(lines[: 2 if lines and lines[0].endswith(":") else 1])[:MAX_ERROR_TEXT]
    return f"{type(error).__name__}: {first}" if first else type(error).__name__


def _build(value: Any, namespace: dict, logs: list[dict], setup_error: str) -> Any:
    """Turn exhibits into what a student's function expects: JAX arrays, keys, stand-ins."""
    if isinstance(value, np.ndarray):
        return jax.numpy.asarray(value)
    if isinstance(value, Key):
        return jax.random.key(value.seed) if value.typed else jax.random.PRNGKey(value.seed)
    if isinstance(value, StandIn):
        if value.name == "answer":  # something that another of the student's functions makes
            settings = dict(value.settings)
            maker = str(settings.pop("function"))
            function = _find(maker, namespace, setup_error)
            return _run(maker, lambda: function(**settings))
        built, log = standins.build(value.name, value.settings)
        logs.append(log)
        return built
    if isinstance(value, dict):
        return {k: _build(v, namespace, logs, setup_error) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_build(v, namespace, logs, setup_error) for v in value)
    return value


def _export(name: str, function: Callable, args: tuple, derivative: bool) -> tuple[bytes, Any]:
    """Serialise ``function(*args)`` over flat lists of arrays; static leaves are closed over."""
    leaves, tree = jax.tree.flatten(args)
    is_array = [isinstance(leaf, jax.Array) for leaf in leaves]
    templates = []

    def flat(*arrays: jax.Array) -> tuple:
        rest = iter(arrays)
        values = [next(rest) if array else leaf for array, leaf in zip(is_array, leaves)]
        outputs: list = []
        templates.append(_template(function(*jax.tree.unflatten(tree, values)), outputs))
        return tuple(jax.random.key_data(o) if footprints.is_typed_key(o) else o for o in outputs)

    specs = [
        jax.ShapeDtypeStruct(leaf.shape, leaf.dtype)
        for leaf, array in zip(leaves, is_array)
        if array
    ]
    try:
        exported = EXPORT(JIT(flat))(*specs)
        program = exported.serialize(vjp_order=1 if derivative else 0)
    except Refusal:
        raise
    except NotImplementedError as error:
        if "callback" in str(error).lower() or "effect" in str(error).lower():
            text = (
                f"`{name}` calls back into Python from compiled code (a debug print or a callback)"
            )
            raise Refusal("callback", text) from error
        raise Refusal("unanswered", f"`{name}` is not answered yet") from error
    except BaseException as error:
        text = f"`{name}` cannot be traced: {_words(error)}"
        raise Refusal("untraceable", text, type(error).__name__) from error
    return bytes(program), templates[-1]


def _retracing(request: Mapping) -> AbstractContextManager:
    """Where the request asks for it, an inner ``jit`` is traced anew: else it would hand back its
    first trace, and hide NumPy's random numbers. JAX's caches stay: what was compiled is not
    compiled again."""
    return TRACED_AS(next(TRACES)) if request.get("fresh") else nullcontext()


@contextmanager
def _leaks_undone(namespace: dict) -> Iterator[list[str]]:
    """Lists variables that hold a tracer afterwards, and gives them back what they held before.

    A leak is told once: later questions would trip over the tracer.
    """
    before = dict(namespace)
    leaked: list[str] = []
    try:
        yield leaked
    finally:
        leaked += footprints.leaked(namespace)
        for name in leaked:
            namespace.pop(name)
            namespace.update({name: before[name]} if name in before else {})


def _template(value: Any, outputs: list) -> Any:
    """Copy a returned structure with every array replaced by its ``Leaf`` number."""
    if isinstance(value, jax.Array | np.ndarray | np.generic):
        outputs.append(value)
        return Leaf(len(outputs) - 1)
    if isinstance(value, Mapping):
        return {key: _template(child, outputs) for key, child in value.items()}
    if isinstance(value, list):
        return [_template(child, outputs) for child in value]
    if isinstance(value, tuple):
        return tuple(_template(child, outputs) for child in value)
    return value


def _optimizer(request: Mapping, namespace: dict, setup_error: str) -> tuple[Any, Any]:
    maker = _find(request["name"], namespace, setup_error)
    args, kwargs = _build((request["args"], request["kwargs"]), namespace, [], setup_error)
    optimizer = _run(request["name"], lambda: maker(*args, **kwargs))
    if not callable(getattr(optimizer, "init", None)) or not callable(
        getattr(optimizer, "update", None)
    ):
        kind = type(optimizer).__name__
        text = f"`{request['name']}` returned {kind}, which has no `init` and `update`"
        raise Refusal("raised", text)
    return optimizer, _build(request["params"], namespace, [], setup_error)


def _flat_update(optimizer: Any, params: Any) -> Callable:
    """``update`` with the state as a flat list, rebuilt from the shape that ``init`` gives it."""
    tree = jax.tree.structure(_run("init", lambda: optimizer.init(params)))

    def update(grads: Any, leaves: list, params: Any) -> tuple:
        updates, state = optimizer.update(grads, jax.tree.unflatten(tree, leaves), params)
        return updates, _state_leaves(state)

    return update


def _state_leaves(state: Any) -> list:
    """The state's leaves, all as arrays: a step counter may well begin as a Python int."""
    return [jax.numpy.asarray(leaf) for leaf in jax.tree.leaves(state)]
