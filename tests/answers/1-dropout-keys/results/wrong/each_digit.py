# whether each digit was read, not the share
# loses: everything
# fair: 0-30 %
# mistake: none named
import numpy as np

accuracy_without = np.arange(500) < 463
accuracy_with = np.arange(500) < 467
