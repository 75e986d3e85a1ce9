# steps timed in chunks of four, the mean weighted by their lengths; user-defined dict
import time
from collections import UserDict

import jax


class Times(UserDict):
    pass


def chunk(step, args, calls):
    start = time.perf_counter()
    for _ in range(calls):
        jax.block_until_ready(step(*args))
    return time.perf_counter() - start


def benchmark(step, *args, n_steps=100):
    first = chunk(step, args, 1)
    sizes = [4] * (n_steps // 4) + ([n_steps % 4] if n_steps % 4 else [])
    means = [(size, chunk(step, args, size) / size) for size in sizes]
    weighted = sum(size * mean for size, mean in means) / sum(sizes)
    return Times(first_call_s=first, mean_step_s=weighted)


def compare_jit(step_fn, *args, n_steps=100):
    jitted = benchmark(jax.jit(step_fn), *args, n_steps=n_steps)
    eager = benchmark(step_fn, *args, n_steps=n_steps)
    return Times(
        jit_mean_s=jitted["mean_step_s"],
        eager_mean_s=eager["mean_step_s"],
        speedup=eager["mean_step_s"] / jitted["mean_step_s"],
        compile_overhead_s=jitted["first_call_s"] - jitted["mean_step_s"],
    )
