# benchmark jits whatever it is given
# loses: benchmark-returns-two-times, times-are-in-seconds, mean-step-is-the-time-of-a-step, uneven-steps-are-averaged, n-steps-says-how-many, any-step-with-any-arguments, every-call-gets-the-same-arguments, first-call-is-the-very-first, mean-leaves-out-the-first-call, every-step-is-waited-for, first-call-is-waited-for, eager-is-the-function-as-it-is, eager-mean-is-that-of-warm-steps, comparison-waits-for-results
# fair: 20-45 %
# mistake: benchmark-traces-the-step, both-are-jitted
import time

import jax


def benchmark(step, *args, n_steps=100):
    step = jax.jit(step)
    start = time.perf_counter()
    jax.block_until_ready(step(*args))
    first = time.perf_counter() - start
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
