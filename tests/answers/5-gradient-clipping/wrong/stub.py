# the stub, unanswered
# loses: everything
# fair: 0-0 %
# mistake: not-answered
def make_optimizer(learning_rate=1e-3, max_norm=None):
    raise NotImplementedError


def train(params, optimizer, batches):
    raise NotImplementedError
