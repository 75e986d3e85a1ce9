# itertools.starmap and repeat, statistics.fmean, the overhead less the median step
import itertools
import statistics
import time

import jax


def stamped(step, *args):
    jax.block_until_ready(step(*args))
    return time.perf_counter()


def laps(step, args, n):
    stamps = itertools.chain(
        [time.perf_counter()], itertools.starmap(stamped, itertools.repeat((step, *args), n))
    )
    return [b - a for a, b in itertools.pairwise(stamps)]


def benchmark(step, *args, n_steps=100):
    first, *others = laps(step, args, 1 + n_steps)
    return {"first_call_s": first, "mean_step_s": statistics.fmean(others), "laps": others}


def compare_jit(step_fn, *args, n_steps=100):
    jitted = benchmark(jax.jit(step_fn), *args, n_steps=n_steps)
    eager = benchmark(step_fn, *args, n_steps=n_steps)
    return {
        "jit_mean_s": jitted["mean_step_s"],
        "eager_mean_s": eager["mean_step_s"],
        "speedup": eager["mean_step_s"] / jitted["mean_step_s"],
        "compile_overhead_s": jitted["first_call_s"] - statistics.median(jitted["laps"]),
    }
