# a nanosecond clock, device_get as the wait, jax scalars as numbers
import time

import jax
import jax.numpy as jnp


def benchmark(step, *args, n_steps=100):
    marks = [time.perf_counter_ns()]
    for _ in range(1 + n_steps):
        jax.device_get(step(*args))
        marks.append(time.perf_counter_ns())
    first, *rest = [(b - a) * 1e-9 for a, b in zip(marks, marks[1:])]
    return {"first_call_s": jnp.array(first), "mean_step_s": jnp.array(rest).mean()}


def compare_jit(step_fn, *args, n_steps=100):
    jitted = benchmark(jax.jit(step_fn), *args, n_steps=n_steps)
    eager = benchmark(step_fn, *args, n_steps=n_steps)
    return {
        "jit_mean_s": jitted["mean_step_s"],
        "eager_mean_s": eager["mean_step_s"],
        "speedup": eager["mean_step_s"] / jitted["mean_step_s"],
        "compile_overhead_s": jitted["first_call_s"] - jitted["mean_step_s"],
    }
