# readings of the clock instead of differences
# loses: times-are-in-seconds, mean-step-is-the-time-of-a-step, uneven-steps-are-averaged, first-call-is-the-very-first, mean-leaves-out-the-first-call, every-step-is-waited-for, comparison-holds-four-numbers, jit-mean-is-that-of-compiled-steps, eager-mean-is-that-of-warm-steps, overhead-holds-tracing-and-compiling, comparison-waits-for-results
# fair: 30-55 %
# mistake: start-time-not-subtracted
import time

import jax


def benchmark(step, *args, n_steps=100):
    jax.block_until_ready(step(*args))
    first = time.perf_counter()
    for _ in range(n_steps):
        jax.block_until_ready(step(*args))
    return {"first_call_s": first, "mean_step_s": time.perf_counter() / n_steps}


def compare_jit(step_fn, *args, n_steps=100):
    jitted = benchmark(jax.jit(step_fn), *args, n_steps=n_steps)
    eager = benchmark(step_fn, *args, n_steps=n_steps)
    return {
        "jit_mean_s": jitted["mean_step_s"],
        "eager_mean_s": eager["mean_step_s"],
        "speedup": eager["mean_step_s"] / jitted["mean_step_s"],
        "compile_overhead_s": jitted["first_call_s"] - jitted["mean_step_s"],
    }
