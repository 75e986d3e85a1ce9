# waits for the result if it is a single array, and not for a tuple
# loses: every-step-is-waited-for, comparison-waits-for-results
# fair: 65-88 %
# mistake: clock-stopped-before-the-work
import time

import jax


def wait(out):
    if hasattr(out, "block_until_ready"):
        out.block_until_ready()


def benchmark(step, *args, n_steps=100):
    start = time.perf_counter()
    wait(step(*args))
    first = time.perf_counter() - start
    start = time.perf_counter()
    for _ in range(n_steps):
        wait(step(*args))
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
