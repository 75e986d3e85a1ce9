# a file that Python cannot read
# loses: everything
# fair: 0-10 %
# mistake: not-defined
def benchmark(step, *args, n_steps=100
    start = time.perf_counter()
    jax.block_until_ready(step(*args))
    first = time.perf_counter() - start
    start = time.perf_counter()
    for _ in range(n_steps):
        jax.block_until_ready(step(*args))
    return {"first_call_s": first, "mean_step_s": (time.perf_counter() - start) / n_steps}
