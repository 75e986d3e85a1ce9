# the second run is missing
# loses: norms-clipped, both-runs-begin-alike, the-runs-are-two
# fair: 20-45 %
# mistake: not-defined
import numpy as np

rng = np.random.default_rng(0)
norms_plain = 2.5 * np.exp(-np.arange(80) / 40) * rng.uniform(0.8, 1.2, 80)
norms_clipped = norms_plain * np.linspace(1, 1.4, 80)
del norms_clipped
