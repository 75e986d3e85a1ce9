# prints the times and returns nothing
# loses: benchmark-returns-two-times, times-are-in-seconds, mean-step-is-the-time-of-a-step, uneven-steps-are-averaged, first-call-is-the-very-first, mean-leaves-out-the-first-call, every-step-is-waited-for, comparison-holds-four-numbers, jit-mean-is-that-of-compiled-steps, eager-mean-is-that-of-warm-steps, speedup-is-eager-over-jit, overhead-holds-tracing-and-compiling, comparison-waits-for-results
# fair: 25-50 %
# mistake: returns-nothing
import time

import jax


def benchmark(step, *args, n_steps=100):
    start = time.perf_counter()
    jax.block_until_ready(step(*args))
    first = time.perf_counter() - start
    start = time.perf_counter()
    for _ in range(n_steps):
        jax.block_until_ready(step(*args))
    print({"first_call_s": first, "mean_step_s": (time.perf_counter() - start) / n_steps})


def compare_jit(step_fn, *args, n_steps=100):
    print(benchmark(jax.jit(step_fn), *args, n_steps=n_steps))
    print(benchmark(step_fn, *args, n_steps=n_steps))
