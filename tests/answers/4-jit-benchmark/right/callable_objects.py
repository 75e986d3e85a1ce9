# objects with __call__, rounded numbers, a total less the first call, extra keys
import time
from collections import OrderedDict

import jax


class Benchmark:
    def __call__(self, step, *args, n_steps=100, wait=jax.block_until_ready):
        begin = time.time()
        wait(step(*args))
        first = time.time() - begin
        for _ in range(n_steps):
            wait(step(*args))
        total = time.time() - begin
        return OrderedDict(
            first_call_s=round(first, 6),
            mean_step_s=round((total - first) / n_steps, 6),
            total_s=round(total, 6),
            n_steps=n_steps,
        )


class Compare:
    def __init__(self, measure):
        self.measure = measure

    def __call__(self, step_fn, *args, n_steps=100):
        eager, jitted = (
            self.measure(f, *args, n_steps=n_steps) for f in (step_fn, jax.jit(step_fn))
        )
        return OrderedDict(
            jit_mean_s=jitted["mean_step_s"],
            eager_mean_s=eager["mean_step_s"],
            speedup=round(eager["mean_step_s"] / jitted["mean_step_s"], 2),
            compile_overhead_s=jitted["first_call_s"],
            backend=jax.default_backend(),
        )


benchmark = Benchmark()
compare_jit = Compare(benchmark)
