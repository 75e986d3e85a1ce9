# the jitted loop starts cold, so its mean holds the compilation
# loses: jit-mean-is-that-of-compiled-steps
# fair: 75-98 %
# mistake: first-call-counts-in-the-mean
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
    jitted = jax.jit(step_fn)
    start = time.perf_counter()
    jax.block_until_ready(jitted(*args))
    first = time.perf_counter() - start
    for _ in range(n_steps - 1):
        jax.block_until_ready(jitted(*args))
    jit_mean = (time.perf_counter() - start) / n_steps
    eager_mean = benchmark(step_fn, *args, n_steps=n_steps)["mean_step_s"]
    return {
        "jit_mean_s": jit_mean,
        "eager_mean_s": eager_mean,
        "speedup": eager_mean / jit_mean,
        "compile_overhead_s": first,
    }
