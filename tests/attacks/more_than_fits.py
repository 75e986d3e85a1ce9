# returns gigabytes
import numpy as np


def attack(value):
    return [np.ones((1000, 1000, 100), np.float32) for _ in range(3)]
