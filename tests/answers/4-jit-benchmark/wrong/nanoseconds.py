# perf_counter_ns as it is, under keys that end in _s
# loses: times-are-in-seconds
# fair: 80-95 %
# mistake: times-not-in-seconds
import time

import jax


def benchmark(step, *args, n_steps=100):
    start = time.perf_counter_ns()
    jax.block_until_ready(step(*args))
    first = time.perf_counter_ns() - start
    start = time.perf_counter_ns()
    for _ in range(n_steps):
        jax.block_until_ready(step(*args))
    return {"first_call_s": first, "mean_step_s": (time.perf_counter_ns() - start) / n_steps}


def compare_jit(step_fn, *args, n_steps=100):
    jitted = benchmark(jax.jit(step_fn), *args, n_steps=n_steps)
    eager = benchmark(step_fn, *args, n_steps=n_steps)
    return {
        "jit_mean_s": jitted["mean_step_s"],
        "eager_mean_s": eager["mean_step_s"],
        "speedup": eager["mean_step_s"] / jitted["mean_step_s"],
        "compile_overhead_s": jitted["first_call_s"] - jitted["mean_step_s"],
    }
