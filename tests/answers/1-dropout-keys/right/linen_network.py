# the whole network as a Flax Linen module; the params are renamed to what nn.Dense expects
import flax.linen as nn
import jax


class Net(nn.Module):
    rate: float

    @nn.compact
    def __call__(self, x, train):
        for width in (256, 128):
            x = nn.relu(nn.Dense(width)(x))
            x = nn.Dropout(self.rate, deterministic=not train)(x)
        return nn.Dense(10)(x)


def dropout(key, x, rate):
    return nn.Dropout(rate).apply({}, x, deterministic=False, rngs={"dropout": key})


def forward_dropout(params, x, key, rate=0.5, train=True):
    dense = {
        f"Dense_{i}": {"kernel": params[f"layer{i + 1}"]["w"], "bias": params[f"layer{i + 1}"]["b"]}
        for i in range(3)
    }
    return Net(rate).apply({"params": dense}, x, train, rngs={"dropout": key})
