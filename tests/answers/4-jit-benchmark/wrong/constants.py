# numbers without any call
# loses: everything
# fair: 0-5 %
# mistake: step-never-called
def benchmark(step, *args, n_steps=100):
    return {"first_call_s": 1.0, "mean_step_s": 0.1}


def compare_jit(step_fn, *args, n_steps=100):
    return {"eager_mean_s": 0.2, "jit_mean_s": 0.1, "speedup": 2.0, "compile_overhead_s": 0.9}
