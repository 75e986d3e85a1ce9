# datetime stamps and timedeltas
from datetime import datetime, timedelta

import jax


def benchmark(step, *args, n_steps=100):
    begun = datetime.now()
    jax.block_until_ready(step(*args))
    first = datetime.now() - begun
    spent = timedelta()
    for _ in range(n_steps):
        begun = datetime.now()
        jax.block_until_ready(step(*args))
        spent += datetime.now() - begun
    return {
        "first_call_s": first.total_seconds(),
        "mean_step_s": spent.total_seconds() / n_steps,
    }


def compare_jit(step_fn, *args, n_steps=100):
    jitted = benchmark(jax.jit(step_fn), *args, n_steps=n_steps)
    eager = benchmark(step_fn, *args, n_steps=n_steps)
    return {
        "jit_mean_s": jitted["mean_step_s"],
        "eager_mean_s": eager["mean_step_s"],
        "speedup": eager["mean_step_s"] / jitted["mean_step_s"],
        "compile_overhead_s": jitted["first_call_s"] - jitted["mean_step_s"],
    }
