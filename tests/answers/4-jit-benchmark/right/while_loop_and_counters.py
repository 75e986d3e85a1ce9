# while loops, lambdas instead of defs, time.time
import time

import jax

wait = lambda tree: [leaf.block_until_ready() for leaf in jax.tree.leaves(tree)]
now = lambda: time.time()


def benchmark(step, *args, n_steps=100):
    t = now()
    wait(step(*args))
    first_call_s = now() - t
    done, spent = 0, 0.0
    while done < n_steps:
        t = now()
        wait(step(*args))
        spent += now() - t
        done += 1
    mean_step_s = spent / done
    return {k: v for k, v in locals().items() if k in ("first_call_s", "mean_step_s")}


def compare_jit(step_fn, *args, n_steps=100):
    @jax.jit
    def jitted(*a):
        return step_fn(*a)

    fast = benchmark(jitted, *args, n_steps=n_steps)
    slow = benchmark(step_fn, *args, n_steps=n_steps)
    jit_mean_s, eager_mean_s = fast["mean_step_s"], slow["mean_step_s"]
    return {
        "jit_mean_s": jit_mean_s,
        "eager_mean_s": eager_mean_s,
        "speedup": eager_mean_s / jit_mean_s,
        "compile_overhead_s": fast["first_call_s"] - jit_mean_s,
    }
