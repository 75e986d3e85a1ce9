# one wait at the end, for the last output; monotonic clock; 20 more warm-up calls
import time

import jax


def benchmark(step, *args, n_steps=100):
    t0 = time.monotonic()
    jax.tree.map(lambda leaf: leaf.block_until_ready(), step(*args))
    t1 = time.monotonic()
    for _ in range(20):
        out = step(*args)
    jax.block_until_ready(out)
    t2 = time.monotonic()
    for _ in range(n_steps):
        out = step(*args)
    jax.block_until_ready(out)
    return {"first_call_s": t1 - t0, "mean_step_s": (time.monotonic() - t2) / n_steps}


def compare_jit(step_fn, *args, n_steps=100):
    jitted = benchmark(jax.jit(step_fn), *args, n_steps=n_steps)
    eager = benchmark(step_fn, *args, n_steps=n_steps)
    return {
        "jit_mean_s": jitted["mean_step_s"],
        "eager_mean_s": eager["mean_step_s"],
        "speedup": eager["mean_step_s"] / jitted["mean_step_s"],
        "compile_overhead_s": jitted["first_call_s"] - jitted["mean_step_s"],
    }
