# a timer as a context manager, and an extra key
import time

import jax


class Timer:
    def __enter__(self):
        self.t = time.perf_counter()
        return self

    def __exit__(self, *exc):
        self.s = time.perf_counter() - self.t


def benchmark(step, *args, n_steps=100):
    with Timer() as first:
        jax.block_until_ready(step(*args))
    with Timer() as rest:
        for _ in range(n_steps):
            jax.block_until_ready(step(*args))
    return {"first_call_s": first.s, "mean_step_s": rest.s / n_steps, "total_s": first.s + rest.s}


def compare_jit(step_fn, *args, n_steps=100):
    e = benchmark(step_fn, *args, n_steps=n_steps)
    j = benchmark(jax.jit(step_fn), *args, n_steps=n_steps)
    return {
        "jit_mean_s": j["mean_step_s"],
        "eager_mean_s": e["mean_step_s"],
        "speedup": e["mean_step_s"] / j["mean_step_s"],
        "compile_overhead_s": j["first_call_s"] - j["mean_step_s"],
    }
