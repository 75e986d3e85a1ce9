# all calls made in one worker thread; default_timer; futures
from concurrent.futures import ThreadPoolExecutor
from timeit import default_timer

import jax


def benchmark(step, *args, n_steps=100):
    def run():
        marks = [default_timer()]
        jax.block_until_ready(step(*args))
        marks.append(default_timer())
        for _ in range(n_steps):
            jax.block_until_ready(step(*args))
        marks.append(default_timer())
        return marks

    with ThreadPoolExecutor(max_workers=1) as pool:
        begun, first, last = pool.submit(run).result()
    return {"first_call_s": first - begun, "mean_step_s": (last - first) / n_steps}


def compare_jit(step_fn, *args, n_steps=100):
    jitted = benchmark(jax.jit(step_fn), *args, n_steps=n_steps)
    eager = benchmark(step_fn, *args, n_steps=n_steps)
    return {
        "jit_mean_s": jitted["mean_step_s"],
        "eager_mean_s": eager["mean_step_s"],
        "speedup": eager["mean_step_s"] / jitted["mean_step_s"],
        "compile_overhead_s": jitted["first_call_s"] - jitted["mean_step_s"],
    }
