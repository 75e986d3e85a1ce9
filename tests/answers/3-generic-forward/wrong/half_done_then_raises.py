# half done: handles one layer, and raises for all deeper networks
# loses: everything
# fair: 0-25 %
# mistake: not-answered
def mlp_forward(params, x):
    if len(params) == 1:
        return x @ params["layer1"]["w"] + params["layer1"]["b"]
    raise NotImplementedError("deeper networks")
