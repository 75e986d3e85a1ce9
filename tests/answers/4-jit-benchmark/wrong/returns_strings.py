# strings instead of numbers
# loses: benchmark-returns-two-times, times-are-in-seconds, comparison-holds-four-numbers, speedup-is-eager-over-jit
# fair: 62-86 %
# mistake: strings-instead-of-numbers, times-not-in-seconds
import time

import jax


def benchmark(step, *args, n_steps=100):
    t0 = time.perf_counter()
    jax.block_until_ready(step(*args))
    first = time.perf_counter() - t0
    t0 = time.perf_counter()
    for _ in range(n_steps):
        jax.block_until_ready(step(*args))
    mean = (time.perf_counter() - t0) / n_steps
    return {"first_call_s": f"{first:.4f} s", "mean_step_s": f"{mean * 1e3:.2f} ms"}


def compare_jit(step_fn, *args, n_steps=100):
    j = benchmark(jax.jit(step_fn), *args, n_steps=n_steps)
    e = benchmark(step_fn, *args, n_steps=n_steps)
    return {
        "jit_mean_s": j["mean_step_s"],
        "eager_mean_s": e["mean_step_s"],
        "speedup": "see above",
        "compile_overhead_s": j["first_call_s"],
    }
