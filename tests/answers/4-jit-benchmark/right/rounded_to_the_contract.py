# times rounded to tenths of a millisecond, the speedup from the rounded means
import time

import jax


def benchmark(step, *args, n_steps=100):
    start = time.perf_counter()
    jax.block_until_ready(step(*args))
    first = time.perf_counter() - start
    start = time.perf_counter()
    for _ in range(n_steps):
        jax.block_until_ready(step(*args))
    mean = (time.perf_counter() - start) / n_steps
    return {"first_call_s": max(round(first, 4), 1e-4), "mean_step_s": max(round(mean, 4), 1e-4)}


def compare_jit(step_fn, *args, n_steps=100):
    jitted = benchmark(jax.jit(step_fn), *args, n_steps=n_steps)
    eager = benchmark(step_fn, *args, n_steps=n_steps)
    return {
        "jit_mean_s": jitted["mean_step_s"],
        "eager_mean_s": eager["mean_step_s"],
        "speedup": float(f"{eager['mean_step_s'] / jitted['mean_step_s']:.4g}"),
        "compile_overhead_s": round(jitted["first_call_s"] - jitted["mean_step_s"], 4),
    }
