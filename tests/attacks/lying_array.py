# returns an array whose class lies about itself
import numpy as np


class Lying(np.ndarray):
    __class__ = np.ndarray

    def __eq__(self, other):
        return np.ones(self.shape, bool)

    def __array__(self, *args, **kwargs):
        raise SystemExit

    def tobytes(self, *args):
        return b"\x00" * 2**20


def attack(value):
    return np.asarray(value).view(Lying)
