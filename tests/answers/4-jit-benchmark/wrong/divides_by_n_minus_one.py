# divides by n_steps - 1
# loses: mean-step-is-the-time-of-a-step
# fair: 80-95 %
# mistake: divided-by-another-number-of-steps
import time

import jax


def benchmark(step, *args, n_steps=100):
    t0 = time.perf_counter()
    jax.block_until_ready(step(*args))
    first = time.perf_counter() - t0
    t0 = time.perf_counter()
    for _ in range(n_steps):
        jax.block_until_ready(step(*args))
    return {"first_call_s": first, "mean_step_s": (time.perf_counter() - t0) / max(n_steps - 1, 1)}


def compare_jit(step_fn, *args, n_steps=100):
    jitted = benchmark(jax.jit(step_fn), *args, n_steps=n_steps)
    eager = benchmark(step_fn, *args, n_steps=n_steps)
    return {
        "jit_mean_s": jitted["mean_step_s"],
        "eager_mean_s": eager["mean_step_s"],
        "speedup": eager["mean_step_s"] / jitted["mean_step_s"],
        "compile_overhead_s": jitted["first_call_s"] - jitted["mean_step_s"],
    }
