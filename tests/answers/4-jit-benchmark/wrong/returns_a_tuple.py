# benchmark returns a tuple
# loses: benchmark-returns-two-times
# fair: 80-98 %
# mistake: returns-no-dict
import time

import jax


def benchmark(step, *args, n_steps=100):
    start = time.perf_counter()
    jax.block_until_ready(step(*args))
    first = time.perf_counter() - start
    start = time.perf_counter()
    for _ in range(n_steps):
        jax.block_until_ready(step(*args))
    return first, (time.perf_counter() - start) / n_steps


def compare_jit(step_fn, *args, n_steps=100):
    jit_first, jit_mean = benchmark(jax.jit(step_fn), *args, n_steps=n_steps)
    _, eager_mean = benchmark(step_fn, *args, n_steps=n_steps)
    return {
        "jit_mean_s": jit_mean,
        "eager_mean_s": eager_mean,
        "speedup": eager_mean / jit_mean,
        "compile_overhead_s": jit_first - jit_mean,
    }
