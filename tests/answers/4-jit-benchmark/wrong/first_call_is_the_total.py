# one clock for everything stands under first_call_s
# loses: first-call-is-the-very-first, overhead-holds-tracing-and-compiling
# fair: 75-95 %
# mistake: first-call-is-the-total
import time

import jax


def benchmark(step, *args, n_steps=100):
    begin = time.perf_counter()
    jax.block_until_ready(step(*args))
    start = time.perf_counter()
    for _ in range(n_steps):
        jax.block_until_ready(step(*args))
    end = time.perf_counter()
    return {"first_call_s": end - begin, "mean_step_s": (end - start) / n_steps}


def compare_jit(step_fn, *args, n_steps=100):
    jitted = benchmark(jax.jit(step_fn), *args, n_steps=n_steps)
    eager = benchmark(step_fn, *args, n_steps=n_steps)
    return {
        "jit_mean_s": jitted["mean_step_s"],
        "eager_mean_s": eager["mean_step_s"],
        "speedup": eager["mean_step_s"] / jitted["mean_step_s"],
        "compile_overhead_s": jitted["first_call_s"] - jitted["mean_step_s"],
    }
