# both functions with nothing in them but `pass`
# loses: everything
# fair: 0-5 %
# mistake: returns-nothing
def per_example_grads(params, x, y):
    pass


def per_example_grad_norms(params, x, y):
    pass
