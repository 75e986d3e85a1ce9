# more parameters with defaults: warm-up calls, clock, wait; keyword-only helpers
import time
from functools import partial

import jax


def benchmark(step, /, *args, n_steps=100, warmup=2, clock=time.perf_counter, sync=jax.device_get):
    def timed(calls):
        start = clock()
        for _ in range(calls):
            sync(step(*args))
        return clock() - start

    first = timed(1)
    timed(warmup)
    return {"first_call_s": first, "mean_step_s": timed(n_steps) / n_steps, "warmup": warmup}


def compare_jit(step_fn, /, *args, n_steps=100, compiler=jax.jit, **options):
    bench = partial(benchmark, n_steps=n_steps, **options)
    eager = bench(step_fn, *args)
    jitted = bench(compiler(step_fn), *args)
    return {
        "jit_mean_s": jitted["mean_step_s"],
        "eager_mean_s": eager["mean_step_s"],
        "speedup": eager["mean_step_s"] / jitted["mean_step_s"],
        "compile_overhead_s": jitted["first_call_s"] - jitted["mean_step_s"],
        "n_steps": n_steps,
        "device": str(jax.devices()[0]),
    }
