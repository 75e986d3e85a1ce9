# the stub as it was handed out
# loses: everything
# fair: 0-0 %
# mistake: not-answered
def benchmark(step, *args, n_steps=100):
    raise NotImplementedError


def compare_jit(step_fn, *args, n_steps=100):
    raise NotImplementedError
