# the mean of steps per second, turned round
# loses: uneven-steps-are-averaged
# fair: 85-98 %
# mistake: none named
import time

import jax


def times_of(step, args, n):
    times = []
    for _ in range(n):
        start = time.perf_counter()
        jax.block_until_ready(step(*args))
        times.append(time.perf_counter() - start)
    return times


def benchmark(step, *args, n_steps=100):
    times = times_of(step, args, n_steps + 1)
    return {"first_call_s": times[0], "mean_step_s": n_steps / sum(1 / t for t in times[1:])}


def compare_jit(step_fn, *args, n_steps=100):
    jitted = benchmark(jax.jit(step_fn), *args, n_steps=n_steps)
    eager = benchmark(step_fn, *args, n_steps=n_steps)
    return {
        "jit_mean_s": jitted["mean_step_s"],
        "eager_mean_s": eager["mean_step_s"],
        "speedup": eager["mean_step_s"] / jitted["mean_step_s"],
        "compile_overhead_s": jitted["first_call_s"] - jitted["mean_step_s"],
    }
