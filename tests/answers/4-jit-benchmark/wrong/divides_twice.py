# compare_jit divides the means by n_steps once more
# loses: jit-mean-is-that-of-compiled-steps, eager-mean-is-that-of-warm-steps
# fair: 75-95 %
# mistake: divided-by-another-number-of-steps
import time

import jax


def benchmark(step, *args, n_steps=100):
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
    jit_mean = jitted["mean_step_s"] / n_steps
    eager_mean = eager["mean_step_s"] / n_steps
    return {
        "jit_mean_s": jit_mean,
        "eager_mean_s": eager_mean,
        "speedup": eager_mean / jit_mean,
        "compile_overhead_s": jitted["first_call_s"] - jit_mean,
    }
