# changes the arguments a little at each call, against caches that are not there
# loses: every-call-gets-the-same-arguments
# fair: 75-96 %
# mistake: other-arguments-at-later-calls
import time

import jax


def benchmark(step, *args, n_steps=100):
    start = time.perf_counter()
    jax.block_until_ready(step(*args))
    first = time.perf_counter() - start
    others = [
        jax.tree.map(lambda leaf: (leaf + i / 1024).astype(leaf.dtype), args)
        for i in range(1, n_steps + 1)
    ]
    jax.block_until_ready(others)
    start = time.perf_counter()
    for other in others:
        jax.block_until_ready(step(*other))
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
