# partial objects, a namespace turned into a dict, waits for one leaf of each result
import time
from functools import partial
from types import SimpleNamespace

import jax


def drain(out):
    leaf, *_ = jax.tree_util.tree_leaves(out)
    return leaf.block_until_ready()


def benchmark(step, *args, n_steps=100):
    call = partial(step, *args)
    result = SimpleNamespace()
    start = time.perf_counter()
    drain(call())
    result.first_call_s = time.perf_counter() - start
    start = time.perf_counter()
    for _ in range(n_steps):
        drain(call())
    result.mean_step_s = (time.perf_counter() - start) / n_steps
    return vars(result)


def compare_jit(step_fn, *args, n_steps=100):
    bench = partial(benchmark, n_steps=n_steps)
    jitted, eager = bench(jax.jit(step_fn), *args), bench(step_fn, *args)
    summary = SimpleNamespace(
        jit_mean_s=jitted["mean_step_s"],
        eager_mean_s=eager["mean_step_s"],
        compile_overhead_s=jitted["first_call_s"] - jitted["mean_step_s"],
    )
    summary.speedup = summary.eager_mean_s / summary.jit_mean_s
    return vars(summary)
