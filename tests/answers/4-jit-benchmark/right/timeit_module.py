# timeit as the clock
import timeit

import jax


def benchmark(step, *args, n_steps=100):
    run = lambda: jax.block_until_ready(step(*args))
    first = timeit.timeit(run, number=1)
    total = timeit.timeit(run, number=n_steps)
    return {"first_call_s": first, "mean_step_s": total / n_steps}


def compare_jit(step_fn, *args, n_steps=100):
    jitted = benchmark(jax.jit(step_fn), *args, n_steps=n_steps)
    eager = benchmark(step_fn, *args, n_steps=n_steps)
    return {
        "jit_mean_s": jitted["mean_step_s"],
        "eager_mean_s": eager["mean_step_s"],
        "speedup": eager["mean_step_s"] / jitted["mean_step_s"],
        "compile_overhead_s": jitted["first_call_s"] - jitted["mean_step_s"],
    }
