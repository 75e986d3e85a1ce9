# the clock for the first call starts after that call
# loses: first-call-is-the-very-first, overhead-holds-tracing-and-compiling
# fair: 70-92 %
# mistake: clock-not-around-the-calls
import time

import jax


def benchmark(step, *args, n_steps=100):
    out = step(*args)
    start = time.perf_counter()
    first = time.perf_counter() - start
    jax.block_until_ready(out)
    start = time.perf_counter()
    for _ in range(n_steps):
        jax.block_until_ready(step(*args))
    return {"first_call_s": first, "mean_step_s": (time.perf_counter() - start) / n_steps}


def compare_jit(step_fn, *args, n_steps=100):
    jitted = benchmark(jax.jit(step_fn), *args, n_steps=n_steps)
    eager = benchmark(step_fn, *args, n_steps=n_steps)
    return {
        "jit_mean_s": jitted["mean_step_s"],
        "eager_mean_s": eager["mean_step_s"],
        "speedup": eager["mean_step_s"] / jitted["mean_step_s"],
        "compile_overhead_s": jitted["first_call_s"] - jitted["mean_step_s"],
    }
