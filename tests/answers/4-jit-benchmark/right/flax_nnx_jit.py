# Flax NNX: nnx.jit as the compiler
import time

import jax
from flax import nnx


def benchmark(step, *args, n_steps=100):
    start = time.perf_counter()
    jax.block_until_ready(step(*args))
    first = time.perf_counter() - start
    start = time.perf_counter()
    for _ in range(n_steps):
        jax.block_until_ready(step(*args))
    return {"first_call_s": first, "mean_step_s": (time.perf_counter() - start) / n_steps}


def compare_jit(step_fn, *args, n_steps=100):
    j = benchmark(nnx.jit(step_fn), *args, n_steps=n_steps)
    e = benchmark(step_fn, *args, n_steps=n_steps)
    return {
        "jit_mean_s": j["mean_step_s"],
        "eager_mean_s": e["mean_step_s"],
        "speedup": e["mean_step_s"] / j["mean_step_s"],
        "compile_overhead_s": j["first_call_s"] - j["mean_step_s"],
    }
