# jitted and eager steps in random order, so that drifts of the machine hit both
import random
import time

import jax


def seconds(f, args):
    start = time.perf_counter()
    jax.block_until_ready(f(*args))
    return time.perf_counter() - start


def benchmark(step, *args, n_steps=100):
    first = seconds(step, args)
    return {
        "first_call_s": first,
        "mean_step_s": sum(seconds(step, args) for _ in range(n_steps)) / n_steps,
    }


def compare_jit(step_fn, *args, n_steps=100):
    functions = {"jit": jax.jit(step_fn), "eager": step_fn}
    first = {name: seconds(f, args) for name, f in functions.items()}
    order = [*functions] * n_steps
    random.shuffle(order)
    spent = dict.fromkeys(functions, 0.0)
    for name in order:
        spent[name] += seconds(functions[name], args)
    return {
        "jit_mean_s": spent["jit"] / n_steps,
        "eager_mean_s": spent["eager"] / n_steps,
        "speedup": spent["eager"] / spent["jit"],
        "compile_overhead_s": first["jit"] - spent["jit"] / n_steps,
    }
