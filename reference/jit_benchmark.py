"""Model solution of 4-jit-benchmark, extracted from its notebook: do not edit here.

``jaxercise reference`` writes this file.
"""

import time

import jax


def benchmark(step, *args, n_steps=100):
    """Time the first call of step(*args), and the mean of n_steps calls after it.

    Args:
        step: a function that returns an array or a pytree of arrays.
        *args: its arguments, the same at every call.
        n_steps: how many calls the mean is taken over.

    Returns:
        {"first_call_s": seconds of the very first call,
         "mean_step_s": mean seconds of n_steps calls after it}. Both are waited for.
    """
    start = time.perf_counter()
    jax.block_until_ready(step(*args))
    first_call_s = time.perf_counter() - start

    start = time.perf_counter()
    for _ in range(n_steps):
        jax.block_until_ready(step(*args))
    mean_step_s = (time.perf_counter() - start) / n_steps

    return {"first_call_s": first_call_s, "mean_step_s": mean_step_s}


def compare_jit(step_fn, *args, n_steps=100):
    """Compare step_fn with and without jax.jit on the same arguments.

    Args:
        step_fn: a function that is not jitted yet.
        *args: its arguments, the same at every call.
        n_steps: how many calls each mean is taken over.

    Returns:
        {"jit_mean_s": mean seconds of a jitted step,
         "eager_mean_s": mean seconds of a step without jit,
         "speedup": eager_mean_s / jit_mean_s,
         "compile_overhead_s": seconds that tracing and compiling cost}.
    """
    jitted = benchmark(jax.jit(step_fn), *args, n_steps=n_steps)
    eager = benchmark(step_fn, *args, n_steps=n_steps)
    return {
        "jit_mean_s": jitted["mean_step_s"],
        "eager_mean_s": eager["mean_step_s"],
        "speedup": eager["mean_step_s"] / jitted["mean_step_s"],
        "compile_overhead_s": jitted["first_call_s"] - jitted["mean_step_s"],
    }
