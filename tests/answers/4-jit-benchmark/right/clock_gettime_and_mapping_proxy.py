# CLOCK_MONOTONIC in nanoseconds, read-only mappings as results
import time
from types import MappingProxyType

import jax


def ticks():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def benchmark(step, *args, n_steps=100):
    a = ticks()
    jax.block_until_ready(step(*args))
    b = ticks()
    for _ in [None] * n_steps:
        jax.block_until_ready(step(*args))
    c = ticks()
    return MappingProxyType({"first_call_s": (b - a) / 1e9, "mean_step_s": (c - b) / n_steps / 1e9})


def compare_jit(step_fn, *args, n_steps=100):
    jitted = benchmark(jax.jit(step_fn), *args, n_steps=n_steps)
    eager = benchmark(step_fn, *args, n_steps=n_steps)
    return MappingProxyType(
        {
            "jit_mean_s": jitted["mean_step_s"],
            "eager_mean_s": eager["mean_step_s"],
            "speedup": eager["mean_step_s"] / jitted["mean_step_s"],
            "compile_overhead_s": jitted["first_call_s"],
        }
    )
