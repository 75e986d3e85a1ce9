# compare_jit on its own loops: both warmed up first, caches emptied before the first call
import time

import jax


def once(f, args):
    start = time.perf_counter()
    jax.block_until_ready(f(*args))
    return time.perf_counter() - start


def many(f, args, n):
    start = time.perf_counter()
    results = []
    for _ in range(n):
        results.append(f(*args))
    jax.block_until_ready(results)
    return (time.perf_counter() - start) / n


def benchmark(step, *args, n_steps=100):
    return {"first_call_s": once(step, args), "mean_step_s": many(step, args, n_steps)}


def compare_jit(step_fn, *args, n_steps=100):
    jax.clear_caches()
    jitted = jax.jit(step_fn)
    first_jit, _ = once(jitted, args), once(step_fn, args)
    for f in (jitted, step_fn, jitted, step_fn):
        once(f, args)
    jit_mean, eager_mean = (many(f, args, n_steps) for f in (jitted, step_fn))
    return {
        "jit_mean_s": jit_mean,
        "eager_mean_s": eager_mean,
        "speedup": eager_mean / jit_mean,
        "compile_overhead_s": first_jit - jit_mean,
    }
