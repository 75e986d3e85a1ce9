# a NamedTuple inside, TypedDicts outside, a decorator that times
import time
from functools import wraps
from typing import NamedTuple, TypedDict

import jax


class Timed(NamedTuple):
    value: object
    seconds: float


class Bench(TypedDict):
    first_call_s: float
    mean_step_s: float


class Comparison(TypedDict):
    jit_mean_s: float
    eager_mean_s: float
    speedup: float
    compile_overhead_s: float


def timed(function):
    @wraps(function)
    def wrapper(*args, **kwargs):
        start = time.perf_counter()
        value = jax.block_until_ready(function(*args, **kwargs))
        return Timed(value, time.perf_counter() - start)

    return wrapper


def benchmark(step, *args, n_steps=100) -> Bench:
    clocked = timed(lambda *a: step(*a))
    first = clocked(*args).seconds
    return Bench(
        first_call_s=first,
        mean_step_s=sum(clocked(*args).seconds for _ in range(n_steps)) / n_steps,
    )


def compare_jit(step_fn, *args, n_steps=100) -> Comparison:
    jit, eager = (benchmark(f, *args, n_steps=n_steps) for f in (jax.jit(step_fn), step_fn))
    return Comparison(
        jit_mean_s=jit["mean_step_s"],
        eager_mean_s=eager["mean_step_s"],
        speedup=eager["mean_step_s"] / jit["mean_step_s"],
        compile_overhead_s=jit["first_call_s"] - jit["mean_step_s"],
    )
