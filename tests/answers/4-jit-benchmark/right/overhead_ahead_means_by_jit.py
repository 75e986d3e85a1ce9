# the overhead from a copy compiled ahead of time, the means from an ordinary jit: traced twice
import time

import jax
import jax.numpy as jnp


def benchmark(step, *args, n_steps=100):
    tic = time.perf_counter()
    out = step(*args)
    jax.block_until_ready(out)
    first = time.perf_counter() - tic

    tic = time.perf_counter()
    for _ in range(n_steps):
        out = step(*args)
    jax.block_until_ready(out)
    return {
        "first_call_s": jnp.float32(first),
        "mean_step_s": jnp.float32((time.perf_counter() - tic) / n_steps),
    }


def compare_jit(step_fn, *args, n_steps=100):
    tic = time.perf_counter()
    jax.jit(lambda *a: step_fn(*a)).lower(*args).compile()
    overhead = time.perf_counter() - tic
    jit_mean = benchmark(jax.jit(step_fn), *args, n_steps=n_steps)["mean_step_s"]
    eager_mean = benchmark(step_fn, *args, n_steps=n_steps)["mean_step_s"]
    return {
        "jit_mean_s": jit_mean,
        "eager_mean_s": eager_mean,
        "speedup": eager_mean / jit_mean,
        "compile_overhead_s": overhead,
    }
