# waits for the inputs, which are there already
# loses: every-step-is-waited-for, first-call-is-waited-for, comparison-waits-for-results
# fair: 60-85 %
# mistake: clock-stopped-before-the-work, first-call-not-waited-for
import time

import jax


def benchmark(step, *args, n_steps=100):
    t0 = time.perf_counter()
    step(*args)
    jax.block_until_ready(args)
    first = time.perf_counter() - t0
    t0 = time.perf_counter()
    for _ in range(n_steps):
        step(*args)
        jax.block_until_ready(args)
    return {"first_call_s": first, "mean_step_s": (time.perf_counter() - t0) / n_steps}


def compare_jit(step_fn, *args, n_steps=100):
    jitted = benchmark(jax.jit(step_fn), *args, n_steps=n_steps)
    eager = benchmark(step_fn, *args, n_steps=n_steps)
    return {
        "jit_mean_s": jitted["mean_step_s"],
        "eager_mean_s": eager["mean_step_s"],
        "speedup": eager["mean_step_s"] / jitted["mean_step_s"],
        "compile_overhead_s": jitted["first_call_s"] - jitted["mean_step_s"],
    }
