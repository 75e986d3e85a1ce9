# the stub, untouched
# loses: everything
# fair: 0-5 %
# mistake: not-answered
def dropout(key, x, rate):
    raise NotImplementedError("Replace this line with your answer.")


def forward_dropout(params, x, key, rate=0.5, train=True):
    raise NotImplementedError("Replace this line with your answer.")
