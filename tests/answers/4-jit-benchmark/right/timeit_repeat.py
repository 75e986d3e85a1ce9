# timeit.repeat, the best of three loops of n_steps
import timeit
from functools import partial

import jax


def benchmark(step, *args, n_steps=100):
    run = partial(lambda f, a: jax.block_until_ready(f(*a)), step, args)
    first = timeit.timeit(run, number=1)
    return {
        "first_call_s": first,
        "mean_step_s": min(timeit.repeat(run, number=n_steps, repeat=3)) / n_steps,
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
