# time stamps in an array, np.diff of them, NumPy numbers as results
import time

import jax
import numpy as np


def benchmark(step, *args, n_steps=100):
    stamps = np.empty(n_steps + 2)
    stamps[0] = time.perf_counter()
    for i in range(1, n_steps + 2):
        jax.block_until_ready(step(*args))
        stamps[i] = time.perf_counter()
    took = np.diff(stamps)
    return {"first_call_s": took[0], "mean_step_s": took[1:].mean(), "std_s": took[1:].std()}


def compare_jit(step_fn, *args, n_steps=100):
    both = [benchmark(f, *args, n_steps=n_steps) for f in (jax.jit(step_fn), step_fn)]
    jit_mean, eager_mean = (b["mean_step_s"] for b in both)
    return {
        "jit_mean_s": np.float32(jit_mean),
        "eager_mean_s": np.float32(eager_mean),
        "speedup": np.float32(eager_mean / jit_mean),
        "compile_overhead_s": np.float32(both[0]["first_call_s"]),
    }
