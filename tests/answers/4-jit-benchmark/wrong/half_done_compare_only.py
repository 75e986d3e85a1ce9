# compare_jit is done on its own, benchmark is not begun
# loses: benchmark-returns-two-times, times-are-in-seconds, mean-step-is-the-time-of-a-step, uneven-steps-are-averaged, n-steps-says-how-many, any-step-with-any-arguments, every-call-gets-the-same-arguments, first-call-is-the-very-first, mean-leaves-out-the-first-call, every-step-is-waited-for, first-call-is-waited-for
# fair: 35-50 %
# mistake: not-answered
import time

import jax


def benchmark(step, *args, n_steps=100):
    raise NotImplementedError


def seconds(f, args, calls):
    start = time.perf_counter()
    for _ in range(calls):
        jax.block_until_ready(f(*args))
    return (time.perf_counter() - start) / calls


def compare_jit(step_fn, *args, n_steps=100):
    jitted = jax.jit(step_fn)
    first = seconds(jitted, args, 1)
    jit_mean = seconds(jitted, args, n_steps)
    seconds(step_fn, args, 1)
    eager_mean = seconds(step_fn, args, n_steps)
    return {
        "jit_mean_s": jit_mean,
        "eager_mean_s": eager_mean,
        "speedup": eager_mean / jit_mean,
        "compile_overhead_s": first - jit_mean,
    }
