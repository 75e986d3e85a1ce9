# jits a function of no arguments, so that the arguments are constants
# loses: jit-compiles-once-and-runs-the-program, jit-mean-is-that-of-compiled-steps, overhead-holds-tracing-and-compiling
# fair: 65-88 %
# mistake: arguments-baked-into-the-program
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
    jitted = benchmark(jax.jit(lambda: step_fn(*args)), n_steps=n_steps)
    eager = benchmark(step_fn, *args, n_steps=n_steps)
    return {
        "jit_mean_s": jitted["mean_step_s"],
        "eager_mean_s": eager["mean_step_s"],
        "speedup": eager["mean_step_s"] / jitted["mean_step_s"],
        "compile_overhead_s": jitted["first_call_s"] - jitted["mean_step_s"],
    }
