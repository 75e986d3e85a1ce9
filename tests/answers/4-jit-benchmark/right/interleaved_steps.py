# jitted and eager steps in turn, each timed alone
import time

import jax
import numpy as np


def seconds(step, args):
    start = time.perf_counter()
    jax.block_until_ready(step(*args))
    return time.perf_counter() - start


def benchmark(step, *args, n_steps=100):
    first, *rest = [seconds(step, args) for _ in range(n_steps + 1)]
    return {"first_call_s": first, "mean_step_s": np.mean(rest)}


def compare_jit(step_fn, *args, n_steps=100):
    jitted = jax.jit(step_fn)
    times = [(seconds(jitted, args), seconds(step_fn, args)) for _ in range(n_steps + 1)]
    jit_mean, eager_mean = np.mean(times[1:], axis=0)
    return {
        "jit_mean_s": jit_mean,
        "eager_mean_s": eager_mean,
        "speedup": eager_mean / jit_mean,
        "compile_overhead_s": times[0][0] - times[1][0],
    }
