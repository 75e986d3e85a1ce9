# the smaller of the two means goes under jit_mean_s
# loses: jit-mean-is-that-of-compiled-steps, eager-mean-is-that-of-warm-steps
# fair: 75-96 %
# mistake: smaller-mean-taken-for-the-jitted-one
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
    fast, slow = sorted([jitted["mean_step_s"], eager["mean_step_s"]])
    return {
        "jit_mean_s": fast,
        "eager_mean_s": slow,
        "speedup": slow / fast,
        "compile_overhead_s": jitted["first_call_s"] - jitted["mean_step_s"],
    }
