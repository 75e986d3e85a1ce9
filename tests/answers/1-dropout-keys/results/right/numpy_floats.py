# NumPy scalars, one of them in an array of one
import numpy as np

accuracy_without = np.float64(0.93)
accuracy_with = np.array([0.93])
