# lists of floats
import numpy as np

rng = np.random.default_rng(0)
norms_plain = 2.5 * np.exp(-np.arange(80) / 40) * rng.uniform(0.8, 1.2, 80)
norms_clipped = norms_plain * np.linspace(1, 1.4, 80)
norms_plain, norms_clipped = norms_plain.tolist(), norms_clipped.tolist()
