# an ExitStack of stop watches, the garbage collector off meanwhile
import gc
import time
from collections import defaultdict
from contextlib import ExitStack, contextmanager

import jax


@contextmanager
def stopwatch(laps, name):
    start = time.perf_counter()
    try:
        yield
    finally:
        laps[name] += time.perf_counter() - start


@contextmanager
def no_garbage_collection():
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def benchmark(step, *args, n_steps=100):
    laps = defaultdict(float)
    with ExitStack() as stack:
        stack.enter_context(no_garbage_collection())
        with stopwatch(laps, "first_call_s"):
            jax.block_until_ready(step(*args))
        with stopwatch(laps, "rest"):
            for _ in range(n_steps):
                jax.block_until_ready(step(*args))
    laps["mean_step_s"] = laps.pop("rest") / n_steps
    return laps


def compare_jit(step_fn, *args, n_steps=100):
    jitted = benchmark(jax.jit(step_fn), *args, n_steps=n_steps)
    eager = benchmark(step_fn, *args, n_steps=n_steps)
    return {
        "jit_mean_s": jitted["mean_step_s"],
        "eager_mean_s": eager["mean_step_s"],
        "speedup": eager["mean_step_s"] / jitted["mean_step_s"],
        "compile_overhead_s": jitted["first_call_s"] - jitted["mean_step_s"],
    }
