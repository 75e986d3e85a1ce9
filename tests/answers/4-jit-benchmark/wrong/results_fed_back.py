# every step gets what the last one returned
# loses: every-call-gets-the-same-arguments
# fair: 75-96 %
# mistake: results-fed-back
import time

import jax


def benchmark(step, *args, n_steps=100):
    start = time.perf_counter()
    out = jax.block_until_ready(step(*args))
    first = time.perf_counter() - start
    start = time.perf_counter()
    for _ in range(n_steps):
        if isinstance(out, tuple):
            args = (*out[:2], *args[2:])
        out = jax.block_until_ready(step(*args))
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
