# the stub, untouched
# loses: everything
# fair: 0-5 %
# mistake: not-answered
def mlp_forward(params, x):
    """The forward pass of a network of any depth."""
    raise NotImplementedError
