# a compact Linen module, applied to the parameters under Flax's names
from typing import Sequence

import flax.linen as nn


class Network(nn.Module):
    widths: Sequence[int]

    @nn.compact
    def __call__(self, x):
        for i, width in enumerate(self.widths, start=1):
            x = nn.Dense(width, name=f"layer{i}")(x)
            if i < len(self.widths):
                x = nn.relu(x)
        return x


def mlp_forward(params, x):
    widths = tuple(params[f"layer{i}"]["b"].shape[0] for i in range(1, len(params) + 1))
    renamed = {name: {"kernel": p["w"], "bias": p["b"]} for name, p in params.items()}
    return Network(widths).apply({"params": renamed}, x)
