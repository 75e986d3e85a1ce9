# the stub, never answered
# loses: everything
# fair: 0-0 %
# mistake: not-answered
def per_example_grads(params, x, y):
    raise NotImplementedError


def per_example_grad_norms(params, x, y):
    raise NotImplementedError
