# a NumPy number and an array of one
import numpy as np

accuracy_without = np.float32(0.928)
accuracy_with = np.array([0.928])
