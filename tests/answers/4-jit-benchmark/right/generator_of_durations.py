# an endless generator of durations, sliced; fsum for the mean
import itertools
import math
import time

import jax


def durations(step, args):
    while True:
        start = time.perf_counter()
        jax.block_until_ready(step(*args))
        yield time.perf_counter() - start


def benchmark(step, *args, n_steps=100):
    stream = durations(step, args)
    first = next(stream)
    return {
        "first_call_s": first,
        "mean_step_s": math.fsum(itertools.islice(stream, n_steps)) / n_steps,
    }


def compare_jit(step_fn, *args, n_steps=100):
    results = {}
    for name, f in {"eager": step_fn, "jit": jax.jit(step_fn)}.items():
        results[name] = benchmark(f, *args, n_steps=n_steps)
    means = {f"{name}_mean_s": r["mean_step_s"] for name, r in results.items()}
    return means | {
        "speedup": means["eager_mean_s"] / means["jit_mean_s"],
        "compile_overhead_s": results["jit"]["first_call_s"] - results["jit"]["mean_step_s"],
    }
