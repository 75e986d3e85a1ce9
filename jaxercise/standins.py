"""Stand-ins: named steps and optimizers that checks hand to a student's function.

They run in the student's process and only count and time; checks judge what they wrote down.
"""

from collections.abc import Callable, Mapping
from threading import Thread
from time import perf_counter, sleep
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

POLL_S = 0.002  # how often a pending result is looked at
HEAVY_CALLS = 40  # an answer that makes many more calls than asked should not time out for it
GRACE_S = 0.005  # for a result that is as good as ready; a heavy step takes tens of milliseconds


def _sgd(learning_rate: float, momentum: float = 0.0, decay: float = 0.0) -> tuple[Any, dict]:
    """SGD with momentum and weight decay, as Optax has them; the log counts how often ``init`` and
    ``update`` were called.

    Its settings are a part of its state, so that a compiled step is the same program for all that
    have decay, and for all that have none. ``update`` needs the parameters if there is decay.
    """
    log = {"init": 0, "update": 0}

    def init(params: Any) -> Any:
        log["init"] += 1
        settings = jax.numpy.asarray([learning_rate, momentum, decay], np.float32)
        return settings, jax.tree.map(jax.numpy.zeros_like, params)

    def update(grads: Any, state: Any, params: Any = None, **extra: Any) -> tuple[Any, Any]:
        log["update"] += 1
        (rate, kept, shrink), trace = state
        if decay:  # only then does it look at them: what is wrong with them costs one check
            if params is None:
                raise ValueError("this optimizer needs the params: update(grads, state, params)")
            grads = jax.tree.map(lambda g, p: g + shrink * p, grads, params)
        trace = jax.tree.map(lambda g, t: g + kept * t, grads, trace)
        return jax.tree.map(lambda t: -rate * t, trace), (state[0], trace)

    return optax.GradientTransformationExtraArgs(init, update), log


def _sleeping_step(
    first_s: float, later_s: float, slow_s: float = 0.0, every: int = 1
) -> tuple[Any, dict]:
    """A step that sleeps: ``first_s`` at its first call, ``later_s`` at the others, and instead
    ``slow_s`` at every ``every``-th of those, if given.

    The log holds "events", one ``["call", start, end]`` a call by this process's clock (a busy
    machine oversleeps, so the record and not the setting is the truth), and "arguments", for each
    call the number of arguments and the numbers in their leaves.
    """
    _next_state((np.zeros(1),) * 4, np.float32(1))  # a process's first array takes 50 ms to make
    log: dict = {"events": [], "arguments": []}

    def step(*args: Any) -> Any:
        start, n = perf_counter(), len(log["events"])
        seconds = first_s if n == 0 else slow_s if slow_s and n % every == 0 else later_s
        numbers = [float(v) for leaf in jax.tree.leaves(args) for v in np.ravel(leaf)]
        log["arguments"].append([len(args), *numbers])
        result = _next_state(args, np.float32(1))
        sleep(seconds)
        log["events"].append(["call", start, perf_counter()])
        return result

    return step, log


def _traced_step(
    trace_s: float, first_s: float, eager_s: float, compiled_s: float
) -> tuple[Any, dict]:
    """A new function that knows how it is run, and sleeps differently in each case.

    The log's "events" are ``["trace", start, end]`` for its body with tracers, ``["compiled",
    ...]`` for each run of the compiled program (a callback into Python, which XLA runs at once),
    ``["eager", ...]`` for its body with arrays, the first time for ``first_s``, and
    ``["disabled", ...]`` for the same under ``jax.disable_jit``.
    """
    log: dict = {"events": []}
    config: Any = jax.config

    def spend(kind: str, start: float, seconds: float) -> None:
        sleep(seconds)
        log["events"].append([kind, start, perf_counter()])

    def compiled() -> np.float32:
        spend("compiled", perf_counter(), compiled_s)
        return np.float32(1)

    def step_fn(*args: Any) -> Any:
        start = perf_counter()
        if _is_traced(args):
            spend("trace", start, trace_s)
            loss = jax.pure_callback(compiled, jax.ShapeDtypeStruct((), np.float32))
            return _next_state(args, loss)
        kind = "disabled" if config.jax_disable_jit else "eager"
        result = _next_state(args, np.float32(1))
        spend(kind, start, eager_s if any(e[0] == kind for e in log["events"]) else first_s)
        return result

    return step_fn, log


def _heavy_step(rounds: int) -> tuple[Any, dict]:
    """A compiled step that returns long before its result is there: ``rounds`` matrix products.

    Under a trace, and after ``HEAVY_CALLS`` calls, it does next to nothing: see ``HEAVY_CALLS``.

    The log holds "pending", for each call ``[start, until]``, where at ``until`` the result was
    seen to be still pending: what waits for it needs at least that long. "ready" tells for each
    call but the first whether the result before it was there, and then for the last result
    whether it was there when the student's function returned.
    """
    matrix = jnp.full((256, 256), 0.01)
    log: dict = {"pending": [], "ready": []}
    results: list[Any] = []  # jax.Array, whose is_ready() its type does not know
    watchers: list[Thread] = []

    @jax.jit
    def work(*args: Any) -> Any:
        product = jax.lax.fori_loop(0, rounds, lambda _, m: jnp.tanh(m @ matrix) + 0.01, matrix)
        return _next_state(args, product.mean())

    def light(*args: Any) -> Any:
        return _next_state(args, np.float32(0))

    def step(*args: Any) -> Any:
        if _is_traced(args):
            return light(*args)
        look_back()
        start = perf_counter()
        outputs = (work if len(results) < HEAVY_CALLS else light)(*args)
        if _is_traced(outputs):  # called with arrays while something around it is traced
            return outputs
        log["pending"].append([start, start])
        results.append(jax.tree.leaves(outputs)[-1])
        watchers.append(Thread(target=watch, args=(results[-1], log["pending"][-1]), daemon=True))
        watchers[-1].start()
        return outputs

    def watch(result: Any, pending: list) -> None:
        now = perf_counter()
        while not result.is_ready():
            pending[1] = now
            sleep(POLL_S)
            now = perf_counter()

    def look_back() -> None:
        if results:
            if not results[-1].is_ready():
                sleep(GRACE_S)
            log["ready"].append(results[-1].is_ready())

    def close() -> None:
        look_back()
        for watcher in watchers:
            watcher.join()

    log["close"] = close
    return step, log


def _is_traced(values: Any) -> bool:
    return any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(values))


def _next_state(args: tuple, loss: Any) -> Any:
    """What a step returns: of four arguments what the lesson's step does, else one array.

    Arrays are added in NumPy, for each operation of jax.numpy would be compiled at its first use.
    """
    numpy = jnp if _is_traced(args) else np

    def plus_loss(leaf: Any) -> jax.Array:
        return jnp.asarray(numpy.asarray(numpy.asarray(leaf) + loss))

    if len(args) != 4:
        return plus_loss(np.zeros(3, np.float32))
    params, opt_state, _, _ = args
    return jax.tree.map(plus_loss, params), opt_state, plus_loss(np.float32(0))


BUILDERS: dict[str, Callable[..., tuple[Any, dict]]] = {
    "sgd": _sgd,
    "sleeping step": _sleeping_step,
    "traced step": _traced_step,
    "heavy step": _heavy_step,
}


def build(name: str, settings: Mapping[str, Any]) -> tuple[Any, dict]:
    """Make a fresh stand-in; returns it and the log that it will write."""
    return BUILDERS[name](**settings)


def close(logs: list[dict], called: float) -> None:
    """Complete the logs of a call that began at ``called`` and has just returned."""
    returned = perf_counter()
    for log in logs:
        log.update(called=called, returned=returned)
        log.pop("close", lambda: None)()
